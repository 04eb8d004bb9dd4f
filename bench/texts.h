// The sources of peers and the configurations of mdh, inside the program: the tool needs no files.
#pragma once

#include <map>
#include <string>

namespace mdh::bench {

/// By path: "bench/plain/dot.c", "bench/configs/neon/dot.json".
const std::map<std::string, std::string>& texts();

}  // namespace mdh::bench
