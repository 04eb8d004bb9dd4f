#include "mdh/calibration/calibration.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "mdh/calibration/kernels.h"
#include "mdh/calibration/memory.h"
#include "mdh/calibration/team.h"
#include "mdh/support/text.h"
#include "mdh/tune/record.h"

namespace mdh::calibration {
namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

/// What one call takes, in the quickest of many. Calls should be short.
template <class Work>
double quickest(const Work& work, double seconds) {
  constexpr int least = 4, most = 400;
  const Clock::time_point begin = Clock::now();
  double best = INFINITY;
  for (int n = 0; n < most && (n < least || nanoseconds_since(begin) < seconds * 1e9); ++n) {
    const Clock::time_point start = Clock::now();
    work();
    best = std::min(best, nanoseconds_since(start));
  }
  return best;
}

class Measurement {
 public:
  explicit Measurement(int threads)
      : threads_(std::max(1, threads)),
        kernels_(kernels_for(static_cast<size_t>(rates().vector_bytes))) {
#ifdef __x86_64__
    rates().broadcasts_lanes = false;  // a lane of a register is spread by an instruction
#endif
  }

  Calibration run() {
    measure_operations();
    measure_moves();
    measure_caches();
    measure_memory();
    measure_team();
    result_.when = tune::now_utc();
    return std::move(result_);
  }

 private:
  static constexpr double short_time = 0.02, long_time = 0.05;  // seconds
  static constexpr size_t mega = size_t{1} << 20;

  model::Rates& rates() { return result_.rates; }

  size_t last_cache() const { return static_cast<size_t>(result_.rates.last_cache().bytes); }

  void take(const std::string& name, double measured, double& rate) {
    calibration::take(name, measured, rate, result_.typical);
  }

  void keep(const std::string& names, const std::string& why) {
    result_.typical.push_back(names + ": " + why);
  }

  /// Vectors that are wider than those of the loops take several of theirs.
  double width() const {
    return std::max(1.0, static_cast<double>(result_.rates.vector_bytes) /
                             static_cast<double>(kernels_.vector_bytes));
  }

  /// A core that had nothing to do takes a while to reach its speed.
  void wake_up(const void* from) {
    const Clock::time_point begin = Clock::now();
    while (nanoseconds_since(begin) < short_time * 1e9) sink_ = kernels_.multiply_adds(from, 10000);
  }

  void measure_operations() {
    const Pages from(4096);
    if (from.empty()) return keep("operation_ns, latency_ns, instruction_ns", "no memory");
    from.fill(0, from.size());
    wake_up(from.data());
    constexpr size_t rounds = 2000;
    const auto time = [&](double (*kernel)(const void*, size_t), size_t count) {
      return quickest([&] { sink_ = kernel(from.data(), rounds); }, short_time) /
             static_cast<double>(rounds * count);
    };
    const size_t n = kernels_.multiply_adds_of_tile;
    take("operation_ns", time(kernels_.multiply_adds, n) * width(), rates().operation);
    take("latency_ns", time(kernels_.chain, 8), rates().latency);
    const size_t others = kernels_.loads_of_tile + 2;  // counting and branching
    const double even = time(kernels_.mixed, 2 * n + others);
    const double uneven = time(kernels_.mostly_integers, 3 * n + others);
    take("instruction_ns", std::min(even, uneven), rates().instruction);
  }

  void measure_moves() {
    const Pages from(64 * 1024), to(64 * 1024);
    if (from.empty() || to.empty()) return keep("load_ns, gathered_ns, copied_ns", "no memory");
    from.fill(0, from.size());
    to.fill(0, to.size());
    const auto* const numbers = reinterpret_cast<const float*>(from.data());
    auto* const others = reinterpret_cast<float*>(to.data());
    const size_t bytes = 8 * 1024, vectors = 64, stride = 72, rows = 32, columns = 64;
    const auto time = [&](const auto& work, size_t count) {
      return quickest(work, short_time) / static_cast<double>(count);
    };
    const double load = time([&] { sink_ = kernels_.read(from.data(), bytes, 50); },
                             50 * bytes / kernels_.vector_bytes);
    take("load_ns", load * width(), rates().load);
    const size_t lanes = kernels_.vector_bytes / sizeof(float);
    take("gathered_ns",
         time([&] { sink_ = kernels_.gather(numbers, stride, vectors, 50); }, 50 * vectors * lanes),
         rates().gathered);
    take("copied_ns",
         time([&] { sink_ = kernels_.transpose(numbers, others, rows, columns, 20); },
              20 * rows * columns),
         rates().copied);
  }

  /// Bytes per nanosecond of reading so much again and again.
  double read_rate(size_t bytes) {
    bytes -= bytes % 4096;
    const Pages pages(bytes);
    if (pages.empty()) return 0;
    pages.fill(0, bytes);
    const size_t rounds = std::max<size_t>(1, mega / bytes);
    const double time =
        quickest([&] { sink_ = kernels_.read(pages.data(), bytes, rounds); }, short_time);
    return static_cast<double>(bytes * rounds) / time;
  }

