#include "mdh/loop/verify_atomic.h"

#include <algorithm>
#include <map>

namespace mdh::loop {
namespace {

class AtomicVerifier {
 public:
  explicit AtomicVerifier(const Program& p) : program_(p) {}

  void block(const Block& statements, bool is_last) {
    for (const Stmt& s : statements) {
      statement(s, is_last);
      const bool inside = is_last || s.as<Last>() != nullptr;
      for_each_child(s, [&](const Block& child) { block(child, inside); });
    }
  }

 private:
  void statement(const Stmt& s, bool is_last) {
    if (s.as<Alloc>()) return;
    if (const auto* sum = s.as<AtomicCombine>()) {
      together(sum->to, sum->values.size());
    } else if (const auto* take = s.as<AtomicTake>()) {
      takes(take->from, take->results.size(), is_last);
    } else if (const auto* up = s.as<WriteUp>()) {
      if (has_atomic(up->from)) takes(up->from, up->from.size(), is_last);
      target(up->target);
    } else if (const auto* parts = s.as<TeamCombine>()) {
      internal_check(!has_atomic(parts->from), "parts of a team that have been combined already");
      target(parts->target);
    } else {
      const Uses uses = uses_of(s);
      for (const auto* list : {&uses.reads, &uses.writes}) {
        for (const Symbol& b : *list) {
          internal_check(!is_atomic(b), "'{}' is used as if nobody combined into it", b.name);
        }
      }
    }
  }

  /// Structured statements combine into atomic buffers, whoever comes first.
  void target(const Target& t) {
    if (!has_atomic(t.elements)) return;
    internal_check(t.first.empty(), "a first write into '{}', where nobody is the first one",
                   t.elements.front().buffer.name);
    together(t.elements, t.elements.size());
  }

  void takes(const std::vector<Element>& from, size_t values, bool is_last) {
    together(from, values);
    internal_check(is_last, "'{}' is taken while others may combine into it",
                   from.front().buffer.name);
  }

  /// Elements of all results are at the same place of the same buffers.
  void together(const std::vector<Element>& elements, size_t values) {
    internal_check(values == elements.size() && values == program_.f.results.size(),
                   "one element is combined for each result of f");
    std::vector<std::string> names;
    for (const Element& e : elements) {
      internal_check(is_atomic(e.buffer), "'{}' is combined into, but not atomic", e.buffer.name);
      internal_check(e.index == elements.front().index,
                     "'{}' is combined at another place than '{}'", e.buffer.name,
                     elements.front().buffer.name);
      names.push_back(e.buffer.name);
    }
    for (const std::string& name : names) {
      const auto [before, is_new] = groups_.try_emplace(name, names);
      internal_check(before->second == names, "'{}' is combined with other buffers than before",
                     name);
    }
  }

  bool is_atomic(const Symbol& buffer) const { return find_buffer(program_, buffer).atomic; }

  bool has_atomic(const std::vector<Element>& elements) const {
    return std::any_of(elements.begin(), elements.end(),
                       [&](const Element& e) { return is_atomic(e.buffer); });
  }

  const Program& program_;
  std::map<std::string, std::vector<std::string>> groups_;  // buffers that are used together
};

}  // namespace

void verify_atomics(const Program& p) { AtomicVerifier(p).block(p.body, false); }

}  // namespace mdh::loop
