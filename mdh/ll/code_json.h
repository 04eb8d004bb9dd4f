// The "code" entry of configuration files.
#pragma once

#include "mdh/ll/code.h"
#include "mdh/ll/json_fields.h"

namespace mdh::ll {

Code read_code(const JsonFields& fields, const JsonFields::json& value);

/// What differs from the defaults; an empty object if nothing does.
JsonFields::json json_of(const Code& code);

/// "L1.k" as a level; E317 if it is none.
LevelName level_of(const JsonFields& fields, const std::string& key, const std::string& text);

}  // namespace mdh::ll
