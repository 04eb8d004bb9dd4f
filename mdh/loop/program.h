// The loop representation: what the machine does, step by step.
//
//   program   = kernel name, dimensions, buffers, f, combine, body
//   digit     = one level's share of an index: var in [0, parts), worth var · step of its dimension
//   element   = buffer[index, ...]
//   target    = one element per result of f, and the digits that must be 0 for a first write
//
// One language, two dialects, from the form a configuration asks for to the form a printer can
// print:
//
//   structured  Digits(digit, how, body)         a level's loop; runs over the parts that are not
//   empty
//               Accumulate(reads, target)        f at the point, into the target
//               WriteUp(from, target)            an inner accumulator into an outer one
//               TeamCombine(over, elements, ..)  after a loop on cores over a reduced dimension:
//               its slots, combined
//   concrete    For(var, trip, body)             a counted loop
//               Deal(digits, body)               all combinations of digits, dealt to the cores of
//               the team Barrier                          every core waits for all others
//               If(condition, then, else) · Let(var, value) · Load · Apply (f) · Combine (⊕) ·
//               Store
//
// Teams, not fork and join: every core runs the whole body. What is outside of Deal is the same on
// all cores and writes nothing; inside of Deal nobody waits. Equal digits always go to the same
// core, so that only Deals with different digits need a barrier between them.
//
// There are no neutral elements: a target is overwritten when all of its `first` digits are 0 and
// combined otherwise.
//
// Names are unique within a program; all symbols have number 0.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "mdh/scalar/array.h"
#include "mdh/scalar/expr.h"
#include "mdh/scalar/function.h"

namespace mdh::loop {

using scalar::Expr;

enum class Role { output, input, workspace };

struct Buffer {
  Symbol symbol;
  scalar::Scalar type = scalar::Scalar::f32;
  scalar::Extents extents;
  Role role = Role::input;
  friend bool operator==(const Buffer&, const Buffer&) = default;
};

struct Dimension {
  Symbol symbol;
  int64_t size = 1;
  bool reduced = false;
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

struct Digit {
  Symbol var;
  std::string level;  // "L1.k", for people
  int dimension = 0;
  int64_t parts = 1;
  int64_t step = 1;
  friend bool operator==(const Digit&, const Digit&) = default;
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

// ---- structured

/// How the parts of a level are carried out.
enum class How {
  sequential,
  cores,
  unrolled,  // copies in one core
  lanes,     // vector lanes
};

struct Digits {
  Digit digit;
  How how = How::sequential;
  Block body;
  friend bool operator==(const Digits&, const Digits&) = default;
};

struct Accumulate {
  std::vector<Element> reads;  // one per input of f
  Target target;
  friend bool operator==(const Accumulate&, const Accumulate&) = default;
};

struct WriteUp {
  std::vector<Element> from;
  Target target;
  friend bool operator==(const WriteUp&, const WriteUp&) = default;
};

struct TeamCombine {
  Digit over;
  std::vector<Digit> elements;  // what the members of the team have in common: the tile of a slot
  std::vector<Element> from;    // slots; indices mention over.var and the elements
  Target target;
  friend bool operator==(const TeamCombine&, const TeamCombine&) = default;
};

// ---- concrete

struct For {
  Symbol var;
  Expr trip;
  How how = How::sequential;
  std::string level;
  Block body;
  friend bool operator==(const For&, const For&) = default;
};

struct Deal {
  std::vector<Digit> digits;
  Block body;
  friend bool operator==(const Deal&, const Deal&) = default;
};

struct Barrier {
  friend bool operator==(const Barrier&, const Barrier&) = default;
};

struct If {
  Expr condition;
  Block then;
  Block otherwise;
  friend bool operator==(const If&, const If&) = default;
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

struct Store {
  Element to;
  Symbol value;
  friend bool operator==(const Store&, const Store&) = default;
};

struct StmtNode {
  std::variant<Digits, Accumulate, WriteUp, TeamCombine, For, Deal, Barrier, If, Let, Load, Apply,
               Combine, Store>
      is;
  friend bool operator==(const StmtNode&, const StmtNode&) = default;
};

template <class T>
const T* Stmt::as() const {
  return std::get_if<T>(&node().is);
}

struct Program {
  std::string name;
  std::vector<Dimension> dimensions;
  std::vector<Buffer> buffers;  // outputs, inputs, workspace
  scalar::Function f;
  scalar::Function combine;
  Block body;
  friend bool operator==(const Program&, const Program&) = default;
};

/// A symbol of a loop program.
Symbol named(std::string name);
Expr index_variable(const Symbol& symbol);

/// Index arithmetic knows literals, variables and binary operations: -x becomes 0 - x.
Expr without_negation(const Expr& e);

/// The blocks inside a statement.
void for_each_child(const Stmt& s, const std::function<void(const Block&)>& visit);
Stmt map_children(const Stmt& s, const std::function<Block(const Block&)>& change);

/// Every expression directly in a statement, not in the blocks inside it.
Stmt map_expressions(const Stmt& s, const std::function<Expr(const Expr&)>& change);

bool is_structured(const Program& p);
bool is_concrete(const Program& p);

const Buffer& find_buffer(const Program& p, const Symbol& symbol);

/// All combinations of some digits.
int64_t parts_of(const std::vector<Digit>& digits);

/// Where a workspace buffer begins in the workspace; all of them are aligned to cache lines.
int64_t workspace_offset(const Program& p, const Symbol& buffer);
int64_t workspace_bytes(const Program& p);

}  // namespace mdh::loop
