#include "mdh/backend/c/streaming.h"

#include <fmt/format.h>

#include <algorithm>

#include "mdh/backend/c/vector.h"
#include "mdh/backend/rts/rts.h"

namespace mdh::backend {
namespace {

constexpr int64_t least_bytes = 16;

}  // namespace

bool can_stream(scalar::Scalar type, int64_t lanes) {
  return lanes * scalar::bytes_of(type) >= least_bytes;
}

std::string streaming_store(Helpers& helpers, scalar::Scalar type, int64_t lanes) {
  const std::string vector = vector_type(helpers, type, lanes);
  const std::string name = "mdh_stream_" + vector;
  helpers.define_operation("mdh_stream", rts_text("stream"));
  helpers.define_operation(
      name, fmt::format("static inline void {0}(void *to, {1} v) {{\n"
                        "  if (!mdh_stream((char *)to, (const char *)&v, {2})) *({3} *)to = v;\n}}",
                        name, vector, lanes * scalar::bytes_of(type),
                        unaligned_vector_type(helpers, type, lanes)));
  return name;
}

std::string streaming_fence(Helpers& helpers) {
  helpers.define_operation("mdh_streamed", rts_text("streamed"));
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
