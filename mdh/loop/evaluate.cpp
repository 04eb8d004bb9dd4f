#include "mdh/loop/evaluate.h"

#include <algorithm>
#include <numeric>

#include "mdh/loop/evaluation/owners.h"
#include "mdh/loop/evaluation/scans.h"
#include "mdh/support/random.h"

namespace mdh::loop {
namespace {

using scalar::Algebra;

class Interpreter : private ScanInterpretation {
 public:
  Interpreter(const Program& p, const std::vector<scalar::Array>& inputs, Algebra& algebra,
              uint64_t seed)
      : ScanInterpretation(p, inputs, algebra), random_(seed), owners_(p.warp) {}

  std::vector<scalar::Array> run() {
    block(program_.body);
    in_flight_.expect_none();
    for (const Buffer& b : program_.buffers) expect_taken(b);
    return outputs();
  }

  // ---- both dialects

  /// Instances of digits that have no value here all begin anew.
  void operator()(const Alloc& s) {
    expect_taken(find_buffer(program_, s.buffer));
    Instances& all = memory_.at(s.buffer.name);
    const auto& across = all.buffer->across;
    for (auto& [digits, memory] : all.by_digits) {
      if (!all.is_among(digits, index_)) continue;
      internal_check(!in_flight_.has_into(memory), "'{}' begins anew before copies into it landed",
                     s.buffer.name);
      across ? memory.undefine(index_.at(across->name), all.buffer->extents.front())
             : memory.undefine();
    }
  }

  void operator()(const Commit&) { in_flight_.commit(now_); }
  void operator()(const Wait& s) { in_flight_.wait(s.keep, now_); }

  // ---- structured

  void operator()(const Loop& s) {
    const Digit& digit = find_digit(program_, s.digit);
    std::vector<int64_t> parts(static_cast<size_t>(trip(digit)));
    std::iota(parts.begin(), parts.end(), int64_t{0});
    if (digit.how == How::cores || digit.how == How::grid) random_.shuffle(parts);
    enclosing_.push_back(&digit);
    for (const int64_t part : parts) {
      index_[digit.var.name] = part;
      block(s.body);
    }
    enclosing_.pop_back();
    index_.erase(digit.var.name);
  }

  void operator()(const Copy& s) {
    set_dimensions();
    copy(s.axes, s.to, s.from, s.within);
  }

  void operator()(const Accumulate& s) {
    const std::vector<int64_t> point = set_dimensions();
    Leaves results(result_width());
    algebra_.f(load(s.reads), point, results);
    update(s.target, results);
  }

  void operator()(const WriteUp& s) {
    over(s.over, 0, [&] {
      set_dimensions();
      update(s.target, is_atomic(s.from.front()) ? take(s.from) : load(s.from));
    });
  }

  /// The slots of all members that are not empty, in order, element by element.
  void operator()(const TeamCombine& s) {
    Target target = s.target;
    target.first.push_back(s.over);
    over(s.elements, 0, [&] { (*this)(WriteUp{{s.over}, s.from, target}); });
  }

  void operator()(const ScanStep& s) { joined(s); }
  void operator()(const ScanFix& s) { joined(s); }

  // ---- concrete

  void operator()(const For& s) {
    const int64_t count = integer(s.trip);
    // Structured statements inside may ask for the dimension of its digit.
    const bool is_level = is_digit(program_, s.var);
    if (is_level) enclosing_.push_back(&find_digit(program_, s.var));
    for (int64_t n = s.first; n < count; ++n) {
      index_[s.var.name] = n;
      block(s.body);
    }
    if (is_level) enclosing_.pop_back();
    index_.erase(s.var.name);
  }

