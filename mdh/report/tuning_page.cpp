#include "mdh/report/tuning_page.h"

#include <fmt/format.h>

#include "mdh/model/cost.h"
#include "mdh/report/markup.h"
#include "mdh/report/sections.h"
#include "mdh/report/style.h"

namespace mdh::report {

std::string section(std::string_view heading, std::string_view explanation,
                    std::string_view content) {
  return fmt::format("<section>\n<h2>{}</h2>\n<p class=\"note\">{}</p>\n{}</section>\n",
                     escaped(heading), escaped(explanation), content);
}

namespace {

/// The model of costs is another one where there are groups of threads.
std::string estimated_sections(const TuningPage& page) {
  if (model::has_groups(page.machine)) return grid_section(page);
  return traffic_section(page) + roofline_section(page);
}

}  // namespace

std::string html(const TuningPage& page) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>Tuning of {}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n",
      escaped(page.program.name), style());
  text += summary_section(page);
  text += convergence_section(page);
  if (page.report.best) {
    text += tree_section(page);
    if (page.is_estimated) text += estimated_sections(page);
    text += config_section(page);
  }
  return text +
         fmt::format("<footer>mdh {}</footer>\n</main>\n</body>\n</html>\n", escaped(page.version));
}

}  // namespace mdh::report
