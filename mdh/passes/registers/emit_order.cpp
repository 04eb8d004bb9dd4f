#include "mdh/passes/registers/emit_order.h"

#include <algorithm>
#include <map>

#include "mdh/loop/print.h"
#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/instance.h"
#include "mdh/passes/common/names.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/simplify.h"

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
  bool backwards = false;             // the last lane first
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
    Item item{lanes, {}, {}, {}, true, {}, false};
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

using Groups = std::vector<std::vector<Item>>;

class Orderer {
 public:
  Orderer(const loop::Program& p, bool writes_lanes)
      : program_(p), reader_(p), names_(p), writes_lanes_(writes_lanes) {}

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
    const bool winds = program_.emission.order == Emission::Order::serpentine;
    Groups groups = program_.emission.operands.empty() ? sequences(run) : by_operand(run);
    std::vector<Item> ordered;
    for (size_t n = 0; n < groups.size(); ++n) {
      if (winds && n % 2 == 1) turn(groups[n]);
      ordered.insert(ordered.end(), groups[n].begin(), groups[n].end());
    }
    return ordered;
  }

  /// In the order of their first members.
  Groups by_operand(const std::vector<Item>& run) const {
    std::map<std::string, size_t> seen;
    Groups groups;
    for (const Item& item : run) {
      const size_t group = seen.try_emplace(operand(item), groups.size()).first->second;
      if (group == groups.size()) groups.emplace_back();
      groups[group].push_back(item);
    }
    return groups;
  }

  static void turn(std::vector<Item>& group) {
    std::reverse(group.begin(), group.end());
    for (Item& item : group) item.backwards = true;
  }

  /// An f without inputs has none: all of its items are one sequence.
  static std::string first_operand(const Item& item) {
    return item.operands.empty() ? "" : item.operands.front();
  }

  /// Neighbours with the same first operand.
  static Groups sequences(const std::vector<Item>& run) {
    Groups groups;
    for (const Item& item : run) {
      if (groups.empty() || first_operand(groups.back().back()) != first_operand(item)) {
        groups.emplace_back();
      }
      groups.back().push_back(item);
    }
    return groups;
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
    if (stores != item.stores) {
      lanes.body = item.compute;
      append(lanes.body, stores ? overwritten(item.targets, item.results) : combining(item));
    }
    if (item.backwards && writes_lanes_) turn(lanes);
    return StmtNode{lanes};
  }

  void turn(Lanes& lanes) {
    Instance instance(names_);
    instance.set(lanes.var,
                 scalar::index_literal(lanes.count - 1) - loop::index_variable(lanes.var));
    for (Stmt& s : lanes.body) s = instance.statement(s);
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
  bool writes_lanes_;
};

}  // namespace

loop::Program emit_order(const loop::Program& program, const machine::TargetFacts& facts) {
  if (program.emission.order == Emission::Order::program) return program;
  loop::Program result = program;
  result.body = Orderer(program, facts.access_bytes > 0).block(program.body);
  return result;
}

}  // namespace mdh::passes
