#include "mdh/passes/registers/emit_order.h"

#include <algorithm>
#include <map>

#include "mdh/loop/print.h"
#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/names.h"
#include "mdh/passes/common/shapes.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Element;
using loop::Emission;
using loop::Lanes;
using loop::Stmt;
using loop::StmtNode;

/// One vector statement: f at some points, into elements.
struct Item {
  const Lanes* lanes;
  Block compute;  // loads and f
  std::vector<Symbol> results;
  std::vector<Element> targets;
  bool stores;                        // what was in the elements does not matter
  std::vector<std::string> operands;  // the elements that f reads, as text
};

std::string place(const std::vector<Element>& targets) {
  std::string text;
  for (const Element& e : targets) text += loop::print(e) + " ";
  return text;
}

class Reader {
 public:
  explicit Reader(const loop::Program& p) : program_(p) {}

  /// Loads, f, then either stores, or loads of the same elements, ⊕ and stores.
  std::optional<Item> item(const Stmt& s) const {
    const auto* lanes = s.as<Lanes>();
    if (!lanes) return std::nullopt;
    Item item{lanes, {}, {}, {}, true, {}};
    std::map<Symbol, Element> loaded;
    size_t at = 0;
    const Block& body = lanes->body;
    for (; at < body.size() && body[at].as<loop::Load>(); ++at) {
      const auto* load = body[at].as<loop::Load>();
      loaded.emplace(load->result, load->from);
      item.compute.push_back(body[at]);
    }
    const auto* f = at < body.size() ? body[at].as<loop::Apply>() : nullptr;
    if (!f) return std::nullopt;
    item.compute.push_back(body[at++]);
    item.results = f->results;
    for (const Symbol& input : f->inputs) {
      const auto found = loaded.find(input);
      item.operands.push_back(found == loaded.end() ? "" : loop::print(found->second));
    }
    return ends(body, at, *f, item) ? std::optional(item) : std::nullopt;
  }

 private:
  bool ends(const Block& body, size_t at, const loop::Apply& f, Item& item) const {
    const auto update = update_of(body, at, f.results);
    if (!update) return false;
    item.stores = update->overwrites;
    item.targets = update->elements;
    return std::all_of(item.targets.begin(), item.targets.end(),
                       [&](const Element& e) { return is_register(e); });
  }

  bool is_register(const Element& e) const {
    return find_buffer(program_, e.buffer).scope == loop::Scope::registers;
  }

  const loop::Program& program_;
};

class Orderer {
 public:
  explicit Orderer(const loop::Program& p) : program_(p), reader_(p), names_(p) {}

  Block block(const Block& statements) {
    Block result;
    std::vector<Item> run;
    for (const Stmt& s : statements) {
      if (auto item = reader_.item(s); item && fits(run, *item)) {
        run.push_back(*item);
        continue;
      }
      flush(run, result);
      if (auto item = reader_.item(s)) {
        run.push_back(*item);
      } else {
        result.push_back(loop::map_children(s, [&](const Block& b) { return block(b); }));
      }
    }
    flush(run, result);
    return result;
  }

 private:
  /// It does not overwrite what the run has computed, nor read what it computes.
  static bool fits(const std::vector<Item>& run, const Item& item) {
    return std::none_of(run.begin(), run.end(), [&](const Item& other) {
      if (item.stores && place(other.targets) == place(item.targets)) return true;
      const auto reads = [&](const Item& reader, const Item& writer) {
        return std::any_of(reader.compute.begin(), reader.compute.end(), [&](const Stmt& s) {
          const auto* load = s.as<loop::Load>();
          return load &&
                 std::any_of(writer.targets.begin(), writer.targets.end(),
                             [&](const Element& e) { return e.buffer == load->from.buffer; });
        });
      };
      return reads(item, other) || reads(other, item);
    });
  }

  void flush(std::vector<Item>& run, Block& result) {
    const std::vector<Item> ordered = in_order(run);
    std::map<std::string, bool> stored;  // whether the first one into a place stores
    for (const Item& item : run) stored.try_emplace(place(item.targets), item.stores);
    for (const Item& item : ordered) {
      bool& stores = stored.at(place(item.targets));
      result.push_back(statement(item, stores));
      stores = false;
    }
    run.clear();
  }

  std::vector<Item> in_order(const std::vector<Item>& run) const {
    if (program_.emission.order == Emission::Order::serpentine) return forth_and_back(run);
    std::map<std::string, size_t> seen;  // groups, in the order of their first member
    std::vector<std::vector<Item>> groups;
    for (const Item& item : run) {
      const size_t group = seen.try_emplace(operand(item), groups.size()).first->second;
      if (group == groups.size()) groups.emplace_back();
      groups[group].push_back(item);
    }
    std::vector<Item> ordered;
    for (const auto& group : groups) ordered.insert(ordered.end(), group.begin(), group.end());
    return ordered;
  }

  /// An f without inputs has none: all of its items are one sequence.
  static std::string first_operand(const Item& item) {
    return item.operands.empty() ? "" : item.operands.front();
  }

  /// Every second sequence of items with the same first operand, backwards.
  static std::vector<Item> forth_and_back(const std::vector<Item>& run) {
    std::vector<Item> ordered;
    bool backwards = false;
    for (size_t begin = 0; begin < run.size();) {
      size_t end = begin + 1;
      while (end < run.size() && first_operand(run[end]) == first_operand(run[begin])) ++end;
      const auto from = run.begin() + static_cast<std::ptrdiff_t>(begin);
      ordered.insert(ordered.end(), from, run.begin() + static_cast<std::ptrdiff_t>(end));
      if (backwards) {
        std::reverse(ordered.end() - static_cast<std::ptrdiff_t>(end - begin), ordered.end());
      }
      backwards = !backwards;
      begin = end;
    }
    return ordered;
  }

  std::string operand(const Item& item) const {
    std::string text;
    for (size_t n = 0; n < item.operands.size(); ++n) {
      const auto& by = program_.emission.operands;
      const bool asked =
          std::find(by.begin(), by.end(), program_.f.parameters[n].symbol) != by.end();
      if (asked) text += item.operands[n] + " ";
    }
    return text;
  }

  Stmt statement(const Item& item, bool stores) {
    Lanes lanes = *item.lanes;
    if (stores == item.stores) return StmtNode{lanes};
    lanes.body = item.compute;
    append(lanes.body, stores ? overwritten(item.targets, item.results) : combining(item));
    return StmtNode{lanes};
  }

  Block combining(const Item& item) {
    std::vector<Symbol> before, sums;
    for (const Element& e : item.targets) {
      before.push_back(names_.fresh(e.buffer.name + "_old"));
      sums.push_back(names_.fresh(e.buffer.name + "_sum"));
    }
    return combined(item.targets, item.results, before, sums);
  }

  const loop::Program& program_;
  Reader reader_;
  Names names_;
};

}  // namespace

loop::Program emit_order(const loop::Program& program) {
  if (program.emission.order == Emission::Order::program) return program;
  loop::Program result = program;
  result.body = Orderer(program).block(program.body);
  return result;
}

}  // namespace mdh::passes