  void operator()(const Deal& s) {
    std::vector<int64_t> parts(static_cast<size_t>(volume_of(s.shares)));
    std::iota(parts.begin(), parts.end(), int64_t{0});
    random_.shuffle(parts);
    const Moment outside = now_;
    const size_t depth = enclosing_.size();
    for (const Counter& share : s.shares) {
      if (is_digit(program_, share.var)) enclosing_.push_back(&find_digit(program_, share.var));
    }
    if (s.team == Team::grid) grid_ = &s;
    if (has_waits(s)) {
      run_waiting(s, parts);
    } else {
      for (const int64_t part : parts) run_share(s, part);
    }
    enclosing_.resize(depth);
    for (const Counter& share : s.shares) index_.erase(share.var.name);
    for (const int team : {0, 1}) now_.owner[team] = outside.owner[team];
    now_.warp = outside.warp;
  }

  /// Whatever others have done is ordered before it, and nothing that they do later after it.
  void operator()(const Last& s) {
    std::vector<int64_t> group;
    for (const Counter& share : grid_->shares) {
      if (share.var != s.over) group.push_back(index_.at(share.var.name));
    }
    int64_t& arrived = arrived_[{&s, group}];
    if (++arrived < find_digit(program_, s.over).parts) return;
    arrived = 0;
    const int64_t epoch = now_.epoch[0];
    all_wait();
    block(s.body);
    now_.epoch[0] = epoch;
  }

  /// What others did before they got there is ordered before what this share does from here on.
  void operator()(const Follow& s) {
    all_wait();
    if (s.tells.empty()) return;
    const auto place = index_;
    const int64_t me = index_.at(s.over.name);
    int64_t nth = 0;
    for (int64_t other = integer(s.first); other < me; other += s.step, ++nth) {
      auto theirs = place;
      theirs[s.over.name] = other;
      const Leaves& told = told_.at({&s, shares_of(*grid_, theirs)});
      index_[s.nth.name] = nth;
      if (told.empty()) {
        for (const Element& e : s.hears) undefine(e);
      } else {
        store(s.hears, told);
      }
    }
    index_.erase(s.nth.name);
    all_wait();
  }

  /// All of them are here.
  void operator()(const Meet&) {
    met_[now_.cluster] = ++now_.met;
    ++now_.epoch[1];
  }

  void operator()(const AtomicCombine& s) { combine_atomically(s.to, values(s.values)); }
  void operator()(const AtomicTake& s) { define(s.results, take(s.from)); }

  /// Everybody shows before anybody takes.
  void operator()(const Exchange& s) {
    const Deal shares{Team::cores, s.shares, false, {}};
    const int64_t count = find_digit(program_, s.over).parts;
    const auto for_each_share = [&](int64_t shift, const auto& visit) {
      for (int64_t part = 0; part < volume_of(s.shares); ++part) {
        owners_.begin(shares, part, now_);
        set_counters(s.shares, part);
        const int64_t taker = index_.at(s.over.name) - shift;
        if (taker < 0 || taker >= count) continue;
        visit();
      }
    };
    const Moment outside = now_;
    std::map<std::map<std::string, int64_t>, Leaves> shown;
    for_each_share(s.by, [&] { shown[index_] = load_if_defined(s.from); });
    for_each_share(0, [&] {
      auto source = index_;
      source[s.over.name] += s.by;
      const auto found = shown.find(source);
      const bool is_there = found != shown.end() && !found->second.empty();
      is_there ? store(s.to, found->second) : undefine(s.to);
    });
    for (const Counter& share : s.shares) index_.erase(share.var.name);
    now_ = outside;
  }

  /// Lanes keep what they define to themselves.
  void operator()(const Lanes& s) {
    std::vector<std::pair<decltype(index_), decltype(values_)>> lanes;
    for (int64_t n = 0; n < s.count; ++n) {
      lanes.emplace_back(index_, values_).first[s.var.name] = n;
    }
    for (const Stmt& inner : s.body) {
      for (auto& [index, values] : lanes) {
        index_.swap(index);
        values_.swap(values);
        std::visit(*this, inner.node().is);
        index_.swap(index);
        values_.swap(values);
      }
    }
  }

