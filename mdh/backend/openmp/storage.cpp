#include "mdh/backend/openmp/storage.h"

#include "mdh/backend/c/arguments.h"

namespace mdh::backend {
namespace {

/// Stacks of threads are small.
constexpr int64_t most_automatic_bytes = 8192;

int64_t stored_bytes(const loop::Buffer& b) {
  return scalar::volume(b.extents) * scalar::bytes_of(b.type);
}

void visit(const loop::Program& p, const loop::Block& block, bool in_deal, Storage& storage) {
  for (const loop::Stmt& s : block) {
    if (const auto* alloc = s.as<loop::Alloc>()) {
      const loop::Buffer& b = find_buffer(p, alloc->buffer);
      const int64_t bytes = stored_bytes(b);
      const auto [found, is_new] = storage.buffers.try_emplace(b.symbol.name);
      Kept& kept = found->second;
      // It may begin anew in several places; where one of them is outside, all cores share it.
      if (!is_new && (in_deal || kept.keeping == Keeping::shared)) continue;
      if (!in_deal) {
        kept = {Keeping::shared, storage.shared_bytes};
        storage.shared_bytes += whole_lines(bytes * instances_of(p, b));
      } else if (bytes > most_automatic_bytes) {
        kept = {Keeping::per_core, storage.bytes_per_core};
        storage.bytes_per_core += whole_lines(bytes);
      }
    }
    loop::for_each_child(s, [&](const loop::Block& child) {
      visit(p, child, in_deal || s.as<loop::Deal>(), storage);
    });
  }
}

}  // namespace

Storage storage_of(const loop::Program& p) {
  Storage storage;
  visit(p, p.body, false, storage);
  return storage;
}

}  // namespace mdh::backend
