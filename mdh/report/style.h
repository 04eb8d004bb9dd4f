// How the page looks, on light and on dark screens.
#pragma once

namespace mdh::report {

/// A style sheet. What a class means is said where it is given to something.
const char* style();

}  // namespace mdh::report
