#include "mdh/backend/grid/kernel_text.h"

#include <algorithm>

#include "mdh/backend/grid/atomics.h"
#include "mdh/backend/grid/global_talk.h"
#include "mdh/backend/grid/index_width.h"
#include "mdh/backend/grid/meeting_text.h"
#include "mdh/backend/grid/neighbours.h"
#include "mdh/backend/grid/shares.h"
#include "mdh/backend/rts/rts.h"
#include "mdh/support/text.h"

namespace mdh::backend {
namespace {

using loop::Block;
using loop::Buffer;
using loop::Role;
using loop::Stmt;
using loop::Team;

/// So many rounds of copies are written out, so that all loads are on their way at the same time.
constexpr int64_t most_written_rounds = 8;
/// More of them, where what an item has loaded and not yet stored fits into so many bytes of its
/// registers.
constexpr int64_t most_bytes_on_the_way = 128;

class KernelPrinter : public MeetingPrinter, public KernelText {
 public:
  KernelPrinter(const loop::Program& p, const GridStorage& storage, const GridWords& words)
      : MeetingPrinter(p, storage, words) {}

  std::string helpers() const override { return CPrinter::helpers(); }
  std::vector<std::string> arrays() const override { return CPrinter::arrays(); }
  std::string type(const scalar::Type& type) override { return expressions().storage_type(type); }
  int64_t local_bytes() const override { return local_bytes_; }

  std::string entry() override {
    if (words_.waits.empty()) return "";
    expressions().definitions().define_type(words_.waits, rts_text(words_.waits));
    return std::string(program().begins_early ? "mdh_let_next_launch_come();\n" : "") +
           "mdh_wait_for_launch();\n";
  }

  std::string grid(const loop::Deal& s, const Items& items) override {
    begin(s, items);
    const auto followers = storage_.followers.find(&s);
    const bool follows = followers != storage_.followers.end();
    if (follows) followers_ = &followers->second;
    const std::string number = follows ? numbered(s) : "";
    const std::string body = block(s.body);
    // Blocks are counted through memory that all items share.
    if (follows) return locals(s.body) + number + item_number() + body;
    return member(s) + item_number() + locals(s.body) + body;
  }

  std::string persistent(const loop::Deal& s, const Items& items) override {
    begin(s, items);
    const std::string body = flat_member(s, "mdh_group") + block(s.body) +
                             // Nobody begins with the next member before all are done with this.
                             (items.count() > 1 ? barrier({}) : "");
    return item_number() + locals(s.body) +
           fmt::format("for ({}) {{\n{}}}\n", members_of(s), indent(body, 2));
  }

  std::string elements(const loop::Deal& deal) override {
    begin(deal, {{items_of_elements(loop::volume_of(deal.shares), words_), 1, 1}, false});
    const loop::Deal s = joined(deal);
    const std::string body = unflattened(s.shares, "part") + pointers(s.body) + block(s.body);
    return fmt::format("for ({0} part = {1}; part < {2}; part += {3}) {{\n{4}}}\n", index(),
                       words_.item_of_all, loop::volume_of(s.shares), words_.items_of_all,
                       indent(body, 2));
  }

 protected:
  std::string deal(const loop::Deal& deal) override {
    if (items_.along_axes && !deal.collective) return deal_along_axes(deal);
    const loop::Deal s = joined(deal);
    const int64_t shares = loop::volume_of(s.shares), items = items_.count();
    const bool once = shares <= items;
    if (!once && (s.steady || is_written_out(s))) return in_turns(s);
    const std::string body = unflattened(s.shares, "part") + pointers(s.body) + block(s.body);
    const std::string me = items_.along_axes ? "mdh_item" : words_.item[0];
    const std::string item = fmt::format("const {} part = {};\n", index(), me);
    if (shares == items) return fmt::format("{{\n{}}}\n", indent(item + body, 2));
    if (once) {
      return fmt::format("if ({} < {}) {{\n{}}}\n", me, shares, indent(item + body, 2));
    }
    const std::string pragma =
        only_waits(s.body)
            ? fmt::format("{} {}\n", facts_of(words_.dialect).unroll, most_written_rounds)
            : "";
    return pragma + fmt::format("for ({} part = {}; part < {}; part += {}) {{\n{}}}\n", index(), me,
                                shares, items, indent(body, 2));
  }

  /// Nearly all of its time goes into loads: copies, and what members of a cluster read of each other.
  bool only_waits(const Block& block) const {
    return only_moves(block) || reads_other_members(program(), block);
  }

