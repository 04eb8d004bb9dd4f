#include "mdh/passes/structured/forward.h"

#include <algorithm>
#include <map>

#include "mdh/passes/common/replicated.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/linear.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Element;
using loop::Expr;
using loop::How;
using loop::Stmt;
using loop::StmtNode;

/// Which is a write as well.
bool begins(const Stmt& s, const Symbol& buffer) {
  const auto* alloc = s.as<loop::Alloc>();
  return alloc && alloc->buffer == buffer;
}

/// How many statements, here or deeper, satisfy the condition.
int64_t count_of(const Block& block, const std::function<bool(const Stmt&)>& holds) {
  int64_t count = 0;
  for (const Stmt& s : block) {
    count += holds(s) ? 1 : 0;
    loop::for_each_child(s, [&](const Block& b) { count += count_of(b, holds); });
  }
  return count;
}

class Forwarder {
 public:
  explicit Forwarder(const loop::Program& p) : program_(p) {}

  Block block(const Block& statements) {
    for (auto s = statements.begin(); s != statements.end(); ++s) {
      const auto* copy = s->as<loop::Copy>();
      if (copy && is_candidate(*copy) && is_new(*copy, {statements.begin(), s}) &&
          serves_badly(*copy, {s + 1, statements.end()})) {
        forwarded_.insert_or_assign(copy->to.buffer, *copy);
      }
    }
    Block result;
    for (const Stmt& s : statements) {
      if (is_gone(s)) continue;
      const Stmt inner = loop::map_children(s, [&](const Block& b) { return block(b); });
      const auto* f = inner.as<loop::Accumulate>();
      result.push_back(f ? reading_sources(*f) : inner);
    }
    return result;
  }

 private:
  /// Filled by one core, element by element, with what the axes say; what rolls is read from the
  /// source only once.
  bool is_candidate(const loop::Copy& copy) const {
    const loop::Buffer& b = find_buffer(program_, copy.to.buffer);
    if (b.scope != loop::Scope::registers || b.depth != 1 || !copy.team.empty()) return false;
    if (copy.transport == loop::Transport::async || copy.roll) return false;
    if (copy.axes.size() != copy.to.index.size()) return false;
    for (size_t d = 0; d < copy.axes.size(); ++d) {
      if (axis_along(copy, copy.to.index[d]) != &copy.axes[d]) return false;
    }
    // Dimensions have other values where the readers are.
    return std::all_of(copy.from.index.begin(), copy.from.index.end(), [&](const Expr& e) {
      return std::none_of(program_.dimensions.begin(), program_.dimensions.end(),
                          [&](const loop::Dimension& d) { return mentions(e, d.symbol); });
    });
  }

  /// The tile begins in the same block, and nothing else fills it: it never holds anything older.
  bool is_new(const loop::Copy& copy, const Block& before) const {
    const Symbol& tile = copy.to.buffer;
    return std::any_of(before.begin(), before.end(),
                       [&](const Stmt& s) { return begins(s, tile); }) &&
           count_of(program_.body,
                    [&](const Stmt& s) { return writes(s, tile) && !begins(s, tile); }) == 1;
  }

  /// All readers are in straight code behind the copy, and one of them begins inside of a vector;
  /// the source stays as it is.
  bool serves_badly(const loop::Copy& copy, const Block& statements) const {
    int64_t straight = 0;
    bool badly = false;
    const std::function<void(const Block&, std::vector<Symbol>)> visit =
        [&](const Block& block, const std::vector<Symbol>& lanes) {
          for (const Stmt& s : block) {
            if (const auto* f = s.as<loop::Accumulate>(); f && reads(s, copy.to.buffer)) {
              ++straight;
              for (const Element& e : f->reads) badly = badly || is_shifted(e, copy, lanes);
            }
            const auto* loop = s.as<loop::Loop>();
            if (!loop) continue;
            const loop::Digit& digit = find_digit(program_, loop->digit);
            if (!is_replicated(digit.how)) continue;
            std::vector<Symbol> inside = lanes;
            if (digit.how == How::lanes) inside.push_back(digit.var);
            visit(loop->body, inside);
          }
        };
    visit(statements, {});
    const auto reads_tile = [&](const Stmt& s) { return reads(s, copy.to.buffer); };
    const auto changes_source = [&](const Stmt& s) { return writes(s, copy.from.buffer); };
    return badly && straight == count_of(program_.body, reads_tile) &&
           !any_of(statements, changes_source);
  }

  bool is_shifted(const Element& e, const loop::Copy& copy,
                  const std::vector<Symbol>& lanes) const {
    if (e.buffer != copy.to.buffer) return false;
    const scalar::Linear address = scalar::linear(address_of(program_, e));
    return std::any_of(lanes.begin(), lanes.end(), [&](const Symbol& lane) {
      const auto mine = address.terms.find(lane.name);
      if (mine == address.terms.end() || mine->second != 1) return false;
      const int64_t width = find_digit(program_, lane).parts;
      return address.constant % width != 0 ||
             std::any_of(address.terms.begin(), address.terms.end(), [&](const auto& term) {
               return term.first != lane.name && term.second % width != 0;
             });
    });
  }

  bool is_gone(const Stmt& s) const {
    const auto* copy = s.as<loop::Copy>();
    const auto* alloc = s.as<loop::Alloc>();
    return (copy && forwarded_.contains(copy->to.buffer)) ||
           (alloc && forwarded_.contains(alloc->buffer));
  }

  Stmt reading_sources(loop::Accumulate f) const {
    for (Element& e : f.reads) {
      const auto found = forwarded_.find(e.buffer);
      if (found != forwarded_.end()) e = source(found->second, e);
    }
    return StmtNode{f};
  }

  static Element source(const loop::Copy& copy, const Element& read) {
    Element from = copy.from;
    for (Expr& index : from.index) {
      index = simplify(
          substitute(index, [&](const scalar::Variable& v, const Expr&) -> std::optional<Expr> {
            for (size_t d = 0; d < copy.axes.size(); ++d) {
              if (copy.axes[d].var == v.symbol) return read.index[d];
            }
            return std::nullopt;
          }));
    }
    return from;
  }

  const loop::Program& program_;
  std::map<Symbol, loop::Copy> forwarded_;
};

}  // namespace

loop::Program forward(const loop::Program& program) {
  loop::Program result = program;
  result.body = Forwarder(program).block(program.body);
  return result;
}

}  // namespace mdh::passes
