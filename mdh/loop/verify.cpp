#include "mdh/loop/verify.h"

#include <algorithm>
#include <unordered_set>

#include "mdh/loop/defined_names.h"
#include "mdh/loop/print.h"
#include "mdh/loop/verify_atomic.h"
#include "mdh/loop/verify_buffer.h"
#include "mdh/loop/verify_cover.h"
#include "mdh/loop/verify_header.h"
#include "mdh/loop/verify_meet.h"
#include "mdh/loop/verify_team.h"
#include "mdh/scalar/linear.h"
#include "mdh/support/power_of_two.h"

namespace mdh::loop {
namespace {

using Names = std::unordered_set<std::string>;

/// Walks the body with the names that are defined at each place.
class Verifier {
 public:
  explicit Verifier(const Program& p) : program_(p) {}

  void run() {
    for (const Dimension& d : program_.dimensions) {
      declare(d.symbol);
      dimensions_.insert(d.symbol.name);
    }
    for (const Digit& d : program_.digits) {
      declare(d.var);
      digits_.insert(d.var.name);
    }
    for (const Cores& c : program_.cores) {
      for (const Symbol& part : c.digits) is_digit(part);
    }
    for (const Buffer& b : program_.buffers) {
      declare(b.symbol);
      for (const Symbol& digit : b.per) is_digit(digit);
      if (b.across) is_digit(*b.across);
      verify_buffer(b);
    }
    verify_header(program_);
    block(program_.body);
    for (const std::string& name : streamed_) {
      internal_check(!loaded_.contains(name), "a streaming store into '{}', which is read", name);
    }
  }

