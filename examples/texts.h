// The text forms of the catalogue, by name.
#pragma once

#include <map>
#include <string>

namespace mdh::examples {

const std::map<std::string, std::string>& texts();

}  // namespace mdh::examples
