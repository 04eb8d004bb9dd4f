// Drawings as part of a page. Classes name what is drawn; style.cpp says how it looks.
#pragma once

#include <string>
#include <string_view>

namespace mdh::report {

struct Spot {
  double x = 0;
  double y = 0;
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

enum class Anchor { start, middle, end };

/// Texts and titles are escaped here. A title is what the mouse is told.
class Svg {
 public:
  /// The label is for those who cannot see the drawing.
  Svg(double width, double height, std::string_view label);

  void line(Spot from, Spot to, std::string_view style);
  void box(const Box& box, double rounding, std::string_view style, std::string_view title = {});
  void circle(Spot centre, double radius, std::string_view style, std::string_view title = {});
  /// Straight lines from point to point, in the syntax of SVG: "M0,0 L10,5".
  void path(std::string_view points, std::string_view style);
  void text(Spot at, std::string_view text, std::string_view style, Anchor anchor = Anchor::start,
            double degrees = 0);

  std::string str() const { return body_ + "</svg>\n"; }

 private:
  void shape(std::string_view start, std::string_view name, std::string_view style,
             std::string_view title);

  std::string body_;
};

/// About as wide as a text becomes.
double width_of(std::string_view text, double font_size);

}  // namespace mdh::report
