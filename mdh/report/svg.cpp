#include "mdh/report/svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "mdh/report/markup.h"

namespace mdh::report {

Svg::Svg(double width, double height, std::string_view label)
    : body_(fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" "
                        "role=\"img\" aria-label=\"{}\">\n",
                        width, height, escaped(label))) {}

void Svg::shape(std::string_view start, std::string_view name, std::string_view style,
                std::string_view title) {
  body_ += fmt::format("<{} class=\"{}\"", start, style);
  body_ += title.empty() ? "/>\n" : fmt::format("><title>{}</title></{}>\n", escaped(title), name);
}

void Svg::line(Spot from, Spot to, std::string_view style) {
  shape(fmt::format("line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"", from.x, from.y,
                    to.x, to.y),
        "line", style, {});
}

void Svg::box(const Box& box, double rounding, std::string_view style, std::string_view title) {
  shape(
      fmt::format("rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{:.1f}\"",
                  box.x, box.y, box.width, box.height, rounding),
      "rect", style, title);
}

void Svg::circle(Spot centre, double radius, std::string_view style, std::string_view title) {
  shape(fmt::format("circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"", centre.x, centre.y, radius),
        "circle", style, title);
}

void Svg::path(std::string_view points, std::string_view style) {
  shape(fmt::format("path d=\"{}\"", points), "path", style, {});
}

void Svg::text(Spot at, std::string_view text, std::string_view style, Anchor anchor,
               double degrees) {
  const char* const anchors[] = {"start", "middle", "end"};
  const std::string turn = degrees == 0 ? std::string()
                                        : fmt::format(" transform=\"rotate({:.1f} {:.1f} {:.1f})\"",
                                                      degrees, at.x, at.y);
  body_ +=
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\"{}>{}</text>\n",
                  at.x, at.y, anchors[static_cast<size_t>(anchor)], style, turn, escaped(text));
}

double width_of(std::string_view text, double font_size) {
  // Continuation bytes are not characters of their own.
  const auto is_first = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; };
  const auto characters = std::count_if(text.begin(), text.end(), is_first);
  return 0.58 * font_size * static_cast<double>(characters);
}

}  // namespace mdh::report
