#include "mdh/backend/grid/banks.h"

#include <algorithm>
#include <map>
#include <set>

#include "mdh/backend/grid/axes.h"
#include "mdh/backend/grid/storage.h"
#include "mdh/backend/grid/words.h"
#include "mdh/loop/index_value.h"

namespace mdh::backend {
namespace {

using loop::Block;
using loop::IndexValues;
using loop::Stmt;
using loop::Team;

constexpr int64_t warp_lanes = 32;
constexpr int64_t most_bytes_at_once = 16;

/// Padding shifts lines against each other, so that later warps may have other conflicts.
constexpr int64_t first_warps = 8;

void add(BankPasses& sum, const BankPasses& more) {
  sum.needed += more.needed;
  sum.least += more.least;
}

// ---- one access of a program

/// What one instruction moves of it, from its place on.
struct Piece {
  int64_t offset = 0;
  int64_t bytes = 0;
};

/// Numbers that are moved at once are split where there are more than 16 bytes of them. Records are
/// moved leaf by leaf.
std::vector<Piece> pieces_of(const scalar::Type& type, int64_t at_once) {
  std::vector<Piece> pieces;
  if (at_once == 1) {
    for (const scalar::Leaf& leaf : leaves_of(type)) {
      pieces.push_back({leaf.offset, scalar::bytes_of(leaf.type)});
    }
    return pieces;
  }
  const int64_t all = at_once * scalar::bytes_of(type);
  const int64_t bytes = std::min(all, most_bytes_at_once);
  for (int64_t offset = 0; offset < all; offset += bytes) pieces.push_back({offset, bytes});
  return pieces;
}

struct MovedElement {
  const loop::Element* element = nullptr;
  Direction direction = Direction::read;
  int64_t at_once = 1;
};

std::vector<MovedElement> moved_by(const Stmt& s) {
  // Kernels transpose element by element.
  if (const auto* square = s.as<loop::Transpose>()) {
    return {{&square->from, Direction::read}, {&square->to, Direction::written}};
  }
  const auto* copy = s.as<loop::AsyncCopy>();
  const bool is_store = s.as<loop::Store>() || s.as<loop::WideStore>();
  std::vector<MovedElement> moved;
  for (const auto& [element, width] : loop::accesses_of(s)) {
    const bool is_written = is_store || (copy != nullptr && element == &copy->to);
    moved.push_back({element, is_written ? Direction::written : Direction::read, width});
  }
  return moved;
}

enum class Participation { yes, no, unknown };

/// One access as one lane makes it.
struct LaneAccess {
  Symbol buffer;
  Direction direction = Direction::read;
  int64_t at_once = 1;
  Participation takes_part = Participation::no;
  int64_t place = 0;  // in elements, if it takes part
};

/// All accesses of a Deal in the order of the text, whether the lane takes part in them or not. So
/// the same access has the same number for all lanes.
using LaneAccesses = std::vector<LaneAccess>;

/// An access as all warps make it that are looked at.
struct CountedUse {
  BankUse use;
  bool somebody_does = false;
};

// ---- walks over a program

void set_counters(const std::vector<loop::Counter>& counters, int64_t number, IndexValues& values) {
  for (auto c = counters.rbegin(); c != counters.rend(); ++c) {
    values[c->var.name] = number % c->count;
    number /= c->count;
  }
}

enum class End { first, last };

/// What a walk looks at.
struct Sample {
  End round = End::first;  // of every loop
  End group = End::first;  // of a grid
};

/// Which of the counted ones is at this end.
int64_t number_at(End end, int64_t first, int64_t behind) {
  return end == End::first ? first : behind - 1;
}

/// Goes once through every block, with the values that counters have there.
class BankWalk {
 public:
  BankWalk(const loop::Program& p, Sample sample, IndexValues values)
      : program_(p), sample_(sample), values_(std::move(values)) {}
  virtual ~BankWalk() = default;

