// A program outside of mdh: states a computation, compiles it, runs it on its own memory.
#include <cstdio>
#include <vector>

#include "mdh/driver/arguments.h"
#include "mdh/hl/edsl.h"

namespace {

using namespace mdh::hl::edsl;

/// The largest product of two neighbours in every row.
mdh::hl::Program largest_product(Size I, Size K) {
  return out_view(buffer("top", f64).at([](Index i, Index) { return index(i); })) *
         md_hom({{"i", I}, {"k", K}}, [](Scalars in) { return in("x", 1) * in("x", 2); },
                {cc(), pw(greatest)}) *
         inp_view(buffer("x", f64)
                      .at([](Index i, Index k) { return index(i, k); })
                      .at([](Index i, Index k) { return index(i, k + 1); }));
}

}  // namespace

int main() {
  const mdh::hl::Program program = largest_product(2, 3);
  const mdh::machine::Machine& cpu = mdh::machine::find_machine("cpu");
  const mdh::driver::Executable run = mdh::driver::compile(
      program, cpu, mdh::ll::default_config(program, cpu, 2), mdh::driver::find_target("openmp"));
  const std::vector<double> x = {1, 2, 3, 4, 9, 1, 5, 2};
  std::vector<double> top(2);
  mdh::driver::call(run, {mdh::driver::buffer(top), mdh::driver::buffer(x)});
  std::printf("%g %g\n", top[0], top[1]);
  return top[0] == 12 && top[1] == 10 ? 0 : 1;
}
