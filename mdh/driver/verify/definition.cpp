#include "mdh/driver/verify/definition.h"

#include <cmath>
#include <mutex>

#include "mdh/driver/verify/compiled_blocks.h"
#include "mdh/driver/verify/input_reader.h"
#include "mdh/driver/verify/ranges.h"
#include "mdh/hl/analysis.h"
#include "mdh/scalar/algebra.h"

namespace mdh::driver {
namespace {

using hl::Shape;
using scalar::Value;

size_t row_width(const Meaning& meaning) {
  size_t width = 0;
  for (const scalar::Assignment& a : meaning.f.results) {
    width += static_cast<size_t>(scalar::width_of(a.value.type()));
  }
  return width;
}

/// Bit for bit, but for the sign and the payload of NaN.
bool same_rows(const Meaning& meaning, const std::vector<Value>& a, const std::vector<Value>& b) {
  std::vector<bool> floats;
  for (const scalar::Assignment& result : meaning.f.results) {
    for (const scalar::Leaf& leaf : leaves_of(result.value.type())) {
      floats.push_back(is_floating(leaf.type));
    }
  }
  for (size_t n = 0; n < a.size(); ++n) {
    const bool both_nan = floats[n % floats.size()] && std::isnan(a[n].as_floating()) &&
                          std::isnan(b[n].as_floating());
    if (a[n] != b[n] && !both_nan) return false;
  }
  return true;
}

/// Folds what contributes to one result.
class Fold {
 public:
  Fold(const hl::Program& views, const Meaning& meaning, std::span<void* const> inputs)
      : views_(views),
        sizes_(hl::sizes(views)),
        reader_(views, inputs),
        algebra_(meaning.f, meaning.combine),
        point_(sizes_.size()),
        operands_(static_cast<size_t>(hl::leaf_count(views.inputs))) {
    fresh_.resize(row_width(meaning));
  }

  void only_between(const std::vector<int64_t>& begins, const std::vector<int64_t>& ends) {
    begins_ = begins;
    ends_ = ends;
  }

  /// `is_alone`: along scanned dimensions, too, only the point itself.
  void operator()(std::span<const int64_t> at, bool is_alone, std::span<Value> row) {
    at_ = at;
    is_alone_ = is_alone;
    is_first_ = true;
    walk(0, row);
  }

 private:
  void walk(size_t d, std::span<Value> row) {
    if (d == sizes_.size()) return contribute(row);
    const Shape shape = views_.dimensions[d].combine.shape;
    const bool stays = shape == Shape::concatenate || (shape == Shape::scan && is_alone_);
    const int64_t first = stays ? at_[d] : begins_[d];
    const int64_t last = shape == Shape::pointwise ? ends_[d] - 1 : at_[d];
    for (point_[d] = first; point_[d] <= last; ++point_[d]) walk(d + 1, row);
  }

  void contribute(std::span<Value> row) {
    reader_(point_, operands_);
    if (is_first_) {
      is_first_ = false;
      return algebra_.f(operands_, point_, row);
    }
    algebra_.f(operands_, point_, fresh_);
    algebra_.combine(row, fresh_, row);
  }

