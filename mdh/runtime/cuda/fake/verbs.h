// What the kernels of a text do.
#pragma once

#include <cstring>
#include <string>

#include "mdh/runtime/cuda/fake/objects.h"

namespace mdh::runtime::cuda::fake {

/// out[n] = n + 100 times each index of a loop around the launch.
inline void store_index(const Words& parameters, long items) {
  long* out = reinterpret_cast<long*>(parameters[0]);
  long indices = 0;
  for (size_t n = 2; n < parameters.size(); ++n) indices += static_cast<long>(parameters[n]);
  for (long n = 0; n < items; ++n) out[n] = n + 100 * indices;
}

/// By way of the workspace.
inline void store_doubled(const Words& parameters, long items) {
  auto *out = reinterpret_cast<long*>(parameters[0]), *in = reinterpret_cast<long*>(parameters[1]),
       *workspace = reinterpret_cast<long*>(parameters[2]);
  for (long n = 0; n < items; ++n) workspace[n] = 2 * in[n];
  for (long n = 0; n < items; ++n) out[n] = workspace[n] + 1;
}

/// What the workspace held, which should be nothing that anybody expects.
inline void store_workspace(const Words& parameters, long items) {
  std::memcpy(reinterpret_cast<void*>(parameters[0]), reinterpret_cast<void*>(parameters[1]),
              static_cast<size_t>(items) * sizeof(long));
}

inline void execute(const std::string& verb, const Words& parameters, long items) {
  if (verb == "index") store_index(parameters, items);
  if (verb == "double") store_doubled(parameters, items);
  if (verb == "workspace") store_workspace(parameters, items);
}

}  // namespace mdh::runtime::cuda::fake
