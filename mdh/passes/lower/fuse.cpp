#include "mdh/passes/lower/fuse.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/hl/instantiate.h"
#include "mdh/hl/print.h"
#include "mdh/scalar/simplify.h"
#include "mdh/support/text.h"

namespace mdh::passes {
namespace {

using hl::Affine;
using scalar::BinaryOp;
using scalar::Expr;

[[noreturn]] void refuse(const std::string& outer, const std::string& inner, const std::string& why,
                         const std::string& hint) {
  user_error("E352", {}, fmt::format("fuse [{}, {}]: {}", outer, inner, why), hint);
}

/// Joins two dimensions of a concrete program.
class Pair {
 public:
  Pair(const hl::Program& program, const std::string& outer, const std::string& inner)
      : p_(program), outer_name_(outer), inner_name_(inner) {
    outer_ = position(outer);
    inner_ = position(inner);
    if (outer_ == inner_) refuse(outer, inner, "a dimension cannot be fused with itself", "");
    inner_size_ = hl::sizes(p_)[inner_];
  }

  hl::Program run() {
    check_operators();
    check_name();
    hl::Program result = p_;
    join_dimensions(result);
    for (hl::BufferView& buffer : result.outputs) join_buffer(buffer);
    for (hl::BufferView& buffer : result.inputs) join_buffer(buffer);
    return hl::instantiate(hl::renumbered(substituted(std::move(result))), {});
  }

 private:
  size_t position(const std::string& name) const {
    std::vector<std::string> known;
    for (size_t d = 0; d < p_.dimensions.size(); ++d) {
      if (p_.dimensions[d].symbol.name == name) return d;
      known.push_back(p_.dimensions[d].symbol.name);
    }
    user_error("E321", {}, fmt::format("fuse: program '{}' has no dimension '{}'", p_.name, name),
               suggestion(name, known));
  }

  void check_operators() const {
    const hl::CombineOperator& a = p_.dimensions[outer_].combine;
    const hl::CombineOperator& b = p_.dimensions[inner_].combine;
    if (a != b) {
      refuse(outer_name_, inner_name_,
             fmt::format("they are combined by {} and {}", hl::print(a), hl::print(b)),
             "both must be concatenated, or reduced by one operator");
    }
    if (a.shape != hl::Shape::concatenate && a.shape != hl::Shape::pointwise) {
      refuse(outer_name_, inner_name_,
             fmt::format("{} depends on the order of the indices", hl::print(a)),
             "only cc and pw dimensions can be fused");
    }
  }

  void check_name() const {
    std::vector<std::string> taken;
    for (const hl::Dimension& d : p_.dimensions) taken.push_back(d.symbol.name);
    for (const scalar::Assignment& a : p_.body) taken.push_back(a.target.name);
    for (const auto* views : {&p_.outputs, &p_.inputs}) {
      for (const hl::BufferView& view : *views) {
        taken.push_back(view.symbol.name);
        for (const hl::Access& access : view.accesses) taken.push_back(access.symbol.name);
      }
    }
    if (std::find(taken.begin(), taken.end(), fused_name()) == taken.end()) return;
    refuse(outer_name_, inner_name_, fmt::format("the name '{}' is taken", fused_name()),
           "rename what has it");
  }

  std::string fused_name() const { return outer_name_ + "_" + inner_name_; }

  /// The fused dimension takes the place of the outer one.
  void join_dimensions(hl::Program& result) const {
    const int64_t size = hl::sizes(p_)[outer_] * inner_size_;
    hl::Dimension& fused = result.dimensions[outer_];
    fused.symbol.name = fused_name();
    fused.size = scalar::index_literal(size);
    result.dimensions.erase(result.dimensions.begin() + static_cast<int64_t>(inner_));
  }

  Expr fused_index() const {
    Symbol symbol = p_.dimensions[outer_].symbol;
    symbol.name = fused_name();
    return scalar::variable(symbol, scalar::Scalar::i64, p_.dimensions[outer_].where);
  }

  // ---- buffers

  bool mentions(const Expr& index, size_t dimension) const {
    const auto affine = hl::find_affine(p_, index);
    return affine && affine->coefficients[dimension] != 0;
  }

