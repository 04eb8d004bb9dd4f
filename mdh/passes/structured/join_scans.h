// Parts of a scan that members of a team have made are joined.
#pragma once

#include <optional>
#include <set>

#include "mdh/passes/concrete/scan_code.h"
#include "mdh/passes/structured/gather_parts.h"

namespace mdh::passes {

/// By totals that all members read, by exchanges, or by looking back: whatever is asked for and the
/// cores can do.
class ScanJoiner {
 public:
  ScanJoiner(const Dealer& dealer, Names& names, const ScanCode& code, PartGatherer& gatherer)
      : d_(dealer), names_(names), code_(code), gatherer_(gatherer) {}

  /// `team` and `around` as in form_teams.
  loop::Block joined(const loop::ScanFix& s, const Digits& team, const Digits& around);

  /// By members of the grid that look back before they write up: the Deal that made the parts, with
  /// that in it. Nothing where that is not asked for, or members cannot follow each other.
  std::optional<loop::Deal> looking_back(const loop::ScanFix& s, const loop::Stmt& made_by,
                                         const Digits& around) const;

  /// Whether members of a grid look back in a statement that stands inside of their shares.
  bool looks_back(const loop::ScanFix& s) const;

  bool exchanges() const { return exchanges_; }
  /// Temporaries that all members of the grid share begin anew before they are dealt.
  const loop::Block& shared() const { return shared_; }
  /// Temporaries of the program that are no longer needed.
  const std::set<std::string>& unneeded() const { return unneeded_; }

 private:
  struct Team {
    Digits members, owners;     // of parts; of their elements
    std::vector<Symbol> lines;  // that no core has to itself
  };

  Team team_of(const loop::ScanFix& s, const Digits& team) const;
  loop::Block in_order(const loop::ScanFix& s, const Team& team, const Digits& around) const;

  bool can_exchange(const loop::ScanFix& s, const Team& team) const;
  loop::Block by_exchanges(const loop::ScanFix& s, const Team& team, const Digits& around);
  Elements private_like(const Elements& like, const Team& team, const char* name,
                        loop::Block& allocs);

  /// Who looks back: cores of a group by digits of lines, and lines that none has to itself.
  struct Lookers {
    Digits members;
    std::vector<Symbol> lines;
    Digits around;
    std::vector<Symbol> per;  // digits of the grid
    loop::Digit over;
    std::optional<loop::Expr> has_total;  // where a part has all of its elements; nothing: always
  };

  loop::Block by_looking_back(const loop::ScanFix& s, const Digits& team, const Digits& around);
  static std::vector<Symbol> grid_of(const Digits& around);
  loop::Stmt dealt(const Lookers& who, const loop::Block& body) const;
  /// Of the members before one: those that count `first`, `first + step`, ..., so many at most, of
  /// which the first ones are there.
  struct Some {
    int64_t parts;
    loop::Expr filled, first;
    int64_t step;
  };

  static bool is_told(const loop::ScanFix& s);
  loop::Block before_all(const loop::ScanFix& s, const Lookers& who);
  Slots looked_at(const loop::ScanFix& s, const Elements& made, const Some& some,
                  const Lookers& who, loop::Block& result);
  Elements seen_by_all(const Elements& like, const std::string& name);
  loop::Block gathered(const Slots& from, const Elements& to, const Lookers& who);

  void drop(const Elements& elements);

  const Dealer& d_;
  Names& names_;
  const ScanCode& code_;
  PartGatherer& gatherer_;
  loop::Block shared_;
  std::set<std::string> unneeded_;
  bool exchanges_ = false;
};

}  // namespace mdh::passes
