#include "mdh/driver/verify/ranges.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "mdh/support/threads.h"

namespace mdh::driver {

int most_ranges() {
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 16);
}

int in_ranges(int64_t count,
              const std::function<void(int part, int64_t begin, int64_t end)>& work) {
  constexpr int64_t few = 1 << 14;
  const int parts = count < few ? 1 : most_ranges();
  in_threads(parts,
             [&](int part) { work(part, count * part / parts, count * (part + 1) / parts); });
  return parts;
}

void on_all_cores(bool many, const std::function<void()>& work) {
  in_threads(many ? most_ranges() : 1, [&](int) { work(); });
}

void in_turns(int64_t count, const std::function<Worker()>& make_worker) {
  const int64_t length = std::clamp<int64_t>(count / (16 * most_ranges()), 1, 64);
  std::atomic<int64_t> next = 0;
  on_all_cores(count > 1, [&] {
    const Worker work = make_worker();
    for (int64_t first = next.fetch_add(length); first < count; first = next.fetch_add(length)) {
      for (int64_t n = first; n < std::min(first + length, count); ++n) work(n);
    }
  });
}

void in_chunks(int64_t count,
               const std::function<void(int64_t begin, int64_t end, uint64_t number)>& work) {
  constexpr int64_t length = 1 << 12;
  in_ranges(count, [&](int, int64_t begin, int64_t end) {
    for (int64_t n = (begin + length - 1) / length; n * length < end; ++n) {
      work(n * length, std::min((n + 1) * length, count), static_cast<uint64_t>(n));
    }
  });
}

}  // namespace mdh::driver
