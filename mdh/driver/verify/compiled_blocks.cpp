#include "mdh/driver/verify/compiled_blocks.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "mdh/driver/verify/ranges.h"
#include "mdh/hl/analysis.h"

namespace mdh::driver {

using hl::Shape;
using scalar::Value;

struct CompiledBlocks::Call {
  std::vector<int64_t> window;
  std::span<void* const> inputs;
  const TakeRows& take;
  const Share& share;
};

CompiledBlocks::CompiledBlocks(const hl::Program& views, const Meaning& meaning, const By& by,
                               const Points& points)
    : views_(views),
      by_(by),
      points_(points),
      counts_(hl::result_sizes(views)),
      width_(meaning.f.results.size()) {}

void CompiledBlocks::run(const std::vector<int64_t>& begins, const std::vector<int64_t>& ends,
                         std::span<void* const> inputs, const TakeRows& take,
                         const Share& share) const {
  Call call{{}, inputs, take, share};
  for (size_t d = 0; d < begins.size(); ++d) {
    call.window.push_back(begins[d]);
    call.window.push_back(ends[d]);
  }
  is_scanned() ? in_order(call) : in_any_order(call);
}

/// Rows of all points follow from rows before them.
bool CompiledBlocks::is_scanned() const {
  bool scanned = false;
  for (size_t d = 0; d < counts_.size(); ++d) {
    scanned = scanned || views_.dimensions[d].combine.shape == Shape::scan;
  }
  return points_.all && scanned;
}

/// As many as stay in the second cache of a core, and enough blocks for all of the cores.
int64_t CompiledBlocks::points_per_block() const {
  constexpr int64_t values = int64_t{1} << 16;
  const int64_t fair = points_.count / (8 * most_ranges());
  return std::clamp<int64_t>(fair, 1, std::max<int64_t>(64, values / static_cast<int64_t>(width_)));
}

int64_t CompiledBlocks::terms_per_point() const {
  int64_t terms = 1;
  const std::vector<int64_t> sizes = hl::sizes(views_);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (views_.dimensions[d].combine.shape == Shape::pointwise) terms *= sizes[d];
  }
  return terms;
}

void CompiledBlocks::compute(const Call& call, int64_t first, int64_t count, int threads,
                             Value* rows) const {
  std::vector<int64_t> numbers = {count, points_.all ? 1 : 0, points_.all ? first : 0};
  numbers.insert(numbers.end(), call.window.begin(), call.window.end());
  const auto rank = static_cast<int64_t>(counts_.size());
  const int64_t* points = points_.all ? nullptr : points_.coordinates.data() + first * rank;
  std::vector<void*> buffers = {rows, const_cast<int64_t*>(points), numbers.data()};
  buffers.insert(buffers.end(), call.inputs.begin(), call.inputs.end());
  by_.kernel.call(buffers, threads);
}

void CompiledBlocks::in_any_order(const Call& call) const {
  const int64_t length = points_per_block();
  std::atomic<int64_t> next = 0;
  std::mutex mutex;
  int64_t done = 0;
  on_all_cores(points_.count > length, [&] {
    std::vector<Value> rows(static_cast<size_t>(length) * width_);
    for (;;) {
      const int64_t first = next.fetch_add(length);
      if (first >= points_.count) return;
      const int64_t count = std::min(length, points_.count - first);
      compute(call, first, count, 1, rows.data());
      call.take(first, {std::span(rows).first(static_cast<size_t>(count) * width_), width_});
      const std::lock_guard<std::mutex> lock(mutex);
      done += count;
      if (call.share) call.share(static_cast<double>(done) / static_cast<double>(points_.count));
    }
  });
}

/// A block begins where the one before it ended: the last row of that one lies before its first.
/// Along dimensions but the innermost one, more than one row is needed: then all is one block.
void CompiledBlocks::in_order(const Call& call) const {
  int64_t inner = 1, length = points_per_block() * most_ranges();
  for (size_t d = counts_.size(); d-- > 0; inner *= counts_[d]) {
    const bool scanned = views_.dimensions[d].combine.shape == Shape::scan;
    if (scanned && inner > 1 && counts_[d] > 1) length = points_.count;
  }
  length = std::min(length, points_.count);
  const int threads = terms_per_point() < 64 ? 1 : by_.threads;
  std::vector<Value> rows((static_cast<size_t>(length) + 1) * width_);
  for (int64_t first = 0; first < points_.count; first += length) {
    const int64_t count = std::min(length, points_.count - first);
    compute(call, first, count, threads, rows.data() + width_);
    const RowsView block{std::span(rows).subspan(width_, static_cast<size_t>(count) * width_),
                         width_};
    in_ranges(count, [&](int, int64_t begin, int64_t end) {
      call.take(first + begin, block.part(begin, end));
    });
    std::copy(block.values.end() - static_cast<long>(width_), block.values.end(), rows.begin());
    if (call.share) {
      call.share(static_cast<double>(first + count) / static_cast<double>(points_.count));
    }
  }
}

}  // namespace mdh::driver
