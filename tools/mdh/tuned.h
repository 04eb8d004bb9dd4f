// Files of tuned configurations on the command line: NAME.mdh.tuned beside NAME.mdh, or --tuned F.
#pragma once

#include <string>
#include <vector>

#include "tools/mdh/request.h"

namespace mdh::tool {

/// The file to write to, whether it is there or not; a user error if the program is no file and
/// none is named.
std::string tuned_file_to_write(const Request& request);

/// An error now instead of after a search: the file is of a later version, or cannot be written.
void require_shippable(const Request& request);

/// What the file says about the program; nothing if none is named and none is beside the program.
/// A file that is not named is no reason to stop: what is wrong with it is a note.
tuning::ShippedConfigs shipped_configs_of(const Request& request, const hl::Program& program,
                                          const tuning::Site& where);

/// Writes the best of the records to the file and says what became of it: "added", "better than
/// before", "as before". Empty: no record is valid.
std::string ship_best(const Request& request, const hl::Program& program, const tuning::Site& where,
                      const std::vector<tune::Record>& records);

}  // namespace mdh::tool
