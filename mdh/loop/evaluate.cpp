#include "mdh/loop/evaluate.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "mdh/loop/memory.h"
#include "mdh/scalar/apply.h"
#include "mdh/support/random.h"

namespace mdh::loop {
namespace {

using scalar::Algebra;
using scalar::Value;

class Interpreter {
 public:
  Interpreter(const Program& p, const std::vector<scalar::Array>& inputs, Algebra& algebra,
              uint64_t seed)
      : program_(p), algebra_(algebra), random_(seed) {
    size_t next = 0;
    for (const Buffer& b : p.buffers) {
      const bool given = b.role == Role::input;
      internal_check(!given || next < inputs.size(), "too few inputs");
      memory_.emplace(b.symbol.name, given ? Memory(b, inputs[next++]) : Memory(b));
    }
    internal_check(next == inputs.size(), "too many inputs");
  }

  std::vector<scalar::Array> run() {
    block(program_.body);
    std::vector<scalar::Array> outputs;
    for (const Buffer& b : program_.buffers) {
      if (b.role == Role::output) outputs.push_back(memory_.at(b.symbol.name).content());
    }
    return outputs;
  }

  // ---- structured

  void operator()(const Digits& s) {
    std::vector<int64_t> parts(static_cast<size_t>(trip(s.digit)));
    std::iota(parts.begin(), parts.end(), int64_t{0});
    if (s.how == How::cores) random_.shuffle(parts);
    enclosing_.push_back(s.digit);
    for (const int64_t part : parts) {
      index_[s.digit.var.name] = part;
      block(s.body);
    }
    enclosing_.pop_back();
    index_.erase(s.digit.var.name);
  }

  void operator()(const Accumulate& s) {
    const std::vector<int64_t> point = set_dimensions();
    std::vector<Value> inputs, results(s.target.elements.size());
    for (const Element& e : s.reads) inputs.push_back(load(e));
    algebra_.f(inputs, point, results);
    update(s.target, results);
  }

  void operator()(const WriteUp& s) {
    set_dimensions();
    std::vector<Value> values;
    for (const Element& e : s.from) values.push_back(load(e));
    update(s.target, values);
  }

  /// The slots of all members that are not empty, in order, element by element.
  void operator()(const TeamCombine& s) { combine_elements(s, 0); }

  // ---- concrete

  void operator()(const For& s) {
    const int64_t count = integer(s.trip);
    for (int64_t n = 0; n < count; ++n) {
      index_[s.var.name] = n;
      block(s.body);
    }
    index_.erase(s.var.name);
  }

  void operator()(const Deal& s) {
    std::vector<int64_t> parts(static_cast<size_t>(parts_of(s.digits)));
    std::iota(parts.begin(), parts.end(), int64_t{0});
    random_.shuffle(parts);
    enclosing_.insert(enclosing_.end(), s.digits.begin(), s.digits.end());
    for (const int64_t part : parts) run_part(s, part);
    enclosing_.resize(enclosing_.size() - s.digits.size());
    for (const Digit& d : s.digits) index_.erase(d.var.name);
    owner_ = nobody;
  }

  void operator()(const Barrier&) { ++epoch_; }
  void operator()(const If& s) { block(integer(s.condition) != 0 ? s.then : s.otherwise); }
  void operator()(const Let& s) { index_[s.var.name] = integer(s.value); }
  void operator()(const Load& s) { values_[s.result.name] = load(s.from); }
  void operator()(const Store& s) { store(s.to, values_.at(s.value.name)); }

  void operator()(const Apply& s) {
    std::vector<int64_t> point;
    for (const Expr& e : s.point) point.push_back(integer(e));
    std::vector<Value> results(s.results.size());
    algebra_.f(values(s.inputs), point, results);
    define(s.results, results);
  }

  void operator()(const Combine& s) {
    std::vector<Value> results(s.results.size());
    algebra_.combine(values(s.left), values(s.right), results);
    define(s.results, results);
  }

 private:
  void block(const Block& block) {
    for (const Stmt& s : block) std::visit(*this, s.node().is);
  }

  /// Parts of a level that are not empty below the enclosing digits: always the first ones.
  int64_t trip(const Digit& d) const {
    const int64_t room = program_.dimensions[d.dimension].size - base(d.dimension);
    return std::clamp<int64_t>((room + d.step - 1) / d.step, 0, d.parts);
  }

  int64_t base(int dimension) const {
    int64_t sum = 0;
    for (const Digit& d : enclosing_) {
      if (d.dimension == dimension) sum += index_.at(d.var.name) * d.step;
    }
    return sum;
  }

