#include "mdh/codegen/openmp.h"

#include <algorithm>

#include "mdh/codegen/c_printer.h"
#include "mdh/support/text.h"

namespace mdh::codegen {
namespace {

using loop::Block;
using loop::Buffer;
using loop::Role;
using loop::Stmt;

/// The largest number of parts that are dealt at once.
int64_t greatest_deal(const Block& block) {
  int64_t greatest = 1;
  for (const Stmt& s : block) {
    if (const auto* deal = s.as<loop::Deal>())
      greatest = std::max(greatest, parts_of(deal->digits));
    loop::for_each_child(s,
                         [&](const Block& b) { greatest = std::max(greatest, greatest_deal(b)); });
  }
  return greatest;
}

/// Then it is printed as a block: neighbouring deals define the same names.
bool defines_names(const loop::Deal& s) {
  return !s.digits.empty() || std::any_of(s.body.begin(), s.body.end(), [](const Stmt& child) {
    return !child.as<loop::For>() && !child.as<loop::If>();
  });
}

class OpenMPPrinter : public CPrinter {
 public:
  OpenMPPrinter(const loop::Program& p, bool team) : CPrinter(p), team_(team) {}

 protected:
  /// Contiguous blocks of parts, by the number of threads that were really granted: equal digits
  /// always meet equal threads.
  std::string deal(const loop::Deal& s) override {
    const int64_t parts = parts_of(s.digits);
    const std::string body = digits_of(s) + block(s.body);
    if (!team_ && !defines_names(s)) return body;
    if (parts == 1) {
      return fmt::format("{}{{\n{}}}\n", team_ ? "if (core == 0) " : "", indent(body, 2));
    }
    return fmt::format(
        "for (long part = {0} * core / cores; part < {0} * (core + 1) / cores; ++part) {{  /* {1} "
        "*/\n"
        "{2}}}\n",
        parts, levels_of(s), indent(body, 2));
  }

  std::string barrier() override { return team_ ? "#pragma omp barrier\n" : ""; }

 private:
  static std::string levels_of(const loop::Deal& s) {
    std::vector<std::string> levels;
    for (const loop::Digit& d : s.digits) levels.push_back(d.level);
    return join(levels, ", ");
  }

  /// The digits of a part: mixed radix, the last one fastest.
  static std::string digits_of(const loop::Deal& s) {
    std::string text;
    int64_t stride = parts_of(s.digits);
    for (const loop::Digit& d : s.digits) {
      const bool is_first = stride == parts_of(s.digits);
      stride /= d.parts;
      std::string value = stride == 1 ? "part" : fmt::format("part / {}", stride);
      if (!is_first) {
        value = stride == 1 ? fmt::format("part % {}", d.parts)
                            : fmt::format("(part / {}) % {}", stride, d.parts);
      }
      if (d.parts == 1) value = "0";
      text += fmt::format("const long {} = {};\n", c_name(d.var.name), value);
    }
    return text;
  }

  bool team_;
};

std::string parameter(const Buffer& b) {
  const char* constant = b.role == Role::input ? "const " : "";
  return fmt::format("{}{} *restrict {}", constant, c_type(b.type), c_name(b.symbol.name));
}

std::string signature(const loop::Program& p, const std::string& name) {
  std::vector<std::string> parameters;
  for (const Buffer& b : p.buffers) {
    if (b.role != Role::workspace) parameters.push_back(parameter(b));
  }
  parameters.emplace_back("char *restrict workspace");
  parameters.emplace_back("long threads");
  return fmt::format("static void {}({})", name, join(parameters, ", "));
}

std::string workspace_pointers(const loop::Program& p) {
  std::string text;
  for (const Buffer& b : p.buffers) {
    if (b.role != Role::workspace) continue;
    text += fmt::format("{0} *const {1} = ({0} *)(workspace + {2});\n", c_type(b.type),
                        c_name(b.symbol.name), workspace_offset(p, b.symbol));
  }
  return text;
}

std::string entry(const loop::Program& p, const std::string& name) {
  std::string arguments;
  int number = 0;
  for (const Buffer& b : p.buffers) {
    if (b.role != Role::workspace) arguments += fmt::format("buffers[{}], ", number++);
  }
  return fmt::format(
      "void {0}_entry(void **buffers, char *workspace, long threads) {{\n  {0}({1}workspace, "
      "threads);\n}}\n",
      name, arguments);
}

std::vector<kernel::Argument> arguments_of(const loop::Program& p) {
  std::vector<kernel::Argument> arguments;
  for (const Buffer& b : p.buffers) {
    if (b.role == Role::workspace) continue;
    arguments.push_back({b.symbol.name, to_string(b.type), scalar::bytes_of(b.type), b.extents,
                         b.role == Role::output});
  }
  return arguments;
}

}  // namespace

kernel::Module print_openmp(const loop::Program& program, const std::string& name) {
  internal_check(loop::is_concrete(program), "only concrete loops can be printed");
  const int64_t parts = greatest_deal(program.body);
  const bool team = parts > 1;
  OpenMPPrinter printer(program, team);
  std::string body = printer.block(program.body);
  if (team) {
    body = fmt::format(
        "#pragma omp parallel num_threads(threads)\n{{\n"
        "  const long core = omp_get_thread_num(), cores = omp_get_num_threads();\n{}}}\n",
        indent(body, 2));
  } else {
    body = "(void)threads;\n" + body;
  }
  const std::string pointers = workspace_pointers(program);
  const std::string prologue = pointers.empty() ? "(void)workspace;\n" : pointers;
  const std::string declarations =
      team ? "int omp_get_thread_num(void);\nint omp_get_num_threads(void);\n" : "";
  kernel::Module module{.language = "c", .name = name};
  module.source = fmt::format("/* {}: printed by mdh */\n{}{}{} {{\n{}}}\n{}", name, declarations,
                              printer.helpers(), signature(program, name),
                              indent(prologue + body, 2), entry(program, name));
  module.steps = {{kernel::Launch{name + "_entry"}}};
  module.arguments = arguments_of(program);
  module.workspace_bytes = loop::workspace_bytes(program);
  module.parts_on_cores = static_cast<int>(std::min<int64_t>(parts, 1 << 20));
  module.contract_allowed = is_arithmetic_only(program.f);
  return module;
}

}  // namespace mdh::codegen
