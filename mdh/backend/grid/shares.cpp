#include "mdh/backend/grid/shares.h"

#include <algorithm>

#include "mdh/backend/c/printer.h"
#include "mdh/scalar/linear.h"
#include "mdh/scalar/simplify.h"

namespace mdh::backend {
namespace {

using loop::Block;
using loop::Counter;
using loop::Expr;
using loop::Stmt;

using HasInstances = std::function<bool(const loop::Buffer&)>;

class Shares {
 public:
  Shares(const loop::Program& p, const HasInstances& has_instances, const Counter& outer,
         const Counter& inner)
      : program_(p), has_instances_(has_instances), outer_(outer), inner_(inner) {}

  /// Cores find what they hold by their shares, and instances by digits.
  bool find_something_in(const Block& block) const {
    const std::vector<loop::Buffer> buffers = mentioned(program_, block);
    return std::any_of(buffers.begin(), buffers.end(), [&](const loop::Buffer& b) {
      const auto finds = [&](const Counter& c) {
        return std::find(b.per.begin(), b.per.end(), c.var) != b.per.end();
      };
      return b.held || (has_instances_(b) && (finds(outer_) || finds(inner_)));
    });
  }

  bool is_one_in(const Block& block) const {
    return std::all_of(block.begin(), block.end(), [&](const Stmt& s) {
      bool is_one = is_one_in(s);
      loop::for_each_child(s, [&](const Block& child) { is_one = is_one && is_one_in(child); });
      return is_one;
    });
  }

  Block joined(const Block& block) const {
    Block result;
    for (const Stmt& s : block) {
      const Stmt inside = loop::map_children(s, [&](const Block& child) { return joined(child); });
      result.push_back(loop::map_expressions(
          inside, [&](const Expr& e) { return scalar::with_value(e, outer_.var, 0); }));
    }
    return result;
  }

 private:
  bool is_one_in(const Stmt& s) const {
    const std::vector<loop::Access> accesses = loop::accesses_of(s);
    for (const loop::Access& access : accesses) {
      if (!is_one_in(address_of(program_, *access.element))) return false;
    }
    if (!accesses.empty()) return true;
    bool is_one = true;
    loop::map_expressions(s, [&](const Expr& e) {
      is_one = is_one && is_one_in(e);
      return e;
    });
    return is_one;
  }

  bool is_one_in(const Expr& e) const {
    const auto outer = scalar::coefficient(e, outer_.var),
               inner = scalar::coefficient(e, inner_.var);
    return outer && inner && *outer == *inner * inner_.count;
  }

  const loop::Program& program_;
  const HasInstances& has_instances_;
  const Counter &outer_, &inner_;
};

}  // namespace

loop::Deal with_joined_shares(const loop::Program& p, const loop::Deal& deal,
                              const HasInstances& has_instances) {
  loop::Deal result = deal;
  for (size_t n = deal.shares.size(); n-- > 1;) {
    const Shares pair(p, has_instances, result.shares[n - 1], result.shares[n]);
    if (pair.find_something_in(result.body) || !pair.is_one_in(result.body)) continue;
    result.body = pair.joined(result.body);
    result.shares[n].count *= result.shares[n - 1].count;
    result.shares.erase(result.shares.begin() + static_cast<std::ptrdiff_t>(n) - 1);
  }
  return result;
}

}  // namespace mdh::backend
