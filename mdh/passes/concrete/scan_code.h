// Scans in loops, loads and stores.
#pragma once

#include <optional>

#include "mdh/passes/common/names.h"

namespace mdh::passes {

/// Writes the code of scans. `around` are the digits that have values where the code stands.
class ScanCode {
 public:
  ScanCode(const loop::Program& p, Names& names);

  /// Part p of a loop joins the parts before it.
  loop::Block step(const loop::ScanStep& s, const std::vector<loop::Digit>& around) const;

  /// Whoever has the last element of a part tells its total; a member of the team puts those of all
  /// others together; everybody puts what came out before the elements that he has.
  loop::Block totals(const loop::ScanFix& s, const std::vector<loop::Digit>& around) const;
  enum class Then { stop, prepend };
  loop::Block offsets(const loop::ScanFix& s, const std::vector<loop::Digit>& around,
                      Then then = Then::stop) const;
  loop::Block prepends(const loop::ScanFix& s, const std::vector<loop::Digit>& around) const;

  /// Whether a part without rows has all of its elements: its total is one. Nothing: it always has.
  std::optional<loop::Expr> is_whole(const loop::ScanFix& s,
                                     const std::vector<loop::Digit>& around) const;
  loop::Block where_whole(const loop::ScanFix& s, const std::vector<loop::Digit>& around,
                          const loop::Block& body) const;

 private:
  struct Shape;
  struct Position;

  std::vector<Symbol> values(const char* name) const;
  loop::Block lines(const std::vector<Symbol>& digits, std::vector<loop::Digit> around,
                    const loop::Block& body) const;
  loop::Block rows(const Shape& shape, bool descending,
                   const std::function<loop::Block(const loop::Expr&)>& body) const;
  std::optional<loop::Expr> exists(const Shape& shape, const Position& at) const;
  loop::Block within(const Shape& shape, const Position& at, const loop::Block& body) const;
  loop::Block prepended(const Shape& shape, const Position& part,
                        const std::vector<loop::Element>& elements,
                        const std::vector<loop::Element>& before) const;
  loop::Block joined_with_others(const loop::ScanFix& s, const Shape& shape,
                                 const loop::Expr& row) const;
  loop::Expr has_others(const Shape& shape, const loop::Expr& row) const;
  loop::Block gathered(const loop::ScanFix& s, const Shape& shape, const Position& from,
                       const Position& to, const loop::Expr& is_first) const;

  const loop::Program& program_;
  Names& names_;
  Symbol row_, fine_, other_;
};

}  // namespace mdh::passes
