// The statements of loop programs; program.h says what they mean.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mdh/scalar/expr.h"

namespace mdh::loop {

using scalar::Expr;

/// How the parts of a level are carried out.
enum class How {
  sequential,
  grid,      // on cores that cannot wait for one another
  cores,     // on cores of one team
  unrolled,  // copies in one core
  lanes,     // vector lanes
};

/// Which shares of a Deal a core gets.
enum class Dealing {
  block,    // neighbours
  cyclic,   // with n cores, every n-th
  dynamic,  // the next one that is left, whenever it is free
};

struct Element {
  Symbol buffer;
  std::vector<Expr> index;
  friend bool operator==(const Element&, const Element&) = default;
};

/// Where results go. Indices mention dimensions and digits.
struct Target {
  std::vector<Element> elements;
  std::vector<Symbol> first;
  friend bool operator==(const Target&, const Target&) = default;
};

/// A counter that is no digit: an axis of a tile, a share of a Deal.
struct Counter {
  Symbol var;
  int64_t count = 1;
  friend bool operator==(const Counter&, const Counter&) = default;
};

struct StmtNode;

class Stmt {
 public:
  Stmt(StmtNode node);  // NOLINT(google-explicit-constructor): nodes are statements

  const StmtNode& node() const { return *node_; }
  template <class T>
  const T* as() const;
  friend bool operator==(const Stmt& a, const Stmt& b);

