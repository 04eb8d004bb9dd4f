#include "mdh/model/function_cost.h"

#include <algorithm>
#include <vector>

#include "mdh/scalar/rounds.h"

namespace mdh::model {
namespace {

// Operations, on f64 more.
constexpr double of_division = 10, of_mathematics = 16, times_for_doubles = 4;
constexpr double most_written_out = 16;  // rounds of a loop
constexpr double share_of_rounds = 0.2;  // of those that a loop may take, where it may end before
constexpr double unknown_rounds = 16;    // where nothing says how many it may take
constexpr double rare = 1.0 / 128;       // how often the expensive side of a choice is taken
constexpr double expensive = 64;         // operations, and
constexpr double times_cheaper = 8;      // the other side has at most that part of them

constexpr size_t most_known = 500;           // expressions that are looked for once more
constexpr int64_t most_nodes_of_known = 32;  // of each

using scalar::BinaryOp;
using scalar::Expr;

/// Sums over the nodes of an expression.
struct Sum {
  double singles = 0, doubles = 0, chain = 0, double_chain = 0, code = 0, usual_code = 0;
  double uneven = 1;

  double operations() const { return singles + doubles; }

  void add(const Sum& other, double times = 1) {
    singles += times * other.singles;
    doubles += times * other.doubles;
    chain += times * other.chain;
    double_chain += times * other.double_chain;
    code += other.code;
    if (times >= 1) usual_code += other.usual_code;
    uneven = std::max(uneven, other.uneven);
  }
};

bool is_double(const Expr& e) {
  return e.type().is_scalar() && scalar_of(e.type()) == scalar::Scalar::f64;
}

const Expr& without_casts(const Expr& e) {
  const auto* cast = e.as<scalar::Cast>();
  return cast ? without_casts(cast->operand) : e;
}

struct Rounds {
  double typical = unknown_rounds, most = unknown_rounds / share_of_rounds;
};

Rounds expected_rounds(const scalar::Loop& loop) {
  const auto known = scalar::rounds_of(loop);
  if (!known) return {};
  if (!known->may_end_early) return {known->most, known->most};
  return {std::max(1.0, known->most * share_of_rounds), known->most};
}

/// Longest chain of operations in an expression, by the operations on f64 among them.
std::pair<double, double> chain_of(const Expr& e) {
  std::pair<double, double> longest{0, 0};
  scalar::for_each_child(e, [&](const Expr& child) {
    const auto below = chain_of(child);
    if (below.first > longest.first) longest = below;
  });
  const bool counts = e.as<scalar::Unary>() || e.as<scalar::Binary>() || e.as<scalar::Select>();
  if (!counts) return longest;
  return {longest.first + 1, longest.second + (is_double(e) ? 1 : 0)};
}

class Counter {
 public:
  Sum sum_of(const Expr& e) {
    if (is_known(e)) return {};
    if (const auto* loop = e.as<scalar::Loop>()) return of_loop(*loop);
    if (const auto* choice = e.as<scalar::Select>()) return of_choice(e, *choice);
    note_field(e);
    Sum sum;
    scalar::for_each_child(e, [&](const Expr& child) { sum.add(sum_of(child)); });
    if (const auto* call = e.as<scalar::Call>()) {
      if (call->callee) {
        sum.add(of_function(*call->callee));
      } else {
        count(e, of_mathematics * (is_double(e) ? times_for_doubles : 1), sum);
      }
    } else if (const auto* binary = e.as<scalar::Binary>()) {
      const bool divides = binary->op == BinaryOp::divide;
      const double slower = is_double(binary->left) ? times_for_doubles : 1;
      count(binary->left, divides ? of_division * slower : 1, sum);
    } else if (e.as<scalar::Unary>()) {
      count(e, 1, sum);
    }
    return sum;
  }

  Sum of_function(const scalar::Function& f) {
    std::vector<Expr> outside;
    std::swap(known_, outside);
    Sum sum;
    for (const auto* part : {&f.locals, &f.results}) {
      for (const scalar::Assignment& a : *part) sum.add(sum_of(a.value));
    }
    std::swap(known_, outside);
    return sum;
  }

  std::map<std::string, std::set<std::string>> fields;

