// The loop representation: what the machine does, step by step.
//
//   program   = kernel name, dimensions, digits, cores, buffers, f, combine, body
//   digit     = one level's share of an index: var in [0, parts), worth var · step of its dimension
//   cores     = how the parts of a layer's digits are dealt, and to how many cores
//   buffer    = the user's, or a temporary: a region, and one instance for each combination of the
//               digits it is `per`
//   element   = buffer[index, ...]
//   target    = one element per result of f, and the digits that must be 0 for a first write
//
// One language, two dialects, from the form a configuration asks for to the form a printer can
// print:
//
//   structured  Loop(digit)         a level's loop; runs over the parts that are not empty
//               Alloc(buffer)       a temporary begins anew: whatever it held is undefined
//               Copy(to, from)      a tile of a buffer, element by element, in a transport
//               Accumulate          f at the point, into the target
//               WriteUp             an inner accumulator, or slots, into an outer one
//               TeamCombine         after a loop on cores over a reduced dimension: its slots
//               ScanStep, ScanFix   parts of a scanned dimension joined: one more, or all of them
//   both        Commit · Wait(keep) the copies in flight: grouped, and landed but for some groups
//   concrete    For(var, trip)      a counted loop, from 0 or from `first`
//               Deal(shares)        all combinations of some counters, dealt to the cores of a team
//               Barrier(team)       every core of the team waits for all others
//               Lanes(var, count)   the rounds of a loop in lockstep, on vectors
//               AsyncCopy(to, from) one element; it lands when its core waits for it
//               Prefetch(what)      the element may be needed soon: a hint, also of no element
//               Opaque(buffer)      compilers forget what it holds; a hint as well
//               Transpose(to, from) a square of elements, by vectors
//               If · Let · Alloc · Load · Apply (f) · Combine (⊕) · Store · WideLoad · WideStore
//
// Teams, not fork and join: every core runs the whole body. What is outside of Deal is the same on
// all cores and writes nothing; inside of Deal nobody waits for the cores among which it deals.
// Equal shares of equal digits that are dealt alike always go to the same core, so that only Deals
// with different shares, or collective ones, need a barrier between them; but nobody owns a share
// that is dealt dynamically, not even the one who had it the last time. A team is the grid (cores
// that cannot wait for one another inside a kernel), the cores of one member of the grid, or all of
// them at once.
//
// A core's asynchronous copies land in the order in which it has committed them: Commit closes the
// group of all it has issued since the last one, Wait(n) lands all groups but the last n. Until
// then nobody may read what they write, and what they read has to stay; afterwards other cores need
// a barrier, as behind a store. Outside of Deal all cores commit and wait alike.
//
// There are no neutral elements: a target is overwritten when all of its `first` digits are 0 and
// combined otherwise.
//
// Names are unique within a program; all symbols have number 0.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mdh/scalar/array.h"
#include "mdh/scalar/expr.h"
#include "mdh/scalar/function.h"

