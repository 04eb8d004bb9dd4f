#include "mdh/backend/grid/held.h"

#include <algorithm>

#include "mdh/scalar/simplify.h"

namespace mdh::backend {
namespace {

using loop::Block;
using loop::Element;
using loop::Stmt;

bool is_variable(const scalar::Expr& e, const Symbol& symbol) {
  const auto* variable = e.as<scalar::Variable>();
  return variable && variable->symbol == symbol;
}

/// How many of the first indices are the counters of the share, one by one; counters and extents of
/// 1 say nothing.
std::optional<size_t> indices_of_share(const loop::Deal& deal, const loop::Buffer& b,
                                       const Element& e) {
  size_t n = 0;
  for (const loop::Counter& share : deal.shares) {
    const bool is_instance = std::find(b.per.begin(), b.per.end(), share.var) != b.per.end();
    if (is_instance || share.count == 1) continue;
    while (n < b.extents.size() && b.extents[n] == 1) ++n;
    if (n == b.extents.size() || b.extents[n] != share.count) return std::nullopt;
    if (!is_variable(e.index[n], share.var)) return std::nullopt;
    ++n;
  }
  return n;
}

int64_t volume_from(const loop::Buffer& b, size_t first) {
  int64_t volume = 1;
  for (size_t n = first; n < b.extents.size(); ++n) volume *= b.extents[n];
  return volume;
}

class Search {
 public:
  Search(const loop::Program& p, const loop::Buffer& b) : buffer_(b) { block(p.body, nullptr); }

  std::optional<Held> result() const { return fits_ && found_ ? found_ : std::nullopt; }

 private:
  void block(const Block& statements, const loop::Deal* inside) {
    for (const Stmt& s : statements) {
      const std::vector<loop::Access> accesses = loop::accesses_of(s);
      for (const auto& [e, width] : accesses) element(*e, inside);
      if (accesses.empty() && !s.as<loop::Alloc>() && uses_it(s)) fits_ = false;
      const auto* deal = s.as<loop::Deal>();
      loop::for_each_child(s, [&](const Block& child) { block(child, deal ? deal : inside); });
    }
  }

  bool uses_it(const Stmt& s) const {
    const loop::Uses uses = loop::uses_of(s);
    const auto is_mine = [&](const Symbol& b) { return b == buffer_.symbol; };
    return std::any_of(uses.reads.begin(), uses.reads.end(), is_mine) ||
           std::any_of(uses.writes.begin(), uses.writes.end(), is_mine);
  }

  void element(const Element& e, const loop::Deal* deal) {
    if (e.buffer != buffer_.symbol || !fits_) return;
    const auto first = deal && deal->steady ? indices_of_share(*deal, buffer_, e) : std::nullopt;
    if (!first) {
      fits_ = false;
      return;
    }
    const Held held{loop::volume_of(deal->shares), volume_from(buffer_, *first)};
    fits_ = !found_ || (found_->shares == held.shares && found_->elements == held.elements);
    found_ = held;
  }

  const loop::Buffer& buffer_;
  std::optional<Held> found_;
  bool fits_ = true;
};

}  // namespace

std::optional<Held> held_by_shares(const loop::Program& p, const loop::Buffer& b) {
  return Search(p, b).result();
}

scalar::Expr place_in_share(const loop::Program& p, const Element& e, int64_t elements) {
  const loop::Buffer& b = find_buffer(p, e.buffer);
  scalar::Expr place = scalar::index_literal(0);
  int64_t stride = 1;
  for (size_t n = e.index.size(); n-- > 0 && stride < elements;) {
    place = e.index[n] * scalar::index_literal(stride) + place;
    stride *= b.extents[n];
  }
  return simplify(place);
}

}  // namespace mdh::backend
