#include "mdh/driver/verify/ranges.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace mdh::driver {

int most_ranges() {
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 16);
}

int in_ranges(int64_t count,
              const std::function<void(int part, int64_t begin, int64_t end)>& work) {
  constexpr int64_t few = 1 << 14;
  const int parts = count < few ? 1 : most_ranges();
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&](int part) {
    try {
      work(part, count * part / parts, count * (part + 1) / parts);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (int part = 1; part < parts; ++part) others.emplace_back(run, part);
  run(0);
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
  return parts;
}

}  // namespace mdh::driver
