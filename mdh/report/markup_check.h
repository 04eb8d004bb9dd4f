// For tests: is a page well-formed?
#pragma once

#include <string>
#include <string_view>

namespace mdh::report {

/// What is wrong with a page first, with the text around it; empty if nothing is. Every element is
/// closed in its place, attributes are quoted, and no sign stands for itself that has to be
/// escaped: what holds for XML holds for our pages, too.
std::string mistake_in(std::string_view page);

}  // namespace mdh::report
