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

/// Finds reads of results that the same share has not surely stored before.
class ReadsBeforeWrites {
 public:
  explicit ReadsBeforeWrites(const loop::Program& p) : program_(p) {}

  bool in(const Block& block, std::vector<loop::Access> stored) const {
    return std::any_of(block.begin(), block.end(), [&](const Stmt& s) {
      if (reads_early(s, stored)) return true;
      if (s.as<loop::Store>() || s.as<loop::WideStore>()) {
        for (const loop::Access& a : loop::accesses_of(s)) stored.push_back(a);
      }
      bool found = false;
      loop::for_each_child(s, [&](const Block& child) { found = found || in(child, stored); });
      return found;
    });
  }

 private:
  bool is_result(const Symbol& s) const { return find_buffer(program_, s).role == Role::output; }

  bool reads_early(const Stmt& s, const std::vector<loop::Access>& stored) const {
    const std::vector<Symbol> reads = loop::uses_of(s).reads;
    if (std::none_of(reads.begin(), reads.end(), [&](const Symbol& b) { return is_result(b); })) {
      return false;
    }
    if (!s.as<loop::Load>() && !s.as<loop::WideLoad>()) return true;
    const loop::Access read = loop::accesses_of(s).front();
    return std::none_of(stored.begin(), stored.end(), [&](const loop::Access& a) {
      return *a.element == *read.element && a.width >= read.width;
    });
  }

  const loop::Program& program_;
};

}  // namespace

bool reads_results_of_others(const loop::Program& p, const Block& kernel) {
  return ReadsBeforeWrites(p).in(kernel, {});
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