 private:
  std::shared_ptr<const StmtNode> node_;
};

using Block = std::vector<Stmt>;

// ---- both dialects

/// The instances of a temporary begin anew.
struct Alloc {
  Symbol buffer;
  friend bool operator==(const Alloc&, const Alloc&) = default;
};

/// The copies that a core has issued since the last Commit become a group, empty or not.
struct Commit {
  friend bool operator==(const Commit&, const Commit&) = default;
};

/// All groups of a core land but for the last `keep`.
struct Wait {
  int64_t keep = 0;
  friend bool operator==(const Wait&, const Wait&) = default;
};

// ---- structured

struct Loop {
  Symbol digit;
  Block body;
  friend bool operator==(const Loop&, const Loop&) = default;
};

/// Through registers, a core asks for what it copies before it needs the room where that goes.
enum class Transport { plain, registers, async };

/// Element x of an axis is what element x + by was in the iteration of the digit before.
struct Roll {
  Symbol digit;
  Symbol axis;
  int64_t by = 1;
  friend bool operator==(const Roll&, const Roll&) = default;
};

/// What will be copied some iterations of a digit later is worth asking for already.
struct Ahead {
  Symbol digit;
  int64_t by = 1;
  friend bool operator==(const Ahead&, const Ahead&) = default;
};

/// to = from for all values of the axes for which the conditions hold, in their order: within one
/// buffer, it moves along the last axis. The cores of the `team` digits share the tile and fill it
/// together. The transport says what becomes of it in the concrete dialect; here every copy lands
/// at once.
struct Copy {
  std::vector<Counter> axes;
  Element to, from;
  std::vector<Expr> within;
  std::vector<Symbol> team;
  Transport transport = Transport::plain;
  std::optional<Roll> roll = {};
  std::optional<Ahead> ahead = {};
  /// Where copies run ahead of the loop around them, they do so into the next iteration of this one.
  std::optional<Symbol> across = {};
  std::vector<Counter> blocks = {};  // axes of which so many elements are copied before all others
  /// Cores take the axes in their order, and of so many of the last ones everything at once.
  /// Nothing: that is not decided.
  std::optional<int64_t> whole = {};
  friend bool operator==(const Copy&, const Copy&) = default;
};

struct Accumulate {
  std::vector<Element> reads;  // one per input of f
  Target target;
  friend bool operator==(const Accumulate&, const Accumulate&) = default;
};

/// For all points of the digits in `over`, outermost first.
struct WriteUp {
  std::vector<Symbol> over;
  std::vector<Element> from;
  Target target;
  friend bool operator==(const WriteUp&, const WriteUp&) = default;
};

/// How members of a team put their parts together: in the order of the parts, unless it says
/// otherwise.
enum class Meeting {
  in_order,   // one after the other
  tree,       // neighbours first, then those at twice the distance, ...
  exchange,   // the same, and the parts are private to the members
  last,       // one after the other, by the member that is done last
  look_back,  // of a scan: who needs the parts before its own waits for those who make them
  atomic,     // in the order in which members are done: each combines its own with what is there
  cluster,    // one after the other, by all members: each of them has its share of the elements
};

struct TeamCombine {
  Symbol over;
  std::vector<Symbol> elements;  // what the members have in common: the tile of a slot
  std::vector<Element> from;     // slots; indices mention `over` and the elements
  Target target;
  Meeting how = Meeting::in_order;
  friend bool operator==(const TeamCombine&, const TeamCombine&) = default;
};

/// The levels inside of a loop over a scanned dimension, sorted: its own coarser and finer ones,
/// most significant first, and those of other dimensions.
struct ScanShape {
  Symbol digit;
  std::vector<Symbol> coarse, fine, lines;
  friend bool operator==(const ScanShape&, const ScanShape&) = default;
};

/// At the end of an iteration of a sequential loop: its part joins the parts before it, in place.
struct ScanStep {
  ScanShape shape;
  std::vector<Element> elements;  // indices mention digits only
  friend bool operator==(const ScanStep&, const ScanStep&) = default;
};

/// After a loop on cores: all parts are joined, in place. `totals` has an element for every line,
/// coarse part and member: what others need of it; and so has `offset`: what comes before it.
struct ScanFix {
  ScanShape shape;
  std::vector<Element> elements;
  std::vector<Element> totals;
  std::vector<Element> offset;
  Meeting how = Meeting::in_order;  // or exchange, or look_back
  friend bool operator==(const ScanFix&, const ScanFix&) = default;
};

// ---- concrete

struct For {
  Symbol var;
  Expr trip;
  How how = How::sequential;
  std::string level;
  Block body;
  int64_t first = 0;  // it counts from here; rounds before it are done elsewhere
  friend bool operator==(const For&, const For&) = default;
};

enum class Team { grid, cores, all, warp };  // of barriers only: neighbouring cores of a group

/// A collective Deal reads or writes what belongs to other shares than its own. Of steady Deals
/// with equally many shares, the same core gets the same ones.
struct Deal {
  Team team = Team::cores;
  std::vector<Counter> shares;
  bool collective = false;
  Block body;
  Dealing dealing = Dealing::block;
  int64_t on = 0;       // as many cores at most; 0: one for each share
  int64_t swizzle = 1;  // of a grid: so many values of the first share begin side by side
  bool steady = false;
  friend bool operator==(const Deal&, const Deal&) = default;
};

/// What a core keeps to itself goes to another one, outside of Deals: for every value of `over`,
/// to = what `from` is where `over` counts `by` further, or less far if that is below 0; nothing
/// where `over` has no such value.
/// Shares are those of the Deals whose cores they are, and all values of `over` lie in one warp.
struct Exchange {
  std::vector<Counter> shares;
  Symbol over;
  int64_t by = 1;
  Element to, from;
  friend bool operator==(const Exchange&, const Exchange&) = default;
};

/// At the end of a share of the grid: among the shares that differ in `over` only, the one that gets
/// here last does it, after all that the others have done.
struct Last {
  Symbol over;
  Block body;
  friend bool operator==(const Last&, const Last&) = default;
};

/// A share of the grid tells that it has got here, and goes on when the shares that differ in `over`
/// only have, too: those that count `first`, `first + step`, ... there, below its own. What they did
/// before is done. Shares begin in the order of their numbers.
/// They hear what it tells: where it goes on, `hears` is for the nth of those that it has waited for
/// what `tells` was for that one when it got there, and undefined if `has_any` did not hold there.
/// Both are in the memory of the group.
struct Follow {
  Symbol over;
  Expr first;
  int64_t step = 1;
  std::vector<Element> tells = {}, hears = {};
  Symbol nth = {};
  std::optional<Expr> has_any = {};  // nothing: always
  friend bool operator==(const Follow&, const Follow&) = default;
};

/// A share of the grid goes on when all shares that differ in `over` only have got here, too. What any
/// of them did before is done for all of them.
struct Meet {
  Symbol over;
  friend bool operator==(const Meet&, const Meet&) = default;
};

/// In atomic buffers, indivisibly: to = to ⊕ values, or the values where nobody has come yet.
struct AtomicCombine {
  std::vector<Element> to;  // one per result of f
  std::vector<Symbol> values;
  friend bool operator==(const AtomicCombine&, const AtomicCombine&) = default;
};

/// What has come together in elements of atomic buffers, which are empty again. Nobody combines
/// anything into them at the same time.
struct AtomicTake {
  std::vector<Symbol> results;
  std::vector<Element> from;
  friend bool operator==(const AtomicTake&, const AtomicTake&) = default;
};

struct Barrier {
  Team team = Team::cores;
  friend bool operator==(const Barrier&, const Barrier&) = default;
};

struct If {
  Expr condition;
  Block then;
  Block otherwise;
  friend bool operator==(const If&, const If&) = default;
};

/// Every statement for all values of the variable before the next one. The body is straight: Let,
/// Load, Apply, Combine and Store.
struct Lanes {
  Symbol var;
  int64_t count = 1;
  std::string level;
  Block body;
  friend bool operator==(const Lanes&, const Lanes&) = default;
};

struct Let {
  Symbol var;
  Expr value;  // i64
  friend bool operator==(const Let&, const Let&) = default;
};

struct Load {
  Symbol result;
  Element from;
  friend bool operator==(const Load&, const Load&) = default;
};

struct Apply {  // results = f(inputs, point)
  std::vector<Symbol> results;
  std::vector<Symbol> inputs;
  std::vector<Expr> point;
  friend bool operator==(const Apply&, const Apply&) = default;
};

struct Combine {  // results = left ⊕ right
  std::vector<Symbol> results, left, right;
  friend bool operator==(const Combine&, const Combine&) = default;
};

/// A streaming store goes past the caches: nobody reads the element in this program. It is done,
/// for all cores, at the end of the Deal around it.
struct Store {
  Element to;
  Symbol value;
  bool streaming = false;
  friend bool operator==(const Store&, const Store&) = default;
};

/// The element and its neighbours along the last axis, at once. There are two, four, eight ... of
/// them, and the place of the first one is a multiple of that.
struct WideLoad {
  std::vector<Symbol> results;
  Element from;
  friend bool operator==(const WideLoad&, const WideLoad&) = default;
};

struct WideStore {
  Element to;
  std::vector<Symbol> values;
  bool streaming = false;
  friend bool operator==(const WideStore&, const WideStore&) = default;
};

/// to = from, later: between here and the Wait that lands it.
struct AsyncCopy {
  Element to, from;
  int64_t width = 1;  // neighbours on both sides at once, as above
  friend bool operator==(const AsyncCopy&, const AsyncCopy&) = default;
};

/// Means nothing: the index may be that of no element.
struct Prefetch {
  Element what;
  friend bool operator==(const Prefetch&, const Prefetch&) = default;
};

/// Means nothing: whoever compiles the program takes the elements for new ones from here on, and
/// computes what depends on them here, instead of keeping it in more registers than there are.
struct Opaque {
  Symbol buffer;
  friend bool operator==(const Opaque&, const Opaque&) = default;
};

/// to = from for all values of two counters that count equally far, in any order. Elements of `to`
/// lie side by side along the one, those of `from` along the other.
struct Transpose {
  Counter stored, loaded;
  Element to, from;
  friend bool operator==(const Transpose&, const Transpose&) = default;
};

struct StmtNode {
  std::variant<Alloc, Commit, Wait, Loop, Copy, Accumulate, WriteUp, TeamCombine, ScanStep, ScanFix,
               For, Deal, Exchange, Last, Follow, Meet, Barrier, If, Lanes, Let, Load, Apply,
               Combine, Store, WideLoad, WideStore, AsyncCopy, Prefetch, Opaque, Transpose,
               AtomicCombine, AtomicTake>
      is;
  friend bool operator==(const StmtNode&, const StmtNode&) = default;
};

template <class T>
const T* Stmt::as() const {
  return std::get_if<T>(&node().is);
}

}  // namespace mdh::loop
