#include "mdh/support/json_text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace mdh {
namespace {

using nlohmann::json;

/// Walks over a text that is known to be JSON.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) { skip_blanks(); }

  size_t at() const { return at_; }

  /// From a value to one of its children; false, somewhere behind, if there is none. For a member
  /// of an object `key_at` is where its key stands.
  bool enter(const std::string& step, size_t& key_at) {
    const char open = text_[at_];
    if (open != '{' && open != '[') return false;
    int position = 0;
    for (next(); text_[at_] != '}' && text_[at_] != ']'; ++position) {
      key_at = at_;
      std::string name = std::to_string(position);
      if (open == '{') {
        name = json::parse(skipped_string()).get<std::string>();
        next();  // the colon
      }
      if (name == step) return true;
      skip_value();
      if (text_[at_] == ',') next();
    }
    return false;
  }

 private:
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  void next() {
    ++at_;
    skip_blanks();
  }

  std::string_view skipped_string() {
    const size_t begin = at_++;
    while (text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    const std::string_view string = text_.substr(begin, at_ + 1 - begin);
    next();
    return string;
  }

  void skip_value() {
    int depth = 0;
    do {
      const char c = text_[at_];
      if (c == '"') {
        skipped_string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      next();
      // A number or word ends at the next mark.
    } while (depth > 0 || std::string_view(",]}").find(text_[at_]) == std::string_view::npos);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

JsonText::JsonText(std::string_view text, const std::string& file)
    : text_(text), file_(std::make_shared<const std::string>(file)) {}

json JsonText::document(const std::string& code) const {
  try {
    return json::parse(text_);
  } catch (const json::parse_error& e) {
    const std::string what = e.what();
    const size_t detail = what.find(": ");
    user_error(
        code, place(e.byte == 0 ? 0 : e.byte - 1),
        "this is not JSON: " + (detail == std::string::npos ? what : what.substr(detail + 2)));
  } catch (const json::out_of_range& e) {  // "[json.exception.out_of_range.406] number overflow"
    const std::string what = e.what();
    user_error(code, place(0), "this is not JSON: " + what.substr(what.find(' ') + 1));
  }
}

Location JsonText::place(size_t byte) const {
  const std::string_view before = text_.substr(0, std::min(byte, text_.size()));
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {file_, 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
          1 + static_cast<int>(before.size() - line_start)};
}

std::optional<size_t> JsonText::find_key(const std::string& key, size_t from) const {
  const std::string quoted = '"' + key + '"';
  for (size_t at = text_.find(quoted, from); at != std::string_view::npos;
       at = text_.find(quoted, at + 1)) {
    const size_t next = text_.find_first_not_of(" \t\r\n", at + quoted.size());
    if (next != std::string_view::npos && text_[next] == ':') return at;
  }
  return std::nullopt;
}

Location JsonText::place_of_key(const std::string& key) const {
  return place(find_key(key).value_or(0));
}

Location JsonText::place_of(const std::vector<std::string>& path) const {
  Scanner scanner(text_);
  size_t found = scanner.at();
  for (const std::string& step : path) {
    size_t key_at = found;
    if (!scanner.enter(step, key_at)) break;
    found = key_at;
  }
  return place(found);
}

}  // namespace mdh
