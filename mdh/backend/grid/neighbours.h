// Several elements at once: their text, and what it needs.
#pragma once

#include <string>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/loop/program.h"

namespace mdh::backend {

/// Variables of a type for what is loaded at once from a place; `whole` is the name of all of it.
std::string loaded_at_once(const std::string& wide_type, const std::string& whole,
                           const std::string& place, const std::string& type,
                           const std::vector<std::string>& names);

/// `store` is of what is put together here, mdh_wide.
std::string stored_at_once(const std::string& wide_type, const std::vector<std::string>& values,
                           const std::string& store);

/// The same element by element.
loop::Block one_by_one(const loop::WideLoad& s);
loop::Block one_by_one(const loop::WideStore& s);

/// Of a buffer, by its widest access; 1 if there is none.
int64_t elements_at_once(const loop::Program& p, const Symbol& buffer);

/// The user's buffers begin at a multiple of the widest access to them.
void align_arguments(const loop::Program& p, std::vector<kernel::Argument>& arguments);

/// Nothing is computed in it: elements are loaded, stored and copied.
bool only_moves(const loop::Block& block);

/// Some of what it reads is kept by other members of the grid.
bool reads_other_members(const loop::Program& p, const loop::Block& block);

}  // namespace mdh::backend
