#include "mdh/loop/verify.h"

#include <algorithm>
#include <map>
#include <set>

#include "mdh/loop/print.h"

namespace mdh::loop {
namespace {

/// Walks the body with the names that are defined at each place.
class Verifier {
 public:
  explicit Verifier(const Program& p) : program_(p), dimensions_covered_(p.dimensions.size(), 1) {}

  void run() {
    for (const Dimension& d : program_.dimensions) {
      internal_check(d.size >= 1, "dimension '{}' has size {}", d.symbol.name, d.size);
      declare(d.symbol);
      defined_.insert(d.symbol.name);
    }
    for (const Buffer& b : program_.buffers) declare(b.symbol);
    block(program_.body);
  }

  void operator()(const Digits& s) {
    enter({s.digit}, s.body);
    internal_check(s.how != How::cores || !in_deal_, "a loop on cores inside of Deal");
  }
  void operator()(const Accumulate& s) {
    for (size_t d = 0; d < program_.dimensions.size(); ++d) {
      internal_check(dimensions_covered_[d] >= program_.dimensions[d].size,
                     "the digits around f do not cover dimension '{}'",
                     program_.dimensions[d].symbol.name);
    }
    internal_check(s.reads.size() + program_.dimensions.size() == program_.f.parameters.size(),
                   "f takes other inputs");
    for (const Element& e : s.reads) element(e);
    target(s.target);
  }
  void operator()(const WriteUp& s) {
    for (const Element& e : s.from) element(e);
    target(s.target);
  }
  void operator()(const TeamCombine& s) {
    std::vector<Digit> digits = s.elements;
    digits.push_back(s.over);
    const auto outside = defined_;
    for (const Digit& d : digits) defined_.insert(d.var.name);
    for (const Element& e : s.from) element(e);
    target(s.target);
    defined_ = outside;
  }
  void operator()(const For& s) {
    expression(s.trip);
    with({s.var}, s.body);
  }
  void operator()(const Deal& s) {
    internal_check(!in_deal_, "a Deal inside of a Deal");
    in_deal_ = true;
    enter(s.digits, s.body);
    in_deal_ = false;
  }
  void operator()(const Barrier&) { internal_check(!in_deal_, "a barrier inside of Deal"); }
  void operator()(const If& s) {
    expression(s.condition);
    with({}, s.then);
    with({}, s.otherwise);
  }
  void operator()(const Let& s) {
    expression(s.value);
    defined_.insert(s.var.name);
  }
  void operator()(const Load& s) {
    element(s.from);
    define(s.result);
  }
  void operator()(const Apply& s) {
    for (const Symbol& input : s.inputs) use(input);
    for (const Expr& index : s.point) expression(index);
    internal_check(s.inputs.size() + s.point.size() == program_.f.parameters.size() &&
                       s.results.size() == program_.f.results.size(),
                   "f takes other arguments or has other results");
    for (const Symbol& result : s.results) define(result);
  }
  void operator()(const Combine& s) {
    for (const Symbol& x : s.left) use(x);
    for (const Symbol& x : s.right) use(x);
    internal_check(s.left.size() + s.right.size() == program_.combine.parameters.size() &&
                       s.results.size() == program_.combine.results.size(),
                   "the operator takes other arguments or has other results");
    for (const Symbol& result : s.results) define(result);
  }
  void operator()(const Store& s) {
    internal_check(in_deal_, "a store outside of Deal");
    internal_check(find_buffer(program_, s.to.buffer).role != Role::input,
                   "a store into input '{}'", s.to.buffer.name);
    element(s.to);
    use(s.value);
  }

 private:
  void block(const Block& block) {
    for (const Stmt& s : block) std::visit(*this, s.node().is);
  }

  void declare(const Symbol& symbol) {
    internal_check(declared_.insert(symbol.name).second, "the name '{}' is used twice",
                   symbol.name);
  }

  void define(const Symbol& value) {
    internal_check(!declared_.contains(value.name) && !defined_.contains(value.name),
                   "value '{}' has the name of something else", value.name);
    internal_check(!values_.contains(value.name), "value '{}' is defined twice", value.name);
    values_.insert(value.name);
  }

  void use(const Symbol& value) const {
    internal_check(values_.contains(value.name), "value '{}' is used before it is defined",
                   value.name);
  }

  void enter(const std::vector<Digit>& digits, const Block& body) {
    std::vector<Symbol> vars;
    for (const Digit& d : digits) {
      internal_check(d.parts >= 1 && d.step >= 1, "digit '{}' is empty", d.var.name);
      dimensions_covered_[d.dimension] *= d.parts;
      vars.push_back(d.var);
    }
    with(vars, body);
    for (const Digit& d : digits) dimensions_covered_[d.dimension] /= d.parts;
  }

  void with(const std::vector<Symbol>& vars, const Block& body) {
    const auto outside_defined = defined_;
    const auto outside_values = values_;
    for (const Symbol& var : vars) {
      internal_check(!declared_.contains(var.name), "variable '{}' hides a buffer", var.name);
      internal_check(defined_.insert(var.name).second, "variable '{}' hides another one", var.name);
    }
    block(body);
    defined_ = outside_defined;
    values_ = outside_values;
  }

  void expression(const Expr& e) const {
    if (const auto* v = e.as<scalar::Variable>()) {
      internal_check(defined_.contains(v->symbol.name), "index '{}' has no value", v->symbol.name);
    }
    scalar::for_each_child(e, [&](const Expr& child) { expression(child); });
  }

  void element(const Element& e) const {
    const Buffer& buffer = find_buffer(program_, e.buffer);
    internal_check(buffer.extents.size() == e.index.size(),
                   "{} does not have the rank of its buffer", print(e));
    for (const Expr& index : e.index) expression(index);
  }

  void target(const Target& t) const {
    internal_check(t.elements.size() == program_.f.results.size(),
                   "a target has one element per result of f");
    for (const Element& e : t.elements) element(e);
    for (const Symbol& digit : t.first) {
      internal_check(defined_.contains(digit.name), "digit '{}' has no value", digit.name);
    }
  }

  const Program& program_;
  std::set<std::string> declared_, defined_, values_;
  std::vector<int64_t> dimensions_covered_;
  bool in_deal_ = false;
};

}  // namespace

void verify(const Program& p) { Verifier(p).run(); }

}  // namespace mdh::loop