  /// The two buffer dimensions in which the pair walks become one; a buffer that the pair does not
  /// touch stays as it is.
  void join_buffer(hl::BufferView& buffer) const {
    const size_t rank = buffer.accesses.front().index.size();
    std::vector<size_t> touched;
    for (size_t e = 0; e < rank; ++e) {
      for (const hl::Access& access : buffer.accesses) {
        require_affine(buffer, access.index[e]);
        if (mentions(access.index[e], outer_) || mentions(access.index[e], inner_)) {
          touched.push_back(e);
          break;
        }
      }
    }
    if (touched.empty()) return;
    const scalar::Extents extents = hl::extents(p_, buffer);
    const bool neighbours = touched.size() == 2 && touched[1] == touched[0] + 1;
    if (!neighbours && touched.size() != 1) not_adjacent(buffer);
    const size_t first = touched[0];
    const int64_t line = neighbours ? extents[touched[1]] : 1;
    for (hl::Access& access : buffer.accesses) {
      join_access(buffer, access, first, neighbours, line);
    }
    buffer.declared.clear();
    for (size_t e = 0; e < rank; ++e) {
      if (neighbours && e == touched[1]) continue;
      const int64_t extent = neighbours && e == first ? extents[e] * line : extents[e];
      buffer.declared.push_back(scalar::index_literal(extent));
    }
  }

  void require_affine(const hl::BufferView& buffer, const Expr& index) const {
    if (hl::find_affine(p_, index)) return;
    refuse(outer_name_, inner_name_,
           fmt::format("an index function of '{}' is not affine", buffer.symbol.name),
           "fuse only where all accesses are affine");
  }

  [[noreturn]] void not_adjacent(const hl::BufferView& buffer) const {
    refuse(
        outer_name_, inner_name_,
        fmt::format("in '{}' they do not walk along neighbouring dimensions", buffer.symbol.name),
        "the inner one has to be contiguous and the outer one to step over it");
  }

  void join_access(const hl::BufferView& buffer, hl::Access& access, size_t first, bool neighbours,
                   int64_t line) const {
    const Affine a = hl::find_affine(p_, access.index[first]).value();
    const Affine b = neighbours ? hl::find_affine(p_, access.index[first + 1]).value()
                                : Affine{std::vector<int64_t>(p_.dimensions.size(), 0), 0};
    Affine joined{std::vector<int64_t>(p_.dimensions.size(), 0), a.constant * line + b.constant};
    for (size_t d = 0; d < joined.coefficients.size(); ++d) {
      joined.coefficients[d] = a.coefficients[d] * line + b.coefficients[d];
    }
    if (joined.coefficients[outer_] != joined.coefficients[inner_] * inner_size_) {
      not_adjacent(buffer);
    }
    access.index[first] = expression(joined, access.where);
    if (neighbours) access.index.erase(access.index.begin() + static_cast<int64_t>(first) + 1);
  }

  /// coefficient(inner) · fused + the other dimensions + constant
  Expr expression(const Affine& joined, const Location& where) const {
    Expr sum = scalar::index_literal(joined.constant);
    for (size_t d = 0; d < joined.coefficients.size(); ++d) {
      if (d == outer_ || joined.coefficients[d] == 0) continue;
      const Expr variable =
          d == inner_ ? fused_index()
                      : scalar::variable(p_.dimensions[d].symbol, scalar::Scalar::i64, where);
      sum = scalar::binary(
          BinaryOp::add, sum,
          scalar::binary(BinaryOp::multiply, scalar::index_literal(joined.coefficients[d]),
                         variable, where),
          where);
    }
    return scalar::simplify(sum);
  }

  // ---- the scalar function

  /// Where f asks for the point, the old indices are quotient and remainder of the new one.
  hl::Program substituted(hl::Program result) const {
    const Expr size = scalar::index_literal(inner_size_);
    const Symbol outer = p_.dimensions[outer_].symbol, inner = p_.dimensions[inner_].symbol;
    for (scalar::Assignment& assignment : result.body) {
      assignment.value = substitute(
          assignment.value, [&](const scalar::Variable& v, const Expr& at) -> std::optional<Expr> {
            if (v.symbol != outer && v.symbol != inner) return std::nullopt;
            const BinaryOp op = v.symbol == outer ? BinaryOp::divide : BinaryOp::remainder;
            return scalar::binary(op, fused_index(), size, at.where());
          });
    }
    return result;
  }

  const hl::Program& p_;
  std::string outer_name_, inner_name_;
  size_t outer_ = 0, inner_ = 0;
  int64_t inner_size_ = 1;
};

}  // namespace

hl::Program fuse(const hl::Program& program, const std::vector<std::vector<std::string>>& groups) {
  hl::Program result = program;
  for (const std::vector<std::string>& group : groups) {
    if (!hl::is_concrete(program)) {
      user_error("E352", {},
                 fmt::format("fuse [{}]: a size is known at run time only", join(group, ", ")),
                 "give all sizes, or fuse nothing");
    }
    if (group.size() < 2) {
      user_error("E352", {}, fmt::format("fuse [{}]: one dimension alone", join(group, ", ")),
                 "name the dimensions to be joined, the outer one first");
    }
    std::string outer = group[0];
    for (size_t n = 1; n < group.size(); ++n) {
      result = Pair(result, outer, group[n]).run();
      outer += "_" + group[n];
    }
  }
  return result;
}

}  // namespace mdh::passes
