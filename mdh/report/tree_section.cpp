#include <fmt/format.h>

#include <algorithm>

#include "mdh/model/cost.h"
#include "mdh/report/markup.h"
#include "mdh/report/sections.h"
#include "mdh/report/svg.h"
#include "mdh/report/tree.h"
#include "mdh/report/units.h"
#include "mdh/support/text.h"

namespace mdh::report {
namespace {

constexpr double row_height = 34, node_height = 26, place_height = 22, name_font = 13,
                 first_row = 44;

const char* style_of(NodeKind kind) {
  const bool is_level = kind != NodeKind::whole && kind != NodeKind::function;
  return is_level ? to_string(kind) : "whole";
}

std::string what_of(const TreeNode& node) {
  const bool is_level = node.kind != NodeKind::whole && node.kind != NodeKind::function;
  return is_level ? fmt::format("{} parts, {}", node.parts, to_string(node.kind))
                  : to_string(node.kind);
}

std::string size_of(const TreePlace& place) {
  std::vector<std::string> extents;
  int64_t volume = 1;
  for (const int64_t extent : place.extents) {
    extents.push_back(std::to_string(extent));
    volume *= extent;
  }
  const std::string bytes = bytes_text(static_cast<double>(place.bytes));
  if (extents.empty()) return bytes;
  const std::string spread =
      volume == place.elements ? "" : std::to_string(place.elements) + " spread over ";
  return spread + join(extents, " × ") + ", " + bytes;
}

std::string text_of(const TreePlace& place) {
  const std::string size = size_of(place);
  const std::string layout = place.layout.empty() ? "" : " as [" + place.layout + "]";
  switch (place.kind) {
    case PlaceKind::copy:
      return fmt::format("copy {} into {}{}: {}", place.buffer, place.region, layout, size);
    case PlaceKind::stays:
      return fmt::format("{} stays in {}: {}", place.buffer, place.region, size);
    case PlaceKind::accumulator:
      break;
  }
  return fmt::format("accumulate {} in {}{}: {}", place.buffer, place.region, layout, size);
}

/// Rows from top to bottom, indented by depth; the columns at the right have the tile sizes.
class TreeDrawing {
 public:
  explicit TreeDrawing(const Tree& tree)
      : tree_(tree), indent_(std::min(24.0, 340.0 / static_cast<double>(tree.nodes.size()))) {
    for (const TreeNode& node : tree.nodes) {
      name_width_ = std::max(name_width_, 1.1 * width_of(node.name, name_font) + 14);
      what_width_ = std::max(what_width_, width_of(what_of(node), 12));
      rows_ += 1 + static_cast<double>(node.places.size());
    }
    for (const std::string& name : tree.dimensions) {
      column_ = std::max(column_, width_of(name, 12) + 14);
    }
    for (const int64_t size : tree.nodes.front().inside) {
      column_ = std::max(column_, width_of(std::to_string(size), 12) + 22);
    }
    const double tree_width = left_of(tree.nodes.size() - 1) + node_width() + 24;
    width_ = std::max(1000.0, tree_width + column_ * static_cast<double>(tree.dimensions.size()));
  }

  std::string draw() {
    Svg svg(width_, first_row + rows_ * row_height + 4, "The best decomposition as a tree");
    draw_heading(svg);
    double y = first_row, above = 0;
    for (size_t n = 0; n < tree_.nodes.size(); ++n) {
      if (n > 0) connect(svg, n - 1, above, y + node_height / 2);
      draw_node(svg, n, y);
      above = y + node_height;
      y += row_height;
      for (const TreePlace& place : tree_.nodes[n].places) {
        connect(svg, n, above, y + place_height / 2);
        draw_place(svg, n + 1, y, place);
        y += row_height;
      }
    }
    return svg.str();
  }

 private:
  double left_of(size_t depth) const { return 4 + indent_ * static_cast<double>(depth); }
  double node_width() const { return 18 + name_width_ + what_width_; }
  double column_at(size_t dimension) const {
    return width_ - 10 - column_ * static_cast<double>(tree_.dimensions.size() - 1 - dimension);
  }

