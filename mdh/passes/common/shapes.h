// Shapes that one pass makes and a later one looks for. A pass that looks for min(4, x) finds
// nothing if another one begins to write min(x, 4), and the code gets worse in silence. So each
// shape is made and recognised here, side by side; a test holds both together. (Facts and settle
// know min and max, too, as algebra that is true of any operands.)
//
// Simplification keeps every shape, but for those that become a number.
#pragma once

#include <optional>
#include <vector>

#include "mdh/loop/program.h"

namespace mdh::passes {

// ---- min(parts, room): the trip count of a loop that may end at a border

struct Bound {
  int64_t parts;
  loop::Expr room;
};

/// As many rounds as before, but no more than there is room for. A bound if `trip` is a number.
loop::Expr bounded(const loop::Expr& trip, const loop::Expr& room);
std::optional<Bound> bound_of(const loop::For& loop);

// ---- (points + step - 1) / step: how many parts of a size it takes to hold points

loop::Expr parts_holding(const loop::Expr& points, int64_t step);
std::optional<loop::Expr> points_in(const loop::Expr& parts, int64_t step);

// ---- max(0, missing): how far a tile is shifted back; 0 where nothing is missing

loop::Expr shift_by(const loop::Expr& missing);
std::optional<loop::Expr> missing_of(const loop::Expr& shift);

// ---- counter == 0 and counter > 0: the first round of a loop, and the others

loop::Expr first_round(const loop::Expr& counter);
loop::Expr later_round(const loop::Expr& counter);
bool is_first_round(const loop::Expr& condition, const Symbol& counter);
bool is_later_round(const loop::Expr& condition, const Symbol& counter);

// ---- index < extent: an element that is not beyond an edge

struct Edge {
  loop::Expr index;
  int64_t extent;
};

loop::Expr below(const loop::Expr& index, int64_t extent);
std::optional<Edge> edge_of(const loop::Expr& condition);

// ---- min(index, extent - 1): an index that is held back at an edge

loop::Expr held_back(const loop::Expr& index, int64_t extent);
std::optional<Edge> held_back_at(const loop::Expr& index);

// ---- a loop over the elements of a tile: it belongs to no level

loop::Stmt element_loop(const Symbol& counter, const loop::Expr& trip, loop::How how,
                        const loop::Block& body);
bool is_element_loop(const loop::For& loop);

// ---- load x = from; store to = x: one element of a copy, which may also fly

loop::Block element_copy(const loop::Element& to, const loop::Element& from, const Symbol& value);
loop::Block element_flight(const loop::Element& to, const loop::Element& from);
bool is_element_copy(const loop::Block& block);

// ---- an index of a tile that is an axis of the copy that fills it, and nothing else

loop::Expr along(const loop::Counter& axis);
const loop::Counter* axis_along(const loop::Copy& copy, const loop::Expr& index);

// ---- the end of an accumulation: values overwrite elements, or are combined with them

struct Update {
  std::vector<loop::Element> elements;
  bool overwrites;
};

loop::Block overwritten(const std::vector<loop::Element>& elements,
                        const std::vector<Symbol>& values);

/// `before` and `sums` are names for what was in the elements, and for what is put there.
loop::Block combined(const std::vector<loop::Element>& elements, const std::vector<Symbol>& values,
                     const std::vector<Symbol>& before, const std::vector<Symbol>& sums);

/// All statements from `at` on.
std::optional<Update> update_of(const loop::Block& block, size_t at,
                                const std::vector<Symbol>& values);

// ---- if (the part below the digits holds points) { ... }

loop::Block where_points_are(const loop::Program& p, const std::vector<loop::Digit>& digits,
                             const loop::Block& body);

/// The body of such a choice, or the block itself, if it is none.
const loop::Block& without_guard(const loop::Program& p, const std::vector<loop::Digit>& digits,
                                 const loop::Block& block);

}  // namespace mdh::passes