  /// Copies whose rounds are few, or whose loads fit into registers.
  bool is_written_out(const loop::Deal& s) const {
    if (!only_waits(s.body)) return false;
    const int64_t shares = loop::volume_of(s.shares), items = items_.count();
    if (shares % items == 0 && shares / items <= most_written_rounds) return true;
    return !contains_flying(s.body) &&
           rounds_of(shares) * bytes_loaded(s.body) <= most_bytes_on_the_way;
  }

  /// By one item in one round.
  int64_t bytes_loaded(const Block& moves) const {
    int64_t bytes = 0;
    for (const Stmt& s : moves) {
      const std::vector<Symbol> read = loop::uses_of(s).reads;
      for (const loop::Access& a : loop::accesses_of(s)) {
        const Symbol& buffer = a.element->buffer;
        const bool is_read = std::find(read.begin(), read.end(), buffer) != read.end();
        if (is_read) bytes += a.width * scalar::bytes_of(find_buffer(program(), buffer).type);
      }
      loop::for_each_child(s, [&](const Block& child) { bytes += bytes_loaded(child); });
    }
    return bytes;
  }

  loop::Deal joined(const loop::Deal& deal) const {
    return with_joined_shares(program(), deal, [&](const Buffer& b) {
      return b.role == Role::temporary && !is_in(b, Space::in_private);
    });
  }

  std::string address(const loop::Element& e) override {
    const Buffer& b = find_buffer(program(), e.buffer);
    const Held held = b.role == Role::temporary ? storage_.of(b.symbol).held : Held{};
    if (held.shares == 0) return expressions().print_index(grid_address(program(), e));
    const scalar::Expr place = place_in_share(program(), e, held.elements);
    if (rounds_of(held.shares) == 1) return expressions().print_index(place);
    const std::string begin =
        held.elements == 1 ? "mdh_turn" : fmt::format("mdh_turn * {}", held.elements);
    if (constant(place) == 0) return begin;
    return begin + " + " + expressions().print_index(place);
  }

  std::string barrier(const loop::Barrier& s) override {
    const bool is_small = s.team == Team::warp && !words_.warp_barrier.empty();
    internal_check(!is_small || words_.warp % program().warp == 0, "warps of {} items",
                   program().warp);
    if (is_small) return words_.warp_barrier + ";\n";
    const bool is_local = !talks_ && !words_.local_barrier.empty();
    return (is_local ? words_.local_barrier : words_.barrier) + ";\n";
  }

  std::string wide_load(const loop::WideLoad& s) override {
    const int64_t count = std::ssize(s.results);
    if (is_private(s.from)) return block(one_by_one(s));
    std::vector<std::string> names;
    for (const Symbol& result : s.results) names.push_back(c_name(result.name));
    const scalar::Type& type = find_buffer(program(), s.from.buffer).type;
    return loaded_at_once(wide_type(s.from, count), fmt::format("mdh_wide_{}", ++wides_),
                          at_once(s.from, count, true), expressions().value_type(type), names);
  }

  std::string wide_store(const loop::WideStore& s) override {
    const int64_t count = std::ssize(s.values);
    if (is_private(s.to)) return block(one_by_one(s));
    std::vector<std::string> given;
    for (const Symbol& symbol : s.values) given.push_back(value(symbol));
    return stored_at_once(wide_type(s.to, count), given, store_of_all(s));
  }

  /// Of mdh_wide.
  std::string store_of_all(const loop::WideStore& s) {
    const int64_t count = std::ssize(s.values);
    const int64_t bytes = count * scalar::bytes_of(find_buffer(program(), s.to.buffer).type);
    if (!s.streaming || words_.streams.empty() || (bytes != 8 && bytes != 16)) {
      return fmt::format("{} = mdh_wide;\n", at_once(s.to, count, false));
    }
    expressions().definitions().define_type(words_.streams, rts_text(words_.streams));
    return fmt::format("mdh_{}_{}(&{}, &mdh_wide);\n", words_.streams, bytes, element(s.to));
  }