  void block(const Block& statements, Participation takes_part) {
    for (const Stmt& s : statements) statement(s, takes_part);
  }

 protected:
  virtual void deal(const loop::Deal& s, Participation takes_part) = 0;
  virtual void access(const Stmt& s, Participation takes_part) = 0;

  std::optional<int64_t> value_of(const scalar::Expr& e) const {
    if (!loop::has_index_value(e, values_)) return std::nullopt;
    return loop::index_value(e, values_);
  }

  const loop::Program& program_;
  Sample sample_;
  IndexValues values_;

 private:
  void statement(const Stmt& s, Participation takes_part) {
    if (const auto* let = s.as<loop::Let>()) {
      define(let->var, takes_part == Participation::yes ? value_of(let->value) : std::nullopt);
    } else if (const auto* loop = s.as<loop::For>()) {
      rounds_of(*loop, takes_part);
    } else if (const auto* lanes = s.as<loop::Lanes>()) {
      define(lanes->var, number_at(sample_.round, 0, lanes->count));
      block(lanes->body, takes_part);
    } else if (const auto* choice = s.as<loop::If>()) {
      branches_of(*choice, takes_part);
    } else if (const auto* share = s.as<loop::Deal>()) {
      deal(*share, takes_part);
    } else {
      access(s, takes_part);
    }
  }

  void define(const Symbol& var, const std::optional<int64_t>& value) {
    if (value) {
      values_[var.name] = *value;
    } else {
      values_.erase(var.name);
    }
  }

  /// One round; nobody takes part in a loop that has none.
  void rounds_of(const loop::For& s, Participation takes_part) {
    const auto trip = takes_part == Participation::yes ? value_of(s.trip) : std::nullopt;
    const bool has_rounds = trip && *trip > s.first;
    define(s.var,
           has_rounds ? std::optional(number_at(sample_.round, s.first, *trip)) : std::nullopt);
    if (takes_part == Participation::yes && !has_rounds) {
      takes_part = trip ? Participation::no : Participation::unknown;
    }
    block(s.body, takes_part);
  }

  void branches_of(const loop::If& s, Participation takes_part) {
    Participation then = takes_part, otherwise = takes_part;
    if (takes_part == Participation::yes) {
      const auto condition = value_of(s.condition);
      if (!condition) {
        then = otherwise = Participation::unknown;
      } else {
        (*condition != 0 ? otherwise : then) = Participation::no;
      }
    }
    block(s.then, then);
    block(s.otherwise, otherwise);
  }
};

/// What one lane does in the body of a Deal.
class LaneWalk : public BankWalk {
 public:
  LaneWalk(const loop::Program& p, const GridStorage& storage, Sample sample, IndexValues values)
      : BankWalk(p, sample, std::move(values)), storage_(storage) {}

  LaneAccesses run(const Block& body, Participation takes_part) {
    block(body, takes_part);
    return std::move(accesses_);
  }

 protected:
  void deal(const loop::Deal&, Participation) override {}  // cores are not dealt to twice

  void access(const Stmt& s, Participation takes_part) override {
    if (const auto* square = s.as<loop::Transpose>()) {
      set_counters({square->stored, square->loaded}, 0, values_);
    }
    for (const auto& [element, direction, at_once] : moved_by(s)) {
      const loop::Buffer& b = find_buffer(program_, element->buffer);
      const bool is_temporary = b.role == loop::Role::temporary;
      if (!is_temporary || storage_.of(b.symbol).space != Space::in_local) continue;
      accesses_.push_back({b.symbol, direction, at_once, takes_part});
      if (takes_part != Participation::yes) continue;
      const auto place = place_of(b, *element);
      accesses_.back().place = place.value_or(0);
      if (!place) accesses_.back().takes_part = Participation::unknown;
    }
  }

