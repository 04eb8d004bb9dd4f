#include "mdh/driver/verify/plain_loops.h"

#include <algorithm>

#include "mdh/backend/c/expr.h"
#include "mdh/hl/analysis.h"
#include "mdh/support/text.h"

namespace mdh::driver {
namespace {

using backend::ExprPrinter;
using hl::Shape;
using scalar::Scalar;

bool ends_by_itself(const scalar::Expr& e) {
  const auto* call = e.as<scalar::Call>();
  return !e.as<scalar::Loop>() && !(call && call->callee);
}

bool is_scalar_function(const scalar::Function& f) {
  return std::all_of(f.parameters.begin(), f.parameters.end(),
                     [](const scalar::Parameter& p) { return p.type.is_scalar(); }) &&
         all_nodes(f, [](const scalar::Expr& e) { return e.type().is_scalar(); }) &&
         all_nodes(f, ends_by_itself);
}

/// Dimensions are called at0, at1, ... whatever the user calls them.
class PlainLoops {
 public:
  PlainLoops(const hl::Program& views, const Meaning& meaning)
      : views_(views), meaning_(meaning), sizes_(hl::sizes(views)) {}

  std::string source(const std::string& name) {
    const std::string code = fold(name) + scans(name) + entry(name);
    return fmt::format("/* {}: the definition, printed by mdh */\n{}{}", name, printer_.helpers(),
                       code);
  }

 private:
  std::string value_type(const scalar::Type& type) { return printer_.value_type(type); }

  size_t width() const { return meaning_.f.results.size(); }

  scalar::Scalar result_type(size_t n) const {
    return scalar_of(meaning_.f.results[n].value.type());
  }

  static std::string slot_type(Scalar type) { return is_floating(type) ? "double" : "long"; }

  std::string position(size_t d) const { return fmt::format("at{}", d); }

  std::string index_text(const scalar::Expr& index) {
    return printer_.print_index(
        scalar::substitute(index, [&](const scalar::Variable& v, const scalar::Expr& e) {
          std::optional<scalar::Expr> at;
          for (size_t d = 0; d < views_.dimensions.size(); ++d) {
            if (views_.dimensions[d].symbol == v.symbol) {
              at = scalar::variable(scalar::local(position(d)), e.type());
            }
          }
          return at;
        }));
  }

  std::string address(const hl::BufferView& view, const hl::Access& access) {
    const scalar::Extents extents = hl::extents(views_, view);
    std::string text = "0";
    for (size_t d = 0; d < extents.size(); ++d) {
      text = fmt::format("({}) * {} + ({})", text, extents[d], index_text(access.index[d]));
    }
    return text;
  }

  /// What f is called with: elements of the inputs, then the point.
  std::string loads(std::vector<std::string>& arguments) {
    std::string text;
    for (size_t b = 0; b < views_.inputs.size(); ++b) {
      const hl::BufferView& view = views_.inputs[b];
      for (const hl::Access& access : view.accesses) {
        const std::string name = fmt::format("in{}", arguments.size());
        const std::string element = fmt::format("from{}[{}]", b, address(view, access));
        text += fmt::format("const {} {} = {};\n", value_type(view.type), name,
                            printer_.load(view.type, element));
        arguments.push_back(name);
      }
    }
    for (size_t d = 0; d < sizes_.size(); ++d) arguments.push_back(position(d));
    return text;
  }

  std::vector<std::string> numbered(const std::string& name) const {
    std::vector<std::string> names;
    for (size_t n = 0; n < width(); ++n) names.push_back(fmt::format("{}{}", name, n));
    return names;
  }

  bool combines() const { return !meaning_.combine.results.empty(); }

  std::string combined(const std::string& left, const std::string& right,
                       const std::string& result) {
    std::vector<std::string> operands = numbered(left);
    for (const std::string& r : numbered(right)) operands.push_back(r);
    return printer_.call(meaning_.combine, operands, numbered(result));
  }

  std::string assigned(const std::string& to, const std::string& from) const {
    std::string text;
    for (size_t n = 0; n < width(); ++n) text += fmt::format("{0}{2} = {1}{2};\n", to, from, n);
    return text;
  }

  std::string declared(const std::string& name) {
    std::string text;
    for (size_t n = 0; n < width(); ++n) {
      text += fmt::format("{} {}{} = 0;\n", value_type(result_type(n)), name, n);
    }
    return text;
  }

  std::string stored(const std::string& name, const std::string& row) const {
    std::string text;
    for (size_t n = 0; n < width(); ++n) {
      text += fmt::format("*({0} *)({1} + {2}) = ({0}){3}{2};\n", slot_type(result_type(n)), row, n,
                          name);
    }
    return text;
  }

  std::string loaded(const std::string& name, const std::string& row) {
    std::string text;
    for (size_t n = 0; n < width(); ++n) {
      text += fmt::format("const {0} {1}{2} = ({0})*({3} *)({4} + {2});\n",
                          value_type(result_type(n)), name, n, slot_type(result_type(n)), row);
    }
    return text;
  }

  /// Kept dimensions stay where they are; scanned ones begin at 0, or stay as well.
  std::string loops(const std::string& body) const {
    std::string text = body;
    for (size_t d = sizes_.size(); d-- > 0;) {
      const hl::Dimension& dimension = views_.dimensions[d];
      const std::string at = position(d);
      if (dimension.combine.shape == Shape::concatenate) {
        text = fmt::format("const long {} = point[{}];\n{}", at, d, text);
        continue;
      }
      const bool scanned = dimension.combine.shape == Shape::scan;
      const std::string first = scanned ? fmt::format("all ? point[{}] : window[{}]", d, 2 * d)
                                        : fmt::format("window[{}]", 2 * d);
      const std::string last =
          scanned ? fmt::format("point[{}] + 1", d) : fmt::format("window[{}]", 2 * d + 1);
      text = fmt::format("for (long {0} = {1}; {0} < {2}; ++{0}) {{\n{3}}}\n", at, first, last,
                         indent(text, 2));
    }
    return text;
  }