  std::string async_copy(const loop::AsyncCopy& s) override {
    if (!flies(s) && s.width == 1) return CPrinter::async_copy(s);
    if (is_private(s.to) || is_private(s.from)) {
      std::string text;
      for (int64_t n = 0; n < s.width; ++n) {
        text += CPrinter::async_copy({neighbour(s.to, n), neighbour(s.from, n)});
      }
      return text;
    }
    if (!flies(s)) {
      return fmt::format("{} = {};\n", at_once(s.to, s.width, false),
                         at_once(s.from, s.width, true));
    }
    expressions().definitions().define_type(words_.copies, rts_text(words_.copies));
    const int64_t bytes = s.width * scalar::bytes_of(find_buffer(program(), s.to.buffer).type);
    return fmt::format("mdh_copy_async_{}(&{}, &{});\n", bytes, element(s.to), element(s.from));
  }

  std::string commit() override { return has_copies_ ? "mdh_copy_commit();\n" : ""; }

  std::string wait(int64_t keep) override {
    return has_copies_ ? fmt::format("mdh_copy_wait({});\n", keep) : "";
  }

  std::string alloc(const Buffer& b) override {
    if (storage_.of(b.symbol).space != Space::in_private) return "";
    const Held held = storage_.of(b.symbol).held;
    const int64_t elements =
        held.shares > 0 ? rounds_of(held.shares) * held.elements : scalar::volume(b.extents);
    return fmt::format("{} {}[{}];  /* {} */\n", expressions().storage_type(b.type),
                       c_name(b.symbol.name), elements, held.shares > 0 ? "RM" : b.region);
  }

 private:
  void begin(const loop::Deal& s, const Items& items) {
    items_ = items;
    grid_ = &s;
    local_bytes_ = 0;
    has_copies_ = contains_flying(s.body);
    talks_ = talks_through_global(program(), storage_, s.body);
  }

  int64_t rounds_of(int64_t shares) const { return (shares + items_.count() - 1) / items_.count(); }

  /// All rounds written out. Every item has the same shares as in all other Deals that are printed so,
  /// and knows the turn of each.
  std::string in_turns(const loop::Deal& s) {
    const int64_t shares = loop::volume_of(s.shares), items = items_.count();
    const std::string me = items_.along_axes ? "mdh_item" : words_.item[0];
    const std::string part =
        fmt::format("const {} part = {} + mdh_turn * {};\n", index(), me, items);
    std::string body = unflattened(s.shares, "part") + pointers(s.body) + block(s.body);
    if (shares % items != 0) {
      // Compilers need not know how many items there are to see that all rounds but the last are full.
      body = fmt::format("if (mdh_turn < {} || part < {}) {{\n{}}}\n", shares / items, shares,
                         indent(body, 2));
    }
    return fmt::format("{0} {1}\nfor ({2} mdh_turn = 0; mdh_turn < {1}; ++mdh_turn) {{\n{3}}}\n",
                       facts_of(words_.dialect).unroll, rounds_of(shares), index(),
                       indent(part + body, 2));
  }

  /// The device has instructions for it: some sizes, from global memory to that of the group.
  bool flies(const loop::AsyncCopy& s) const {
    const Buffer &to = find_buffer(program(), s.to.buffer),
                 &from = find_buffer(program(), s.from.buffer);
    const int64_t bytes = s.width * scalar::bytes_of(to.type);
    const bool from_global = from.role != Role::temporary || is_in(from, Space::in_workspace);
    return !words_.copies.empty() && is_in(to, Space::in_local) && from_global &&
           to.type.is_scalar() && (bytes == 4 || bytes == 8 || bytes == 16);
  }

  std::string wide_type(const loop::Element& e, int64_t count) {
    return words_.neighbours(scalar_of(find_buffer(program(), e.buffer).type), count,
                             expressions().definitions());
  }

  /// An element and its neighbours as one.
  std::string at_once(const loop::Element& e, int64_t count, bool is_read) {
    const Buffer& b = find_buffer(program(), e.buffer);
    const bool is_local = is_in(b, Space::in_local);
    const std::string pointer =
        fmt::format("*({}{}{} *)", is_local ? words_.to_local : words_.to_global,
                    is_read ? "const " : "", wide_type(e, count));
    // Clang knows of an element of an array that it is aligned as its type is, and believes that more
    // than the type of the pointer. Of a sum it knows nothing.
    if (is_local) return fmt::format("{}({} + ({}))", pointer, beginning(e), address(e));
    return pointer + "&" + element(e);
  }

  bool contains_flying(const Block& block) const {
    return std::any_of(block.begin(), block.end(), [&](const Stmt& s) {
      const auto* copy = s.as<loop::AsyncCopy>();
      bool found = copy && flies(*copy);
      loop::for_each_child(s, [&](const Block& b) { found = found || contains_flying(b); });
      return found;
    });
  }