 private:
  /// Instances of a buffer follow each other, as kernels lay them out.
  std::optional<int64_t> place_of(const loop::Buffer& b, const loop::Element& e) const {
    int64_t place = 0;
    for (const Symbol& digit : group_digits(program_, b)) {
      const auto value = values_.find(digit.name);
      if (value == values_.end()) return std::nullopt;
      place = place * find_digit(program_, digit).parts + value->second;
    }
    for (size_t n = 0; n < e.index.size(); ++n) {
      const auto index = value_of(e.index[n]);
      if (!index) return std::nullopt;
      place = place * b.extents[n] + *index;
    }
    return place;
  }

  const GridStorage& storage_;
  LaneAccesses accesses_;
};

// ---- which share a lane has

/// The shares of a Deal as kernels deal them: item n of a group has share n, and a whole group
/// later the next one, unless digits have their places on the axes of the launch.
class DealtShares {
 public:
  DealtShares(const loop::Program& p, const loop::Deal& deal, const Items& items)
      : deal_(deal),
        items_(items),
        along_axes_(items.along_axes && !deal.collective),
        axes_(on_axes(p, deal.shares)),
        shares_(loop::volume_of(deal.shares)),
        warps_per_turn_((items.count() + warp_lanes - 1) / warp_lanes) {}

  /// The values of the counters; false if the lane has no share.
  bool set_share(int64_t warp, int64_t lane, IndexValues& values) const {
    const int64_t item = warp % warps_per_turn_ * warp_lanes + lane;
    if (item >= items_.count()) return false;
    if (along_axes_) return set_digits(item, values);
    const int64_t share = warp / warps_per_turn_ * items_.count() + item;
    if (share >= shares_) return false;
    set_counters(deal_.shares, share, values);
    return true;
  }

  std::vector<int64_t> warps_to_look_at() const {
    const int64_t turns = along_axes_ ? 1 : (shares_ + items_.count() - 1) / items_.count();
    const int64_t all = turns * warps_per_turn_;
    std::vector<int64_t> warps;
    for (int64_t warp = 0; warp < std::min(all, first_warps); ++warp) warps.push_back(warp);
    int64_t last = all - 1;
    while (last >= first_warps && !is_whole(last)) --last;
    if (last >= first_warps) warps.push_back(last);
    return warps;
  }

 private:
  bool set_digits(int64_t item, IndexValues& values) const {
    const auto extents = extents_of(axes_);
    for (size_t a = 0; a < axes_.size(); ++a) {
      const int64_t number = item % items_.extents[a];
      item /= items_.extents[a];
      if (number >= extents[a]) return false;
      set_counters(axes_[a], number, values);
    }
    return true;
  }

  bool is_whole(int64_t warp) const {
    IndexValues ignored;
    for (int64_t lane = 0; lane < warp_lanes; ++lane) {
      if (!set_share(warp, lane, ignored)) return false;
    }
    return true;
  }

  const loop::Deal& deal_;
  const Items& items_;
  bool along_axes_;
  OnAxes axes_;
  int64_t shares_;
  int64_t warps_per_turn_;
};

// ---- groups

/// Goes to the Deals of groups and counts what the warps of each do.
class GroupWalk : public BankWalk {
 public:
  GroupWalk(const loop::Program& p, const GridStorage& storage, Sample sample)
      : BankWalk(p, sample, {}), storage_(storage) {}

  std::vector<CountedUse> run() {
    block(program_.body, Participation::yes);
    return std::move(uses_);
  }

 protected:
  void access(const Stmt&, Participation) override {}  // the same on all cores: no conflicts

  void deal(const loop::Deal& s, Participation takes_part) override {
    if (s.team == Team::grid) {
      const int64_t group = number_at(sample_.group, 0, loop::volume_of(s.shares));
      set_counters(s.shares, group, values_);
      items_ = items_of(program_, s.body, GridWords{}.many_items);
      block(s.body, takes_part);
      items_.reset();
    } else if (items_) {  // otherwise it is a kernel of its own, without shared memory
      count(s, takes_part);
    }
  }

