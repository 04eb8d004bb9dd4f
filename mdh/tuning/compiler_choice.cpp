#include "mdh/tuning/compiler_choice.h"

#include "mdh/runtime/host/compiler.h"

namespace mdh::tuning {

std::vector<CompilerChoice> compilers_here() {
  std::vector<CompilerChoice> all;
  for (const std::string& path : runtime::host::find_compilers()) {
    const std::string family = runtime::host::identify(path).family;
    if (family == "gcc") {
      // Straight code is in the order and the registers that it should be in.
      all.push_back({"gcc", {"-O3", "-fno-schedule-insns", "-fno-predictive-commoning"}});
      all.push_back({"gcc", {"-O3"}});
    }
    if (family == "clang") all.push_back({"clang", {}});
  }
  if (all.empty()) all.push_back({"", {}});
  return all;
}

std::vector<CompilerChoice> compilers_for(const driver::Target& target) {
  return target.obeys.compiler ? compilers_here() : std::vector<CompilerChoice>{{"", {}}};
}

CompilerChoice quick_compiler(const std::vector<CompilerChoice>& all) {
  for (const CompilerChoice& c : all) {
    if (c.compiler == "clang") return {"clang", {"-O1"}};
  }
  // Copies are loops over what lies side by side, which plain -O2 does not vectorise: configurations
  // with copies would look slower than they are. What is left out takes gcc a quarter of its time and
  // gains little in straight-line code that is printed in its final form.
  return {all.front().compiler,
          {"-O2", "-fvect-cost-model=dynamic", "-fno-tree-slp-vectorize", "-fno-tree-ccp",
           "-fno-tree-vrp", "-fno-tree-pre", "-fno-gcse", "-fira-region=one"}};
}

ll::Config compiled_by(ll::Config config, const CompilerChoice& compiler) {
  config.code.kernel.compiler = compiler.compiler;
  config.code.kernel.flags = compiler.flags;
  return config;
}

}  // namespace mdh::tuning
