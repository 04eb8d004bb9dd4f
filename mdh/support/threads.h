// Work that several threads share.
#pragma once

#include <cstddef>
#include <functional>

namespace mdh {

/// work(0) to work(parts - 1), in a thread each as long as there are threads, and else here. A failure
/// is thrown here when all have ended.
void in_threads(int parts, const std::function<void(int part)>& work);

/// work(0) to work(count - 1), on all cores that we may use: each takes the next number that nobody
/// has taken. A core that fails ends; its failure is thrown here when all have ended.
void each_on_cores(size_t count, const std::function<void(size_t number)>& work);

}  // namespace mdh