 private:
  /// The same expression of the same function has been computed before.
  bool is_known(const Expr& e) {
    if (!e.as<scalar::Binary>() && !e.as<scalar::Unary>()) return false;
    // Comparing long ones with each other would take quadratic time.
    if (scalar::nodes_of(e, most_nodes_of_known) >= most_nodes_of_known) return false;
    if (std::find(known_.begin(), known_.end(), e) != known_.end()) return true;
    if (known_.size() < most_known) known_.push_back(e);
    return false;
  }

  static void count(const Expr& type, double operations, Sum& sum) {
    (is_double(type) ? sum.doubles : sum.singles) += operations;
    sum.code += operations;
    sum.usual_code += operations;
  }

  Sum of_loop(const scalar::Loop& loop) {
    const Rounds rounds = expected_rounds(loop);
    Sum sum, round;
    for (const scalar::Binding& b : loop.initial) sum.add(sum_of(b.value));
    const size_t outside = known_.size();
    round.add(sum_of(loop.condition));
    std::pair<double, double> chain{0, 0};
    for (const scalar::Binding& b : loop.updates) {
      round.add(sum_of(b.value));
      chain = std::max(chain, chain_of(b.value));
    }
    known_.resize(outside, loop.condition);
    round.chain += chain.first;
    round.double_chain += chain.second;
    round.singles += 1;  // the branch
    sum.add(round, rounds.typical);
    if (rounds.most <= most_written_out) {
      const double again = std::max(0.0, rounds.most - 1);
      sum.code += again * round.code;
      sum.usual_code += again * round.usual_code;
    }
    sum.uneven = std::max(sum.uneven, rounds.most / std::max(1.0, rounds.typical));
    sum.add(sum_of(loop.result));
    return sum;
  }

  Sum of_choice(const Expr& e, const scalar::Select& choice) {
    Sum sum = sum_of(choice.condition);
    const auto before = fields;
    const Sum then = sum_of(choice.then);
    const auto with_then = fields;
    fields = before;
    const Sum otherwise = sum_of(choice.otherwise);
    count(e, 1, sum);
    if (is_rare(then, otherwise)) {
      sum.add(then, rare);
      sum.add(otherwise);
    } else if (is_rare(otherwise, then)) {
      sum.add(then);
      sum.add(otherwise, rare);
      fields = with_then;
    } else {
      sum.add(then);
      sum.add(otherwise);
      for (const auto& [record, names] : with_then) {
        fields[record].insert(names.begin(), names.end());
      }
    }
    return sum;
  }

  static bool is_rare(const Sum& one, const Sum& other) {
    return one.operations() >= expensive && one.operations() >= times_cheaper * other.operations();
  }

  void note_field(const Expr& e) {
    const auto* element = e.as<scalar::ElementOf>();
    const Expr& inner = element ? element->operand : e;
    const auto* field = inner.as<scalar::FieldOf>();
    if (!field) return;
    const auto* array = std::get_if<scalar::ArrayType>(&inner.type().is);
    if (!element && array) return;  // the element around it has been noted
    const auto* record = std::get_if<scalar::RecordType>(&field->operand.type().is);
    if (!record) return;
    auto& names = fields[record->record->name];
    if (!element) {
      names.insert(field->field);
    } else if (const auto index = scalar::constant(without_casts(element->index))) {
      names.insert(field->field + std::to_string(*index));
    } else {
      for (int n = 0; array && n < array->count; ++n) {
        names.insert(field->field + std::to_string(n));
      }
    }
  }

  std::vector<Expr> known_;
};

}  // namespace

FunctionCost cost_of(const scalar::Function& f) {
  Counter counter;
  const Sum sum = counter.of_function(f);
  FunctionCost cost;
  cost.singles = sum.singles;
  cost.doubles = sum.doubles;
  cost.loop_chain = sum.chain;
  cost.double_part = sum.chain > 0 ? sum.double_chain / sum.chain : 0;
  cost.uneven = sum.uneven;
  cost.code = sum.code;
  cost.usual_code = sum.usual_code;
  cost.fields = std::move(counter.fields);
  return cost;
}

}  // namespace mdh::model