  void draw_heading(Svg& svg) const {
    if (tree_.dimensions.empty()) return;
    svg.text({column_at(tree_.dimensions.size() - 1), 14}, "points of one part", "tick",
             Anchor::end);
    for (size_t d = 0; d < tree_.dimensions.size(); ++d) {
      svg.text({column_at(d), 32}, tree_.dimensions[d], "label strong", Anchor::end);
    }
    svg.line({column_at(0) - column_ + 14, 38}, {width_ - 4, 38}, "grid");
  }

  /// From the bottom of a parent down, then to its child.
  void connect(Svg& svg, size_t parent, double from, double to) const {
    const double x = left_of(parent) + indent_ / 2;
    svg.path(fmt::format("M{:.1f},{:.1f} L{:.1f},{:.1f} L{:.1f},{:.1f}", x, from, x, to,
                         left_of(parent + 1), to),
             "branch");
  }

  void draw_node(Svg& svg, size_t n, double y) const {
    const TreeNode& node = tree_.nodes[n];
    const double x = left_of(n);
    // More parts than one: the others are behind it.
    if (node.parts > 1) {
      svg.box({x + 4, y - 3, node_width(), node_height}, 5,
              std::string("card behind ") + style_of(node.kind));
    }
    if (!node.inside.empty()) {  // leads the eye to the numbers of the row
      svg.line({x + node_width() + 10, y + 13}, {column_at(0) - column_ + 6, y + 13}, "grid");
    }
    svg.box({x, y, node_width(), node_height}, 5, std::string("card ") + style_of(node.kind));
    svg.text({x + 10, y + 17.5}, node.name, "label strong");
    svg.text({x + 10 + name_width_, y + 17.5}, what_of(node), "label soft");
    for (size_t d = 0; d < node.inside.size(); ++d) {
      const bool is_new = n > 0 && node.inside[d] != tree_.nodes[n - 1].inside[d];
      svg.text({column_at(d), y + 17.5}, std::to_string(node.inside[d]),
               is_new || n == 0 ? "label" : "tick", Anchor::end);
    }
  }

  void draw_place(Svg& svg, size_t depth, double y, const TreePlace& place) const {
    const char* const styles[] = {"place copy", "place stays", "place accumulator"};
    const std::string text = text_of(place);
    const double x = left_of(depth), room = width_ - x - 8;
    const auto fits = static_cast<size_t>((room - 16) / width_of("x", 12));
    const std::string shown = shortened(text, fits);
    svg.box({x, y, std::min(room, width_of(shown, 12) + 16), place_height}, 11,
            styles[static_cast<size_t>(place.kind)], text);
    svg.text({x + 10, y + 15}, shown, "label");
  }

  const Tree& tree_;
  double indent_;
  double name_width_ = 40, what_width_ = 60, column_ = 44, rows_ = 0, width_ = 1000;
};

}  // namespace

std::string tree_section(const TuningPage& page) {
  const ll::Config& config = page.report.best->config;
  const Tree tree = tree_of(page.program, page.machine, config);
  std::string text = "<p class=\"legend\">";
  for (const NodeKind kind : {NodeKind::blocks, NodeKind::warps, NodeKind::threads, NodeKind::loop,
                              NodeKind::registers, NodeKind::lanes}) {
    const bool is_of_devices = kind == NodeKind::blocks || kind == NodeKind::warps;
    if (is_of_devices && !model::has_groups(page.machine)) continue;
    text += fmt::format("<i class=\"swatch {}\"></i>{}", style_of(kind), to_string(kind));
  }
  text +=
      "<i class=\"swatch copy\"></i>copies<i class=\"swatch accumulator\"></i>accumulators</p>\n";
  text += "<div class=\"figure\">\n" + TreeDrawing(tree).draw() + "</div>\n";
  if (!config.phases.empty()) {
    text +=
        "<p class=\"note\">Some phases have levels of their own; the text below has them.</p>\n";
  }
  return section("Best decomposition",
                 "From the whole computation down to single points: each node takes apart what is "
                 "above it. Copies and accumulators hang where they are made anew.",
                 text);
}

}  // namespace mdh::report
