#include "mdh/model/grid_banks.h"

#include <algorithm>
#include <cstdlib>

#include "mdh/machine/banks.h"

namespace mdh::model {
namespace {

constexpr int64_t most_bytes = 16;  // of one access

/// Where elements lie in a copy, in elements.
class CopyLayout {
 public:
  CopyLayout(const GridWork& work, const ll::Staging& copy)
      : w_(work), buffer_(work.shape.buffers[copy.buffer]) {
    const Loops loops = w_.copied_by(copy);
    extents_ = touched(w_.shape, loops, buffer_, 0).extents;
    for (size_t e = 0; e < extents_.size(); ++e) order_.push_back(e);
    if (!copy.place.layout.empty()) take_order(copy.place.layout);
    const ll::StageCode code = w_.d.code_of(copy);
    strides_.assign(extents_.size(), 0);
    int64_t stride = 1, axes = 0;
    for (size_t n = order_.size(); n-- > 0;) {
      strides_[order_[n]] = stride;
      stride *= extents_[order_[n]];
      if (++axes == code.line) stride += code.pad;
    }
    elements_ = stride;
    swizzle_ = code.swizzle;
  }

  int64_t elements() const { return elements_; }

  const std::vector<int64_t>& extents() const { return extents_; }
  const BufferShape& buffer() const { return buffer_; }

  /// The last axis of the buffer is the last one of the copy.
  bool keeps_rows() const { return order_.empty() || order_.back() + 1 == order_.size(); }

  /// Lines whose pieces change places are taken to have no conflicts.
  bool is_spread() const { return swizzle_ > 1; }

  int64_t place(const std::vector<int64_t>& index) const {
    int64_t place = 0;
    for (size_t e = 0; e < index.size(); ++e) place += index[e] * strides_[e];
    return place;
  }

 private:
  /// Digits of an axis are taken for the whole of it, where the last one is.
  void take_order(const ll::Layout& layout) {
    std::vector<size_t> order;
    for (size_t n = layout.size(); n-- > 0;) {
      const auto axis = static_cast<size_t>(layout[n].dimension) - 1;
      if (std::find(order.begin(), order.end(), axis) == order.end()) {
        order.insert(order.begin(), axis);
      }
    }
    if (order.size() == extents_.size()) order_ = order;
  }

  const GridWork& w_;
  const BufferShape& buffer_;
  std::vector<int64_t> extents_;
  std::vector<size_t> order_;  // axes of the buffer, outermost first
  std::vector<int64_t> strides_;
  int64_t elements_ = 1;
  int64_t swizzle_ = 1;
};

double passes(const std::vector<std::optional<int64_t>>& places, int64_t bytes) {
  int64_t width = 1;
  while (2 * width <= std::min(bytes, most_bytes)) width *= 2;
  const auto of_one = static_cast<double>(machine::passes_of_warp(places, width).needed);
  return std::max(1.0, of_one * static_cast<double>((bytes + width - 1) / width));
}

/// The parts of a thread on the loops of its warp, innermost fastest.
std::vector<int64_t> parts_of_lane(const Loops& warp, int64_t lane) {
  std::vector<int64_t> parts(warp.size());
  for (size_t n = warp.size(); n-- > 0;) {
    parts[n] = lane % warp[n]->parts;
    lane /= warp[n]->parts;
  }
  return parts;
}

}  // namespace

double elements_of(const GridWork& work, const ll::Staging& copy) {
  return static_cast<double>(CopyLayout(work, copy).elements());
}

double passes_to_read(const GridWork& w, const ll::Staging& copy, int64_t at_once) {
  const CopyLayout layout(w, copy);
  const BufferShape& buffer = layout.buffer();
  const AccessShape& access = buffer.accesses[copy.accesses.front()];
  const Loops warp = w.warp();
  std::vector<std::optional<int64_t>> places;
  for (int64_t lane = 0; lane < std::min(w.thread_count, w.rates.warp); ++lane) {
    const std::vector<int64_t> parts = parts_of_lane(warp, lane);
    std::vector<int64_t> index(access.index.size(), 0);
    for (size_t e = 0; e < index.size(); ++e) {
      for (size_t n = 0; n < warp.size(); ++n) {
        const int64_t step = std::abs(access.index[e].coefficients[dimension_of(warp[n])]);
        index[e] += step * parts[n] * warp[n]->chunk;
      }
      index[e] = std::min(index[e], layout.extents()[e] - 1);
    }
    places.emplace_back(layout.place(index) * buffer.element_bytes);
  }
  if (layout.is_spread()) return 1;
  return passes(places, at_once * buffer.element_bytes);
}

double passes_to_store(const GridWork& w, const ll::Staging& copy, int64_t at_once) {
  const CopyLayout layout(w, copy);
  const BufferShape& buffer = layout.buffer();
  const bool wide = layout.keeps_rows();
  std::vector<std::optional<int64_t>> places;
  for (int64_t lane = 0; lane < std::min(w.thread_count, w.rates.warp); ++lane) {
    std::vector<int64_t> index(layout.extents().size(), 0);
    int64_t left = lane * at_once;
    for (size_t e = index.size(); e-- > 0;) {
      index[e] = left % layout.extents()[e];
      left /= layout.extents()[e];
    }
    places.emplace_back(layout.place(index) * buffer.element_bytes);
  }
  if (layout.is_spread()) return wide ? 1 : static_cast<double>(at_once);
  if (wide) return passes(places, at_once * buffer.element_bytes);
  return passes(places, buffer.element_bytes) * static_cast<double>(at_once);
}

}  // namespace mdh::model
