// A back end from scratch: C without OpenMP, in which one core does the work of all. Whoever adds a
// back end writes what is here: a printer, a function that makes a module, and a row.

#include <gtest/gtest.h>

#include "mdh/backend/c/arguments.h"
#include "mdh/backend/c/printer.h"
#include "mdh/backend/openmp/storage.h"
#include "mdh/driver/run.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/runtime/host/runtime.h"
#include "mdh/support/text.h"

namespace mdh::driver::toy_backend_test {
namespace {

using backend::c_name;
using backend::Keeping;

/// Parts of cores are a loop, and nobody waits for anybody.
class ToyPrinter : public backend::CPrinter {
 public:
  ToyPrinter(const loop::Program& p, const backend::Storage& storage)
      : CPrinter(p, backend::Dialect::c), storage_(storage) {}

  std::string parameter(const loop::Buffer& b) {
    return expressions().storage_type(b.type) + " *" + c_name(b.symbol.name);
  }

 protected:
  std::string deal(const loop::Deal& s) override {
    const std::string body = unflattened(s.shares, "part") + instances(s.body) + block(s.body);
    return fmt::format("for (long part = 0; part < {}; ++part) {{\n{}}}\n",
                       loop::volume_of(s.shares), indent(body, 2));
  }

  std::string barrier(const loop::Barrier&) override { return ""; }

  std::string alloc(const loop::Buffer& b) override {
    const backend::Kept& kept = storage_.of(b.symbol);
    if (kept.keeping == Keeping::shared) return "";  // each deal says which instance
    if (kept.keeping == Keeping::automatic) {
      return fmt::format("{} {}[{}];\n", expressions().storage_type(b.type), c_name(b.symbol.name),
                         scalar::volume(b.extents));
    }
    return fmt::format("{} = (void *)(workspace + {});\n", parameter(b),
                       storage_.shared_bytes + kept.offset);
  }

 private:
  std::string instances(const loop::Block& body) {
    std::string text;
    for (const loop::Buffer& b : backend::mentioned(program(), body)) {
      if (b.role != loop::Role::temporary) continue;
      const backend::Kept& kept = storage_.of(b.symbol);
      if (kept.keeping != Keeping::shared) continue;
      const std::string which = instance(b);
      text += fmt::format("{0} = ({1} *)(workspace + {2}) + {3} * {4};\n", parameter(b),
                          expressions().storage_type(b.type), kept.offset,
                          which.empty() ? "0" : which, scalar::volume(b.extents));
    }
    return text;
  }

  const backend::Storage& storage_;
};

kernel::Module print_toy(const loop::Program& p, const std::string& name) {
  const backend::Storage storage = backend::storage_of(p);
  ToyPrinter printer(p, storage);
  std::string body;
  for (const loop::Buffer& b : p.buffers) {
    if (b.role == loop::Role::temporary) continue;
    body += fmt::format("{} = *buffers++;\n", printer.parameter(b));
  }
  body += printer.block(p.body);
  kernel::Module module{.language = "c", .name = name};
  module.source =
      fmt::format("{}void {}_entry(void **buffers, char *workspace, long threads) {{\n{}}}\n",
                  printer.helpers(), name, indent(body, 2));
  module.steps = {{kernel::Launch{name + "_entry"}}};
  module.arguments = backend::arguments_of(p);
  module.workspace_bytes = storage.shared_bytes + storage.bytes_per_core;
  return module;
}

const Target& toy() {
  static const Target row = {
      {.name = "toy", .summary = "plain C", .machine = "cpu", .print = print_toy},
      &runtime::host::runtime()};
  return row;
}

std::string complaint_about(const hl::Program& p, const ll::Config& config) {
  RunOptions options;
  options.target = &toy();
  options.machine = machine::find_machine("cpu");
  options.config = config;
  const RunReport report = run(p, options);
  return report.verification.right ? "" : report.verification.complaint;
}

TEST(ToyBackend, computes_by_default_for_any_number_of_cores) {
  for (const int cores : {1, 3, 16}) {
    for (const hl::Program& p : {matvec(Scalar::f32, 7, 13), sum(Scalar::i64, 1000),
                                 map(Scalar::f64, 31, "x * x + 1.0")}) {
      const ll::Config config = ll::default_config(p, machine::find_machine("cpu"), cores);
      EXPECT_EQ(complaint_about(p, config), "") << p.name << " on " << cores << " cores";
    }
  }
}

TEST(ToyBackend, computes_with_tiles_in_registers_and_on_lanes) {
  const ll::Config config = config_of(R"("layers": ["COR", "L1", "REG", "SIMD"],
    "split": {"i": ["COR 3", "REG 4"], "k": ["COR 2", "L1 8", "SIMD 4"]},
    "order": ["COR.i", "COR.k", "L1.k", "REG.i", "SIMD.k"])");
  EXPECT_EQ(complaint_about(matvec(Scalar::f32, 11, 61), config), "");
}

TEST(ToyBackend, scans_over_cores) {
  const hl::Program p = hl::parse(
      "mdh 1\nprogram sums = out_view( y: i32 = [i] ) * md_hom( i: 1000 by ps(add) ) { y = x; }"
      " * inp_view( x: i32 = [i] )");
  EXPECT_EQ(complaint_about(p, config_of(R"("layers": ["COR", "L1"],
    "split": {"i": ["COR 4", "L1 250"]}, "order": ["COR.i", "L1.i"])")),
            "");
}

}  // namespace
}  // namespace mdh::driver::toy_backend_test
