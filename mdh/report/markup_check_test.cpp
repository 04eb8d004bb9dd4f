#include "mdh/report/markup_check.h"

#include <gtest/gtest.h>

#include <regex>
#include <vector>

namespace mdh::report {
namespace {

bool is_escaped_well(const std::string& text) {
  static const std::regex wrong("[<>]|&(?!(amp|lt|gt|quot|#39);)");
  return !std::regex_search(text, wrong);
}

class MarkupCheck {
 public:
  explicit MarkupCheck(std::string_view page) : rest_(page) {}

  std::string first_mistake() {
    while (!rest_.empty()) {
      const size_t open = std::min(rest_.find('<'), rest_.size());
      const bool is_style = !inside_.empty() && inside_.back() == "style";
      if (!is_style && !is_escaped_well(std::string(rest_.substr(0, open)))) return here("text");
      rest_.remove_prefix(open);
      const size_t close = rest_.find('>');
      if (rest_.empty()) break;
      if (close == std::string_view::npos) return here("unclosed tag");
      const std::string tag(rest_.substr(1, close - 1));
      if (!takes(tag)) return here("tag");
      rest_.remove_prefix(close + 1);
    }
    return inside_.empty() ? "" : "not closed: " + inside_.back();
  }

 private:
  bool takes(const std::string& tag) {
    static const std::regex start(R"re(([a-z][a-z0-9]*)((?: [a-zA-Z0-9:-]+="[^"]*")*)(/?))re");
    std::smatch match;
    if (tag == "!DOCTYPE html") return inside_.empty();
    if (tag.front() == '/') {
      const bool fits = !inside_.empty() && inside_.back() == tag.substr(1);
      if (fits) inside_.pop_back();
      return fits;
    }
    if (!std::regex_match(tag, match, start) || !is_escaped_well(match[2])) return false;
    if (match[3].length() == 0) inside_.push_back(match[1]);
    return true;
  }

  std::string here(const char* what) const {
    return std::string(what) + " at: " + std::string(rest_.substr(0, 80));
  }

  std::string_view rest_;
  std::vector<std::string> inside_;
};

}  // namespace

std::string mistake_in(std::string_view page) { return MarkupCheck(page).first_mistake(); }

namespace markup_check_test {
namespace {

TEST(MarkupCheck, finds_what_is_wrong) {
  EXPECT_EQ(mistake_in("<!DOCTYPE html><p class=\"a\">x &lt; y<br/></p>"), "");
  EXPECT_NE(mistake_in("<p>x"), "");
  EXPECT_NE(mistake_in("<p>x</b>"), "");
  EXPECT_NE(mistake_in("<p>x < y</p>"), "");
  EXPECT_NE(mistake_in("<p>x & y</p>"), "");
  EXPECT_NE(mistake_in("<p class=a>x</p>"), "");
  EXPECT_NE(mistake_in("<p class=\"a&b\">x</p>"), "");
  EXPECT_NE(mistake_in("<p class=\"a\"b\">x</p>"), "");
}

}  // namespace
}  // namespace markup_check_test
}  // namespace mdh::report