  void operator()(const Alloc& s) {
    internal_check(find_buffer(program_, s.buffer).role == Role::temporary,
                   "'{}' is the user's and does not begin anew", s.buffer.name);
    allocated_.insert(s.buffer.name);
  }
  void operator()(const Commit&) {}
  void operator()(const Wait& s) {
    internal_check(s.keep >= 0, "a wait that keeps {} groups in flight", s.keep);
  }
  void operator()(const Loop& s) {
    const Digit& d = digit(s.digit);
    internal_check(!on_cores(d) || !in_deal_, "a loop on cores inside of Deal");
    within({s.digit}, [&] { block(s.body); });
  }
  void operator()(const Copy& s) {
    for (const Symbol& member : s.team) is_digit(member);
    if (s.roll) rolls(s);
    if (s.ahead) {
      is_digit(s.ahead->digit);
      internal_check(s.ahead->by >= 1, "a copy is ahead by {}", s.ahead->by);
    }
    if (s.across) {
      internal_check(defined_.contains(s.across->name) && digit(*s.across).how == How::sequential,
                     "a copy runs ahead across '{}', which is no loop around it", s.across->name);
    }
    for (const Counter& block : s.blocks) {
      internal_check(block.count >= 1, "a block of {} along '{}'", block.count, block.var.name);
    }
    inside([&] {
      for (const Counter& axis : s.axes) count(axis);
      for (const std::string& name : dimensions_) defined_.insert(name);
      writable(s.to);
      element(s.to);
      element(s.from);
      for (const Expr& condition : s.within) expression(condition);
    });
  }
  void operator()(const Accumulate& s) {
    verify_cover(program_, around_);
    internal_check(s.reads.size() + program_.dimensions.size() == program_.f.parameters.size(),
                   "f takes other inputs");
    update(s.reads, s.target);
  }
  void operator()(const WriteUp& s) {
    same_number(s.from, s.target);
    within(s.over, [&] { update(s.from, s.target); });
  }
  void operator()(const TeamCombine& s) {
    same_number(s.from, s.target);
    std::vector<Symbol> digits = s.elements;
    digits.push_back(s.over);
    within(digits, [&] { update(s.from, s.target); });
  }
  void operator()(const ScanStep& s) {
    internal_check(defined_.contains(s.shape.digit.name), "a scan step outside of its loop");
    scanned(s.shape, {}, {&s.elements});
  }
  void operator()(const ScanFix& s) {
    // Members of a grid that look back are still at it.
    const bool is_inside = s.how == Meeting::look_back && defined_.contains(s.shape.digit.name);
    scanned(s.shape, is_inside ? std::vector<Symbol>{} : std::vector{s.shape.digit},
            {&s.elements, &s.totals, &s.offset});
    verify_fix(s);
  }
  void operator()(const For& s) {
    expression(s.trip);
    const size_t depth = around_.size();
    inside([&] {
      bind_loop(s.var);
      if (digits_.contains(s.var.name)) around_.push_back(digit(s.var));
      block(s.body);
    });
    around_.resize(depth);
  }
  void operator()(const Deal& s) {
    internal_check(s.team != Team::warp, "shares of warps");
    const bool is_cores = s.team == Team::cores;
    internal_check(s.on >= 0, "a Deal on {} cores", s.on);
    internal_check(is_cores ? !in_deal_ : !in_deal_ && !in_grid_, "a Deal inside of a Deal");
    bool& here = is_cores ? in_deal_ : in_grid_;
    const bool all = s.team == Team::all;
    here = true;
    if (all) in_deal_ = true;
    const size_t depth = around_.size();
    inside([&] {
      for (const Counter& share : s.shares) {
        count(share);
        if (digits_.contains(share.var.name)) around_.push_back(digit(share.var));
      }
      block(s.body);
    });
    around_.resize(depth);
    here = false;
    if (all) in_deal_ = false;
    verify_lasts(s);
    verify_follows(s);
    verify_meets(s);
  }
  void operator()(const Exchange& s) {
    internal_check(in_grid_ && !in_deal_, "an exchange that not all cores of a group do");
    verify_exchange(program_, s);
    inside([&] {
      for (const Counter& share : s.shares) count(share);
      writable(s.to);
      element(s.to);
      element(s.from);
    });
  }
  void operator()(const Last& s) {
    internal_check(in_grid_ && !in_deal_, "the last one of a grid, outside of it");
    internal_check(defined_.contains(s.over.name) && digit(s.over).how == How::grid,
                   "the last one of '{}', which is no share of the grid", s.over.name);
    inside([&] { block(s.body); });
  }
  void operator()(const Follow& s) {
    internal_check(in_grid_ && !in_deal_, "a share of the grid that follows others, outside of it");
    internal_check(defined_.contains(s.over.name) && digit(s.over).how == How::grid,
                   "shares follow each other in '{}', which is no share of the grid", s.over.name);
    internal_check(s.step >= 1, "every {}th share of '{}'", s.step, s.over.name);
    expression(s.first);
    verify_hearing(program_, s);
    inside([&] {
      if (!s.tells.empty()) bind_loop(s.nth);
      if (s.has_any) expression(*s.has_any);
      for (const Element& e : s.tells) element(e);
      for (const Element& e : s.hears) element(e);
    });
  }
  void operator()(const Meet& s) {
    internal_check(in_grid_ && !in_deal_, "a share of the grid that meets others, outside of it");
    internal_check(defined_.contains(s.over.name) && digit(s.over).how == How::grid,
                   "shares meet over '{}', which is no share of the grid", s.over.name);
  }
  void operator()(const AtomicCombine& s) {
    internal_check(in_grid_ && in_deal_, "a combination of members of a grid outside of Deal");
    for (const Element& e : s.to) element(e);
    for (const Symbol& value : s.values) use(value);
  }
  void operator()(const AtomicTake& s) {
    for (const Element& e : s.from) element(e);
    for (const Symbol& result : s.results) define(result);
  }
  void operator()(const Barrier& s) {
    const bool inside_groups = s.team == Team::cores || s.team == Team::warp;
    internal_check(!in_deal_ && (inside_groups || !in_grid_), "a barrier inside of Deal");
    internal_check(s.team != Team::warp || (in_grid_ && has_warps(program_)),
                   "a barrier of warps that do not exist");
  }
  void operator()(const If& s) {
    expression(s.condition);
    inside([&] { block(s.then); });
    inside([&] { block(s.otherwise); });
  }
  void operator()(const Lanes& s) {
    internal_check(s.count >= 1, "'{}' has no lanes", s.var.name);
    const bool straight = std::all_of(s.body.begin(), s.body.end(), [](const Stmt& inner) {
      return inner.as<Let>() || inner.as<Load>() || inner.as<Apply>() || inner.as<Combine>() ||
             inner.as<Store>();
    });
    internal_check(straight, "lanes of '{}' would have to go different ways", s.var.name);
    const size_t depth = around_.size();
    inside([&] {
      bind_loop(s.var);
      if (digits_.contains(s.var.name)) around_.push_back(digit(s.var));
      block(s.body);
    });
    around_.resize(depth);
  }
  void operator()(const Let& s) {
    expression(s.value);
    bind(s.var);
  }
  void operator()(const Load& s) {
    loaded_.insert(s.from.buffer.name);
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
    internal_check(in_deal_ || in_grid_, "a store outside of Deal");
    writable(s.to);
    element(s.to);
    use(s.value);
    if (s.streaming) streams(s.to);
  }
  void operator()(const WideLoad& s) {
    loaded_.insert(s.from.buffer.name);
    element(s.from);
    wide(s.from, std::ssize(s.results));
    for (const Symbol& result : s.results) define(result);
  }
  void operator()(const WideStore& s) {
    internal_check(in_deal_ || in_grid_, "a store outside of Deal");
    writable(s.to);
    element(s.to);
    wide(s.to, std::ssize(s.values));
    for (const Symbol& value : s.values) use(value);
    if (s.streaming) streams(s.to);
  }
  void operator()(const AsyncCopy& s) {
    internal_check(in_deal_ || in_grid_, "an asynchronous copy outside of Deal");
    if (s.width != 1) {
      wide(s.to, s.width);
      wide(s.from, s.width);
    }
    writable(s.to);
    element(s.to);
    element(s.from);
    internal_check(
        find_buffer(program_, s.to.buffer).type == find_buffer(program_, s.from.buffer).type,
        "{} is copied from another type", print(s.to));
  }
  void operator()(const Prefetch& s) { element(s.what); }
  void operator()(const Opaque& s) {
    internal_check(allocated_.contains(s.buffer.name), "'{}' is hidden before it is allocated",
                   s.buffer.name);
  }
  void operator()(const Transpose& s) {
    internal_check(in_deal_ || in_grid_, "a store outside of Deal");
    internal_check(s.stored.count == s.loaded.count, "a block that is no square");
    const scalar::Type& type = find_buffer(program_, s.to.buffer).type;
    internal_check(type.is_scalar() && type == find_buffer(program_, s.from.buffer).type,
                   "{} is copied from another type, or no number", print(s.to));
    loaded_.insert(s.from.buffer.name);
    inside([&] {
      count(s.stored);
      count(s.loaded);
      writable(s.to);
      element(s.to);
      element(s.from);
    });
    const auto stride = [&](const Element& e, const Counter& c) {
      return scalar::coefficient(address_of(program_, e), c.var);
    };
    internal_check(stride(s.to, s.stored) == 1 && stride(s.from, s.loaded) == 1 &&
                       stride(s.to, s.loaded) && stride(s.from, s.stored),
                   "{} and {} do not lie side by side", print(s.to), print(s.from));
  }

