#include "mdh/ll/schedule_calls.h"

#include <algorithm>

#include "mdh/support/text.h"

namespace mdh::ll {
namespace {

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

bool is_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.';
  });
}

/// Words separated by commas; false if one is none.
bool read_words(const std::string& text, std::vector<std::string>& words) {
  for (const std::string& part : split(text, ',')) words.push_back(trimmed(part));
  return std::all_of(words.begin(), words.end(), is_word);
}

bool read_call(const std::string& line, ScheduleCall& call) {
  const size_t open = line.find('(');
  if (open == std::string::npos || line.back() != ')') return false;
  std::string head = line.substr(0, open);
  if (const size_t equal = head.find('='); equal != std::string::npos) {
    if (!read_words(head.substr(0, equal), call.results)) return false;
    head = head.substr(equal + 1);
  }
  call.name = trimmed(head);
  return is_word(call.name) &&
         read_words(line.substr(open + 1, line.size() - open - 2), call.arguments);
}

}  // namespace

std::vector<ScheduleCall> read_calls(std::string_view text, const std::string& file) {
  const auto name = std::make_shared<const std::string>(file);
  std::vector<ScheduleCall> calls;
  bool begun = false;
  int number = 0;
  for (const std::string& full : split(text, '\n')) {
    ++number;
    const std::string line = trimmed(full.substr(0, full.find('#')));
    if (line.empty()) continue;
    ScheduleCall call{.where = {name, number, 1}};
    if (!begun) {
      if (line != "mdh_schedule 1") {
        user_error("E360", call.where, "this is not a schedule",
                   "the first line is \"mdh_schedule 1\"");
      }
      begun = true;
      continue;
    }
    if (!read_call(line, call)) {
      user_error("E361", call.where, fmt::format("cannot read '{}'", line),
                 "one call in a line, such as \"o, i = split(C, k, 8)\"");
    }
    calls.push_back(std::move(call));
  }
  if (!begun) {
    user_error("E360", {name, 1, 1}, "the schedule is empty",
               "the first line is \"mdh_schedule 1\"");
  }
  return calls;
}

}  // namespace mdh::ll