  std::string fold(const std::string& name) {
    std::vector<std::string> arguments;
    std::string body = loads(arguments);
    body += printer_.call(meaning_.f, arguments, numbered("fresh"));
    const std::string take = assigned("sum", "fresh");
    body += combines()
                ? fmt::format("if (is_first) {{\n  is_first = 0;\n{}}} else {{\n{}}}\n",
                              indent(take, 2),
                              indent(combined("sum", "fresh", "next") + assigned("sum", "next"), 2))
                : take;
    std::string pointers;
    for (size_t b = 0; b < views_.inputs.size(); ++b) {
      pointers += fmt::format("const {0} *const from{1} = (const {0} *)inputs[{1}];\n",
                              printer_.storage_type(views_.inputs[b].type), b);
    }
    const std::string text = pointers + declared("sum") + "int is_first = 1;\n(void)is_first;\n" +
                             loops(body) + stored("sum", "row");
    return fmt::format(
        "static void {}_fold(void *const *inputs, const long *point, long all, const long *window, "
        "long *row) {{\n  (void)inputs;\n  (void)point;\n  (void)all;\n  (void)window;\n{}}}\n",
        name, indent(text, 2));
  }

  /// Every row that is not the first along a scanned dimension takes in the one before it.
  std::string scans(const std::string& name) {
    const std::vector<int64_t> counts = hl::result_sizes(views_);
    std::string text;
    for (size_t d = 0; d < counts.size(); ++d) {
      if (views_.dimensions[d].combine.shape != Shape::scan) continue;
      int64_t inner = 1;
      for (size_t e = d + 1; e < counts.size(); ++e) inner *= counts[e];
      const std::string body =
          fmt::format("if ((first + n) / {} % {} == 0) continue;\n", inner, counts[d]) +
          loaded("before", fmt::format("rows + (n - {}) * {}", inner, width())) +
          loaded("here", fmt::format("rows + n * {}", width())) +
          combined("before", "here", "next") +
          stored("next", fmt::format("rows + n * {}", width()));
      text += fmt::format("for (long n = 0; n < count; ++n) {{\n{}}}\n", indent(body, 2));
    }
    return fmt::format(
        "static void {}_scan(long *rows, long first, long count) {{\n  (void)rows;\n"
        "  (void)first;\n  (void)count;\n{}}}\n",
        name, indent(text, 2));
  }

  std::string entry(const std::string& name) {
    const std::vector<int64_t> counts = hl::result_sizes(views_);
    std::string unflattened = "long rest = first + n;\n(void)rest;\n";
    for (size_t d = counts.size(); d-- > 0;) {
      unflattened += fmt::format("point[{0}] = rest % {1};\nrest /= {1};\n", d, counts[d]);
    }
    const size_t rank = std::max<size_t>(1, counts.size());
    const std::string body = fmt::format(
        "long *const rows = (long *)buffers[0];\n"
        "const long *const points = (const long *)buffers[1];\n"
        "const long *const numbers = (const long *)buffers[2];\n"
        "const long count = numbers[0], all = numbers[1], first = numbers[2];\n"
        "(void)workspace;\n"
        "#pragma omp parallel for num_threads(threads) schedule(dynamic, 64)\n"
        "for (long n = 0; n < count; ++n) {{\n"
        "  long point[{0}] = {{0}};\n"
        "  if (all) {{\n{1}  }} else {{\n"
        "    for (long d = 0; d < {2}; ++d) point[d] = points[n * {2} + d];\n"
        "  }}\n"
        "  {3}_fold(buffers + 3, point, all, numbers + 3, rows + n * {4});\n"
        "}}\n"
        "if (all) {3}_scan(rows, first, count);\n",
        rank, indent(unflattened, 4), counts.size(), name, width());
    return fmt::format("void {}_entry(void **buffers, char *workspace, long threads) {{\n{}}}\n",
                       name, indent(body, 2));
  }

  const hl::Program& views_;
  const Meaning& meaning_;
  std::vector<int64_t> sizes_;
  ExprPrinter printer_;
};

}  // namespace

bool has_plain_loops(const hl::Program& views, const Meaning& meaning) {
  return !hl::has_custom_operator(views) && is_scalar_function(meaning.f) &&
         is_scalar_function(meaning.combine);
}

kernel::Module plain_loops(const hl::Program& views, const Meaning& meaning,
                           const std::string& name) {
  kernel::Module module{.language = "c", .name = name};
  module.source = PlainLoops(views, meaning).source(name);
  module.steps = {{kernel::Launch{name + "_entry"}}};
  // Sizes are known when it is called: the first three buffers are not checked.
  for (const char* buffer : {"rows", "points", "numbers"}) {
    module.arguments.push_back({.name = buffer, .type = "i64", .bytes_per_element = 8});
  }
  for (const hl::BufferView& view : views.inputs) {
    module.arguments.push_back({.name = view.symbol.name,
                                .type = to_string(view.type),
                                .bytes_per_element = scalar::bytes_of(view.type),
                                .extents = hl::extents(views, view)});
  }
  module.parts_on_cores = kernel::Module::most_threads;
  module.contract_allowed = false;
  return module;
}

}  // namespace mdh::driver