 private:
  void block(const Block& block) {
    for (const Stmt& s : block) std::visit(*this, s.node().is);
  }

  void streams(const Element& to) {
    internal_check(find_buffer(program_, to.buffer).role == Role::output,
                   "a streaming store into '{}', which is no output", to.buffer.name);
    streamed_.insert(to.buffer.name);
  }

  // ---- names

  void declare(const Symbol& symbol) {
    internal_check(declared_.insert(symbol.name).second, "the name '{}' is used twice",
                   symbol.name);
  }

  /// An index variable. Let gives dimensions and digits their value, so it may have the name of
  /// one.
  void bind(const Symbol& var) {
    internal_check(dimensions_.contains(var.name) || digits_.contains(var.name) ||
                       !declared_.contains(var.name),
                   "variable '{}' hides a buffer", var.name);
    internal_check(!values_.contains(var.name), "variable '{}' hides a value", var.name);
    internal_check(defined_.insert(var.name), "variable '{}' hides another one", var.name);
  }

  void bind_loop(const Symbol& var) {
    internal_check(!dimensions_.contains(var.name), "variable '{}' hides a dimension", var.name);
    bind(var);
  }

  void define(const Symbol& value) {
    internal_check(!declared_.contains(value.name) && !defined_.contains(value.name),
                   "value '{}' has the name of something else", value.name);
    internal_check(values_.insert(value.name), "value '{}' is defined twice", value.name);
  }

  void use(const Symbol& value) const {
    internal_check(values_.contains(value.name), "value '{}' is used before it is defined",
                   value.name);
  }

  /// What is defined inside is not defined after it.
  template <class Check>
  void inside(Check check) {
    const size_t defined = defined_.size(), values = values_.size(), allocated = allocated_.size();
    check();
    defined_.shrink(defined);
    values_.shrink(values);
    allocated_.shrink(allocated);
  }

  // ---- digits

  void wide(const Element& e, int64_t width) const {
    internal_check(width >= 2 && is_power_of_two(width), "{} elements of '{}' at once", width,
                   e.buffer.name);
    const Buffer& b = find_buffer(program_, e.buffer);
    internal_check(b.type.is_scalar() && !b.extents.empty(), "'{}' has no neighbours",
                   e.buffer.name);
  }

  static bool on_cores(const Digit& d) { return d.how == How::cores || d.how == How::grid; }

  void is_digit(const Symbol& symbol) const {
    internal_check(digits_.contains(symbol.name), "there is no digit '{}'", symbol.name);
  }

