#include "mdh/backend/grid/storage.h"

#include <set>

#include "mdh/backend/c/arguments.h"
#include "mdh/backend/grid/atomics.h"

namespace mdh::backend {
namespace {

using loop::Block;
using loop::Stmt;
using loop::Team;

/// How the cores of a group share the work of the Deals that use a buffer.
using Users = std::map<std::string, std::set<std::string>>;

std::string signature(const loop::Deal& deal) {
  std::string text = deal.collective ? "collective " : "";
  for (const loop::Counter& share : deal.shares) text += share.var.name + ",";
  return text;
}

void note_uses(const Block& block, const std::string& who, Users& users) {
  for (const Stmt& s : block) {
    const loop::Uses uses = loop::uses_of(s);
    const auto* hand = s.as<loop::Exchange>();
    const std::string here = hand ? signature({Team::cores, hand->shares, false, {}}) : who;
    if (!s.as<loop::Alloc>()) {
      for (const auto* list : {&uses.reads, &uses.writes}) {
        for (const Symbol& b : *list) users[b.name].insert(here);
      }
    }
    const auto* deal = s.as<loop::Deal>();
    loop::for_each_child(s, [&](const Block& child) {
      note_uses(child, deal && deal->team != Team::grid ? signature(*deal) : who, users);
    });
  }
}

constexpr int64_t bytes_of_arrivals = 4, bytes_of_numbers = 8, bytes_of_told = 4,
                  bytes_of_state = 4;

enum class Lifetime { program, kernel, share };

class Placer {
 public:
  explicit Placer(const loop::Program& p) : program_(p) { note_uses(p.body, "", users_); }

  GridStorage run() {
    count_followers(program_.body);
    count_arrivals(program_.body);
    count_atomics();
    result_.workspace_bytes = whole_lines(result_.zeroed_bytes);
    block(program_.body, Lifetime::program);
    return std::move(result_);
  }

 private:
  void block(const Block& statements, Lifetime lifetime) {
    for (const Stmt& s : statements) {
      if (const auto* alloc = s.as<loop::Alloc>()) place(alloc->buffer, lifetime);
      Lifetime inside = lifetime;
      if (const auto* deal = s.as<loop::Deal>()) {
        inside = deal->team == Team::grid ? Lifetime::kernel : Lifetime::share;
      }
      loop::for_each_child(s, [&](const Block& child) { block(child, inside); });
    }
  }

  void count_followers(const Block& statements) {
    for (const Stmt& s : statements) {
      loop::for_each_child(s, [&](const Block& child) { count_followers(child); });
      const auto* deal = s.as<loop::Deal>();
      for (size_t n = 0; deal && n < deal->body.size(); ++n) {
        const auto* follow = deal->body[n].as<loop::Follow>();
        if (!follow) continue;
        const auto [mine, is_new] = result_.followers.try_emplace(deal);
        if (is_new) mine->second.begun = zeroed(bytes_of_numbers);
        mine->second.told[follow] = told(*follow, loop::volume_of(deal->shares));
      }
    }
  }

  Told told(const loop::Follow& s, int64_t members) {
    const auto bytes_of = [&](const loop::Element& e) {
      return static_cast<int64_t>(scalar::bytes_of(find_buffer(program_, e.buffer).type));
    };
    Told result;
    result.has_it_all = s.tells.size() == 1 && bytes_of(s.tells.front()) <= bytes_of_told;
    result.words = zeroed(members * (result.has_it_all ? 2 : 1) * bytes_of_told);
    if (result.has_it_all) return result;
    for (const loop::Element& e : s.tells) {
      result_.zeroed_bytes = whole_lines(result_.zeroed_bytes);
      result.others.push_back(zeroed(members * bytes_of(e)));
    }
    return result;
  }

  /// Where so many bytes begin that are 0 at first.
  int64_t zeroed(int64_t bytes) {
    const int64_t at = result_.zeroed_bytes;
    result_.zeroed_bytes += (bytes + bytes_of_numbers - 1) / bytes_of_numbers * bytes_of_numbers;
    return at;
  }

  /// Members of a grid that wait for their last one have a number for all of them.
  void count_arrivals(const Block& statements) {
    for (const Stmt& s : statements) {
      loop::for_each_child(s, [&](const Block& child) { count_arrivals(child); });
      const auto* deal = s.as<loop::Deal>();
      if (!deal || deal->body.empty()) continue;
      const auto* last = deal->body.back().as<loop::Last>();
      if (!last) continue;
      Arrivals arrivals{0, find_digit(program_, last->over).parts, {}};
      for (const loop::Counter& share : deal->shares) {
        if (share.var != last->over) arrivals.group.push_back(share);
      }
      arrivals.offset = zeroed(loop::volume_of(arrivals.group) * bytes_of_arrivals);
      result_.arrivals[last] = arrivals;
    }
  }

  /// What members of a grid combine into is empty before the first run, and after each.
  void count_atomics() {
    for (const loop::Buffer& b : program_.buffers) {
      if (!b.atomic) continue;
      const int64_t elements = scalar::volume(b.extents) * instances_of(program_, b);
      if (atomic_form(program_) == AtomicForm::alone) {
        result_.states[b.symbol.name] = zeroed(elements * bytes_of_state);
      } else {
        result_.buffers[b.symbol.name] = {Space::in_workspace,
                                          zeroed(elements * atomic_bytes(program_, b))};
      }
    }
  }

  void place(const Symbol& symbol, Lifetime lifetime) {
    const loop::Buffer& b = find_buffer(program_, symbol);
    if (result_.buffers.contains(b.symbol.name)) return;  // begins anew in several places
    Placed& placed = result_.buffers[b.symbol.name];
    if (b.held) placed.held = held_by_shares(program_, b).value_or(Held{});
    if (placed.held.shares > 0) {
      placed.space = Space::in_private;
      return;
    }
    const bool one_item = lifetime == Lifetime::share || is_used_alike(b);
    const bool stays = lifetime != Lifetime::program && b.scope != loop::Scope::all;
    if (lifetime == Lifetime::share && b.scope == loop::Scope::all) {
      placed.space = Space::in_private;  // nobody else can tell
    } else if (stays && b.scope >= loop::Scope::core && one_item) {
      placed.space = Space::in_private;
    } else if (stays) {
      placed.space = Space::in_local;
    } else {
      placed = {Space::in_workspace, result_.workspace_bytes};
      result_.workspace_bytes += whole_lines(scalar::volume(b.extents) * scalar::bytes_of(b.type) *
                                             instances_of(program_, b));
    }
  }

  /// Every instance is used by one work-item.
  bool is_used_alike(const loop::Buffer& b) const {
    const auto found = users_.find(b.symbol.name);
    if (found == users_.end() || found->second.size() != 1) return false;
    const std::string& who = *found->second.begin();
    if (who.rfind("collective", 0) == 0) return false;
    std::string mine;
    for (const Symbol& digit : group_digits(program_, b)) mine += digit.name + ",";
    return who == mine;
  }

  const loop::Program& program_;
  Users users_;
  GridStorage result_;
};

}  // namespace

std::vector<Symbol> group_digits(const loop::Program& p, const loop::Buffer& b) {
  std::vector<Symbol> digits;
  for (const Symbol& digit : b.per) {
    if (find_digit(p, digit).how == loop::How::cores) digits.push_back(digit);
  }
  return digits;
}

GridStorage grid_storage_of(const loop::Program& p) { return Placer(p).run(); }

}  // namespace mdh::backend