  const hl::Program& views_;
  std::vector<int64_t> sizes_, begins_, ends_;
  InputReader reader_;
  scalar::ScalarAlgebra algebra_;
  std::vector<int64_t> point_;
  std::vector<Value> operands_, fresh_;
  std::span<const int64_t> at_;
  bool is_alone_ = false, is_first_ = true;
};

void scan_along(size_t d, const std::vector<int64_t>& counts, scalar::Algebra& algebra,
                Rows& rows) {
  int64_t inner = 1;
  for (size_t e = d + 1; e < counts.size(); ++e) inner *= counts[e];
  const auto count = static_cast<int64_t>(rows.values.size() / rows.width);
  const auto row = [&](int64_t n) {
    return std::span<Value>(rows.values.data() + n * static_cast<int64_t>(rows.width), rows.width);
  };
  for (int64_t n = 0; n < count; ++n) {
    if (n / inner % counts[d] != 0) algebra.combine(row(n - inner), row(n), row(n));
  }
}

}  // namespace

std::vector<int64_t> Points::at(const std::vector<int64_t>& result_sizes, int64_t n) const {
  const size_t rank = result_sizes.size();
  if (!all) {
    const auto begin = coordinates.begin() + n * static_cast<int64_t>(rank);
    return {begin, begin + static_cast<int64_t>(rank)};
  }
  std::vector<int64_t> point(rank);
  for (size_t d = rank; d-- > 0; n /= result_sizes[d]) point[d] = n % result_sizes[d];
  return point;
}

Points all_points(const hl::Program& program) {
  return {.count = scalar::volume(hl::result_sizes(program)), .all = true};
}

void advance(std::vector<int64_t>& point, const std::vector<int64_t>& counts) {
  for (size_t d = counts.size(); d-- > 0;) {
    if (++point[d] < counts[d]) return;
    point[d] = 0;
  }
}

Definition::Definition(hl::Program views, Meaning meaning)
    : views_(std::move(views)), meaning_(std::move(meaning)) {}

Definition::Window Definition::whole() const {
  const std::vector<int64_t> sizes = hl::sizes(views_);
  return {std::vector<int64_t>(sizes.size(), 0), sizes};
}

/// A random part of each dimension that is not kept, until so few terms are left.
Definition::Window Definition::some_terms(int64_t most, Random& random) const {
  Window window = whole();
  const auto length = [&](size_t d) { return window.ends[d] - window.begins[d]; };
  for (size_t d = 0; d < window.ends.size(); ++d) {
    if (views_.dimensions[d].combine.shape == Shape::concatenate) continue;
    const int64_t part = std::min(length(d), std::max<int64_t>(2, most));
    window.begins[d] = random.between(0, length(d) - part);
    window.ends[d] = window.begins[d] + part;
    most /= part;
  }
  return window;
}

Rows Definition::interpreted(const Points& points, const Window& window,
                             std::span<void* const> inputs,
                             const std::function<void(double)>& share) const {
  const std::vector<int64_t> counts = hl::result_sizes(views_);
  const size_t width = row_width(meaning_);
  Rows rows{std::vector<Value>(static_cast<size_t>(points.count) * width), width};
  std::mutex mutex;
  in_turns(points.count, [&]() -> Worker {
    auto fold = std::make_shared<Fold>(views_, meaning_, inputs);
    fold->only_between(window.begins, window.ends);
    return [&, fold](int64_t n) {
      const auto row = std::span<Value>(rows.values).subspan(static_cast<size_t>(n) * width, width);
      (*fold)(points.at(counts, n), points.all, row);
      if (!share || n % 64 != 0) return;
      const std::lock_guard<std::mutex> lock(mutex);
      share(static_cast<double>(n) / static_cast<double>(points.count));
    };
  });
  scalar::ScalarAlgebra algebra(meaning_.f, meaning_.combine);
  for (size_t d = 0; points.all && d < counts.size(); ++d) {
    if (views_.dimensions[d].combine.shape == Shape::scan) scan_along(d, counts, algebra, rows);
  }
  return rows;
}

void Definition::compiled(const Points& points, const Window& window, std::span<void* const> inputs,
                          const TakeRows& take, const std::function<void(double)>& share) const {
  CompiledBlocks(views_, meaning_, {*kernel_, threads_}, points)
      .run(window.begins, window.ends, inputs, take, share);
}

void Definition::each(const Points& points, std::span<void* const> inputs, const TakeRows& take,
                      const std::function<void(double)>& share) const {
  if (kernel_) return compiled(points, whole(), inputs, take, share);
  const Rows rows = interpreted(points, whole(), inputs, share);
  const RowsView all{rows.values, rows.width};
  in_ranges(points.count,
            [&](int, int64_t begin, int64_t end) { take(begin, all.part(begin, end)); });
}

Rows Definition::at(const Points& points, std::span<void* const> inputs,
                    const std::function<void(double)>& share) const {
  const size_t width = row_width(meaning_);
  Rows all{std::vector<Value>(static_cast<size_t>(points.count) * width), width};
  const auto put = [&](int64_t first, const RowsView& rows) {
    std::copy(rows.values.begin(), rows.values.end(),
              all.values.begin() + first * static_cast<int64_t>(width));
  };
  each(points, inputs, put, share);
  return all;
}

/// Points at which a scan, too, combines only what is in the window.
void Definition::compute_by(const DefinitionKernel& kernel, std::span<void* const> inputs,
                            int threads) {
  const std::vector<int64_t> counts = hl::result_sizes(views_);
  kernel_ = kernel;
  threads_ = threads;
  Random random(77);
  for (int round = 0; round < 4; ++round) {
    const Window window = some_terms(int64_t{1} << 10, random);
    Points some{.count = 16};
    for (int64_t n = 0; n < some.count; ++n) {
      for (size_t d = 0; d < counts.size(); ++d) {
        const bool scanned = views_.dimensions[d].combine.shape == Shape::scan;
        some.coordinates.push_back(scanned ? random.between(window.begins[d], window.ends[d] - 1)
                                           : random.between(0, counts[d] - 1));
      }
    }
    const Rows expected = interpreted(some, window, inputs, {});
    std::vector<Value> found(expected.values.size());
    compiled(some, window, inputs, [&](int64_t first, const RowsView& rows) {
      std::copy(rows.values.begin(), rows.values.end(),
                found.begin() + first * static_cast<int64_t>(rows.width));
    });
    if (same_rows(meaning_, found, expected.values)) continue;
    kernel_.reset();
    missing("E621",
            "the compiler translates a plain loop nest of the definition wrongly: it disagrees "
            "with the interpreter, so nothing that it compiles can be trusted",
            "name another compiler in MDH_CC");
  }
}

}  // namespace mdh::driver