  void operator()(const Barrier& s) {
    int64_t& epoch = s.team == Team::warp ? now_.warp_epoch : now_.epoch[s.team == Team::cores];
    ++epoch;
  }
  void operator()(const If& s) { block(integer(s.condition) != 0 ? s.then : s.otherwise); }
  void operator()(const Let& s) { index_[s.var.name] = integer(s.value); }
  void operator()(const Load& s) { values_[s.result.name] = load({s.from}); }
  void operator()(const Store& s) { store(s.to, values_.at(s.value.name)); }
  void operator()(const WideLoad& s) {
    const Leaves leaves = load(neighbours(s.from, std::ssize(s.results)));
    for (size_t n = 0; n < leaves.size(); ++n) values_[s.results[n].name] = {leaves[n]};
  }
  void operator()(const WideStore& s) {
    Leaves leaves;
    for (const Symbol& value : s.values) leaves.push_back(values_.at(value.name).front());
    store(neighbours(s.to, std::ssize(s.values)), leaves);
  }
  void operator()(const Prefetch&) {}
  void operator()(const Opaque&) {}
  void operator()(const Transpose& s) { copy({s.stored, s.loaded}, s.to, s.from, {}); }
  void operator()(const AsyncCopy& s) {
    const std::vector<Element> to = neighbours(s.to, s.width), from = neighbours(s.from, s.width);
    for (size_t n = 0; n < to.size(); ++n)
      in_flight_.issue(place_of(to[n]), place_of(from[n]), now_);
  }

  void operator()(const Apply& s) {
    std::vector<int64_t> point;
    for (const Expr& e : s.point) point.push_back(integer(e));
    Leaves results(result_width());
    algebra_.f(values(s.inputs), point, results);
    define(s.results, results);
  }

  void operator()(const Combine& s) {
    Leaves results(result_width());
    algebra_.combine(values(s.left), values(s.right), results);
    define(s.results, results);
  }

 private:
  void block(const Block& block) {
    for (const Stmt& s : block) std::visit(*this, s.node().is);
  }

  void run_share(const Deal& s, int64_t part) {
    owners_.begin(s, part, now_);
    set_counters(s.shares, part);
    block(s.body);
  }

  // ---- shares that wait for others

  static bool waits(const Stmt& s) { return s.as<Follow>() || s.as<Meet>(); }
  static bool has_waits(const Deal& s) { return std::any_of(s.body.begin(), s.body.end(), waits); }

  /// A share that has got somewhere and waits for others to get there.
  struct Share {
    int64_t part;
    size_t next = 0;               // statement of the body
    std::vector<int64_t> awaited;  // parts
    decltype(index_) index = {};
    decltype(values_) values = {};
    Moment now = {};
  };

  /// All that can run do, in any order.
  void run_waiting(const Deal& s, const std::vector<int64_t>& parts) {
    const auto index = index_;
    const auto values = values_;
    const Moment now = now_;
    Moment latest = now;  // of all shares: the same cores may come again, in another Deal
    std::vector<Share> shares;
    std::map<int64_t, size_t> reached;
    for (const int64_t part : parts) shares.push_back({part, 0, {}, index, values, now});
    while (!shares.empty()) {
      std::vector<size_t> ready;
      for (size_t n = 0; n < shares.size(); ++n) {
        if (std::all_of(shares[n].awaited.begin(), shares[n].awaited.end(),
                        [&](int64_t other) { return reached[other] >= shares[n].next; })) {
          ready.push_back(n);
        }
      }
      internal_check(!ready.empty(), "shares of a grid wait for each other");
      const size_t n = random_.pick(ready);
      run_until_wait(s, shares[n]);
      latest.epoch[1] = std::max(latest.epoch[1], now_.epoch[1]);
      latest.warp_epoch = std::max(latest.warp_epoch, now_.warp_epoch);
      reached[shares[n].part] = shares[n].next;
      if (shares[n].next == s.body.size()) shares.erase(shares.begin() + static_cast<long>(n));
    }
    index_ = index;
    values_ = values;
    now_.epoch[0] = now.epoch[0];
    now_.epoch[1] = latest.epoch[1];
    now_.warp_epoch = latest.warp_epoch;
    now_.cluster = -1;
  }

