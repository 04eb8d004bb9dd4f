#include "tests/faults/programs.h"

#include "examples/catalogue.h"
#include "mdh/hl/analysis.h"
#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"
#include "mdh/support/diagnostic.h"

namespace mdh::test {
namespace {

using scalar::Scalar;

const std::vector<Scalar> all_floats = {Scalar::f32, Scalar::f64, Scalar::f16, Scalar::bf16};
const std::vector<Scalar> long_floats = {Scalar::f32, Scalar::f64};

FaultProgram catalogued(const std::string& name, std::vector<Scalar> types) {
  const examples::Entry* entry = examples::find_entry(name);
  internal_check(entry != nullptr, "'{}' is not in the catalogue", name);
  std::string text = hl::print(entry->generic());
  // Evaluators take every step of a loop; the points of the set would take all of them.
  static const std::string steps = "limit: i32 = 1000";
  if (const size_t at = text.find(steps); at != std::string::npos) {
    text.replace(at, steps.size(), "limit: i32 = 60");
  }
  return {name, std::move(text), std::move(types), true};
}

const char* const weighted_sum = R"(mdh 1
program weighted_sum<T: type = f32, I: size = 8, K: size = 64> =
  out_view( y: T = [i] )
* md_hom( i: I by cc, k: K by pw(add) ) { y = 0.1 * x; }
* inp_view( x: T = [i, k] ))";

const char* const tiny_exponentials = R"(mdh 1
program tiny_exponentials<T: type = f32, I: size = 8, K: size = 64> =
  out_view( y: T = [i] )
* md_hom( i: I by cc, k: K by pw(add) ) { y = exp(x - 20.0); }
* inp_view( x: T = [i, k] ))";

const char* const roots = R"(mdh 1
program roots<T: type = f16, I: size = 16, J: size = 16> =
  out_view( y: T = [i, j] )
* md_hom( i: I by cc, j: J by cc ) { y = sqrt(x * x + 0.5) + 0.25 * sin(x); }
* inp_view( x: T = [j, i] ))";

const char* const norms = R"(mdh 1
program norms<T: type = f16, I: size = 8, K: size = 32> =
  out_view( y: T = [i] )
* md_hom( i: I by cc, k: K by pw(add) ) { y = sqrt(abs(a - b)); }
* inp_view( a: T = [i, k]; b: T = [k] ))";

const char* const shortest_paths = R"(mdh 1
program shortest_paths<T: type = f32, I: size = 8, J: size = 8, K: size = 8> =
  out_view( C: T = [i, j] )
* md_hom( i: I by cc, j: J by cc, k: K by pw(min) ) { C = A + B; }
* inp_view( A: T = [i, k]; B: T = [k, j] ))";

const char* const clipped_sum = R"(mdh 1
program clipped_sum<T: type = f32, I: size = 8, K: size = 64> =
  out_view( y: T = [i] )
* md_hom( i: I by cc, k: K by pw(add) ) { y = if x > w then x - w else 0.5 * x; }
* inp_view( x: T = [i, k]; w: T = [k] ))";

const char* const variance = R"(mdh 1
record moments { n: f64; mean: f64; squares: f64; }
fun joined(l: moments, r: moments): moments {
  n = l.n + r.n;
  d = r.mean - l.mean;
  return moments{ n = n, mean = l.mean + d * r.n / n,
                  squares = l.squares + r.squares + d * d * l.n * r.n / n };
}
op merge(l, r) = joined(l, r);
program variance<I: size = 8, K: size = 32> =
  out_view( y: moments = [i] )
* md_hom( i: I by cc, k: K by pw(merge) ) { y = moments{ n = 1.0, mean = x, squares = 0.0 }; }
* inp_view( x: f64 = [i, k] ))";

const char* const argmax = R"(mdh 1
record best { value: f32; at: i64; }
op larger(l, r) = if l.value > r.value || l.value == r.value && l.at <= r.at then l else r;
program argmax<I: size = 8, K: size = 32> =
  out_view( b: best = [i] )