  // ---- members of the grid, and items of a group

  /// Devices count without sign.
  std::string number_of(const std::string& counted) const {
    return fmt::format("({}){}", index(), counted);
  }

  /// The values of the digits of this group.
  std::string member(const loop::Deal& s) const {
    std::array<std::string, 3> number;
    for (size_t a = 0; a < 3; ++a) number[a] = number_of(words_.group[a]);
    loop::Deal others = s;
    const std::string mine = member_of_cluster(others, number);
    return mine + (has_axes(program(), s.shares) ? member_on_axes(others, number)
                                                 : flat_member(others, number[0]));
  }

  /// Members that meet are neighbours: numbers that are left are those of clusters.
  std::string member_of_cluster(loop::Deal& s, std::array<std::string, 3>& number) const {
    const auto over = loop::meets_over(s);
    if (!over) return "";
    std::string& on_axis = number[axis_of(find_digit(program(), *over))];
    const int64_t members = find_digit(program(), *over).parts;
    const std::string text =
        fmt::format("const {} {} = {} % {};\n", index(), c_name(over->name), on_axis, members);
    on_axis = fmt::format("{} / {}", on_axis, members);
    std::erase_if(s.shares, [&](const loop::Counter& share) { return share.var == *over; });
    return text;
  }

  std::string member_on_axes(const loop::Deal& s, std::array<std::string, 3> number) const {
    const OnAxes axes = on_axes(program(), s.shares);
    std::string text;
    const auto extents = extents_of(axes);
    if (s.swizzle > 1 && extents[0] > 1 && extents[1] > 1) {
      text = fmt::format("const {} mdh_flat = {} * {} + {};\n", index(), number[1], extents[0],
                         number[0]);
      text += swizzled(index(), extents[1], extents[0], s.swizzle);
      number[0] = "mdh_column";
      number[1] = "mdh_row";
    }
    for (size_t a = 0; a < 3; ++a) text += unflattened(axes[a], number[a]);
    return text;
  }

  /// The same from the number of a member along one axis.
  std::string flat_member(const loop::Deal& s, const std::string& number) const {
    const int64_t rows = s.shares.empty() ? 1 : s.shares.front().count;
    const int64_t columns = loop::volume_of(s.shares) / rows;
    if (s.swizzle == 1 || rows == 1 || columns == 1) return unflattened(s.shares, number);
    const std::string flat = fmt::format("const {} mdh_flat = {};\n", index(), number);
    const std::string place =
        fmt::format("const {} mdh_member = mdh_row * {} + mdh_column;\n", index(), columns);
    return flat + swizzled(index(), rows, columns, s.swizzle) + place +
           unflattened(s.shares, "mdh_member");
  }

  /// Items on several axes also have a number among all of the group.
  std::string item_number() const {
    if (!items_.along_axes) return "";
    return fmt::format("const {} mdh_item = ({} * {} + {}) * {} + {};\n", index(),
                       number_of(words_.item[2]), items_.extents[1], number_of(words_.item[1]),
                       items_.extents[0], number_of(words_.item[0]));
  }

  /// Every item that owns a share has its digits on the axes.
  std::string deal_along_axes(const loop::Deal& s) {
    const OnAxes axes = on_axes(program(), s.shares);
    const auto extents = extents_of(axes);
    std::vector<std::string> conditions;
    std::string digits;
    for (size_t a = 0; a < 3; ++a) {
      digits += unflattened(axes[a], number_of(words_.item[a]));
      if (extents[a] == items_.extents[a]) continue;
      conditions.push_back(fmt::format("{} < {}", words_.item[a], extents[a]));
    }
    const std::string guard =
        conditions.empty() ? "" : fmt::format("if ({}) ", join(conditions, " && "));
    return fmt::format("{}{{\n{}}}\n", guard, indent(digits + pointers(s.body) + block(s.body), 2));
  }

  /// The loop over the members of the grid that a group runs. Groups do not wait for one another,
  /// so taking turns serves them as well as taking what is left.
  std::string members_of(const loop::Deal& s) const {
    const int64_t shares = loop::volume_of(s.shares);
    if (s.dealing != loop::Dealing::block) {
      return fmt::format("long mdh_group = {}; mdh_group < {}; mdh_group += {}", words_.group[0],
                         shares, s.on);
    }
    return fmt::format(
        "long mdh_group = {0} * (long){2} / {1}; mdh_group < {0} * ((long){2} + 1) / {1}; "
        "++mdh_group",
        shares, s.on, words_.group[0]);
  }

