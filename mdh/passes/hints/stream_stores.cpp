#include "mdh/passes/hints/stream_stores.h"

#include <algorithm>
#include <set>

#include "mdh/scalar/linear.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Stmt;
using loop::StmtNode;

void collect_read(const Block& block, std::set<Symbol>& buffers) {
  for (const Stmt& s : block) {
    for (const Symbol& buffer : loop::uses_of(s).reads) buffers.insert(buffer);
    loop::for_each_child(s, [&](const Block& child) { collect_read(child, buffers); });
  }
}

class Streamer {
 public:
  explicit Streamer(const loop::Program& p) : program_(p) { collect_read(p.body, read_); }

  Block block(const Block& statements) const {
    Block result;
    for (const Stmt& s : statements) {
      const auto* lanes = s.as<loop::Lanes>();
      result.push_back(loop::map_children(
          s, [&](const Block& child) { return lanes ? streamed(*lanes) : block(child); }));
    }
    return result;
  }

 private:
  Block streamed(const loop::Lanes& lanes) const {
    Block result;
    for (const Stmt& s : lanes.body) {
      const auto* store = s.as<loop::Store>();
      if (!store || !is_complete_vector(store->to, lanes.var)) {
        result.push_back(s);
        continue;
      }
      result.push_back(StmtNode{loop::Store{store->to, store->value, true}});
    }
    return result;
  }

  /// What is read again is not complete yet, and would have to come back from memory.
  bool is_complete_vector(const loop::Element& to, const Symbol& lane) const {
    return find_buffer(program_, to.buffer).streaming && !read_.contains(to.buffer) &&
           scalar::coefficient(address_of(program_, to), lane) == 1;
  }

  const loop::Program& program_;
  std::set<Symbol> read_;
};

}  // namespace

loop::Program stream_stores(const loop::Program& program) {
  const auto streams = [](const loop::Buffer& b) { return b.streaming; };
  if (std::none_of(program.buffers.begin(), program.buffers.end(), streams)) return program;
  loop::Program result = program;
  result.body = Streamer(program).block(program.body);
  return result;
}

}  // namespace mdh::passes
