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
//               Exchange(over)      cores of a warp hand each other what is private to them
//               Last(over)          who arrives last of some members of the grid goes on
//               Follow(over)        members of the grid go on after those before them
//               Meet(over)          members of the grid go on together
//               AtomicCombine(to)   members of the grid combine into one element, in any order
//               AtomicTake(from)    what they have put there; the element is empty again
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
#include <optional>
#include <string>
#include <vector>

#include "mdh/loop/statement.h"
#include "mdh/scalar/array.h"
#include "mdh/scalar/function.h"

namespace mdh::loop {

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
  bool held = false;             // elements belong to who has the share of steady Deals
  /// A temporary that members of a grid combine into: an element is empty until the first one comes,
  /// and only AtomicCombine and AtomicTake use it. Targets in it have no first write.
  bool atomic = false;
  /// Of a temporary: lines whose 16-byte pieces change places. Until `swizzle` has rewritten the
  /// indices, elements lie where their indices say.
  int64_t swizzle = 1;
  int64_t width = 0;  // of a temporary: bytes that one access of a copy into it moves; 0: what fits
  /// Of a group: the first index counts the members of the grid along this digit. Each of them keeps
  /// the elements with its own number, and those that have met read all of them.
  std::optional<Symbol> across = {};
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

/// The cores that run the parts of a layer.
struct Cores {
  std::string layer;
  std::vector<Symbol> digits;
  Dealing dealing = Dealing::block;
  int64_t count = 0;  // 0: one for each part
  int64_t swizzle = 1;
  friend bool operator==(const Cores&, const Cores&) = default;
};

/// In which order straight code computes.
struct Emission {
  enum class Order { program, serpentine, by_operand };
  Order order = Order::program;
  std::vector<Symbol> operands = {};  // parameters of f: uses of one element of them stay together;
                                      // none: forth and back along the first one
  friend bool operator==(const Emission&, const Emission&) = default;
};

/// What compilers of grids count on; 0: what they like.
struct LaunchBounds {
  int64_t cores = 0;   // of a group; those that it has count if they are more
  int64_t groups = 0;  // for which a multiprocessor has room at the same time
  friend bool operator==(const LaunchBounds&, const LaunchBounds&) = default;
};

struct Program {
  std::string name;
  std::vector<Dimension> dimensions;
  std::vector<Digit> digits;
  std::vector<Cores> cores;     // of layers that do not have one core for each part
  int64_t warp = 1;             // cores of a group that a barrier of warps makes wait
  std::vector<Buffer> buffers;  // outputs, inputs, temporaries
  Emission emission;
  LaunchBounds bounds;
  bool begins_early = false;  // launches have members while the one before them runs
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

/// Every expression, or every element, directly in a statement, not in the blocks inside it.
Stmt map_expressions(const Stmt& s, const std::function<Expr(const Expr&)>& change);
Stmt map_elements(const Stmt& s, const std::function<Element(const Element&)>& change);

/// Every name of a value directly in a statement, where it is defined and where it is used. Indices
/// are no values.
Stmt map_values(const Stmt& s, const std::function<Symbol(const Symbol&)>& change);

/// Buffers that a statement reads or writes directly, not in the blocks inside it.
struct Uses {
  std::vector<Symbol> reads, writes;
};
Uses uses_of(const Stmt& s);

/// The elements themselves; what begins anew, or is hidden, is no element.
struct UsedElements {
  std::vector<Element> reads, writes;
};
UsedElements elements_used_by(const Stmt& s);

/// An element that a load, a store or a copy of one element uses, and how many neighbours at once.
struct Access {
  const Element* element = nullptr;
  int64_t width = 1;
};
std::vector<Access> accesses_of(const Stmt& s);

/// Variables, indices and values that a statement defines, not those in the blocks inside it.
std::vector<Symbol> defined_by(const Stmt& s);

bool is_structured(const Program& p);
bool is_concrete(const Program& p);

const Buffer& find_buffer(const Program& p, const Symbol& symbol);
const Digit& find_digit(const Program& p, const Symbol& symbol);
bool is_digit(const Program& p, const Symbol& symbol);
std::vector<Digit> digits_of(const Program& p, const std::vector<Symbol>& symbols);

int64_t volume_of(const std::vector<Counter>& counters);  // how many combinations there are

/// How far apart in the order of all combinations are neighbours in one of the counters.
int64_t distance_along(const std::vector<Counter>& counters, const Symbol& one);
bool has_counter(const std::vector<Counter>& counters, const Symbol& one);

/// The expression is a variable of that name.
bool is_just(const Expr& e, const Symbol& symbol);

/// Along which members of a grid meet in a share of it, if they do.
std::optional<Symbol> meets_over(const Deal& deal);

/// The most shares that a Deal deals to owners: if more than one, the cores of a group, in order.
int64_t owned_shares(const Block& block);

/// Elements of an instance that one member of a grid keeps: all, or its own ones.
int64_t elements_here(const Buffer& b);

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