  /// Dimensions have the value their digits give them; in reduced dimensions outputs see none of
  /// it.
  std::vector<int64_t> set_dimensions() {
    std::vector<int64_t> point;
    for (size_t d = 0; d < program_.dimensions.size(); ++d) {
      point.push_back(base(static_cast<int>(d)));
      index_[program_.dimensions[d].symbol.name] = point.back();
    }
    return point;
  }

  void combine_elements(const TeamCombine& s, size_t depth) {
    if (depth < s.elements.size()) {
      const Digit& d = s.elements[depth];
      const int64_t count = trip(d);
      enclosing_.push_back(d);
      for (int64_t n = 0; n < count; ++n) {
        index_[d.var.name] = n;
        combine_elements(s, depth + 1);
      }
      enclosing_.pop_back();
      index_.erase(d.var.name);
      return;
    }
    Target target = s.target;
    target.first.push_back(s.over.var);
    (*this)(Digits{s.over, How::sequential, {StmtNode{WriteUp{s.from, target}}}});
  }

  void run_part(const Deal& s, int64_t part) {
    std::string identity;
    for (auto d = s.digits.rbegin(); d != s.digits.rend(); ++d) {
      index_[d->var.name] = part % d->parts;
      // Which core gets a part depends on all digits, their order and their number of parts.
      identity += fmt::format("{}={}/{},", d->var.name, part % d->parts, d->parts);
      part /= d->parts;
    }
    owner_ = owners_.try_emplace(identity, static_cast<Owner>(owners_.size())).first->second;
    block(s.body);
  }

  void update(const Target& target, const std::vector<Value>& fresh) {
    std::vector<Value> values = fresh;
    const bool first = std::all_of(target.first.begin(), target.first.end(),
                                   [&](const Symbol& digit) { return index_.at(digit.name) == 0; });
    if (!first) {
      std::vector<Value> old;
      for (const Element& e : target.elements) old.push_back(load(e));
      algebra_.combine(old, fresh, values);
    }
    for (size_t c = 0; c < values.size(); ++c) store(target.elements[c], values[c]);
  }

  Value load(const Element& e) {
    return memory_.at(e.buffer.name).load(index_of(e), owner_, epoch_);
  }
  void store(const Element& e, Value value) {
    memory_.at(e.buffer.name).store(index_of(e), value, owner_, epoch_);
  }

  std::vector<int64_t> index_of(const Element& e) const {
    std::vector<int64_t> index;
    for (const Expr& i : e.index) index.push_back(integer(i));
    return index;
  }

  /// Index arithmetic: literals, variables and binary operations on 64-bit integers.
  int64_t integer(const Expr& e) const {
    if (const auto* number = e.as<scalar::Literal>()) return number->value.as_integer();
    if (const auto* v = e.as<scalar::Variable>()) {
      const auto found = index_.find(v->symbol.name);
      internal_check(found != index_.end(), "index '{}' has no value", v->symbol.name);
      return found->second;
    }
    const auto* b = e.as<scalar::Binary>();
    internal_check(b != nullptr, "not an index expression");
    return scalar::apply(b->op, scalar_of(b->left.type()), Value::integer(integer(b->left)),
                         Value::integer(integer(b->right)))
        .as_integer();
  }

  std::vector<Value> values(const std::vector<Symbol>& names) const {
    std::vector<Value> all;
    for (const Symbol& name : names) all.push_back(values_.at(name.name));
    return all;
  }

  void define(const std::vector<Symbol>& names, const std::vector<Value>& values) {
    for (size_t n = 0; n < names.size(); ++n) values_[names[n].name] = values[n];
  }

  const Program& program_;
  Algebra& algebra_;
  Random random_;
  std::map<std::string, Memory> memory_;
  std::map<std::string, int64_t> index_;
  std::map<std::string, Value> values_;
  std::vector<Digit> enclosing_;
  std::map<std::string, Owner> owners_;
  Owner owner_ = nobody;
  int64_t epoch_ = 0;
};

}  // namespace

std::vector<scalar::Array> evaluate(const Program& p, const std::vector<scalar::Array>& inputs,
                                    Algebra& algebra, uint64_t seed) {
  return Interpreter(p, inputs, algebra, seed).run();
}

std::vector<scalar::Array> evaluate(const Program& p, const std::vector<scalar::Array>& inputs,
                                    uint64_t seed) {
  scalar::ScalarAlgebra algebra(p.f, p.combine);
  return evaluate(p, inputs, algebra, seed);
}

}  // namespace mdh::loop
