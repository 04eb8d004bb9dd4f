#include "mdh/codegen/openmp.h"

#include <algorithm>

#include "mdh/codegen/arguments.h"
#include "mdh/codegen/c_printer.h"
#include "mdh/codegen/storage.h"
#include "mdh/support/text.h"

namespace mdh::codegen {
namespace {

using loop::Block;
using loop::Buffer;
using loop::Role;
using loop::Stmt;

/// The largest number of shares that are dealt at once, of those that belong to cores and of all.
struct Shares {
  int64_t owned = 1, all = 1;
};

Shares greatest_shares(const Block& block) {
  Shares greatest;
  for (const Stmt& s : block) {
    if (const auto* deal = s.as<loop::Deal>()) {
      const int64_t shares = loop::volume_of(deal->shares);
      greatest.all = std::max(greatest.all, shares);
      if (!deal->collective) greatest.owned = std::max(greatest.owned, shares);
    }
    loop::for_each_child(s, [&](const Block& child) {
      const Shares inside = greatest_shares(child);
      greatest = {std::max(greatest.owned, inside.owned), std::max(greatest.all, inside.all)};
    });
  }
  return greatest;
}

class OpenMPPrinter : public CPrinter {
 public:
  OpenMPPrinter(const loop::Program& p, const Storage& storage, bool team)
      : CPrinter(p, Dialect::c), storage_(storage), team_(team) {}

  ExprPrinter& types() { return expressions(); }

 protected:
  /// Contiguous blocks of shares, by the number of threads that were really granted: equal shares
  /// always meet equal threads.
  std::string deal(const loop::Deal& s) override {
    const int64_t shares = loop::volume_of(s.shares);
    const std::string body = unflattened(s.shares, "part") + pointers(s) + block(s.body);
    if (shares == 1) {
      return fmt::format("{}{{\n{}}}\n", team_ ? "if (core == 0) " : "", indent(body, 2));
    }
    return fmt::format(
        "for (long part = {0} * core / cores; part < {0} * (core + 1) / cores; ++part) {{{1}\n"
        "{2}}}\n",
        shares, comment(levels_of(s), loop::How::cores), indent(body, 2));
  }

  std::string barrier(const loop::Barrier&) override {
    return team_ ? "#pragma omp barrier\n" : "";
  }

  std::string alloc(const Buffer& b) override {
    const Kept& kept = storage_.of(b.symbol);
    const std::string type = expressions().storage_type(b.type);
    const std::string name = c_name(b.symbol.name);
    switch (kept.keeping) {
      case Keeping::automatic:
        return fmt::format("{} {}[{}] __attribute__((aligned(64)));  /* {} */\n", type, name,
                           scalar::volume(b.extents), b.region);
      case Keeping::per_core:
        return fmt::format("{0} *const {1} = ({0} *)(mine + {2});  /* {3} */\n", type, name,
                           kept.offset, b.region);
      case Keeping::shared:
        return "";  // every Deal that uses it says which instance
    }
    return "";
  }

 private:
  std::string levels_of(const loop::Deal& s) const {
    std::vector<std::string> levels;
    for (const loop::Counter& share : s.shares) {
      levels.push_back(is_digit(program(), share.var) ? find_digit(program(), share.var).level
                                                      : share.var.name);
    }
    return join(levels, ", ");
  }

  /// The instances of temporaries that outlive the share.
  std::string pointers(const loop::Deal& s) {
    std::string text;
    for (const Buffer& b : mentioned(program(), s.body)) {
      if (b.role != Role::temporary) continue;
      const Kept& kept = storage_.of(b.symbol);
      if (kept.keeping != Keeping::shared) continue;
      const std::string which = instance(b);
      const std::string at =
          which.empty() ? "" : fmt::format(" + {} * {}", which, scalar::volume(b.extents));
      text += fmt::format("{0} *const {1} = ({0} *)(workspace + {2}){3};  /* {4} */\n",
                          expressions().storage_type(b.type), c_name(b.symbol.name), kept.offset,
                          at, b.region);
    }
    return text;
  }

  const Storage& storage_;
  bool team_;
};

std::string signature(const loop::Program& p, const std::string& name, ExprPrinter& types) {
  std::vector<std::string> parameters;
  for (const Buffer& b : p.buffers) {
    if (b.role == Role::temporary) continue;
    parameters.push_back(fmt::format("{}{} *restrict {}", b.role == Role::input ? "const " : "",
                                     types.storage_type(b.type), c_name(b.symbol.name)));
  }
  parameters.emplace_back("char *restrict workspace");
  parameters.emplace_back("long threads");
  return fmt::format("static void {}({})", name, join(parameters, ", "));
}

std::string entry(const loop::Program& p, const std::string& name) {
  std::string arguments;
  for (size_t n = 0; n < arguments_of(p).size(); ++n) arguments += fmt::format("buffers[{}], ", n);
  return fmt::format(
      "void {0}_entry(void **buffers, char *workspace, long threads) {{\n  {0}({1}workspace, "
      "threads);\n}}\n",
      name, arguments);
}

std::string in_parallel(const std::string& body, const Storage& storage) {
  std::string mine;
  if (storage.bytes_per_core > 0) {
    mine = fmt::format("  char *const mine = workspace + {} + core * {};\n", storage.shared_bytes,
                       storage.bytes_per_core);
  }
  return fmt::format(
      "#pragma omp parallel num_threads(threads)\n{{\n"
      "  const long core = omp_get_thread_num(), cores = omp_get_num_threads();\n{}{}}}\n",
      mine, indent(body, 2));
}

std::string alone(const std::string& body, const Storage& storage) {
  const std::string mine =
      storage.bytes_per_core == 0
          ? ""
          : fmt::format("char *const mine = workspace + {};\n", storage.shared_bytes);
  return "(void)threads;\n" + mine + body;
}

}  // namespace

kernel::Module print_openmp(const loop::Program& program, const std::string& name) {
  internal_check(loop::is_concrete(program), "only concrete loops can be printed");
  const Shares shares = greatest_shares(program.body);
  const bool team = shares.all > 1;
  const Storage storage = storage_of(program);
  OpenMPPrinter printer(program, storage, team);
  const std::string code = printer.block(program.body);
  const std::string body = team ? in_parallel(code, storage) : alone(code, storage);
  ExprPrinter& types = printer.types();
  const std::string head = signature(program, name, types);
  const std::string prologue =
      storage.shared_bytes + storage.bytes_per_core == 0 ? "(void)workspace;\n" : "";
  const std::string declarations =
      team ? "int omp_get_thread_num(void);\nint omp_get_num_threads(void);\n" : "";
  kernel::Module module{.language = "c", .name = name};
  module.source =
      fmt::format("/* {}: printed by mdh */\n{}{}{} {{\n{}}}\n{}", name, declarations,
                  printer.helpers(), head, indent(prologue + body, 2), entry(program, name));
  module.steps = {{kernel::Launch{name + "_entry"}}};
  module.arguments = arguments_of(program);
  module.workspace_bytes = storage.shared_bytes;
  module.workspace_bytes_per_core = storage.bytes_per_core;
  module.parts_on_cores =
      static_cast<int>(std::min<int64_t>(shares.owned > 1 ? shares.owned : shares.all, 1 << 20));
  module.contract_allowed = is_arithmetic_only(program.f);
  return module;
}

}  // namespace mdh::codegen
