// Names to symbols in whole programs: the second half of reading one, whatever its form.
#pragma once

#include "mdh/hl/program.h"
#include "mdh/scalar/resolve.h"

namespace mdh::hl {

/// The program with every name declared and resolved. `p` mentions bare names; `scope` knows its
/// definitions and parameters. What the body assigns and out_view does not have is a let.
Program resolve(const Program& p, scalar::Scope scope);

/// Accesses without a name get the buffer's, or buffer.1, buffer.2, ... if there are several.
void name_accesses(BufferView& view);

/// The names of the outputs, as f assigns them.
std::vector<std::string> output_names(const Program& p);

}  // namespace mdh::hl
