// Input and output views with the same index functions undo each other, where they are injective
// and on the elements they access.
#include <gtest/gtest.h>

#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"
#include "mdh/support/text.h"
#include "tests/property/properties.h"
#include "tests/property/random_data.h"

namespace mdh::test {
namespace {

using hl::Mda;
using hl::Program;
using scalar::Array;

/// constant + Σ coefficients[d] * i_d, kept as numbers so that the test computes its own addresses.
struct Axis {
  Set coefficients;
  int64_t constant = 0;

  int64_t at(std::span<const int64_t> point) const {
    int64_t sum = constant;
    for (size_t d = 0; d < coefficients.size(); ++d) sum += coefficients[d] * point[d];
    return sum;
  }
};

using Access = std::vector<Axis>;

struct View {
  std::string type = "i32";
  Set sizes;
  std::vector<Access> accesses;
  int64_t surplus = 0;  // declared beyond what is accessed; 0: inferred
};

enum class ViewKind { injective, any };

/// One dimension, forwards or backwards.
void add_walk(Axis& axis, size_t d, int64_t stride, const Set& sizes, Choices& choices) {
  const bool reversed = choices.chance(30);
  axis.coefficients[d] += reversed ? -stride : stride;
  if (reversed) axis.constant += stride * (sizes[d] - 1);
}

/// Every dimension appears once, alone or as a digit beside another one.
Access injective_access(const Set& sizes, Choices& choices) {
  std::vector<size_t> order(sizes.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = d;
  choices.shuffle(order);
  Access access;
  int64_t reach = 0;  // 1 + greatest value of the last axis
  for (const size_t d : order) {
    const bool beside = !access.empty() && choices.chance(30);
    if (!beside) {
      access.push_back({Set(sizes.size(), 0), choices.chance(30) ? choices.between(1, 3) : 0});
      reach = 1;
    }
    const int64_t stride = reach + choices.between(0, 1);
    add_walk(access.back(), d, stride, sizes, choices);
    reach += stride * (sizes[d] - 1);
  }
  return access;
}

Access any_access(const Set& sizes, size_t rank, Choices& choices) {
  Access access(rank, {Set(sizes.size(), 0), 0});
  for (Axis& axis : access) {
    axis.constant = choices.between(0, 2);
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (choices.chance(40)) add_walk(axis, d, choices.between(1, 2), sizes, choices);
    }
  }
  return access;
}

/// Several injective accesses lie side by side along a last axis, so that they stay so together.
View random_view(Choices& choices, ViewKind kind) {
  View view;
  view.type = choices.pick<std::string>({"i32", "f64", "u8", "bool", "pair"});
  for (int64_t rank = choices.between(0, 3); rank > 0; --rank) {
    view.sizes.push_back(choices.between(1, 4));
  }
  const int64_t count = choices.between(1, 3);
  const auto rank = static_cast<size_t>(choices.between(0, 2));
  const Access first = injective_access(view.sizes, choices);
  for (int64_t n = 0; n < count; ++n) {
    view.accesses.push_back(kind == ViewKind::any ? any_access(view.sizes, rank, choices) : first);
    if (kind == ViewKind::any) continue;
    Axis last{Set(view.sizes.size(), 0), 2 * n};
    view.accesses.back().push_back(last);
  }
  if (!view.accesses[0].empty() && choices.chance(30)) view.surplus = choices.between(1, 3);
  return view;
}

std::string text_of(const Axis& axis) {
  std::string text = std::to_string(axis.constant);
  for (size_t d = 0; d < axis.coefficients.size(); ++d) {
    if (axis.coefficients[d] != 0) text += fmt::format(" + {} * i{}", axis.coefficients[d], d);
  }
  return text;
}

std::string declared(const View& view) {
  if (view.surplus == 0) return "";
  std::vector<std::string> extents;
  Set last;
  for (const int64_t size : view.sizes) last.push_back(size - 1);
  for (size_t e = 0; e < view.accesses[0].size(); ++e) {
    int64_t greatest = 0;
    for (const Access& access : view.accesses) {
      int64_t sum = access[e].constant;
      for (size_t d = 0; d < last.size(); ++d) {
        sum += std::max<int64_t>(access[e].coefficients[d] * last[d], 0);
      }
      greatest = std::max(greatest, sum);
    }
    extents.push_back(std::to_string(greatest + 1 + view.surplus));
  }
  return "[" + join(extents, ", ") + "]";
}

/// The identity between two equal views.
Program program_of(const View& view) {
  std::vector<std::string> accesses, dimensions;
  std::string body;
  for (const Access& access : view.accesses) {
    std::vector<std::string> axes;
    for (const Axis& axis : access) axes.push_back(text_of(axis));
    accesses.push_back("[" + join(axes, ", ") + "]");
    const std::string number = view.accesses.size() == 1 ? "" : fmt::format(".{}", accesses.size());
    body += fmt::format(" y{} = x{};", number, number);
  }
  for (size_t d = 0; d < view.sizes.size(); ++d) {
    dimensions.push_back(fmt::format("i{}: {} by cc", d, view.sizes[d]));
  }
  const std::string buffer =
      fmt::format("{}{} = {}", view.type, declared(view), join(accesses, ", "));
  return hl::parse(
      fmt::format("mdh 1\nrecord pair {{ a: i16; b: f32[2]; }}\nprogram views =\n  out_view( y: {} "
                  ")\n* md_hom( {} ) {{{} }}\n* inp_view( x: {} )\n",
                  buffer, join(dimensions, ", "), body, buffer));
}

/// Elements that some access reaches, by the test's own arithmetic.
std::vector<uint8_t> accessed(const View& view, const Array& array) {
  std::vector<uint8_t> reached(array.defined.size(), 0);
  std::vector<Set> sets;
  for (const int64_t size : view.sizes) {
    sets.emplace_back();
    for (int64_t i = 0; i < size; ++i) sets.back().push_back(i);
  }
  hl::make_mda(sets, 0, [&](auto point, auto) {
    for (const Access& access : view.accesses) {
      int64_t flat = 0;
      for (size_t e = 0; e < access.size(); ++e) {
        flat = flat * array.extents[e] + access[e].at(point);
      }
      reached[flat] = 1;
    }
  });
  return reached;
}

}  // namespace

// ---- the properties

std::string input_view_undoes_an_injective_output_view(Choices& choices) {
  const View view = random_view(choices, ViewKind::injective);
  const Program p = program_of(view);
  // Any MDA of this shape: the one that the view makes of buffers, with other values.
  Mda a = inp_view(p, random_inputs(choices, p));
  const std::vector<scalar::Leaf> leaves = leaves_of(p.inputs[0].type);
  for (size_t n = 0; n < a.cells.size(); ++n) {
    a.cells[n] = random_value(choices, leaves[n % leaves.size()].type);
  }
  const Mda again = inp_view(p, out_view(p, a));
  if (again == a) return "";
  return fmt::format("{}of\n{}became\n{}", hl::print(p), describe(a), describe(again));
}

std::string output_view_restores_what_the_input_view_reads(Choices& choices) {
  const View view = random_view(choices, choices.chance(50) ? ViewKind::any : ViewKind::injective);
  const Program p = program_of(view);
  const std::vector<Array> buffers = random_inputs(choices, p);
  const std::vector<Array> again = out_view(p, inp_view(p, buffers));
  const std::vector<uint8_t> reached = accessed(view, buffers[0]);
  if (again[0].extents != buffers[0].extents) return "other extents\n" + hl::print(p);
  if (again[0].defined != reached) return "other elements are defined\n" + hl::print(p);
  const auto width = static_cast<size_t>(buffers[0].width());
  for (size_t n = 0; n < buffers[0].cells.size(); ++n) {
    if (reached[n / width] != 0 && again[0].cells[n] != buffers[0].cells[n]) {
      return fmt::format("element {} changed\n{}", n / width, hl::print(p));
    }
  }
  return "";
}

namespace {

TEST(Views, input_view_undoes_an_injective_output_view) {
  expect_holds(input_view_undoes_an_injective_output_view, 400);
}

TEST(Views, output_view_restores_what_is_accessed_and_leaves_the_rest_undefined) {
  expect_holds(output_view_restores_what_the_input_view_reads, 400);
}

}  // namespace
}  // namespace mdh::test
