// The machines that come with mdh. A new one is a file here and a row in machine.cpp.
#pragma once

#include "mdh/machine/machine.h"

namespace mdh::machine {

Machine artificial();
Machine openmp();
Machine cpu();

}  // namespace mdh::machine
