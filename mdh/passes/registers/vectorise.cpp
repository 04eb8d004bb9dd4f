#include "mdh/passes/registers/vectorise.h"

#include <algorithm>
#include <set>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/instance.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/scalar/lanes.h"
#include "mdh/scalar/linear.h"
#include "mdh/scalar/simplify.h"
#include "mdh/support/power_of_two.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Element;
using loop::Expr;
using loop::Stmt;
using loop::StmtNode;

class Vectoriser {
 public:
  explicit Vectoriser(const loop::Program& p)
      : program_(p), names_(p), f_(scalar::lanes_ok(p.f)), combine_(scalar::lanes_ok(p.combine)) {}

  Block block(const Block& statements) {
    Block result;
    for (const Stmt& s : statements) {
      const Stmt inner = loop::map_children(s, [&](const Block& b) { return block(b); });
      const auto* loop = inner.as<loop::For>();
      if (loop && loop->how == loop::How::lanes && constant(loop->trip) && loop->first == 0) {
        append(result, realised(*loop));
      } else {
        result.push_back(inner);
      }
    }
    return result;
  }

 private:
  Block realised(const loop::For& loop) {
    const int64_t count = *constant(loop.trip);
    const Block body = Instance(names_).without_lets(loop.body);
    if (is_power_of_two(count) && count > 1 && count <= 64 && in_lockstep(body, loop.var, count)) {
      return {StmtNode{loop::Lanes{loop.var, count, loop.level, body}}};
    }
    return uses_registers(program_, StmtNode{loop}) ? rounds(loop, count) : Block{StmtNode{loop}};
  }

  Block rounds(const loop::For& loop, int64_t count) {
    Block result;
    for (int64_t n = 0; n < count; ++n) {
      append(result, round_of(loop, n, names_));
    }
    return result;
  }

  bool in_lockstep(const Block& body, const Symbol& lane, int64_t count) const {
    return std::all_of(body.begin(), body.end(), [&](const Stmt& s) {
      if (const auto* load = s.as<loop::Load>()) return has_lanes(load->from);
      if (const auto* store = s.as<loop::Store>()) return is_own(store->to, body, lane, count);
      return (s.as<loop::Apply>() && f_) || (s.as<loop::Combine>() && combine_);
    });
  }

  bool has_lanes(const Element& e) const {
    const scalar::Type& type = find_buffer(program_, e.buffer).type;
    return type.is_scalar() && is_lane_type(scalar_of(type)) &&
           scalar::widths_meet(bytes_of(type), width_);
  }

  /// Every lane has an element of its own, and all that happens to the buffer happens there.
  bool is_own(const Element& to, const Block& body, const Symbol& lane, int64_t count) const {
    const auto elsewhere = [&](const Element& e) { return e.buffer == to.buffer && e != to; };
    return has_lanes(to) && lie_apart(address_of(program_, to), lane, count) &&
           std::none_of(body.begin(), body.end(), [&](const Stmt& s) {
             const auto* load = s.as<loop::Load>();
             const auto* store = s.as<loop::Store>();
             return (load && elsewhere(load->from)) || (store && elsewhere(store->to));
           });
  }

  /// No two lanes have the same address.
  static bool lie_apart(const Expr& address, const Symbol& lane, int64_t count) {
    if (const auto stride = scalar::coefficient(address, lane)) return *stride != 0;
    std::set<int64_t> distances;
    for (int64_t n = 0; n < count; ++n) {
      const auto away =
          scalar::distance(with_value(address, lane, 0), with_value(address, lane, n));
      if (!away || !distances.insert(*away).second) return false;
    }
    return true;
  }

  const loop::Program& program_;
  Names names_;
  bool f_, combine_;
  int width_ = scalar::bytes_of(program_.f.results.front().value.type());
};

}  // namespace

loop::Program vectorise(const loop::Program& program) {
  loop::Program result = program;
  result.body = Vectoriser(program).block(program.body);
  return result;
}

}  // namespace mdh::passes
