#include "mdh/hl/custom_operator.h"

#include <algorithm>
#include <iterator>

#include "mdh/scalar/elaborate.h"

namespace mdh::hl {

using scalar::Function;
using scalar::local;

/// Turns every question and every element of an operand into a parameter, answered beforehand.
class CustomOperatorBuilder {
 public:
  CustomOperatorBuilder(CustomOperator& result, const UserCombine& definition)
      : result_(result), definition_(definition) {
    so_far_ = {"argument", {{definition.index, scalar::Scalar::i64}}, {}, {}};
  }

  void run() {
    std::vector<scalar::Assignment> results;
    for (scalar::Assignment a : definition_.body) {
      const bool is_result = a.target.name == "return";
      a.value = elaborate(rewritten(a.value), is_result ? result_.type_ : Type(), types_);
      types_[a.target.name] = a.value.type();
      (is_result ? results : so_far_.locals).push_back(a);
    }
    if (results.size() != 1) {
      user_error("E257", definition_.where,
                 fmt::format("combine operator '{}' gives no value", definition_.name),
                 "end it with 'return ...;'");
    }
    so_far_.results = std::move(results);
    result_.body_.emplace_back(so_far_);
  }

 private:
  using Kind = CustomOperator::Step::Kind;

  static bool is_operand(const Expr& e, const char* side) {
    const auto* v = e.as<scalar::Variable>();
    return v && v->symbol == local(side);
  }

  Expr rewritten(const Expr& e) {
    const Expr inner = map_children(e, [this](const Expr& child) { return rewritten(child); });
    if (const auto* at = inner.as<scalar::ElementOf>()) {
      for (const char* side : {"lhs", "rhs"}) {
        if (is_operand(at->operand, side)) {
          return asked(Kind::element, side, at->index, result_.type_, e.where());
        }
      }
    }
    const auto* call = inner.as<scalar::Call>();
    if (!call || !call->callee) return inner;
    for (const char* side : {"lhs", "rhs"}) {
      if (call->name == std::string("in_") + side) {
        return asked(Kind::in, side, call->arguments[0], scalar::Scalar::boolean, e.where());
      }
      if (call->name == std::string("last_") + side) {
        return asked(Kind::last, side, call->arguments[0], scalar::Scalar::i64, e.where());
      }
    }
    return inner;
  }

  Expr asked(Kind kind, const std::string& side, const Expr& argument, const Type& type,
             const Location& where) {
    Function f = so_far_;
    f.results = {{local("argument"), elaborate(argument, scalar::Scalar::i64, types_), {}}};
    const scalar::Tape index(f, scalar::Precision::declared, scalar::ByZero::is_error);
    result_.steps_.push_back({kind, side == "lhs", index});
    const Symbol answer = local(fmt::format("answer.{}", result_.steps_.size()));
    so_far_.parameters.push_back({answer, type});
    return scalar::variable(answer, type, where);
  }

  CustomOperator& result_;
  const UserCombine& definition_;
  Function so_far_;  // of the index and the answers, with the lets before
  scalar::LocalTypes types_;
};

CustomOperator::CustomOperator(const Program& p, const UserCombine& definition)
    : name_(definition.name),
      where_(definition.where),
      to_zero_(definition.to_zero),
      type_(p.outputs.front().type) {
  if (components(p.outputs).size() != 1) {
    unsupported("E258", definition.where,
                fmt::format("combine operator '{}' on several outputs", definition.name),
                "put them into a record");
  }
  CustomOperatorBuilder(*this, definition).run();
}

void CustomOperator::answer(const Mda& left, const Mda& right, int d,
                            std::span<const int64_t> point, int64_t poison, std::span<Value> result,
                            scalar::Algebra& algebra) const {
  std::vector<Value> known = {Value::integer(point[d])};
  for (const Step& step : steps_) {
    Value argument;
    algebra.count(step.argument.run(known, {&argument, 1}, algebra.steps_left()));
    const int64_t at = argument.as_integer();
    const Mda& side = step.of_left ? left : right;
    const bool held = std::binary_search(side.sets[d].begin(), side.sets[d].end(), at);
    if (step.kind == Step::Kind::in) {
      known.push_back(Value::integer(held ? 1 : 0));
    } else if (step.kind == Step::Kind::last) {
      known.push_back(Value::integer(predecessor(side.sets[d], at).value_or(-1)));
    } else if (held) {
      std::vector<int64_t> there(point.begin(), point.end());
      there[d] = at;
      const auto cells = cells_at(side, there);
      known.insert(known.end(), cells.begin(), cells.end());
    } else {
      for (const scalar::Leaf& leaf : leaves_of(type_)) {
        known.push_back(scalar::from_integer(leaf.type, poison));
      }
    }
  }
  algebra.count(body_.front().run(known, result, algebra.steps_left()));
}

Mda CustomOperator::operator()(const Mda& left, const Mda& right, int d,
                               scalar::Algebra& algebra) const {
  std::vector<std::vector<int64_t>> sets = left.sets;
  if (!to_zero_) {
    sets[d].clear();
    std::set_union(left.sets[d].begin(), left.sets[d].end(), right.sets[d].begin(),
                   right.sets[d].end(), std::back_inserter(sets[d]));
  }
  return make_mda(std::move(sets), left.components, [&](auto point, auto cells) {
    // An element that does not exist is computed with twice, with different values: a definition
    // that looks at it gives different results.
    std::vector<Value> again(cells.size());
    answer(left, right, d, point, 1, cells, algebra);
    answer(left, right, d, point, 0, again, algebra);
    if (std::equal(cells.begin(), cells.end(), again.begin())) return;
    user_error(
        "E259", where_,
        fmt::format("combine operator '{}' uses an element that lhs or rhs does not have, at "
                    "index {}",
                    name_, point[d]),
        "ask first: if in_lhs(x) then lhs[x] else ...");
  });
}

const UserCombine& definition_of(const Program& p, const CombineOperator& op) {
  const auto& all = p.definitions.combines;
  const auto found = std::find_if(all.begin(), all.end(), [&](const UserCombine& combine) {
    return combine.name == op.operators.front();
  });
  internal_check(found != all.end(), "there is no combine operator '{}'", op.operators.front());
  return *found;
}

}  // namespace mdh::hl
