// Loops over many elements, on all cores.
#pragma once

#include <cstdint>
#include <functional>

namespace mdh::driver {

/// Calls work(part, begin, end) for consecutive ranges of [0, count), each in a thread of its own;
/// for few elements once, here. Returns the number of parts.
int in_ranges(int64_t count, const std::function<void(int part, int64_t begin, int64_t end)>& work);

/// Calls work() in a thread per core, or once, here.
void on_all_cores(bool many, const std::function<void()>& work);

/// Ranges of equal length, of which every thread takes some: work(begin, end, number). What a chunk
/// is does not depend on the number of cores.
void in_chunks(int64_t count,
               const std::function<void(int64_t begin, int64_t end, uint64_t number)>& work);

/// Every thread makes a worker of its own, which is called for some numbers below `count`, in order.
/// Whoever is free takes the next few: some numbers may be much more work than others.
using Worker = std::function<void(int64_t number)>;
void in_turns(int64_t count, const std::function<Worker()>& make_worker);

/// As many parts as there may be.
int most_ranges();

}  // namespace mdh::driver
