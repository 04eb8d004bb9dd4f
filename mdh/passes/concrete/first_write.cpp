#include "mdh/passes/concrete/first_write.h"

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/conditions.h"
#include "mdh/passes/common/geometry.h"
#include "mdh/passes/common/names.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/passes/common/walk.h"

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
  explicit Writer(const loop::Program& p) : program_(p), names_(p) {}

  Block replaced(const Stmt& s, const std::vector<Digit>& around) {
    if (const auto* f = s.as<loop::Accumulate>()) return accumulated(*f, around);
    if (const auto* up = s.as<loop::WriteUp>()) return written_up(*up, around);
    return {s};
  }

 private:
  std::vector<Symbol> values(const std::string& suffix) {
    std::vector<Symbol> values;
    for (const auto& result : program_.f.results) {
      values.push_back(names_.fresh(result.target.name + suffix));
    }
    return values;
  }

  /// The dimensions have names where f is computed; there only, because names are unique.
  Block accumulated(const loop::Accumulate& s, const std::vector<Digit>& around) {
    Block result;
    std::vector<Expr> point;
    for (size_t d = 0; d < program_.dimensions.size(); ++d) {
      const Symbol& dimension = program_.dimensions[d].symbol;
      result.push_back(StmtNode{loop::Let{dimension, base(around, static_cast<int>(d))}});
      point.push_back(loop::index_variable(dimension));
    }
    std::vector<Symbol> inputs;
    for (size_t n = 0; n < s.reads.size(); ++n) {
      inputs.push_back(names_.fresh(program_.f.parameters[n].symbol.name + "_in"));
    }
    const std::vector<Symbol> results = values("_f");
    append(result, loads(inputs, s.reads));
    result.push_back(StmtNode{loop::Apply{results, inputs, point}});
    append(result, updated(s.target, results));
    return result;
  }

  Block written_up(const loop::WriteUp& s, std::vector<Digit> around) {
    for (const Symbol& digit : s.over) around.push_back(find_digit(program_, digit));
    const std::vector<Symbol> parts = values("_part");
    const std::vector<Element> from = in_digits(program_, s.from, around);
    Block body =
        is_atomic(from) ? Block{StmtNode{loop::AtomicTake{parts, from}}} : loads(parts, from);
    append(body, updated({in_digits(program_, s.target.elements, around), s.target.first}, parts));
    for (auto digit = s.over.rbegin(); digit != s.over.rend(); ++digit) {
      body = {StmtNode{loop::Loop{*digit, body}}};
    }
    return body;
  }

  Block updated(const loop::Target& target, const std::vector<Symbol>& fresh) {
    if (is_atomic(target.elements)) {
      return {StmtNode{loop::AtomicCombine{target.elements, fresh}}};
    }
    const Block overwrite = overwritten(target.elements, fresh);
    if (target.first.empty()) return overwrite;
    const std::vector<Symbol> old = values("_old"), sum = values("_sum");
    const Block combine = combined(target.elements, fresh, old, sum);
    return {StmtNode{loop::If{all_first(target.first), overwrite, combine}}};
  }

  bool is_atomic(const std::vector<Element>& elements) const {
    return find_buffer(program_, elements.front().buffer).atomic;
  }

  static Expr all_first(const std::vector<Symbol>& digits) {
    std::vector<Expr> all;
    for (const Symbol& digit : digits) all.push_back(first_round(loop::index_variable(digit)));
    return all_of(all);
  }

  const loop::Program& program_;
  Names names_;
};

}  // namespace

loop::Program first_write(const loop::Program& program) {
  Writer writer(program);
  return rewritten(program, [&](const Stmt& s, const std::vector<Digit>& around) {
    return writer.replaced(s, around);
  });
}

}  // namespace mdh::passes
