// oneDNN: matrix products and convolutions. The library chooses the layout of the weights and
// reorders them once, before anything is timed, which is what its users do; images and results
// stay in the layout of the program. The implementation that it chose is named: where there is
// none for the CPU it is slow reference code.
#include <stdio.h>

#include <cstring>
#include <memory>
#include <unordered_map>

#include <dnnl.hpp>

#if DNNL_CPU_THREADING_RUNTIME != DNNL_RUNTIME_OMP
#error "oneDNN was built for other threads than those of OpenMP, and only these are given places"
#endif

using dnnl::memory;
using Dims = memory::dims;
using Tag = memory::format_tag;

#include "sizes.h"

namespace {

const memory::data_type f32 = memory::data_type::f32;

memory::desc layout(const Dims& dims, Tag tag) { return {dims, f32, tag}; }

#if defined(PROGRAM_MCC)
const Dims source_dims = {N, C, SH*(P - 1) + R, SW*(Q - 1) + S};
const Dims weights_dims = {K, C, R, S}, result_dims = {N, K, P, Q};
const Tag images = Tag::nhwc, weights = Tag::ohwi;
using Operation = dnnl::convolution_forward;
#elif defined(PROGRAM_BMATMUL)
const Dims source_dims = {NB, I, K}, weights_dims = {NB, K, J}, result_dims = {NB, I, J};
const Tag images = Tag::abc, weights = Tag::abc;
using Operation = dnnl::matmul;
#else
const Dims source_dims = {I, K}, weights_dims = {K, J}, result_dims = {I, J};
const Tag images = Tag::ab, weights = Tag::ab;
using Operation = dnnl::matmul;
#endif

Operation::primitive_desc choose(const dnnl::engine& engine) {
  const auto source = layout(source_dims, images), any = layout(weights_dims, Tag::any),
             result = layout(result_dims, images);
#if defined(PROGRAM_MCC)
  const auto forward = dnnl::prop_kind::forward_inference;
  const auto direct = dnnl::algorithm::convolution_direct;
  const Dims strides = {SH, SW}, none = {0, 0};
#if DNNL_VERSION_MAJOR >= 3
  return {engine, forward, direct, source, any, result, strides, none, none};
#else
  return {{forward, direct, source, any, result, strides, none, none}, engine};
#endif
#elif DNNL_VERSION_MAJOR >= 3
  return {engine, source, any, result};
#else
  return {{source, any, result}, engine};
#endif
}

/// Everything that is made once.
struct Prepared {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  Operation::primitive_desc chosen = choose(engine);
  Operation operation{chosen};
  memory source{layout(source_dims, images), engine, nullptr};
  memory user_weights{layout(weights_dims, weights), engine, nullptr};
  memory own_weights{chosen.weights_desc(), engine};
  memory result{layout(result_dims, images), engine, nullptr};
};

Prepared* prepared;
char description[200];

}  // namespace

extern "C" const char* open_peer(long) {
  try {
    prepared = new Prepared;
  } catch (const dnnl::error& failure) {
    static std::string reason;
    reason = std::string("refused: ") + failure.what();
    return reason.c_str();
  }
  const dnnl_version_t* version = dnnl_version();
  snprintf(description, sizeof(description),
           "oneDNN %d.%d.%d, implementation %s, weights prepacked", version->major, version->minor,
           version->patch, prepared->chosen.impl_info_str());
  return nullptr;
}

extern "C" const char* about() { return description; }

/// Weights are taken from the program's buffer again.
extern "C" void load_peer(void** buffers) {
  prepared->user_weights.set_data_handle(buffers[2]);
  dnnl::reorder(prepared->user_weights, prepared->own_weights)
      .execute(prepared->stream, prepared->user_weights, prepared->own_weights);
  prepared->stream.wait();
}

extern "C" void run(void** buffers, char*, long) {
  prepared->source.set_data_handle(buffers[1]);
  prepared->result.set_data_handle(buffers[0]);
  prepared->operation.execute(prepared->stream, {{DNNL_ARG_SRC, prepared->source},
                                                 {DNNL_ARG_WEIGHTS, prepared->own_weights},
                                                 {DNNL_ARG_DST, prepared->result}});
  prepared->stream.wait();
}
