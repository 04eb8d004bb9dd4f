// How loops on cores become shares: what the parts of form_teams have in common.
#pragma once

#include <vector>

#include "mdh/loop/program.h"

namespace mdh::passes {

/// One team: the digits that are dealt to it.
struct Domain {
  bool grid, cores;
  loop::Team team;
  loop::Team together;  // of statements in which all of them act, whoever owns what
  int64_t enough;
  int64_t lockstep = 1;  // neighbouring cores that wait for each other more cheaply than for others
  int64_t access_bytes = 0;   // that a core without vectors moves at once
  bool along_memory = false;  // neighbouring cores combine what is stored side by side
  bool exchanges = false;     // cores in lockstep hand each other what is private to them
  bool has_last = false;      // members of a grid know who of them is done last
  bool atomics = false;       // and combine into one element
  bool follows = false;       // and wait for those before them
  int64_t most_that_meet =
      0;  // so many of them read each other's memory, and wait for all of those

  /// There are no groups.
  bool is_one_team() const { return grid && cores; }

  bool deals(const loop::Digit& d) const {
    return (grid && d.how == loop::How::grid) || (cores && d.how == loop::How::cores);
  }
};

using Digits = std::vector<loop::Digit>;

Digits joined_digits(Digits a, const Digits& b);
std::vector<loop::Counter> counters(const Digits& digits);

class Dealer {
 public:
  /// The program outlives it.
  Dealer(const loop::Program& p, const Domain& domain) : program_(p), domain_(domain) {}

  const loop::Program& program() const { return program_; }
  const Domain& domain() const { return domain_; }

  bool deals(const Symbol& digit) const { return domain_.deals(find_digit(program_, digit)); }
  bool deals_any(const std::vector<Symbol>& digits) const;

  /// Only parts that hold points do anything.
  loop::Stmt deal(const Digits& digits, const Digits& around, const loop::Block& body,
                  bool collective = false) const;

  /// How far apart neighbours of a digit are in memory; the digits in the order in which an element
  /// lies there.
  int64_t stride_of(const loop::Digit& digit, const loop::Element& e) const;
  Digits along_memory(Digits digits, const loop::Element& e) const;

  /// In the order in which results lie, so that neighbouring cores read and write side by side.
  /// Numbers that lie in one vector stay with one core: their digit moves to the other list.
  Digits side_by_side(Digits members, const loop::Element& result,
                      std::vector<Symbol>& in_core) const;

  /// Whether the tiles of a digit end where its dimension does. Those that are shifted back or padded
  /// at an edge are asked for where points are computed, and write some of them twice.
  bool may_end_anywhere(const loop::Digit& digit) const;

  /// Moves the digits that are dealt from the list to the team.
  Digits with_dealt(Digits team, std::vector<Symbol>& digits) const;

 private:
  void deal_as_asked(loop::Deal& deal, const Digits& digits) const;

  const loop::Program& program_;
  Domain domain_;
};

}  // namespace mdh::passes
