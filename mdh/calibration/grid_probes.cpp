#include "mdh/calibration/grid_probes.h"

#include <fmt/format.h>

#include <bit>

namespace mdh::calibration {
namespace {

/// The input is zeros; no compiler knows that.
constexpr const char* frame = R"(
extern __shared__ __align__(16) char mdh_shared[];
extern "C" __global__ void {name}(long long* out, const {type}* in, char*) {{
  const {type} zero = in[0];
{before}
  const long long begin = clock64();
{work}
  const long long end = clock64();
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = end - begin;
  if ({kept} == 12345) out[1] = 1;
}}
)";

struct Text {
  std::string before, work, kept;
};

kernel::Module module_of(const std::string& name, const std::string& type, int64_t input_bytes,
                         const Text& text, kernel::Launch launch) {
  kernel::Module module{.language = "cuda", .name = name};
  using fmt::literals::operator""_a;
  module.source = fmt::format(fmt::runtime(frame), "name"_a = name, "type"_a = type,
                              "before"_a = text.before, "work"_a = text.work, "kept"_a = text.kept);
  launch.function = name;
  module.steps = {{launch}};
  const int bytes = type == "double" ? 8 : 4;
  module.arguments = {{"out", "i64", 8, {2}, true}, {"in", "f32", bytes, {input_bytes / bytes}}};
  return module;
}

constexpr int64_t few_bytes = 64;  // of an input that says nothing but zero

/// Independent chains, so that no multiply-add waits for another one.
Text multiply_adds(const std::string& type, int64_t rounds) {
  return {fmt::format("  {} x[8];\n"
                      "  for (int k = 0; k < 8; ++k) x[k] = zero + k;\n"
                      "  const {} a = zero + ({})0.5, b = zero + ({})0.25;",
                      type, type, type, type),
          fmt::format("#pragma unroll 4\n"
                      "  for (int n = 0; n < {}; ++n) {{\n"
                      "#pragma unroll\n"
                      "    for (int k = 0; k < 8; ++k) x[k] = x[k] * a + b;\n"
                      "  }}",
                      rounds),
          "x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7]"};
}

Text chain(const std::string& type, int64_t rounds) {
  return {fmt::format("  {} x = zero;\n"
                      "  const {} a = zero + ({})0.5, b = zero + ({})0.25;",
                      type, type, type, type),
          fmt::format("#pragma unroll 4\n"
                      "  for (int n = 0; n < {}; ++n) {{\n"
                      "#pragma unroll\n"
                      "    for (int k = 0; k < 8; ++k) x = x * a + b;\n"
                      "  }}",
                      rounds),
          "x"};
}

/// Neighbouring threads read neighbouring words; where they begin changes from round to round.
Text shared_reads(int64_t rounds, int64_t items) {
  return {fmt::format("  float* const words = (float*)mdh_shared;\n"
                      "  for (int n = threadIdx.x; n < {}; n += blockDim.x) words[n] = zero;\n"
                      "  __syncthreads();\n"
                      "  float x[8];\n"
                      "  for (int k = 0; k < 8; ++k) x[k] = zero;\n"
                      "  int at = threadIdx.x;",
                      8 * items),
          fmt::format("#pragma unroll 4\n"
                      "  for (int n = 0; n < {}; ++n) {{\n"
                      "#pragma unroll\n"
                      "    for (int k = 0; k < 8; ++k) x[k] += words[at + k * {}];\n"
                      "    at = (at + 32) & {};\n"
                      "  }}",
                      rounds, items, items - 1),
          "x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7]"};
}

Text shared_chain(int64_t rounds) {
  return {
      "  int* const next = (int*)mdh_shared;\n"
      "  for (int n = threadIdx.x; n < 1024; n += blockDim.x) next[n] = (n + 33) % 1024;\n"
      "  __syncthreads();\n"
      "  int at = threadIdx.x;",
      fmt::format("#pragma unroll 8\n"
                  "  for (int n = 0; n < {}; ++n) at = next[at];",
                  rounds),
      "at + zero"};
}

/// From line to line through so many bytes, in steps that come to all of them; what is read is
/// zero, but decides where the next read is.
Text chain_of_reads(int64_t bytes, int64_t hops) {
  const int64_t words = bytes / 4;
  const int64_t step = (words / hops + 1) | 1;
  return {"  int at = threadIdx.x;",
          fmt::format("  for (int n = 0; n < {}; ++n) {{\n"
                      "    at = (at + {} + __ldcg((const int*)in + at)) & {};\n"
                      "  }}",
                      hops, std::max<int64_t>(step, 37), words - 1),
          "at + zero"};
}

/// Past the first cache.
Text reads(int64_t bytes, int64_t times) {
  return {
      "  float x[4];\n"
      "  for (int k = 0; k < 4; ++k) x[k] = zero;\n"
      "  const float4* const quads = (const float4*)in;\n"
      "  const long long all = (long long)gridDim.x * blockDim.x;",
      fmt::format("  for (int t = 0; t < {}; ++t) {{\n"
                  "#pragma unroll 4\n"
                  "    for (long long n = blockIdx.x * (long long)blockDim.x + threadIdx.x; n < {};"
                  " n += all) {{\n"
                  "      const float4 q = __ldcg(quads + n);\n"
                  "      x[0] += q.x; x[1] += q.y; x[2] += q.z; x[3] += q.w;\n"
                  "    }}\n"
                  "  }}",
                  times, bytes / 16),
      "x[0] + x[1] + x[2] + x[3]"};
}

Text barriers(int64_t rounds) {
  return {"",
          fmt::format("#pragma unroll 8\n"
                      "  for (int n = 0; n < {}; ++n) __syncthreads();",
                      rounds),
          "zero"};
}

kernel::Module repeated(kernel::Module module, int64_t times) {
  const kernel::Step launch = module.steps.front();
  module.steps.assign(static_cast<size_t>(times), launch);
  return module;
}

kernel::Launch groups_of(int64_t groups, int64_t items, int64_t shared_bytes = 0) {
  return {"", {groups, 1, 1}, {items, 1, 1}, shared_bytes};
}

}  // namespace

