#include <fmt/format.h>

#include "mdh/report/markup.h"
#include "mdh/report/sections.h"

namespace mdh::report {
namespace {

std::string block(const std::string& text) {
  return "<pre><code>" + escaped(text) + "</code></pre>\n";
}

}  // namespace

std::string config_section(const TuningPage& page) {
  std::string text;
  if (!page.command.empty()) {
    text += "<p>It is recorded, and this command uses it:</p>\n" + block(page.command);
  }
  text += "<p>Saved as <code>best.json</code>, it is used by:</p>\n" + block(page.command_of_file);
  return section("Best configuration", "The whole of it, as text.",
                 block(ll::print(page.report.best->config)) + text);
}

}  // namespace mdh::report
