// Words for the user on stderr: progress, notes, errors. If nobody can read them, because the disk
// is full or the terminal is gone, the work goes on all the same.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace mdh::tool {

template <class... T>
void say(fmt::format_string<T...> form, T&&... values) {
  const std::string text = fmt::format(form, std::forward<T>(values)...);
  std::fputs(text.c_str(), stderr);
}

}  // namespace mdh::tool
