#include "mdh/passes/hints/hide_tiles.h"

#include <algorithm>
#include <set>

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Stmt;
using loop::StmtNode;

class Hider {
 public:
  explicit Hider(const loop::Program& p) : program_(p) {}

  Block block(const Block& statements) const {
    Block result;
    std::set<Symbol> hidden;
    for (const Stmt& s : statements) {
      for (const Symbol& tile : opaque_in(s)) {
        if (hidden.insert(tile).second) result.push_back(StmtNode{loop::Opaque{tile}});
      }
      const bool is_straight = s.as<loop::Lanes>() != nullptr;
      result.push_back(is_straight ? s : loop::map_children(s, [&](const Block& child) {
        return block(child);
      }));
    }
    return result;
  }

 private:
  /// Opaque tiles that a statement reads, all lanes at once; loops and choices do so inside.
  std::vector<Symbol> opaque_in(const Stmt& s) const {
    std::vector<Symbol> tiles;
    const auto* lanes = s.as<loop::Lanes>();
    for (const Stmt& one : lanes ? lanes->body : Block{s}) {
      const auto* load = one.as<loop::Load>();
      if (load && find_buffer(program_, load->from.buffer).opaque) {
        tiles.push_back(load->from.buffer);
      }
    }
    return tiles;
  }

  const loop::Program& program_;
};

}  // namespace

loop::Program hide_tiles(const loop::Program& program) {
  const auto is_opaque = [](const loop::Buffer& b) { return b.opaque; };
  if (std::none_of(program.buffers.begin(), program.buffers.end(), is_opaque)) return program;
  loop::Program result = program;
  result.body = Hider(program).block(program.body);
  return result;
}

}  // namespace mdh::passes
