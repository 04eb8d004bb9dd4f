// The functions that compiled kernels call: by the compiler, for every access to memory, and by
// the words of their language (prelude/).
#pragma once

namespace mdh::emulation {

/// Makes sure that the functions are part of the program: libraries look for them there by name.
void keep_hooks();

}  // namespace mdh::emulation
