// Record linkage in C++: records, functions, lets, a loop and operators of the user.
#pragma once

#include "mdh/hl/edsl.h"

namespace mdh::examples {

/// For each of NN new records the best partner among NE existing ones, as one record.
hl::Program prl_program(int64_t NN, int64_t NE);

/// The same with three outputs, and one operator on all of them.
hl::Program prl_multi_program(int64_t NN, int64_t NE);

}  // namespace mdh::examples
