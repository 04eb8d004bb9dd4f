#include "mdh/ll/storage.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/ll/names.h"

namespace mdh::ll {
namespace {

struct BufferDigit {
  std::string layer;
  int64_t divisor = 1;
  int64_t extent = 1;
};

/// How the index along a buffer dimension is cut: index - shift = scale · i + (what several
/// accesses add), and i has the digits of its dimension. The most significant digit takes what is
/// left, also before the first element that is read: the shift is never positive.
struct Radix {
  int64_t shift = 0;
  std::vector<BufferDigit> digits;  // most significant first; the last one is the rest modulo scale
};

Radix radix_of(const Program& p, const hl::BufferView& buffer, size_t e, int64_t extent) {
  const int walks = walking_dimension(p.computation, buffer, e).value();
  const std::vector<int64_t> sizes = hl::sizes(p.computation);
  Radix radix;
  int64_t least = INT64_MAX, scale = 1;
  for (const hl::Access& access : buffer.accesses) {
    const hl::Affine index = hl::find_affine(p.computation, access.index[e]).value();
    least = std::min(least, index.least(sizes));
    scale = std::abs(index.coefficients[walks]);
  }
  for (const TaggedOperator& op : p.decompose) {
    if (op.level.dimension != walks) continue;
    radix.digits.push_back({p.layers[op.level.layer], chunk(p, op.level) * scale, op.parts});
  }
  std::sort(radix.digits.begin(), radix.digits.end(),
            [](const BufferDigit& a, const BufferDigit& b) { return a.divisor > b.divisor; });
  if (!radix.digits.empty()) {
    const int64_t whole = radix.digits[0].divisor;
    radix.shift = least - (least + whole - 1) / whole * whole;
    radix.digits[0].extent = (extent - 1 - radix.shift) / whole + 1;
  }
  radix.digits.push_back({"", 1, radix.digits.empty() ? extent : scale});
  return radix;
}

}  // namespace

Storage::Storage(const Program& p, const hl::BufferView& buffer, const Layout& layout)
    : extents_(hl::extents(p.computation, buffer)) {
  std::vector<bool> begun(extents_.size(), false);
  for (const Axis& axis : layout) {
    const auto e = static_cast<size_t>(axis.dimension) - 1;
    if (axis.layer.empty()) {
      add({e, 0, 1, extents_[e]});
    } else {
      add_digit(p, buffer, layout, axis, begun);
    }
  }
}

void Storage::add_digit(const Program& p, const hl::BufferView& buffer, const Layout& layout,
                        const Axis& axis, std::vector<bool>& begun) {
  const auto e = static_cast<size_t>(axis.dimension) - 1;
  const Radix radix = radix_of(p, buffer, e, extents_[e]);
  const auto is_listed = [&](const BufferDigit& digit) {
    return std::find(layout.begin(), layout.end(), Axis(axis.dimension, digit.layer)) !=
           layout.end();
  };
  for (const BufferDigit& digit : radix.digits) {
    const bool leads = !begun[e] && !is_listed(digit);
    if (leads || digit.layer == axis.layer) add({e, radix.shift, digit.divisor, digit.extent});
  }
  begun[e] = true;
}

void Storage::add(const Part& part) {
  parts_.push_back(part);
  size_ *= part.extent;
}

int64_t Storage::address(std::span<const int64_t> element) const {
  int64_t flat = 0;
  for (const Part& part : parts_) {
    const int64_t digit = (element[part.dimension] - part.shift) / part.divisor % part.extent;
    flat = flat * part.extent + digit;
  }
  return flat;
}

scalar::Array moved_along(const Program& p, const hl::BufferView& buffer,
                          const std::vector<Place>& path, const scalar::Array& contents) {
  const auto width = static_cast<size_t>(contents.width());
  scalar::Array now = contents;
  std::vector<int64_t> element(contents.extents.size());
  for (const Place& place : path) {
    const Storage storage(p, buffer, place.layout);
    std::vector<scalar::Value> cells(static_cast<size_t>(storage.size()) * width);
    std::vector<int64_t> address(static_cast<size_t>(now.size()));
    std::vector<bool> taken(static_cast<size_t>(storage.size()), false);
    for (int64_t n = 0; n < now.size(); ++n) {
      int64_t rest = n;
      for (size_t e = element.size(); e-- > 0; rest /= now.extents[e]) {
        element[e] = rest % now.extents[e];
      }
      address[n] = storage.address(element);
      internal_check(!taken[address[n]], "two elements of '{}' share a cell", buffer.symbol.name);
      taken[address[n]] = true;
      std::copy_n(now.cells.begin() + n * static_cast<int64_t>(width), width,
                  cells.begin() + address[n] * static_cast<int64_t>(width));
    }
    for (int64_t n = 0; n < now.size(); ++n) {
      std::copy_n(cells.begin() + address[n] * static_cast<int64_t>(width), width,
                  now.cells.begin() + n * static_cast<int64_t>(width));
    }
  }
  return now;
}

}  // namespace mdh::ll
