#include "mdh/backend/openmp/caller.h"

#include <algorithm>

#include "mdh/backend/c/type.h"
#include "mdh/support/text.h"

namespace mdh::backend {
namespace {

/// Records are the user's own type, whose name is not known here.
std::string element_type(const kernel::Argument& a) {
  const auto scalar = scalar::find_scalar(a.type);
  return scalar ? storage_type(*scalar) : "void";
}

std::string parameter(const kernel::Argument& a) {
  return fmt::format("{}{} *{}", a.is_output ? "" : "const ", element_type(a), c_name(a.name));
}

std::string pointers(const kernel::Module& module) {
  std::vector<std::string> all;
  for (const kernel::Argument& a : module.arguments) {
    all.push_back(fmt::format("(void *){}", c_name(a.name)));
  }
  return join(all, ", ");
}

/// "C: f32[10, 500]", one line each.
std::string description(const kernel::Module& module) {
  std::string text;
  for (const kernel::Argument& a : module.arguments) {
    text += fmt::format("   {}: {}[{}], {}\n", c_name(a.name), a.type, fmt::join(a.extents, ", "),
                        a.is_output ? "written" : "read");
  }
  return text;
}

}  // namespace

std::string with_openmp_caller(const kernel::Module& module) {
  std::vector<std::string> parameters;
  for (const kernel::Argument& a : module.arguments) parameters.push_back(parameter(a));
  constexpr int64_t line = 64;
  const int64_t bytes = (module.workspace() + line - 1) / line * line;
  return fmt::format(
      R"(#ifndef _OPENMP
__attribute__((unused)) static int omp_get_thread_num(void) {{ return 0; }}
__attribute__((unused)) static int omp_get_num_threads(void) {{ return 1; }}
__attribute__((unused)) static int omp_get_max_threads(void) {{ return 1; }}
#endif
{source}
/* {name}_call: 0 if all is computed, -1 if there is no memory. Buffers are row-major:
{description}   Compile with -O3 -march=native -fopenmp{contract}. */
int omp_get_max_threads(void);
int {name}_call({parameters}) {{
  void *mdh_buffers[] = {{{pointers}}};
  char *const mdh_workspace = __builtin_aligned_alloc({line}, {bytes});
  if (!mdh_workspace) return -1;
  const long mdh_most = omp_get_max_threads();
  {name}_entry(mdh_buffers, mdh_workspace, mdh_most < {threads} ? mdh_most : {threads});
  __builtin_free(mdh_workspace);
  return 0;
}}
)",
      fmt::arg("source", module.source), fmt::arg("name", module.name),
      fmt::arg("description", description(module)),
      fmt::arg("contract", module.contract_allowed ? "" : " -ffp-contract=off"),
      fmt::arg("parameters", join(parameters, ", ")), fmt::arg("pointers", pointers(module)),
      fmt::arg("line", line), fmt::arg("bytes", std::max(bytes, line)),
      fmt::arg("threads", module.threads()));
}

}  // namespace mdh::backend
