#include "mdh/driver/verify/definition.h"

#include "mdh/driver/verify/input_reader.h"
#include "mdh/hl/analysis.h"
#include "mdh/scalar/algebra.h"
#include "mdh/support/random.h"

namespace mdh::driver {
namespace {

using hl::Shape;
using scalar::Value;

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
    for (const scalar::Assignment& a : meaning.f.results) {
      fresh_.resize(fresh_.size() + static_cast<size_t>(scalar::width_of(a.value.type())));
    }
  }

  size_t width() const { return fresh_.size(); }
  scalar::Algebra& algebra() { return algebra_; }

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
    const int64_t first = stays ? at_[d] : 0;
    const int64_t last = shape == Shape::pointwise ? sizes_[d] - 1 : at_[d];
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
  std::vector<int64_t> sizes_;
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

Definition::Definition(hl::Program views, Meaning meaning)
    : views_(std::move(views)), meaning_(std::move(meaning)) {}

Rows Definition::interpreted(const Points& points, std::span<void* const> inputs,
                             const std::function<void(double)>& share) const {
  Fold fold(views_, meaning_, inputs);
  const std::vector<int64_t> counts = hl::result_sizes(views_);
  Rows rows{std::vector<Value>(static_cast<size_t>(points.count) * fold.width()), fold.width()};
  for (int64_t n = 0; n < points.count; ++n) {
    const auto row =
        std::span<Value>(rows.values).subspan(static_cast<size_t>(n) * fold.width(), fold.width());
    fold(points.at(counts, n), points.all, row);
    if (share && n % 64 == 0) share(static_cast<double>(n) / static_cast<double>(points.count));
  }
  for (size_t d = 0; points.all && d < counts.size(); ++d) {
    if (views_.dimensions[d].combine.shape == Shape::scan) {
      scan_along(d, counts, fold.algebra(), rows);
    }
  }
  return rows;
}

Rows Definition::compiled(const Points& points, std::span<void* const> inputs) const {
  const size_t width = meaning_.f.results.size();
  Rows rows{std::vector<Value>(static_cast<size_t>(points.count) * width), width};
  std::vector<int64_t> coordinates = points.coordinates;
  int64_t count[2] = {points.count, points.all ? 1 : 0};
  std::vector<void*> buffers = {rows.values.data(), coordinates.data(), count};
  buffers.insert(buffers.end(), inputs.begin(), inputs.end());
  (*kernel_)(buffers, threads_);
  return rows;
}

Rows Definition::at(const Points& points, std::span<void* const> inputs,
                    const std::function<void(double)>& share) const {
  return kernel_ ? compiled(points, inputs) : interpreted(points, inputs, share);
}

void Definition::compute_by(const runtime::host::Kernel& kernel, std::span<void* const> inputs,
                            int threads) {
  const std::vector<int64_t> counts = hl::result_sizes(views_);
  int64_t terms = 1;
  for (size_t d = 0; d < counts.size(); ++d) {
    if (views_.dimensions[d].combine.shape != Shape::concatenate) terms *= hl::sizes(views_)[d];
  }
  Random random(77);
  Points some{.count = std::clamp<int64_t>((int64_t{1} << 16) / terms, 2, 64)};
  for (int64_t n = 0; n < some.count; ++n) {
    for (const int64_t size : counts) some.coordinates.push_back(random.between(0, size - 1));
  }
  const Rows expected = interpreted(some, inputs, {});
  kernel_ = kernel;
  threads_ = threads;
  const Rows found = compiled(some, inputs);
  if (found.values == expected.values) return;
  kernel_.reset();
  missing("E621",
          "the compiler translates a plain loop nest of the definition wrongly: it disagrees with "
          "the interpreter, so nothing that it compiles can be trusted",
          "name another compiler in MDH_CC");
}

}  // namespace mdh::driver
