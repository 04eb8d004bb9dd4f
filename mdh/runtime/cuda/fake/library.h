// Kernels that are libraries of the host, for the fake driver alone: how they are loaded and run.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace mdh::runtime::cuda::fake {

using Words = std::vector<unsigned long long>;

/// A function of a library.
struct Code {
  void* address = nullptr;
  void* library = nullptr;
};

using Axes = std::array<unsigned, 3>;

inline std::array<unsigned, 3> place_of(unsigned n, const Axes& extents) {
  return {n % extents[0], n / extents[0] % extents[1], n / extents[0] / extents[1]};
}

inline thread_local std::barrier<>* block_barrier = nullptr;

/// The functions of a library take up to so many parameters of 64 bits; more of them do no harm.
constexpr size_t most_parameters = 16;

inline void call(void* code, const Words& given) {
  std::array<unsigned long long, most_parameters> p{};
  std::copy_n(given.begin(), std::min(given.size(), p.size()), p.begin());
  using Word = unsigned long long;
  reinterpret_cast<void (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                            Word, Word, Word, Word)>(code)(p[0], p[1], p[2], p[3], p[4], p[5], p[6],
                                                           p[7], p[8], p[9], p[10], p[11], p[12],
                                                           p[13], p[14], p[15]);
}

/// One thread of every block, block by block.
inline void run_thread(const Code& function, const Words& parameters, const Axes& grid,
                       const Axes& block, unsigned item, std::barrier<>& barrier) {
  const auto enter =
      reinterpret_cast<void (*)(const unsigned*)>(dlsym(function.library, "mdh_fake_enter"));
  block_barrier = &barrier;
  const Axes at = place_of(item, block);
  for (unsigned group = 0; group < grid[0] * grid[1] * grid[2]; ++group) {
    const Axes in = place_of(group, grid);
    const unsigned places[] = {at[0],    at[1],    at[2],    in[0],   in[1],   in[2],
                               block[0], block[1], block[2], grid[0], grid[1], grid[2]};
    enter(places);
    call(function.address, parameters);
    barrier.arrive_and_wait();  // shared memory is that of one block at a time
  }
}

inline int run_library(const Code& function, const Words& parameters, const Axes& grid,
                       const Axes& block) {
  const unsigned items = block[0] * block[1] * block[2];
  std::barrier<> barrier(items);
  const auto wait = +[] { block_barrier->arrive_and_wait(); };
  *static_cast<void (**)()>(dlsym(function.library, "mdh_fake_barrier")) = wait;
  std::vector<std::thread> threads;
  for (unsigned item = 0; item < items; ++item) {
    threads.emplace_back(
        [&, item] { run_thread(function, parameters, grid, block, item, barrier); });
  }
  for (std::thread& thread : threads) thread.join();
  return *static_cast<volatile int*>(dlsym(function.library, "mdh_fake_status"));
}

/// Libraries are loaded from files of their own: of one file there would be one copy. It stays open,
/// because its threads have variables there.
inline void* library_in(const void* image) {
  char name[] = "/tmp/fake_cuda_XXXXXX";
  const int file = mkstemp(name);
  if (file < 0) return nullptr;
  // How long it is stands in no argument: the table of sections ends a library.
  const auto* header = static_cast<const unsigned char*>(image);
  unsigned long sections = 0;
  unsigned short size = 0, count = 0;
  std::memcpy(&sections, header + 40, sizeof sections);
  std::memcpy(&size, header + 58, sizeof size);
  std::memcpy(&count, header + 60, sizeof count);
  const size_t bytes = sections + size_t{size} * count;
  const bool is_written = write(file, image, bytes) == static_cast<ssize_t>(bytes);
  close(file);
  void* library = is_written ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : nullptr;
  unlink(name);
  return library;
}

}  // namespace mdh::runtime::cuda::fake
