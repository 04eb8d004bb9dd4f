#include "mdh/backend/grid/neighbours.h"

#include <algorithm>
#include <array>

#include "mdh/support/text.h"

namespace mdh::backend {
namespace {

using loop::Block;
using loop::Stmt;
using loop::StmtNode;

/// Of numbers beside each other, in every language.
constexpr std::array<const char*, 4> part_names = {"x", "y", "z", "w"};

int64_t most_at_once(const Block& block, const std::string& buffer) {
  int64_t most = 1;
  for (const Stmt& s : block) {
    for (const auto& [e, width] : loop::accesses_of(s)) {
      if (e->buffer.name == buffer) most = std::max(most, width);
    }
    loop::for_each_child(
        s, [&](const Block& inner) { most = std::max(most, most_at_once(inner, buffer)); });
  }
  return most;
}

}  // namespace

std::string loaded_at_once(const std::string& wide_type, const std::string& whole,
                           const std::string& place, const std::string& type,
                           const std::vector<std::string>& names) {
  std::string text = fmt::format("const {} {} = {};\n", wide_type, whole, place);
  for (size_t n = 0; n < names.size(); ++n) {
    text += fmt::format("const {} {} = {}.{};\n", type, names[n], whole, part_names[n]);
  }
  return text;
}

std::string stored_at_once(const std::string& wide_type, const std::vector<std::string>& values,
                           const std::string& store) {
  std::string text = fmt::format("{} mdh_wide;\n", wide_type);
  for (size_t n = 0; n < values.size(); ++n) {
    text += fmt::format("mdh_wide.{} = {};\n", part_names[n], values[n]);
  }
  return fmt::format("{{\n{}}}\n", indent(text + store, 2));
}

Block one_by_one(const loop::WideLoad& s) {
  Block all;
  for (size_t n = 0; n < s.results.size(); ++n) {
    all.push_back(StmtNode{loop::Load{s.results[n], neighbour(s.from, static_cast<int64_t>(n))}});
  }
  return all;
}

Block one_by_one(const loop::WideStore& s) {
  Block all;
  for (size_t n = 0; n < s.values.size(); ++n) {
    const loop::Element to = neighbour(s.to, static_cast<int64_t>(n));
    all.push_back(StmtNode{loop::Store{to, s.values[n], s.streaming}});
  }
  return all;
}

int64_t elements_at_once(const loop::Program& p, const Symbol& buffer) {
  return most_at_once(p.body, buffer.name);
}

void align_arguments(const loop::Program& p, std::vector<kernel::Argument>& arguments) {
  for (kernel::Argument& argument : arguments) {
    const int64_t most = most_at_once(p.body, argument.name);
    if (most > 1) argument.alignment = most * argument.bytes_per_element;
  }
}

bool only_moves(const Block& block) {
  return std::all_of(block.begin(), block.end(), [](const Stmt& s) {
    if (const auto* choice = s.as<loop::If>()) {
      return only_moves(choice->then) && only_moves(choice->otherwise);
    }
    return s.as<loop::Let>() || s.as<loop::Load>() || s.as<loop::Store>() ||
           s.as<loop::WideLoad>() || s.as<loop::WideStore>() || s.as<loop::AsyncCopy>() ||
           s.as<loop::AtomicTake>();
  });
}

bool reads_other_members(const loop::Program& p, const Block& block) {
  return std::any_of(block.begin(), block.end(), [&](const Stmt& s) {
    bool some = false;
    for (const loop::Element& e : loop::elements_used_by(s).reads) {
      const auto& across = find_buffer(p, e.buffer).across;
      some = some || (across && !loop::is_just(e.index.front(), *across));
    }
    loop::for_each_child(s,
                         [&](const Block& child) { some = some || reads_other_members(p, child); });
    return some;
  });
}

}  // namespace mdh::backend
