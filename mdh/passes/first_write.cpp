#include "mdh/passes/first_write.h"

#include <algorithm>
#include <set>

#include "mdh/passes/geometry.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Digit;
using loop::Element;
using loop::Expr;
using loop::Stmt;
using loop::StmtNode;

class Writer {
 public:
  explicit Writer(const loop::Program& p) : program_(p) {
    for (const loop::Buffer& b : p.buffers) taken_.insert(b.symbol.name);
    for (const loop::Dimension& d : p.dimensions) taken_.insert(d.symbol.name);
    take_digits(p.body);
    for (size_t a = 0; a + p.dimensions.size() < p.f.parameters.size(); ++a) {
      inputs_.push_back(fresh(p.f.parameters[a].symbol.name + "_in"));
    }
    for (const auto& result : p.f.results) {
      const std::string& name = result.target.name;
      results_.push_back(fresh(name + "_f"));
      parts_.push_back(fresh(name + "_part"));
      old_.push_back(fresh(name + "_old"));
      new_.push_back(fresh(name + "_new"));
    }
  }

  Block block(const Block& statements, const std::vector<Digit>& around) const {
    Block result;
    for (const Stmt& s : statements) {
      if (const auto* accumulate = s.as<loop::Accumulate>()) {
        append(result, accumulated(*accumulate, around));
      } else if (const auto* up = s.as<loop::WriteUp>()) {
        append(result, written_up(*up, around));
      } else {
        std::vector<Digit> inside = around;
        if (const auto* digits = s.as<loop::Digits>()) inside.push_back(digits->digit);
        if (const auto* deal = s.as<loop::Deal>()) {
          inside.insert(inside.end(), deal->digits.begin(), deal->digits.end());
        }
        result.push_back(loop::map_children(s, [&](const Block& b) { return block(b, inside); }));
      }
    }
    return result;
  }

 private:
  static void append(Block& block, const Block& more) {
    block.insert(block.end(), more.begin(), more.end());
  }

  void take_digits(const Block& block) {
    for (const Stmt& s : block) {
      if (const auto* digits = s.as<loop::Digits>()) taken_.insert(digits->digit.var.name);
      if (const auto* deal = s.as<loop::Deal>()) {
        for (const Digit& d : deal->digits) taken_.insert(d.var.name);
      }
      loop::for_each_child(s, [&](const Block& child) { take_digits(child); });
    }
  }

  /// A value's name: accesses may be called x.1, values may not, and nothing else has their name.
  Symbol fresh(std::string name) {
    std::replace(name.begin(), name.end(), '.', '_');
    while (!taken_.insert(name).second) name += "_";
    return loop::named(name);
  }

  Block lets(const std::vector<Digit>& around) const {
    Block result;
    for (size_t d = 0; d < program_.dimensions.size(); ++d) {
      result.push_back(
          StmtNode{loop::Let{program_.dimensions[d].symbol, base(around, static_cast<int>(d))}});
    }
    return result;
  }

  Block accumulated(const loop::Accumulate& s, const std::vector<Digit>& around) const {
    Block result = lets(around);
    append(result, loaded(inputs_, s.reads));
    std::vector<Expr> point;
    for (const loop::Dimension& d : program_.dimensions)
      point.push_back(loop::index_variable(d.symbol));
    result.push_back(StmtNode{loop::Apply{results_, inputs_, point}});
    append(result, updated(s.target, results_));
    return result;
  }

  Block written_up(const loop::WriteUp& s, const std::vector<Digit>& around) const {
    Block result = lets(around);
    append(result, loaded(parts_, s.from));
    append(result, updated(s.target, parts_));
    return result;
  }

  static Block loaded(const std::vector<Symbol>& names, const std::vector<Element>& from) {
    Block result;
    for (size_t c = 0; c < names.size(); ++c) {
      result.push_back(StmtNode{loop::Load{names[c], from[c]}});
    }
    return result;
  }

  static Block stored(const std::vector<Element>& to, const std::vector<Symbol>& names) {
    Block result;
    for (size_t c = 0; c < names.size(); ++c) {
      result.push_back(StmtNode{loop::Store{to[c], names[c]}});
    }
    return result;
  }

  Block updated(const loop::Target& target, const std::vector<Symbol>& fresh) const {
    const Block overwrite = stored(target.elements, fresh);
    if (target.first.empty()) return overwrite;
    Block combine = loaded(old_, target.elements);
    combine.push_back(StmtNode{loop::Combine{new_, old_, fresh}});
    append(combine, stored(target.elements, new_));
    return {StmtNode{loop::If{all_zero(target.first), overwrite, combine}}};
  }

  static Expr all_zero(const std::vector<Symbol>& digits) {
    std::optional<Expr> all;
    for (const Symbol& digit : digits) {
      const Expr zero = scalar::binary(scalar::BinaryOp::equal, loop::index_variable(digit),
                                       scalar::index_literal(0));
      all = all ? scalar::binary(scalar::BinaryOp::logical_and, *all, zero) : zero;
    }
    return *all;
  }

  const loop::Program& program_;
  std::set<std::string> taken_;
  std::vector<Symbol> inputs_, results_, parts_, old_, new_;
};

}  // namespace

loop::Program first_write(const loop::Program& program) {
  loop::Program result = program;
  result.body = Writer(program).block(program.body, {});
  return result;
}

}  // namespace mdh::passes
