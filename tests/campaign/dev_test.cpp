#include <gtest/gtest.h>
#include "tests/campaign/backends.h"
#include "mdh/support/diagnostic.h"
namespace mdh::test {
TEST(Dev, run) {
  const char* t = std::getenv("TARGET");
  const std::string target = t ? t : "openmp";
  const int from = std::atoi(std::getenv("FROM")), to = std::atoi(std::getenv("TO"));
  const size_t batch = target == "openmp" ? 25 : 10;
  runtime::host::Compiler compiler = runtime::host::find_compiler();
  compiler.flags = {"-O1"};
  std::vector<Prepared> all;
  int failures = 0, done = 0;
  for (int n = from; n < to; ++n) {
    try {
    auto one = prepare(make_triple(n), n, target);
    if (one) all.push_back(std::move(*one));
    } catch (const Error& e) { ADD_FAILURE() << n << ": " << e.diagnostic().message; if (++failures > 3) return; }
    if (all.size() == batch || n + 1 == to) {
      try {
      const auto c = target == "openmp" ? run_on_openmp(all, compiler) : run_on_opencl(all);
      for (size_t k = 0; k < c.size(); ++k) {
        ++done;
        if (c[k].empty()) continue;
        ADD_FAILURE() << c[k] << "\n" << describe(all[k]);
        if (++failures > 3) return;
      }
      } catch (const Error& e) { ADD_FAILURE() << e.diagnostic().message << " in batch before " << n; if (++failures > 3) return; }
      all.clear();
    }
  }
  fmt::print("{} done\n", done);
}
}
