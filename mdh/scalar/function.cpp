#include "mdh/scalar/function.h"

#include <algorithm>

namespace mdh::scalar {
namespace {

bool is_operation(const Expr& e) { return e.as<Unary>() || e.as<Binary>() || e.as<Select>(); }

int64_t operations_in(const Expr& e) {
  int64_t count = is_operation(e) ? 1 : 0;
  for_each_child(e, [&](const Expr& child) { count += operations_in(child); });
  return count;
}

int depth_of(const Expr& e) {
  int below = 0;
  for_each_child(e, [&](const Expr& child) { below = std::max(below, depth_of(child)); });
  return below + (is_operation(e) || e.as<Cast>() ? 1 : 0);
}

bool is_arithmetic_only(const Expr& e) {
  const auto* b = e.as<Binary>();
  if (e.as<Select>() || e.as<Call>() ||
      (b && (b->op < BinaryOp::add || b->op > BinaryOp::remainder))) {
    return false;
  }
  bool all = true;
  for_each_child(e, [&](const Expr& child) { all = all && is_arithmetic_only(child); });
  return all;
}

}  // namespace

bool is_arithmetic_only(const Function& f) {
  return std::all_of(f.results.begin(), f.results.end(),
                     [](const Assignment& a) { return is_arithmetic_only(a.value); });
}

int64_t operations_in(const Function& f) {
  int64_t count = 0;
  for (const Assignment& a : f.results) count += operations_in(a.value);
  return count;
}

int depth_of(const Function& f) {
  int depth = 0;
  for (const Assignment& a : f.results) depth = std::max(depth, depth_of(a.value));
  return depth;
}

}  // namespace mdh::scalar
