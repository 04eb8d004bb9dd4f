// Made by CMake from the files of this folder.
#pragma once

#include <map>
#include <string>

namespace mdh::backend {

/// Whole files, by name without extension.
const std::map<std::string, std::string>& rts_files();

}  // namespace mdh::backend
