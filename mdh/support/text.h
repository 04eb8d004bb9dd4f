// Small text functions shared by printers, parsers and messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mdh {

std::string join(const std::vector<std::string>& parts, std::string_view separator);

std::vector<std::string> split(std::string_view text, char separator);

/// ASCII letters only.
std::string lower_case(std::string text);

/// With '?' for every byte that is no printable character of ASCII: names that others gave.
std::string in_ascii(std::string text);

/// Every line of `text` moved right by `columns` blanks.
std::string indent(std::string_view text, int columns);

/// Rows of cells as a table, two blanks between columns and none behind the last: the first column
/// begins at the left, the others do so, too, or end at the right.
enum class Align { left, right };
std::string aligned(const std::vector<std::vector<std::string>>& rows, Align others);

/// The known name nearest to a misspelt one, or an empty text if none is near enough to be meant.
std::string nearest(std::string_view name, const std::vector<std::string>& known);

/// "did you mean 'matvec'?" or, where nothing is near, "known: a, b, c".
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

/// A number written by people: all of the text must be a decimal integer. False if it is not or
/// does not fit.
bool to_integer(std::string_view text, long long& value);

/// "42 %, 12 s left", from the share of the work that is done and the seconds it took.
std::string time_left(double share, double seconds);

}  // namespace mdh
