// Text in HTML.
#pragma once

#include <string>
#include <string_view>

namespace mdh::report {

/// Text as it stands in an element or in a quoted attribute. What is no character of a page, such
/// as a byte that is not UTF-8, becomes U+FFFD.
std::string escaped(std::string_view text);

/// The beginning of a longer text, with an ellipsis. No character is cut in two.
std::string shortened(std::string_view text, size_t bytes);

}  // namespace mdh::report