  /// Local memory is declared where the kernel begins.
  std::string locals(const Block& body) {
    std::string text;
    for (const Buffer& b : mentioned(program(), body)) {
      if (!is_in(b, Space::in_local)) continue;
      int64_t elements = elements_here(b);
      for (const Symbol& digit : group_digits(program(), b)) {
        elements *= find_digit(program(), digit).parts;
      }
      text += local_array(b, elements);
    }
    const bool has_any = !text.empty() || local_bytes_ > 0;
    return !has_any || words_.shared.empty() ? text : words_.shared + ";\n" + text;
  }

  std::string local_array(const Buffer& b, int64_t elements) {
    const std::string type = expressions().storage_type(b.type), name = local_name(b);
    const int64_t bytes = elements * scalar::bytes_of(b.type);
    if (words_.shared.empty()) {
      local_bytes_ += bytes;
      // Arrays begin where their elements may, unless more is asked for.
      const int64_t together = elements_at_once(program(), b.symbol);
      const std::string aligned = together == 1 ? ""
                                                : fmt::format(" __attribute__((aligned({})))",
                                                              together * scalar::bytes_of(b.type));
      return fmt::format("{} {} {}[{}]{};  /* {} */\n", words_.local, type, name, elements, aligned,
                         b.region);
    }
    const int64_t at = local_bytes_;
    local_bytes_ += (bytes + shared_alignment - 1) / shared_alignment * shared_alignment;
    return fmt::format("{0} *const {1} = ({0} *)(mdh_shared + {2});  /* {3}, {4} elements */\n",
                       type, name, at, b.region, elements);
  }

  std::string local_name(const Buffer& b) const {
    return group_digits(program(), b).empty() ? c_name(b.symbol.name)
                                              : "mdh_all_" + c_name(b.symbol.name);
  }

  std::string pointer_to_atomic(const Buffer& b) {
    const std::string which = instance(b);
    const std::string at =
        which.empty() ? "" : fmt::format(" + {} * {}", which, scalar::volume(b.extents));
    const auto begins = [&](const std::string& type, const std::string& name, int64_t offset) {
      return fmt::format("{0} *const {1} = ({0} *)(workspace + {2}){3};\n", type, name, offset, at);
    };
    const std::string name = c_name(b.symbol.name);
    std::string text =
        begins(atomic_type(program(), expressions(), b), name, storage_.of(b.symbol).offset);
    const auto state = storage_.states.find(b.symbol.name);
    if (state != storage_.states.end()) {
      text += begins("unsigned", "mdh_states_" + name, state->second);
    }
    return text;
  }

  /// The instances that a share uses.
  std::string pointers(const Block& body) {
    std::string text;
    for (const Buffer& b : mentioned(program(), body)) {
      if (b.atomic) {
        text += pointer_to_atomic(b);
        continue;
      }
      const std::string type = b.role == Role::temporary ? expressions().storage_type(b.type) : "";
      const std::string name = c_name(b.symbol.name);
      const int64_t elements = scalar::volume(b.extents);
      if (is_in(b, Space::in_workspace)) {
        const std::string which = instance(b);
        const std::string at = which.empty() ? "" : fmt::format(" + {} * {}", which, elements);
        text += fmt::format("{4}{0} *const {1} = ({4}{0} *)(workspace + {2}){3};\n", type, name,
                            storage_.of(b.symbol).offset, at, words_.to_global);
      } else if (is_in(b, Space::in_local) && !group_digits(program(), b).empty()) {
        Buffer inner = b;
        inner.per = group_digits(program(), b);
        text += fmt::format("{}{} *const {} = {} + {} * {};\n", words_.to_local, type, name,
                            local_name(b), instance(inner), elements);
      }
    }
    return text;
  }

  bool has_copies_ = false;
  bool talks_ = false;
  int wides_ = 0;
};

}  // namespace

int64_t items_of_elements(int64_t elements, const GridWords& words) {
  constexpr int64_t many = 65536;
  return std::min(elements, elements < many ? usual_items : words.many_items);
}

std::unique_ptr<KernelText> kernel_text(const loop::Program& p, const GridStorage& storage,
                                        const GridWords& words) {
  return std::make_unique<KernelPrinter>(p, storage, words);
}

}  // namespace mdh::backend