  const Digit& digit(const Symbol& symbol) const {
    is_digit(symbol);
    return find_digit(program_, symbol);
  }

  template <class Check>
  void within(const std::vector<Symbol>& symbols, Check check) {
    inside([&] {
      for (const Symbol& symbol : symbols) {
        around_.push_back(digit(symbol));
        bind_loop(symbol);
      }
      check();
    });
    around_.resize(around_.size() - symbols.size());
  }

  void count(const Counter& counter) {
    internal_check(counter.count >= 1, "counter '{}' is empty", counter.var.name);
    bind_loop(counter.var);
    if (!digits_.contains(counter.var.name)) return;
    internal_check(find_digit(program_, counter.var).parts == counter.count,
                   "counter '{}' does not count its parts", counter.var.name);
  }

  void rolls(const Copy& s) const {
    internal_check(
        defined_.contains(s.roll->digit.name) && digit(s.roll->digit).how == How::sequential,
        "a tile rolls along '{}', which is no loop around it", s.roll->digit.name);
    const auto axis = std::find_if(s.axes.begin(), s.axes.end(),
                                   [&](const Counter& c) { return c.var == s.roll->axis; });
    internal_check(axis != s.axes.end() && s.roll->by >= 1 && s.roll->by < axis->count,
                   "a tile rolls by {} along '{}'", s.roll->by, s.roll->axis.name);
  }

  void scanned(const ScanShape& shape, const std::vector<Symbol>& also,
               const std::vector<const std::vector<Element>*>& lists) {
    internal_check(program_.dimensions[digit(shape.digit).dimension].kind == Kind::scanned,
                   "digit '{}' is not of a scanned dimension", shape.digit.name);
    std::vector<Symbol> digits = shape.lines;
    for (const auto* more : {&shape.coarse, &shape.fine, &also}) {
      digits.insert(digits.end(), more->begin(), more->end());
    }
    within(digits, [&] {
      for (const auto* elements : lists) {
        internal_check(elements->size() == program_.f.results.size(),
                       "a scan has one element per result of f");
        for (const Element& e : *elements) {
          writable(e);
          element(e);
        }
      }
    });
  }

  // ---- expressions and elements

  void expression(const Expr& e) const {
    if (const auto* v = e.as<scalar::Variable>()) {
      internal_check(defined_.contains(v->symbol.name), "index '{}' has no value", v->symbol.name);
    }
    internal_check(e.as<scalar::Literal>() || e.as<scalar::Variable>() || e.as<scalar::Binary>() ||
                       e.as<scalar::Select>(),
                   "an index is made of literals, variables, operations on two of them, choices");
    scalar::for_each_child(e, [&](const Expr& child) { expression(child); });
  }

  void element(const Element& e) const {
    const Buffer& buffer = find_buffer(program_, e.buffer);
    if (buffer.extents.size() != e.index.size()) {  // only then the text is worth its time
      internal_check(false, "{} does not have the rank of its buffer", print(e));
    }
    internal_check(
        buffer.role != Role::temporary || allocated_.contains(e.buffer.name),
        "temporary '{}' is used where no alloc of it stands before, in the same block or "
        "around it",
        e.buffer.name);
    for (const Expr& index : e.index) expression(index);
  }

  void writable(const Element& e) const {
    internal_check(find_buffer(program_, e.buffer).role != Role::input, "a store into input '{}'",
                   e.buffer.name);
  }

  static void same_number(const std::vector<Element>& from, const Target& target) {
    internal_check(from.size() == target.elements.size(),
                   "a target has one element per element that is written up");
  }

  /// Structured statements give the dimensions the value of their digits.
  void update(const std::vector<Element>& from, const Target& t) {
    internal_check(t.elements.size() == program_.f.results.size(),
                   "a target has one element per result of f");
    for (const Symbol& digit : t.first) {
      internal_check(defined_.contains(digit.name), "digit '{}' has no value", digit.name);
    }
    inside([&] {
      for (const std::string& name : dimensions_) defined_.insert(name);
      for (const Element& e : from) element(e);
      for (const Element& e : t.elements) {
        writable(e);
        element(e);
      }
    });
  }

  const Program& program_;
  Names declared_, dimensions_, digits_;
  DefinedNames defined_, values_, allocated_;
  Names loaded_, streamed_;  // anywhere
  std::vector<Digit> around_;
  bool in_deal_ = false, in_grid_ = false;
};

}  // namespace

void verify(const Program& p) {
  Verifier(p).run();
  verify_atomics(p);
  verify_across(p);
}

}  // namespace mdh::loop