GridProbes::GridProbes(int64_t multiprocessors, const ProbeSizes& s) {
  const kernel::Launch busy = groups_of(multiprocessors, s.items);
  const kernel::Launch warp = groups_of(1, std::min<int64_t>(32, s.items));
  const kernel::Launch one = groups_of(1, 1);
  const int64_t reading = std::min<int64_t>(256, s.items);
  const kernel::Launch readers = groups_of(multiprocessors * s.groups_of_reader, reading);
  multiply_adds = module_of("multiply_adds", "float", few_bytes,
                            calibration::multiply_adds("float", s.rounds), busy);
  double_multiply_adds = module_of("double_multiply_adds", "double", few_bytes,
                                   calibration::multiply_adds("double", s.rounds / 8), busy);
  chain = module_of("chain", "float", few_bytes, calibration::chain("float", s.rounds), warp);
  double_chain = module_of("double_chain", "double", few_bytes,
                           calibration::chain("double", s.rounds / 8), warp);
  shared_reads = module_of("shared_reads", "float", few_bytes,
                           calibration::shared_reads(s.rounds / 4, s.items),
                           groups_of(multiprocessors, s.items, 32 * s.items));
  shared_chain = module_of("shared_chain", "float", few_bytes, calibration::shared_chain(s.rounds),
                           groups_of(1, 1, 4096));
  cache_chain = module_of("cache_chain", "float", s.cache, chain_of_reads(s.cache, s.hops), one);
  memory_chain =
      module_of("memory_chain", "float", s.memory, chain_of_reads(s.memory, s.hops), one);
  cache_reads = module_of("cache_reads", "float", s.cache, reads(s.cache, s.times), readers);
  memory_reads = module_of("memory_reads", "float", s.memory, reads(s.memory, 1), readers);
  barriers = module_of("barriers", "float", few_bytes, calibration::barriers(s.rounds),
                       groups_of(1, reading));
  one_launch = module_of("nothing", "float", few_bytes, {"", "", "zero"}, one);
  many_launches = repeated(one_launch, s.launches);
}

}  // namespace mdh::calibration
