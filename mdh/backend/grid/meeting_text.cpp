#include "mdh/backend/grid/meeting_text.h"

#include "mdh/backend/grid/index_width.h"
#include "mdh/backend/grid/shares.h"
#include "mdh/backend/rts/rts.h"
#include "mdh/support/text.h"

namespace mdh::backend {

MeetingPrinter::MeetingPrinter(const loop::Program& p, const GridStorage& storage,
                               const GridWords& words)
    : CPrinter(p, words.dialect, counts_in_32_bits(p) ? scalar::Scalar::i32 : scalar::Scalar::i64),
      storage_(storage),
      words_(words) {}

bool MeetingPrinter::is_private(const loop::Element& e) const {
  return is_in(find_buffer(program(), e.buffer), Space::in_private);
}

bool MeetingPrinter::is_in(const loop::Buffer& b, Space space) const {
  return b.role == loop::Role::temporary && storage_.of(b.symbol).space == space;
}

std::string MeetingPrinter::exchange(const loop::Exchange& s) {
  internal_check(!words_.exchange.empty() && is_private(s.to) && is_private(s.from),
                 "an exchange of '{}', which is not private", s.from.buffer.name);
  const int64_t distance = std::abs(s.by) * loop::distance_along(s.shares, s.over);
  const int64_t shares = loop::volume_of(s.shares), rest = shares % words_.warp;
  const std::string me = words_.item[0], all = "0xffffffffu",
                    first = fmt::format("{:#x}u", (uint64_t{1} << rest) - 1);
  std::string mask = all;
  if (rest != 0) {
    mask = shares < words_.warp ? first
                                : fmt::format("{} < {} ? {} : {}", me, shares - rest, all, first);
  }
  const bool is_before = s.by < 0;
  const std::string other = fmt::format("{} {} {}", me, is_before ? '-' : '+', distance);
  // In the last warp, which is not full, lanes before the first one do not take part.
  const std::string place = shares < words_.warp ? me : fmt::format("{} % {}", me, words_.warp);
  const std::string is_there =
      is_before ? fmt::format("{} >= {}", place, distance) : fmt::format("{} < {}", other, shares);
  const std::string lane = rest == 0 ? other : fmt::format("{} ? {} : {}", is_there, other, me);
  const std::string text = taken(s, [&](const std::string& value) {
    return fmt::format("{}({}, {}, {})", words_.exchange, mask, value, lane);
  });
  if (shares == items_.count()) return text;
  return fmt::format("if ({} < {}) {{\n{}}}\n", me, shares, indent(text, 2));
}

template <class Take>
std::string MeetingPrinter::taken(const loop::Exchange& s, const Take& take) {
  const scalar::Type& type = find_buffer(program(), s.to.buffer).type;
  if (type.is_scalar()) return fmt::format("{} = {};\n", element(s.to), take(element(s.from)));
  const int64_t bytes = scalar::bytes_of(type), words = (bytes + 3) / 4;
  return fmt::format(
      "{{\n  unsigned mdh_words[{0}];\n  memcpy(mdh_words, &{1}, {2});\n  {3} {0}\n"
      "  for (int mdh_word = 0; mdh_word < {0}; ++mdh_word) mdh_words[mdh_word] = {4};\n"
      "  memcpy(&{5}, mdh_words, {2});\n}}\n",
      words, element(s.from), bytes, facts_of(words_.dialect).unroll, take("mdh_words[mdh_word]"),
      element(s.to));
}

std::string MeetingPrinter::last(const loop::Last& s) {
  internal_check(!words_.arrivals.empty(), "nobody knows who is done last");
  expressions().definitions().define_type(words_.arrivals, rts_text(words_.arrivals));
  const Arrivals& arrivals = storage_.arrivals.at(&s);
  std::string number = "0";
  for (const loop::Counter& share : arrivals.group) {
    const std::string mine = c_name(share.var.name);
    number = number == "0" ? mine : fmt::format("({}) * {} + {}", number, share.count, mine);
  }
  const int64_t told = local_bytes_;  // where all items of the group are told
  local_bytes_ += shared_alignment;
  return fmt::format(
      "if (mdh_{}((unsigned *)(workspace + {}) + ({}), {}, (int *)(mdh_shared + {}))) {{\n{}}}\n",
      words_.arrivals, arrivals.offset, number, arrivals.all, told, indent(block(s.body), 2));
}

std::string MeetingPrinter::atomic_combine(const loop::AtomicCombine& s) {
  return combined_atomically(program(), expressions(), atomic_text(s.to, values(s.values)));
}

std::string MeetingPrinter::atomic_take(const loop::AtomicTake& s) {
  std::vector<std::string> names;
  for (const Symbol& result : s.results) names.push_back(c_name(result.name));
  return taken_atomically(program(), expressions(), atomic_text(s.from, names));
}

AtomicText MeetingPrinter::atomic_text(const std::vector<loop::Element>& elements,
                                       const std::vector<std::string>& values) {
  internal_check(words_.atomics, "members of a grid do not combine into one element");
  AtomicText text{{}, values, ""};
  for (const loop::Element& e : elements) text.elements.push_back(element(e));
  text.state = fmt::format("mdh_states_{}[{}]", c_name(elements.front().buffer.name),
                           address(elements.front()));
  return text;
}

std::string MeetingPrinter::numbered(const loop::Deal& s) {
  internal_check(!words_.follows.empty(), "members of a grid do not follow each other");
  expressions().definitions().define_type(words_.follows, rts_text(words_.follows));
  counted_at_ = local_bytes_;
  local_bytes_ += shared_alignment;
  return fmt::format(
             "mdh_count_block((unsigned long long *)(workspace + {}), {});\nconst {} mdh_number = "
             "{};\n",
             followers_->begun, counted(), index(), words_.group[0]) +
         unflattened(s.shares, "mdh_number");
}

std::string MeetingPrinter::counted() const {
  return fmt::format("(unsigned long long *)(mdh_shared + {})", counted_at_);
}

std::string MeetingPrinter::follow(const loop::Follow& s) {
  const int64_t stride = loop::distance_along(grid_->shares, s.over);
  const Told& told = followers_->told.at(&s);
  const int64_t members = loop::volume_of(grid_->shares);
  const std::string me = c_name(s.over.name), first = expressions().print_index(s.first);
  if (s.tells.empty()) {
    return fmt::format(
        "mdh_follow((unsigned *)(workspace + {}), mdh_number, mdh_number - ({} - ({})) * {}, {}, "
        "{}, "
        "{});\n",
        told.words, me, first, stride, s.step * stride, counted(), members);
  }
  const std::string nth = c_name(s.nth.name);
  const std::string other = fmt::format("{} + {} * {}", first, nth, s.step);
  const std::string number = fmt::format("mdh_number - ({} - ({})) * {}", me, other, stride);
  return fmt::format(
      "{0};\n{{\n"
      "  const unsigned mdh_launch = mdh_launch_of({8}, {9});\n"
      "  if (mdh_is_first_thread()) {{\n{1}  }}\n"
      "  for ({2} {3} = mdh_thread(); {4} < {5}; {3} += mdh_threads()) {{\n"
      "    const {2} mdh_other = {6};\n{7}  }}\n}}\n{0};\n",
      words_.barrier, indent(telling(s, told), 4), index(), nth, other, me, number,
      indent(hearing(s, told), 4), counted(), members);
}

std::string MeetingPrinter::meet(const loop::Meet&) {
  internal_check(!words_.clusters.empty(), "members of a grid do not meet");
  expressions().definitions().define_type(words_.clusters, rts_text(words_.clusters));
  return "mdh_meet_members();\n";
}

std::string MeetingPrinter::beginning(const loop::Element& e) {
  const auto& across = find_buffer(program(), e.buffer).across;
  if (!across || loop::is_just(e.index.front(), *across)) return CPrinter::beginning(e);
  return fmt::format("mdh_of_member({}, {})", c_name(e.buffer.name),
                     expressions().print_index(e.index.front()));
}

std::string MeetingPrinter::telling(const loop::Follow& s, const Told& told) {
  const std::string has_any =
      s.has_any ? fmt::format("if ({}) ", expressions().print(*s.has_any)) : "";
  if (told.has_it_all) {
    return fmt::format(
        "unsigned mdh_bits = 0;\n{}memcpy(&mdh_bits, &{}, sizeof {});\n"
        "mdh_tell((unsigned long long *)(workspace + {}) + mdh_number, mdh_launch, mdh_bits);\n",
        has_any, element(s.tells.front()), element(s.tells.front()), told.words);
  }
  std::string text;
  for (size_t n = 0; n < s.tells.size(); ++n) {
    text += fmt::format("{}{} = {};\n", has_any, told_by(s, told, n, "mdh_number"),
                        element(s.tells[n]));
  }
  return text +
         fmt::format("mdh_tell_here((unsigned *)(workspace + {}) + mdh_number, mdh_launch);\n",
                     told.words);
}

std::string MeetingPrinter::hearing(const loop::Follow& s, const Told& told) {
  if (told.has_it_all) {
    return fmt::format(
        "const unsigned mdh_bits = mdh_hear((unsigned long long *)(workspace + {}) + mdh_other, "
        "mdh_launch);\nmemcpy(&{}, &mdh_bits, sizeof {});\n",
        told.words, element(s.hears.front()), element(s.hears.front()));
  }
  std::string text = fmt::format(
      "mdh_wait_for((unsigned *)(workspace + {}) + mdh_other, mdh_launch);\n", told.words);
  for (size_t n = 0; n < s.hears.size(); ++n) {
    text += fmt::format("{} = {};\n", element(s.hears[n]), told_by(s, told, n, "mdh_other"));
  }
  return text;
}

std::string MeetingPrinter::told_by(const loop::Follow& s, const Told& told, size_t n,
                                    const char* member) {
  const scalar::Type& type = find_buffer(program(), s.tells[n].buffer).type;
  return fmt::format("(({} *)(workspace + {}))[{}]", expressions().storage_type(type),
                     told.others[n], member);
}

}  // namespace mdh::backend