* md_hom( i: I by cc, k: K by pw(larger) ) { b = best{ value = x, at = k }; }
* inp_view( x: f32 = [i, k] ))";

const char* const positions = R"(mdh 1
program positions<T: type = f32, I: size = 8, K: size = 16> =
  out_view( y: T = [i] )
* md_hom( i: I by cc, k: K by pw(add) ) { y = T(k - i) * x; }
* inp_view( x: T = [i + 2 * k] ))";

const char* const complex_product = R"(mdh 1
op both(l, r) { re = l.re + r.re; im = l.im + r.im; }
program complex_product<T: type = f32, I: size = 8, K: size = 16> =
  out_view( re: T = [i]; im: T = [i] )
* md_hom( i: I by cc, k: K by pw(both) ) { re = a * c - b * d; im = a * d + b * c; }
* inp_view( a: T = [i, k]; b: T = [i, k]; c: T = [k]; d: T = [k] ))";

}  // namespace

const std::vector<FaultProgram>& fault_programs() {
  static const std::vector<FaultProgram> all = {
      catalogued("dot", all_floats),
      catalogued("matvec", all_floats),
      catalogued("matmul", all_floats),
      catalogued("matmul_t", all_floats),
      catalogued("conv2d", all_floats),
      catalogued("jacobi3d", all_floats),
      catalogued("mcc", all_floats),
      catalogued("ccsdt_gdab_efgc", long_floats),
      catalogued("scan", all_floats),
      catalogued("mbbs", all_floats),
      catalogued("histo", {Scalar::f32, Scalar::i32}),
      catalogued("genhisto", {Scalar::i32}),
      catalogued("reduce2", long_floats),
      catalogued("prl", {Scalar::f64}),
      catalogued("mandelbrot", {Scalar::f64}),
      {"weighted_sum", weighted_sum, all_floats},
      {"tiny_exponentials", tiny_exponentials, long_floats},
      {"roots", roots, all_floats},
      {"norms", norms, all_floats},
      {"shortest_paths", shortest_paths, all_floats},
      {"clipped_sum", clipped_sum, all_floats},
      {"positions", positions, all_floats},
      {"complex_product", complex_product, all_floats},
      {"variance", variance, {Scalar::f64}},
      {"argmax", argmax, {Scalar::f32}},
  };
  return all;
}

hl::Program instance_of(const FaultProgram& p, Scalar type, const std::vector<int64_t>& sizes) {
  const hl::Program generic = hl::parse(p.text, p.name);
  hl::Bindings bindings{.sizes = hl::sizes_by_dimension(generic, sizes)};
  for (const hl::Parameter& parameter : generic.parameters) {
    if (parameter.symbol.name == "T") bindings.types["T"] = type;
  }
  return hl::instantiate(generic, bindings);
}

std::vector<int64_t> odd_sizes(const FaultProgram& p, int64_t points, Random& random) {
  static const std::vector<int64_t> choices = {2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 16, 17, 24};
  std::vector<int64_t> sizes(hl::parse(p.text, p.name).dimensions.size());
  for (int64_t& size : sizes) size = random.pick(choices);
  if (sizes.size() == 1) sizes.front() = random.between(17, 97);
  while (scalar::volume(sizes) > points) {
    int64_t& size =
        sizes[static_cast<size_t>(random.between(0, static_cast<int64_t>(sizes.size()) - 1))];
    size = (size + 1) / 2;
  }
  return sizes;
}

Inputs own_inputs(const FaultProgram& p, Scalar type, const hl::Program& program, uint64_t seed) {
  const examples::Entry* entry = p.is_catalogued ? examples::find_entry(p.name) : nullptr;
  if (!entry || !entry->inputs) return {};
  return [entry, type, program, seed] {
    return entry->inputs({type, hl::sizes(program)}, program, seed);
  };
}

}  // namespace mdh::test