  void run_until_wait(const Deal& s, Share& share) {
    index_ = share.index;
    values_ = share.values;
    now_ = share.now;
    owners_.begin(s, share.part, now_);
    set_counters(s.shares, share.part);
    const bool is_new = share.next == 0 && share.awaited.empty();
    if (const auto over = meets_over(s); over && is_new) enter_cluster(s, *over, share.part);
    for (bool begins = true; share.next < s.body.size(); ++share.next, begins = false) {
      const Stmt& here = s.body[share.next];
      if (waits(here) && (!begins || share.awaited.empty())) {
        share.awaited = arrived_at(s, here, share.part);
        if (!share.awaited.empty()) break;
      }
      std::visit(*this, here.node().is);
      if (waits(here)) share.awaited.clear();
    }
    share.index = index_;
    share.values = values_;
    share.now = now_;
  }

  /// In another round, or in another Deal of the same shares, the same members have met already.
  void enter_cluster(const Deal& s, const Symbol& over, int64_t part) {
    std::string shares = over.name;
    for (const Counter& c : s.shares) shares += fmt::format(",{}/{}", c.var.name, c.count);
    const auto next = std::ssize(clusters_);
    now_.cluster = clusters_.try_emplace({shares, first_of(s, over, part)}, next).first->second;
    now_.met = met_[now_.cluster];
  }

  /// The parts that it waits for.
  std::vector<int64_t> arrived_at(const Deal& s, const Stmt& here, int64_t part) {
    const auto* follow = here.as<Follow>();
    if (!follow) return others_of(s, here.as<Meet>()->over, part);
    tell(*follow);
    return awaited(s, *follow, part);
  }

  /// The part whose counters are the same, but for one that is 0.
  int64_t first_of(const Deal& s, const Symbol& over, int64_t part) const {
    return part - index_.at(over.name) * distance_along(s.shares, over);
  }

  std::vector<int64_t> others_of(const Deal& s, const Symbol& over, int64_t part) const {
    std::vector<int64_t> parts;
    for (int64_t n = 0; n < find_digit(program_, over).parts; ++n) {
      const int64_t other = first_of(s, over, part) + n * distance_along(s.shares, over);
      if (other != part) parts.push_back(other);
    }
    return parts;
  }

  /// What a share has to tell where it gets there, if anything.
  void tell(const Follow& s) {
    ++now_.epoch[1];
    const bool has_any = !s.has_any || integer(*s.has_any) != 0;
    told_[{&s, shares_of(*grid_, index_)}] = has_any ? load(s.tells) : Leaves{};
  }

  void all_wait() {
    now_.epoch[0] = --lasts_;
    ++now_.epoch[1];
  }

  static std::vector<int64_t> shares_of(const Deal& grid,
                                        const std::map<std::string, int64_t>& index) {
    std::vector<int64_t> shares;
    for (const Counter& share : grid.shares) shares.push_back(index.at(share.var.name));
    return shares;
  }

  std::vector<int64_t> awaited(const Deal& s, const Follow& follow, int64_t part) const {
    const int64_t stride = distance_along(s.shares, follow.over);
    std::vector<int64_t> parts;
    int64_t behind = index_.at(follow.over.name) - integer(follow.first);
    for (; behind > 0; behind -= follow.step) parts.push_back(part - behind * stride);
    return parts;
  }

  Random random_;
  const Deal* grid_ = nullptr;  // whose share is being run
  std::map<std::pair<const Last*, std::vector<int64_t>>, int64_t> arrived_;
  std::map<std::pair<const Follow*, std::vector<int64_t>>, Leaves> told_;
  int64_t lasts_ = 0;  // moments of their own, below those of all barriers
  std::map<std::pair<std::string, int64_t>, int64_t> clusters_;  // numbers, by their first parts
  std::map<int64_t, int64_t> met_;                               // how often, by number
  Owners owners_;
  InFlight in_flight_;
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
