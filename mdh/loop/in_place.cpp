#include "mdh/loop/in_place.h"

#include <algorithm>
#include <map>

#include "mdh/scalar/linear.h"

namespace mdh::loop {
namespace {

using scalar::Linear;

/// How often a loop runs at most; what is not known may be anything.
int64_t bound_of(const Expr& trip) {
  constexpr int64_t any = int64_t{1} << 40;
  if (const auto number = constant(trip)) return *number;
  const auto* b = trip.as<scalar::Binary>();
  if (!b || b->op != scalar::BinaryOp::minimum) return any;
  return std::min(bound_of(b->left), bound_of(b->right));
}

/// What surrounds a statement: counters and how far they count, and the values of names.
struct Around {
  std::map<std::string, int64_t> counters;
  std::map<std::string, Expr> lets;

  Around with(const Symbol& counter, int64_t count) const {
    Around inner = *this;
    inner.counters[counter.name] = count;
    return inner;
  }

  Expr expanded(const Expr& e) const {
    return substitute(e, [&](const scalar::Variable& v, const Expr&) -> std::optional<Expr> {
      const auto found = lets.find(v.symbol.name);
      return found == lets.end() ? std::nullopt : std::optional(found->second);
    });
  }

  std::vector<Linear> place_of(const Element& e) const {
    std::vector<Linear> place;
    for (const Expr& index : e.index) place.push_back(linear(expanded(index)));
    return place;
  }
};

/// One way to walk through the elements of a buffer: the coefficients and the end of every counter,
/// and the constants.
struct Walk {
  std::map<std::string, std::vector<int64_t>> counters;
  std::vector<int64_t> constants;
  friend bool operator==(const Walk&, const Walk&) = default;
};

/// Nothing if two rounds might have the same element.
std::optional<Walk> walk_of(const std::vector<Linear>& place, const Around& around) {
  std::map<std::string, int64_t> unknown = around.counters;
  std::erase_if(unknown, [](const auto& counter) { return counter.second == 1; });
  Walk walk;
  for (const auto& [name, count] : unknown) {
    std::vector<int64_t>& counter = walk.counters[name];
    counter.push_back(count);
    for (const Linear& axis : place) {
      const auto found = axis.terms.find(name);
      counter.push_back(found == axis.terms.end() ? 0 : found->second);
    }
  }
  for (const Linear& axis : place) walk.constants.push_back(axis.constant);
  // Each round reads off the counters of every index whose unknown terms do not overlap.
  for (bool progress = true; progress;) {
    progress = false;
    for (const Linear& axis : place) {
      std::vector<std::pair<int64_t, int64_t>> strides;
      for (const auto& [term, coefficient] : axis.terms) {
        if (!around.counters.contains(term)) return std::nullopt;  // no sum of counters
        if (unknown.contains(term)) strides.emplace_back(std::abs(coefficient), unknown.at(term));
      }
      if (strides.empty() || !scalar::is_mixed_radix(strides)) continue;
      for (const auto& [term, coefficient] : axis.terms) unknown.erase(term);
      progress = true;
    }
  }
  return unknown.empty() ? std::optional(walk) : std::nullopt;
}

/// Counts elements that are moved at once.
const Symbol neighbour_number = named("(neighbour)");

class Proof {
 public:
  Proof(const Symbol& output, const Symbol& input) : output_(output), input_(input) {}

  bool holds(const Block& body) { return stores_in(body, {}) == 1 && !failed_; }

 private:
  /// How many stores into the output a round carries out at most.
  int stores_in(const Block& block, Around around) {
    std::vector<std::vector<Linear>> read;
    int stores = 0;
    bool stored_here = false;
    for (const Stmt& s : block) {
      if (const auto* let = s.as<Let>()) {
        around.lets.insert_or_assign(let->var.name, around.expanded(let->value));
      } else if (const auto* load = s.as<Load>(); load && load->from.buffer == input_) {
        failed_ = failed_ || stored_here;
        read.push_back(around.place_of(load->from));
      } else if (const auto* many = s.as<WideLoad>(); many && many->from.buffer == input_) {
        failed_ = failed_ || stored_here;
        read.push_back(around.place_of(neighbours(many->from)));
      } else if (const auto* store = s.as<Store>(); store && store->to.buffer == output_) {
        stored_here = true;
        ++stores;
        check(around.place_of(store->to), read, around);
      } else if (const auto* all = s.as<WideStore>(); all && all->to.buffer == output_) {
        stored_here = true;
        ++stores;
        check(around.place_of(neighbours(all->to)), read,
              around.with(neighbour_number, std::ssize(all->values)));
      } else {
        failed_ = failed_ || touches(s);
        stores += stores_inside(s, around);
      }
    }
    failed_ = failed_ || (!read.empty() && !stored_here);
    return stores;
  }

  /// As if they were touched one by one, in a loop.
  static Element neighbours(Element e) {
    e.index.back() =
        scalar::binary(scalar::BinaryOp::add, e.index.back(), index_variable(neighbour_number));
    return e;
  }

  int stores_inside(const Stmt& s, const Around& around) {
    if (const auto* choice = s.as<If>()) {
      return std::max(stores_in(choice->then, around), stores_in(choice->otherwise, around));
    }
    Around inner = around;
    if (const auto* loop = s.as<For>()) inner = around.with(loop->var, bound_of(loop->trip));
    if (const auto* lanes = s.as<Lanes>()) inner = around.with(lanes->var, lanes->count);
    if (const auto* deal = s.as<Deal>()) {
      for (const Counter& share : deal->shares) inner = inner.with(share.var, share.count);
    }
    int stores = 0;
    for_each_child(s, [&](const Block& child) { stores += stores_in(child, inner); });
    return stores;
  }

  /// All branches walk alike: their elements together are those of one walk.
  void check(const std::vector<Linear>& place, const std::vector<std::vector<Linear>>& read,
             const Around& around) {
    const std::optional<Walk> walk = walk_of(place, around);
    const bool same =
        std::all_of(read.begin(), read.end(), [&](const auto& from) { return from == place; });
    failed_ = failed_ || !walk || !same || (walk_ && *walk_ != *walk);
    if (walk) walk_ = walk;
  }

  /// In any other way than by loads of the input and stores of the output.
  bool touches(const Stmt& s) const {
    if (s.as<Prefetch>()) return false;
    const Uses uses = uses_of(s);
    const auto mentions = [&](const std::vector<Symbol>& all) {
      return std::any_of(all.begin(), all.end(),
                         [&](const Symbol& b) { return b == output_ || b == input_; });
    };
    return mentions(uses.reads) || mentions(uses.writes);
  }

  const Symbol& output_;
  const Symbol& input_;
  bool failed_ = false;
  std::optional<Walk> walk_;
};

}  // namespace

std::vector<InPlace> in_place(const Program& p) {
  std::vector<InPlace> pairs;
  for (const Buffer& output : p.buffers) {
    for (const Buffer& input : p.buffers) {
      const bool alike = output.role == Role::output && input.role == Role::input &&
                         output.type == input.type && output.extents == input.extents;
      if (!alike || !Proof(output.symbol, input.symbol).holds(p.body)) continue;
      pairs.push_back({output.symbol, input.symbol});
    }
  }
  return pairs;
}

}  // namespace mdh::loop