  /// Each cache behind the first, by what fits it and not the one before.
  void measure_caches() {
    auto& memories = rates().memories;
    for (size_t n = 1; n + 1 < memories.size(); ++n) {
      const auto before = static_cast<size_t>(memories[n - 1].bytes),
                 mine = static_cast<size_t>(memories[n].bytes);
      const std::string name = lower_case(memories[n].name) + "_gbs";
      if (n == 1) {
        take(name, read_rate(std::max(mine / 2, 2 * before)), memories[n].rate);
      } else if (mine >= 4 * before) {
        take(name, read_rate(std::min(4 * before, mine / 2)), memories[n].rate);
      } else {
        keep(name, "hardly larger than the cache before");
      }
    }
    measure_pages();
  }

  /// The same number of lines, one on each page and one behind the other.
  void measure_pages() {
    constexpr size_t line = 64, page = 4096, lines = 4096, rounds = 4;
    const Pages pages(lines * (page + line));
    if (pages.empty()) return keep("page_miss_ns", "no memory");
    pages.fill(0, pages.size());
    const auto time = [&](size_t stride) {
      return quickest([&] { sink_ = kernels_.touch(pages.data(), stride, lines, rounds); },
                      short_time) /
             static_cast<double>(lines * rounds);
    };
    constexpr double least = 0.2;  // a difference of small numbers may be nothing
    take("page_miss_ns", std::max(least, time(page + line) - time(line)), rates().page_miss);
  }

  /// One piece after the other, so that none is in a cache; the median of their times, because the
  /// quickest may have been.
  void measure_memory() {
    constexpr size_t piece = mega;
    const size_t bytes =
        std::clamp<size_t>(2 * last_cache(), 64 * mega, 256 * mega) / piece * piece;
    const Pages pages(bytes);
    if (pages.empty()) return keep("memory_gbs", "no memory");
    pages.fill(0, bytes);
    std::vector<double> times;
    const Clock::time_point begin = Clock::now();
    for (int pass = 0; pass < 3 && nanoseconds_since(begin) < 2 * long_time * 1e9; ++pass) {
      for (size_t at = 0; at < bytes; at += piece) {
        const Clock::time_point start = Clock::now();
        sink_ = kernels_.read(pages.data() + at, piece, 1);
        times.push_back(nanoseconds_since(start));
      }
    }
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    take("memory_gbs", static_cast<double>(piece) / times[times.size() / 2],
         rates().memories.back().rate);
  }

  void measure_team() {
    const std::optional<Team> team = Team::of(threads_);
    if (threads_ == 1) return measure_alone();
    if (!team) return keep("memory_of_all_gbs, barrier_ns, launch_ns", "no OpenMP library");
    const SpreadTeam spread(*team);
    measure_memory_of_all(*team);
    take("launch_ns", quickest([&] { team->run([](int) {}); }, long_time), rates().launch);
    constexpr int times = 5;
    double barrier = INFINITY;
    const auto wait = [&](int number) {
      team->wait();
      const Clock::time_point start = Clock::now();
      for (int n = 0; n < times; ++n) team->wait();
      if (number == 0) barrier = std::min(barrier, nanoseconds_since(start));
    };
    quickest([&] { team->run(wait); }, long_time);
    take("barrier_ns", barrier / times, rates().barrier);
  }

  void measure_alone() {
    rates().memory_of_all = rates().farthest().rate;
    keep("barrier_ns, launch_ns", "there is one thread");
  }

  /// More than all caches hold together, as far as that is known.
  size_t bytes_of_all() const {
    const auto threads = static_cast<size_t>(threads_);
    const auto& memories = result_.rates.memories;
    const auto own = static_cast<size_t>(memories[1].bytes);
    const size_t caches = threads * own + (1 + threads / 8) * last_cache();
    const size_t bytes =
        std::clamp(2 * caches, 64 * mega, std::max<size_t>(64, 32 * threads) * mega);
    return std::min(bytes, 1024 * mega);
  }

  void measure_memory_of_all(const Team& team) {
    const Pages pages(bytes_of_all());
    if (pages.empty()) return keep("memory_of_all_gbs", "no memory");
    const size_t share = pages.size() / static_cast<size_t>(threads_) / 4096 * 4096;
    team.run([&](int number) {
      pages.fill(static_cast<size_t>(number) * share, static_cast<size_t>(number + 1) * share);
    });
    double best = INFINITY;
    const auto read = [&](int number) {
      team.wait();
      const Clock::time_point start = Clock::now();
      // Not the member: the threads would compete for it.
      volatile double sink = 0;
      sink = kernels_.read(pages.data() + static_cast<size_t>(number) * share, share, 1);
      static_cast<void>(sink);
      team.wait();
      if (number == 0) best = std::min(best, nanoseconds_since(start));
    };
    quickest([&] { team.run(read); }, long_time);
    take("memory_of_all_gbs", static_cast<double>(share) * threads_ / best, rates().memory_of_all);
  }

  int threads_;
  Calibration result_{model::typical_rates(machine::find_machine("host"), threads_), {}, {}};
  const Kernels& kernels_;
  volatile double sink_ = 0;
};

}  // namespace

void take(const std::string& name, double measured, double& rate,
          std::vector<std::string>& typical) {
  constexpr double most = 20;
  if (measured >= rate / most && measured <= rate * most) {
    rate = measured;
  } else {
    typical.push_back(fmt::format("{}: measured {:.3g}, hardly believable where {:.3g} is typical",
                                  name, measured, rate));
  }
}

Calibration calibrate(int threads) { return Measurement(threads).run(); }

}  // namespace mdh::calibration