namespace mdh::loop {

using scalar::Expr;
using scalar::Type;

enum class Role { output, input, temporary };

/// Who can see one instance of a temporary.
enum class Scope {
  all,        // every core
  group,      // the cores of one member of the grid
  core,       // one core
  registers,  // one core; elements whose place is known when code is printed are variables
};

struct Buffer {
  Symbol symbol;
  Type type = scalar::Scalar::f32;
  scalar::Extents extents;
  Role role = Role::input;
  std::string region = {};       // of a temporary
  Scope scope = Scope::all;      // of its region
  std::vector<Symbol> per = {};  // of a temporary: digits of cores that have one each
  int64_t holds = 0;             // elements that are really kept; 0: all of the extents
  int64_t depth = 1;             // copies of it in flight
  bool streaming = false;        // an output: what is complete is stored past the caches
  bool opaque = false;           // registers: compilers shall not know what they hold
  friend bool operator==(const Buffer&, const Buffer&) = default;
};

/// What happens to the results along a dimension.
enum class Kind { kept, reduced, scanned };

/// What tiles of registers and lanes do at the end of a dimension.
enum class Edge {
  automatic,  // what is fast, where it is allowed
  clamp,      // loops end there
  pad,        // tiles that read copies are computed whole
  mask,       // loops go on, and every element asks whether it exists
  overlap,    // the last tile is shifted back
};

struct Dimension {
  Symbol symbol;
  int64_t size = 1;
  Kind kind = Kind::kept;
  Edge edge = Edge::automatic;
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// How the parts of a level are carried out.
enum class How {
  sequential,
  grid,      // on cores that cannot wait for one another
  cores,     // on cores of one team
  unrolled,  // copies in one core
  lanes,     // vector lanes
};

struct Digit {
  Symbol var;
  std::string level;  // "L1.k", for people
  int dimension = 0;
  int64_t parts = 1;
  int64_t step = 1;
  How how = How::sequential;
  int64_t unroll = 1;  // rounds of a sequential loop that compilers are asked to write out
  std::optional<int> axis = {};  // of cores: 0, 1 or 2, where the configuration says on which
  friend bool operator==(const Digit&, const Digit&) = default;
};

/// Which shares of a Deal a core gets.
enum class Dealing {
  block,    // neighbours
  cyclic,   // with n cores, every n-th
  dynamic,  // the next one that is left, whenever it is free
};

/// The cores that run the parts of a layer.
struct Cores {
  std::string layer;
  std::vector<Symbol> digits;
  Dealing dealing = Dealing::block;
  int64_t count = 0;  // 0: one for each part
  int64_t swizzle = 1;
  friend bool operator==(const Cores&, const Cores&) = default;
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

enum class Transport { plain, async };

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
  std::vector<Counter> blocks = {};  // axes of which so many elements are copied before all others
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

struct TeamCombine {
  Symbol over;
  std::vector<Symbol> elements;  // what the members have in common: the tile of a slot
  std::vector<Element> from;     // slots; indices mention `over` and the elements
  Target target;
  bool tree = false;  // neighbours first, in steps, instead of one after the other
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
/// coarse part and member: what others need of it.
struct ScanFix {
  ScanShape shape;
  std::vector<Element> elements;
  std::vector<Element> totals;
  std::vector<Element> offset;  // one element per member
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

/// A collective Deal reads or writes what belongs to other shares than its own.
struct Deal {
  Team team = Team::cores;
  std::vector<Counter> shares;
  bool collective = false;
  Block body;
  Dealing dealing = Dealing::block;
  int64_t on = 0;       // as many cores at most; 0: one for each share
  int64_t swizzle = 1;  // of a grid: so many values of the first share begin side by side
  friend bool operator==(const Deal&, const Deal&) = default;
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
               For, Deal, Barrier, If, Lanes, Let, Load, Apply, Combine, Store, WideLoad, WideStore,
               AsyncCopy, Prefetch, Opaque, Transpose>
      is;
  friend bool operator==(const StmtNode&, const StmtNode&) = default;
};

template <class T>
const T* Stmt::as() const {
  return std::get_if<T>(&node().is);
}

/// In which order straight code computes.
struct Emission {
  enum class Order { program, serpentine, by_operand };
  Order order = Order::program;
  std::vector<Symbol> operands = {};  // parameters of f: uses of one element of them stay together
  friend bool operator==(const Emission&, const Emission&) = default;
};

struct Program {
  std::string name;
  std::vector<Dimension> dimensions;
  std::vector<Digit> digits;
  std::vector<Cores> cores;     // of layers that do not have one core for each part
  int64_t warp = 1;             // cores of a group that a barrier of warps makes wait
  std::vector<Buffer> buffers;  // outputs, inputs, temporaries
  Emission emission;
  scalar::Function f;
  scalar::Function combine;
  Block body;
  friend bool operator==(const Program&, const Program&) = default;
};

Symbol named(std::string name);  // of a loop program
Expr index_variable(const Symbol& symbol);

/// Index arithmetic knows literals, variables and binary operations: -x becomes 0 - x.
Expr without_negation(const Expr& e);

/// The blocks inside a statement.
void for_each_child(const Stmt& s, const std::function<void(const Block&)>& visit);
Stmt map_children(const Stmt& s, const std::function<Block(const Block&)>& change);

/// Every expression directly in a statement, not in the blocks inside it.
Stmt map_expressions(const Stmt& s, const std::function<Expr(const Expr&)>& change);

/// Buffers that a statement reads or writes directly, not in the blocks inside it.
struct Uses {
  std::vector<Symbol> reads, writes;
};
Uses uses_of(const Stmt& s);

/// Variables, indices and values that a statement defines, not those in the blocks inside it.
std::vector<Symbol> defined_by(const Stmt& s);

bool is_structured(const Program& p);
bool is_concrete(const Program& p);

const Buffer& find_buffer(const Program& p, const Symbol& symbol);
const Digit& find_digit(const Program& p, const Symbol& symbol);
bool is_digit(const Program& p, const Symbol& symbol);
std::vector<Digit> digits_of(const Program& p, const std::vector<Symbol>& symbols);

int64_t volume_of(const std::vector<Counter>& counters);  // how many combinations there are

/// The most shares that a Deal deals to owners: if more than one, the cores of a group, in order.
int64_t owned_shares(const Block& block);

/// Elements of one instance of a buffer, and bytes.
int64_t elements_of(const Buffer& b);
int64_t bytes_of(const Buffer& b);

/// Elements along the last axis; the place of one in its instance, row-major.
Element neighbour(const Element& e, int64_t distance);
std::vector<Element> neighbours(const Element& e, int64_t count);
Expr address_of(const Program& p, const Element& e);

/// Instances of a temporary: all combinations of the digits it is per.
int64_t instances_of(const Program& p, const Buffer& b);

}  // namespace mdh::loop
