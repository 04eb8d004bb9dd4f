#include "mdh/passes/structured/member_slots.h"

#include <algorithm>
#include <set>

#include "mdh/passes/common/replicated.h"

namespace mdh::passes {

using loop::Block;
using loop::Counter;
using loop::Element;
using loop::Stmt;

namespace {

bool uses_slots(const Stmt& s, const Elements& slots) {
  return std::any_of(slots.begin(), slots.end(), [&](const Element& slot) {
    return reads(s, slot.buffer) || writes(s, slot.buffer);
  });
}

bool is_share(const loop::Expr& index, const loop::Deal& made) {
  return std::any_of(made.shares.begin(), made.shares.end(),
                     [&](const Counter& share) { return loop::is_just(index, share.var); });
}

/// Nothing if an index mixes members with what they have.
std::optional<std::vector<size_t>> kept_axes(const Element& slot, const loop::Deal& made,
                                             const Symbol& over) {
  const auto member = axis_of_member(slot, over);
  if (!member) return std::nullopt;
  std::set<Symbol> shares;
  for (const Counter& share : made.shares) shares.insert(share.var);
  std::vector<size_t> axes = {*member};
  for (size_t a = 0; a < slot.index.size(); ++a) {
    if (is_share(slot.index[a], made)) continue;
    if (!is_free_of(slot.index[a], shares)) return std::nullopt;
    axes.push_back(a);
  }
  return axes;
}

/// Only digits of this grid tell its instances apart.
bool is_plain(const loop::Buffer& b, const loop::Deal& made) {
  return b.scope == loop::Scope::all && b.depth == 1 && b.holds == 0 && b.swizzle == 1 &&
         std::all_of(b.per.begin(), b.per.end(),
                     [&](const Symbol& d) { return loop::has_counter(made.shares, d); });
}

loop::Buffer kept(const loop::Buffer& b, const std::vector<size_t>& axes, const loop::Deal& made,
                  const Symbol& over) {
  loop::Buffer buffer{.symbol = b.symbol,
                      .type = b.type,
                      .role = loop::Role::temporary,
                      .region = "shared",
                      .scope = loop::Scope::group,
                      .across = over};
  for (const size_t a : axes) buffer.extents.push_back(b.extents[a]);
  for (const Counter& share : made.shares) {
    if (share.var != over) buffer.per.push_back(share.var);
  }
  return buffer;
}

/// Every use in the block is that of a member's own slots.
bool has_own_only(const Block& block, const Element& slot, const loop::Deal& made) {
  return std::all_of(block.begin(), block.end(), [&](const Stmt& s) {
    bool all = true;
    const loop::UsedElements used = loop::elements_used_by(s);
    for (const auto* elements : {&used.reads, &used.writes}) {
      for (const Element& e : *elements) {
        for (size_t a = 0; e.buffer == slot.buffer && a < e.index.size(); ++a) {
          all = all && (!is_share(slot.index[a], made) || e.index[a] == slot.index[a]);
        }
      }
    }
    loop::for_each_child(s,
                         [&](const Block& child) { all = all && has_own_only(child, slot, made); });
    return all;
  });
}

}  // namespace

std::optional<size_t> axis_of_member(const Element& slot, const Symbol& over) {
  const auto found = std::find_if(slot.index.begin(), slot.index.end(),
                                  [&](const auto& index) { return loop::is_just(index, over); });
  if (found == slot.index.end()) return std::nullopt;
  return static_cast<size_t>(found - slot.index.begin());
}

int64_t users_of_slots(const Block& block, const Elements& slots) {
  int64_t count = 0;
  for (const Stmt& s : block) {
    if (!s.as<loop::Alloc>() && uses_slots(s, slots)) ++count;
    loop::for_each_child(s, [&](const Block& child) { count += users_of_slots(child, slots); });
  }
  return count;
}

std::optional<KeptSlots> KeptSlots::of(const Elements& slots, const loop::Deal& made,
                                       const Symbol& over, const loop::Program& p) {
  KeptSlots result;
  for (const Element& slot : slots) {
    const auto axes = kept_axes(slot, made, over);
    const loop::Buffer& buffer = find_buffer(p, slot.buffer);
    if (!axes || !is_plain(buffer, made) || !has_own_only(made.body, slot, made)) {
      return std::nullopt;
    }
    result.all_.push_back({slot, *axes, kept(buffer, *axes, made, over)});
  }
  return result;
}

std::vector<loop::Buffer> KeptSlots::buffers(Names& names) {
  std::vector<loop::Buffer> all;
  for (Kept& one : all_) {
    one.buffer.symbol = names.fresh(one.slot.buffer.name + "_here");
    all.push_back(one.buffer);
  }
  return all;
}

const KeptSlots::Kept* KeptSlots::find(const Element& e) const {
  const auto found = std::find_if(all_.begin(), all_.end(),
                                  [&](const Kept& one) { return one.slot.buffer == e.buffer; });
  return found == all_.end() ? nullptr : &*found;
}

Elements KeptSlots::here(const Elements& elements) const {
  Elements result;
  for (const Element& e : elements) {
    const Kept* kept = find(e);
    result.push_back(kept ? Element{kept->buffer.symbol, {}} : e);
    for (size_t n = 0; kept && n < kept->axes.size(); ++n) {
      result.back().index.push_back(e.index[kept->axes[n]]);
    }
  }
  return result;
}

Block KeptSlots::here(const Block& block) const {
  Block result;
  for (const Stmt& s : block) {
    const Stmt inside = loop::map_children(s, [&](const Block& child) { return here(child); });
    result.push_back(
        loop::map_elements(inside, [&](const Element& e) { return here(Elements{e}).front(); }));
  }
  return result;
}

}  // namespace mdh::passes
