#include "mdh/model/grid_lines.h"

#include <algorithm>
#include <array>

namespace mdh::model {
namespace {

constexpr int64_t most_lanes = 64;

/// Averages over several accesses lie between the widths that there are.
int64_t width_of(int64_t bytes) {
  int64_t width = 1;
  while (2 * width <= bytes) width *= 2;
  return width;
}

class Places {
 public:
  Places(const GridWork& work, const BufferShape& buffer)
      : w_(work), buffer_(buffer), line_(work.rates.line), warp_(work.warp()) {
    count_ = std::min({w_.thread_count, w_.rates.warp, most_lanes});
    const size_t rank = buffer.extents.size();
    const int64_t row = rank > 0 ? buffer.element_bytes * buffer.extents.back() : 0;
    // Rows begin anywhere in a line.
    shifts_ = rank > 1 && row % line_ != 0 ? 4 : 1;
  }

  double cycles(const AccessShape& access, int64_t bytes) {
    if (!access.is_affine) return static_cast<double>(count_);
    find(access);
    double sum = 0;
    for (int64_t n = 0; n < shifts_; ++n) sum += cycles(n * line_ / shifts_, bytes);
    return sum / static_cast<double>(shifts_);
  }

  double side_by_side(const AccessShape& access, int64_t bytes) {
    if (!access.is_affine) return static_cast<double>(bytes);
    find(access);
    const double all = pieces(0, count_, 0, bytes) * static_cast<double>(bytes);
    return std::min(static_cast<double>(line_), all / pieces(0, count_, 0, line_));
  }

  double sectors(const AccessShape& access, int64_t bytes) {
    if (!access.is_affine) return static_cast<double>(count_);
    find(access);
    double sum = 0;
    for (int64_t n = 0; n < shifts_; ++n) {
      sum += pieces(0, count_, n * line_ / shifts_, std::max(bytes, w_.rates.sector));
    }
    return sum / static_cast<double>(shifts_);
  }

 private:
  /// Of every lane, in bytes.
  void find(const AccessShape& access) {
    std::array<int64_t, most_lanes>& places = places_;
    places.fill(offset(access));
    int64_t inner = 1;
    for (size_t n = warp_.size(); n-- > 0; inner *= warp_[n]->parts) {
      const int64_t step = bytes_along(access, dimension_of(warp_[n])) * warp_[n]->chunk;
      for (int64_t lane = 0; lane < count_; ++lane) {
        places[lane] += lane / inner % warp_[n]->parts * step;
      }
    }
  }

  int64_t offset(const AccessShape& access) const {
    return access.index.empty() ? 0 : access.index.back().constant * buffer_.element_bytes;
  }

  /// How an address moves with a dimension.
  int64_t bytes_along(const AccessShape& access, int dimension) const {
    int64_t stride = buffer_.element_bytes, sum = 0;
    for (size_t e = access.index.size(); e-- > 0;) {
      sum += access.index[e].coefficients[dimension] * stride;
      stride *= buffer_.extents[e];
    }
    return sum;
  }

  double cycles(int64_t shift, int64_t bytes) const {
    const int64_t at_once = std::clamp<int64_t>(line_ / bytes, 1, count_);
    double lines = 0;
    for (int64_t begin = 0; begin < count_; begin += at_once) {
      lines += pieces(begin, std::min(begin + at_once, count_), shift, line_);
    }
    return lines;
  }

  /// Different ones that some lanes want something of.
  double pieces(int64_t begin, int64_t end, int64_t shift, int64_t size) const {
    std::array<int64_t, most_lanes> found;
    for (int64_t lane = begin; lane < end; ++lane) {
      const int64_t place = places_[lane] + shift;
      found[lane - begin] = place / size - (place % size < 0 ? 1 : 0);
    }
    std::sort(found.begin(), found.begin() + (end - begin));
    return static_cast<double>(std::unique(found.begin(), found.begin() + (end - begin)) -
                               found.begin());
  }

  const GridWork& w_;
  const BufferShape& buffer_;
  int64_t line_;  // bytes
  Loops warp_;
  int64_t count_ = 1, shifts_ = 1;
  std::array<int64_t, most_lanes> places_;
};

}  // namespace

double cycles_of_cache(const GridWork& work, const BufferShape& buffer, int64_t at_once) {
  const int64_t bytes = width_of(at_once);
  Places places(work, buffer);
  double sum = 0;
  for (const AccessShape& access : buffer.accesses) sum += places.cycles(access, bytes);
  return sum / static_cast<double>(std::max<size_t>(1, buffer.accesses.size()));
}

double bytes_of_store(const GridWork& work, const BufferShape& buffer, int64_t at_once) {
  const int64_t bytes = width_of(at_once);
  Places places(work, buffer);
  auto least = static_cast<double>(work.rates.line);
  for (const AccessShape& access : buffer.accesses) {
    least = std::min(least, places.side_by_side(access, bytes));
  }
  return least;
}

double sectors_of_store(const GridWork& work, const BufferShape& buffer, int64_t at_once) {
  const int64_t bytes = width_of(at_once);
  Places places(work, buffer);
  double most = 0;
  for (const AccessShape& access : buffer.accesses) {
    most = std::max(most, places.sectors(access, bytes));
  }
  return most;
}

}  // namespace mdh::model
