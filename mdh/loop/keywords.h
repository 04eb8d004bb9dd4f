// Words of the text form that stand for enumerators.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mdh/loop/program.h"

namespace mdh::loop {

std::string word(How how);
std::string word(Role role);
std::optional<How> find_how(std::string_view word);
std::optional<Role> find_role(std::string_view word);

}  // namespace mdh::loop
