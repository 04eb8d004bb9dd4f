// docs/errors.md, inside the tool.
#pragma once

#include <string>

namespace mdh::tool {

const std::string& errors_text();

}  // namespace mdh::tool
