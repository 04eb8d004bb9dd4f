#include "mdh/support/threads.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "mdh/support/cores.h"

namespace mdh {

void in_threads(int parts, const std::function<void(int part)>& work) {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&](int part) {
    try {
      work(part);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      failure = std::current_exception();
    }
  };
  if (parts < 1) return;
  std::vector<std::thread> others;
  others.reserve(static_cast<size_t>(parts) - 1);
  int part = 1;
  try {
    for (; part < parts; ++part) others.emplace_back(run, part);
  } catch (const std::system_error&) {  // no more threads: what is left is done here
  }
  run(0);
  for (; part < parts; ++part) run(part);
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

void each_on_cores(size_t count, const std::function<void(size_t number)>& work) {
  std::atomic<size_t> next = 0;
  const size_t cores = std::min(count, static_cast<size_t>(available_cores()));
  in_threads(static_cast<int>(cores), [&](int) {
    for (size_t n = next++; n < count; n = next++) work(n);
  });
}

}  // namespace mdh