 private:
  void count(const loop::Deal& s, Participation takes_part) {
    const DealtShares shares(program_, s, *items_);
    const size_t begin = uses_.size();
    for (const int64_t warp : shares.warps_to_look_at()) {
      std::vector<LaneAccesses> lanes;
      for (int64_t lane = 0; lane < warp_lanes; ++lane) {
        IndexValues values = values_;
        const bool has_share = shares.set_share(warp, lane, values);
        lanes.push_back(LaneWalk(program_, storage_, sample_, std::move(values))
                            .run(s.body, has_share ? takes_part : Participation::no));
      }
      for (size_t n = 0; n < lanes.front().size(); ++n) {
        if (begin + n == uses_.size()) uses_.push_back(use_of(lanes.front()[n]));
        note(lanes, n, uses_[begin + n]);
      }
    }
  }

  /// Before anybody has done it.
  static CountedUse use_of(const LaneAccess& access) {
    return {{access.buffer, access.direction, access.at_once, std::nullopt}, false};
  }

  /// What a warp does at access n. Unknown once is unknown for good.
  void note(const std::vector<LaneAccesses>& lanes, size_t n, CountedUse& counted) const {
    const bool was_unknown = counted.somebody_does && !counted.use.passes;
    bool is_unknown = false, somebody_does = false;
    for (const LaneAccesses& lane : lanes) {
      is_unknown = is_unknown || lane[n].takes_part == Participation::unknown;
      somebody_does = somebody_does || lane[n].takes_part != Participation::no;
    }
    if (!somebody_does || was_unknown) return;
    counted.somebody_does = true;
    if (is_unknown) {
      counted.use.passes.reset();
      return;
    }
    const BankPasses passes = passes_of(lanes, n);
    if (!counted.use.passes || is_worse(passes, *counted.use.passes)) counted.use.passes = passes;
  }

  BankPasses passes_of(const std::vector<LaneAccesses>& lanes, size_t n) const {
    const LaneAccess& access = lanes.front()[n];
    const scalar::Type& type = find_buffer(program_, access.buffer).type;
    BankPasses sum;
    for (const Piece& piece : pieces_of(type, access.at_once)) {
      std::vector<std::optional<int64_t>> places;
      for (const LaneAccesses& lane : lanes) {
        places.emplace_back();
        if (lane[n].takes_part == Participation::no) continue;
        places.back() = lane[n].place * scalar::bytes_of(type) + piece.offset;
      }
      add(sum, passes_of_warp(places, piece.bytes));
    }
    return sum;
  }

  const GridStorage& storage_;
  std::optional<Items> items_;
  std::vector<CountedUse> uses_;
};

}  // namespace

bool is_worse(const BankPasses& a, const BankPasses& b) {
  const int64_t wasted_by_a = a.needed - a.least, wasted_by_b = b.needed - b.least;
  return wasted_by_a != wasted_by_b ? wasted_by_a > wasted_by_b : a.needed > b.needed;
}

std::vector<BankUse> bank_uses(const loop::Program& concrete) {
  const GridStorage storage = grid_storage_of(concrete);
  std::vector<CountedUse> found = GroupWalk(concrete, storage, {}).run();
  for (const Sample& sample : {Sample{End::last, End::first}, Sample{End::first, End::last},
                               Sample{End::last, End::last}}) {
    const std::vector<CountedUse> more = GroupWalk(concrete, storage, sample).run();
    internal_check(more.size() == found.size(), "walks that differ");
    for (size_t n = 0; n < found.size(); ++n) {
      if (!found[n].somebody_does) found[n] = more[n];
    }
  }
  std::vector<BankUse> uses;
  for (const CountedUse& counted : found) uses.push_back(counted.use);
  return uses;
}

}  // namespace mdh::backend
