#include "mdh/loop/verify_meet.h"

#include <algorithm>

#include "mdh/loop/count.h"

namespace mdh::loop {
namespace {

void verify_buffer_across(const Program& p, const Buffer& b) {
  const Digit& digit = find_digit(p, *b.across);
  internal_check(digit.how == How::grid, "'{}' is kept across '{}', which is not of the grid",
                 b.symbol.name, digit.var.name);
  internal_check(!b.extents.empty() && b.extents.front() == digit.parts,
                 "'{}' does not have elements for every '{}'", b.symbol.name, digit.var.name);
  internal_check(std::find(b.per.begin(), b.per.end(), digit.var) == b.per.end(),
                 "'{}' is per '{}', and across it", b.symbol.name, digit.var.name);
}

/// Walks over the share of a grid.
class AcrossVerifier {
 public:
  AcrossVerifier(const Program& p, const Deal& deal) : program_(p), deal_(deal) {}

  void run() const {
    for (size_t n = 0; n < deal_.body.size(); ++n) statement(deal_.body[n], n);
  }

 private:
  /// Somewhere in the n-th statement of the share.
  void statement(const Stmt& s, size_t n) const {
    const UsedElements used = elements_used_by(s);
    for (const Element& e : used.writes) {
      internal_check(is_own(e),
                     "an element of '{}' that another member of the grid keeps is written",
                     e.buffer.name);
    }
    for (const Element& e : used.reads) {
      internal_check(is_own(e) || is_between_meetings(e, n),
                     "'{}' of another member of the grid is read by members that do not meet "
                     "before and behind that",
                     e.buffer.name);
    }
    for_each_child(s, [&](const Block& child) {
      for (const Stmt& inner : child) statement(inner, n);
    });
  }

  bool is_own(const Element& e) const {
    const Buffer& b = find_buffer(program_, e.buffer);
    return !b.across || is_just(e.index.front(), *b.across);
  }

  bool is_between_meetings(const Element& e, size_t n) const {
    const Symbol& over = *find_buffer(program_, e.buffer).across;
    const auto meets = [&](const Stmt& s) {
      const auto* meet = s.as<Meet>();
      return meet && meet->over == over;
    };
    const auto here = deal_.body.begin() + static_cast<std::ptrdiff_t>(n);
    return std::any_of(deal_.body.begin(), here, meets) &&
           std::any_of(here, deal_.body.end(), meets);
  }

  const Program& program_;
  const Deal& deal_;
};

void verify_shares(const Program& p, const Block& block) {
  for (const Stmt& s : block) {
    const auto* deal = s.as<Deal>();
    if (deal && deal->team == Team::grid) {
      AcrossVerifier(p, *deal).run();
    } else {
      for_each_child(s, [&](const Block& child) { verify_shares(p, child); });
    }
  }
}

}  // namespace

void verify_meets(const Deal& deal) {
  const int64_t count = count_of<Meet>(deal.body);
  if (count == 0) return;
  int64_t by_all = 0;
  for (const Stmt& s : deal.body) {
    const auto* meet = s.as<Meet>();
    if (!meet) continue;
    ++by_all;
    internal_check(has_counter(deal.shares, meet->over), "shares meet over '{}', which is no share",
                   meet->over.name);
    internal_check(meet->over == *meets_over(deal), "shares meet over '{}', and over '{}'",
                   meets_over(deal)->name, meet->over.name);
  }
  internal_check(deal.team == Team::grid && count == by_all,
                 "shares of a grid meet others that need not get there");
  internal_check(deal.on == 0, "shares of a grid meet others that have not begun");
  internal_check(count_of<Last, Follow>(deal.body) == 0,
                 "shares of a grid meet, and some are the last ones or follow others");
}

void verify_across(const Program& p) {
  const bool has_any = std::any_of(p.buffers.begin(), p.buffers.end(),
                                   [](const Buffer& b) { return b.across.has_value(); });
  if (!has_any) return;
  for (const Buffer& b : p.buffers) {
    if (b.across) verify_buffer_across(p, b);
  }
  verify_shares(p, p.body);
}

}  // namespace mdh::loop
