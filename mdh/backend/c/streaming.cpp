#include "mdh/backend/c/streaming.h"

#include <fmt/format.h>

#include <algorithm>

#include "mdh/backend/c/vector.h"

namespace mdh::backend {
namespace {

constexpr int64_t least_bytes = 16;

/// Only x86 has stores that need no line in a cache. Those of AArch64 (stnp) are a mere hint, which
/// was measured not to pay, and cost an instruction where vectors are not in pairs.
///
/// Such stores have to be aligned. Rows of the user need not be, so that it is asked each time; the
/// answer is nearly always the same and thus predicted. Returns whether it has stored.
const char* const stream = R"(#if defined(__x86_64__)
#if defined(__clang__)
#define mdh_stream_as(type, gcc, to, from) \
  __builtin_nontemporal_store(*(const type *)(from), (type *)(to))
#else
#define mdh_stream_as(type, gcc, to, from) gcc((float *)(to), *(const type *)(from))
#endif
typedef float mdh_piece16 __attribute__((vector_size(16), may_alias));
#if defined(__AVX__)
typedef float mdh_piece32 __attribute__((vector_size(32), may_alias));
#endif
#if defined(__AVX512F__)
typedef float mdh_piece64 __attribute__((vector_size(64), may_alias));
#define mdh_piece_most 64
#elif defined(__AVX__)
#define mdh_piece_most 32
#else
#define mdh_piece_most 16
#endif
static inline __attribute__((always_inline)) int mdh_stream(char *to, const char *from, long bytes) {
  const long piece = bytes < mdh_piece_most ? bytes : mdh_piece_most;
  if ((unsigned long)to % piece != 0) return 0;
  for (long n = 0; n < bytes; n += piece) {
#if defined(__AVX512F__)
    if (piece == 64) mdh_stream_as(mdh_piece64, __builtin_ia32_movntps512, to + n, from + n);
#endif
#if defined(__AVX__)
    if (piece == 32) mdh_stream_as(mdh_piece32, __builtin_ia32_movntps256, to + n, from + n);
#endif
    if (piece == 16) mdh_stream_as(mdh_piece16, __builtin_ia32_movntps, to + n, from + n);
  }
  return 1;
}
#else
static inline int mdh_stream(char *to, const char *from, long bytes) {
  (void)to, (void)from, (void)bytes;
  return 0;
}
#endif)";

/// They are ordered with nothing else, not even with what other threads wait for.
const char* const fence = R"(static inline void mdh_streamed(void) {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
})";

}  // namespace

bool can_stream(scalar::Scalar type, int64_t lanes) {
  return lanes * scalar::bytes_of(type) >= least_bytes;
}

std::string streaming_store(Helpers& helpers, scalar::Scalar type, int64_t lanes) {
  const std::string vector = vector_type(helpers, type, lanes);
  const std::string name = "mdh_stream_" + vector;
  helpers.define_operation("mdh_stream", stream);
  helpers.define_operation(
      name, fmt::format("static inline void {0}(void *to, {1} v) {{\n"
                        "  if (!mdh_stream((char *)to, (const char *)&v, {2})) *({3} *)to = v;\n}}",
                        name, vector, lanes * scalar::bytes_of(type),
                        unaligned_vector_type(helpers, type, lanes)));
  return name;
}

std::string streaming_fence(Helpers& helpers) {
  helpers.define_operation("mdh_streamed", fence);
  return "mdh_streamed";
}

bool has_streaming_store(const loop::Block& block) {
  return std::any_of(block.begin(), block.end(), [](const loop::Stmt& s) {
    const auto* store = s.as<loop::Store>();
    bool found = store && store->streaming;
    loop::for_each_child(
        s, [&](const loop::Block& child) { found = found || has_streaming_store(child); });
    return found;
  });
}

}  // namespace mdh::backend
