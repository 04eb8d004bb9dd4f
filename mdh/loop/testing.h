// What tests of loop programs share, here and in other folders.
#pragma once

#include <string>

namespace mdh::loop {

/// An alloc for each temporary of the declarations that the body uses before it begins it itself.
inline std::string allocs_for(const std::string& body, const std::string& declarations) {
  const std::string begin = "buffer temporary ";
  std::string allocs;
  for (size_t at = declarations.find(begin); at != std::string::npos;) {
    at += begin.size();
    const std::string name = declarations.substr(at, declarations.find(':', at) - at);
    if (body.find(name + "[") < body.find("alloc " + name)) allocs += "alloc " + name + ";";
    at = declarations.find(begin, at);
  }
  return allocs;
}

}  // namespace mdh::loop
