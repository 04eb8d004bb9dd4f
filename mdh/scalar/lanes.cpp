#include "mdh/scalar/lanes.h"

#include <algorithm>
#include <set>

namespace mdh::scalar {
namespace {

bool is_truth(const Expr& e) { return e.type() == Type(Scalar::boolean); }

/// Looks at all nodes and notes how wide the numbers are.
class LaneCheck {
 public:
  explicit LaneCheck(const Function& f) {
    for (const Assignment& a : f.locals) locals_.insert(a.target);
  }

  bool expression(const Expr& e) {
    if (!e.type().is_scalar()) return false;
    return is_truth(e) ? truth(e) : number(e);
  }

  bool number(const Expr& e) {
    if (!e.type().is_scalar() || !is_lane_type(scalar_of(e.type()))) return false;
    widths_.insert(bytes_of(e.type()));
    if (const auto* s = e.as<Select>()) {
      return truth(s->condition) && number(s->then) && number(s->otherwise);
    }
    if (const auto* l = e.as<Loop>()) return loop(*l);
    if (const auto* c = e.as<Cast>()) return number(c->operand) && converts(*c, e);
    const auto* u = e.as<Unary>();
    const auto* b = e.as<Binary>();
    const bool simple = e.as<Literal>() || e.as<Variable>() || (u && u->op == UnaryOp::negate) ||
                        (b && computes(b->op, scalar_of(e.type())));
    return simple && children(e, &LaneCheck::number);
  }

  bool widths_meet() const {
    return std::all_of(widths_.begin(), widths_.end(),
                       [&](int w) { return scalar::widths_meet(w, *widths_.begin()); });
  }

 private:
  bool truth(const Expr& e) {
    if (!is_truth(e)) return false;
    if (const auto* v = e.as<Variable>()) return locals_.contains(v->symbol);
    if (const auto* l = e.as<Loop>()) return loop(*l);
    const auto* u = e.as<Unary>();
    const auto* b = e.as<Binary>();
    if (b && is_comparison(b->op)) return children(e, &LaneCheck::number);
    const bool decides = e.as<Literal>() || e.as<Select>() ||
                         (u && u->op == UnaryOp::logical_not) || (b && is_logical(b->op));
    return decides && children(e, &LaneCheck::truth);
  }

  bool loop(const Loop& l) {
    const auto holds = [&](const Binding& b) { return number(b.value); };
    return std::all_of(l.initial.begin(), l.initial.end(), holds) &&
           std::all_of(l.updates.begin(), l.updates.end(), holds) && truth(l.condition) &&
           expression(l.result);
  }

  static bool computes(BinaryOp op, Scalar type) {
    return op >= BinaryOp::add && op != BinaryOp::remainder &&
           (op != BinaryOp::divide || is_floating(type));
  }

  static bool converts(const Cast& c, const Expr& e) {
    const Scalar from = scalar_of(c.operand.type()), to = scalar_of(e.type());
    if (is_floating(from)) return is_floating(to);
    return to != Scalar::f32 || bytes_of(from) < 8;
  }

  bool children(const Expr& e, bool (LaneCheck::*check)(const Expr&)) {
    bool all = true;
    for_each_child(e, [&](const Expr& child) { all = all && (this->*check)(child); });
    return all;
  }

  std::set<Symbol> locals_;
  std::set<int> widths_;
};

}  // namespace

bool is_lane_type(Scalar type) {
  return type != Scalar::boolean && type != Scalar::f16 && type != Scalar::bf16;
}

bool widths_meet(int a, int b) { return a == b || (std::min(a, b) == 4 && std::max(a, b) == 8); }

bool lanes_ok(const Function& f) {
  const bool scalars = std::all_of(f.parameters.begin(), f.parameters.end(),
                                   [](const Parameter& p) { return p.type.is_scalar(); });
  if (f.results.empty() || !scalars) return false;
  LaneCheck check(f);
  return std::all_of(f.locals.begin(), f.locals.end(),
                     [&](const Assignment& a) { return check.expression(a.value); }) &&
         std::all_of(f.results.begin(), f.results.end(),
                     [&](const Assignment& a) { return check.number(a.value); }) &&
         check.widths_meet();
}

}  // namespace mdh::scalar
