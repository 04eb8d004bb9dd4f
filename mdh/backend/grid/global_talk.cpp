#include "mdh/backend/grid/global_talk.h"

#include <algorithm>

namespace mdh::backend {
namespace {

using loop::Block;
using loop::Buffer;
using loop::Role;
using loop::Stmt;

void gather(const Block& block, loop::Uses& all) {
  for (const Stmt& s : block) {
    const loop::Uses here = loop::uses_of(s);
    all.reads.insert(all.reads.end(), here.reads.begin(), here.reads.end());
    all.writes.insert(all.writes.end(), here.writes.begin(), here.writes.end());
    loop::for_each_child(s, [&](const Block& child) { gather(child, all); });
  }
}

}  // namespace

bool reads_results(const loop::Program& p, const Block& kernel) {
  loop::Uses uses;
  gather(kernel, uses);
  return std::any_of(uses.reads.begin(), uses.reads.end(),
                     [&](const Symbol& s) { return find_buffer(p, s).role == Role::output; });
}

bool talks_through_global(const loop::Program& p, const GridStorage& storage, const Block& kernel) {
  loop::Uses uses;
  gather(kernel, uses);
  const auto is_result = [&](const Symbol& s) { return find_buffer(p, s).role == Role::output; };
  const auto is_in_workspace = [&](const Symbol& s) {
    const Buffer& b = find_buffer(p, s);
    return b.role == Role::temporary && storage.of(b.symbol).space == Space::in_workspace;
  };
  const auto has = [](const std::vector<Symbol>& used, const auto& property) {
    return std::any_of(used.begin(), used.end(), property);
  };
  return has(uses.reads, is_result) ||
         (has(uses.reads, is_in_workspace) && has(uses.writes, is_in_workspace));
}

bool has_barriers(const Block& kernel) {
  return std::any_of(kernel.begin(), kernel.end(), [](const Stmt& s) {
    bool found = s.as<loop::Barrier>() != nullptr;
    loop::for_each_child(s, [&](const Block& child) { found = found || has_barriers(child); });
    return found;
  });
}

}  // namespace mdh::backend
