#include "mdh/report/time_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "mdh/report/units.h"

namespace mdh::report {

std::string bar(double share, const char* style) {
  if (share <= 0) return "<td class=\"bar\"></td>";
  return fmt::format("<td class=\"bar\"><i class=\"{}\" style=\"width:{:.1f}%\"></i></td>", style,
                     100 * std::min(share, 1.0));
}

std::string time_table(const std::string& heading, const std::vector<TimePart>& parts,
                       double total_ns, double measured_us) {
  double most = std::max(total_ns, 1e3 * measured_us);
  for (const TimePart& part : parts) most = std::max(most, part.ns);
  std::string text = fmt::format(
      "<div class=\"figure\">\n<table>\n<thead><tr><th>{}</th><th class=\"number\">estimated</th>"
      "<th class=\"number\">of the total</th><th></th></tr></thead>\n<tbody>\n",
      heading);
  for (const auto& [name, ns] : parts) {
    text += fmt::format(
        "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>{}</tr>\n", name,
        time_text(ns / 1e3), percent_text(ns / total_ns), bar(ns / most, "time"));
  }
  text += fmt::format(
      "<tr class=\"sum\"><td>total, what overlaps counted once</td><td class=\"number\">{}</td>"
      "<td></td>{}</tr>\n<tr class=\"sum\"><td>measured</td><td class=\"number\">{}</td><td></td>"
      "{}</tr>\n",
      time_text(total_ns / 1e3), bar(total_ns / most, "sum"), time_text(measured_us),
      bar(1e3 * measured_us / most, "measured"));
  return text + "</tbody>\n</table>\n</div>\n";
}

}  // namespace mdh::report
