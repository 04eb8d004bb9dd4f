#include "mdh/loop/print.h"

#include "mdh/loop/definitions.h"
#include "mdh/loop/keywords.h"
#include "mdh/scalar/print.h"
#include "mdh/scalar/print_definitions.h"
#include "mdh/support/text.h"

namespace mdh::loop {
namespace {

std::string print_names(const std::vector<Symbol>& symbols) {
  std::vector<std::string> names;
  for (const Symbol& symbol : symbols) names.push_back(symbol.name);
  return join(names, ", ");
}

std::string print_exprs(const std::vector<Expr>& exprs) {
  std::vector<std::string> texts;
  for (const Expr& e : exprs) texts.push_back(scalar::print_sum(e));
  return join(texts, ", ");
}

std::string print_conditions(const std::vector<Expr>& conditions) {
  std::vector<std::string> texts;
  for (const Expr& e : conditions) texts.push_back(scalar::print(e));
  return join(texts, ", ");
}

std::string print_counters(const std::vector<Counter>& counters) {
  std::vector<std::string> texts;
  for (const Counter& c : counters) texts.push_back(fmt::format("{} < {}", c.var.name, c.count));
  return "(" + join(texts, ", ") + ")";
}

std::string print_elements(const std::vector<Element>& elements) {
  std::vector<std::string> texts;
  for (const Element& element : elements) texts.push_back(print(element));
  return "(" + join(texts, ", ") + ")";
}

std::string print_target(const Target& target) {
  return fmt::format("{} first ({})", print_elements(target.elements), print_names(target.first));
}

std::string print_shape(const ScanShape& shape) {
  return fmt::format("{} coarse ({}) fine ({}) lines ({})", shape.digit.name,
                     print_names(shape.coarse), print_names(shape.fine), print_names(shape.lines));
}

/// How many cores, where that is said, and in which order they begin.
std::string print_on(int64_t cores, int64_t swizzle) {
  return (cores == 0 ? "" : fmt::format(" on {}", cores)) +
         (swizzle == 1 ? "" : fmt::format(" swizzle {}", swizzle));
}

/// Prints a body; statements know nothing of indentation, blocks add it.
class Printer {
 public:
  std::string block(const Block& block) const {
    std::string text;
    for (const Stmt& s : block) text += std::visit(*this, s.node().is);
    return "{\n" + indent(text, 2) + "}";
  }

  std::string operator()(const Alloc& s) const { return fmt::format("alloc {};\n", s.buffer.name); }
  std::string operator()(const Commit&) const { return "commit;\n"; }
  std::string operator()(const Wait& s) const { return fmt::format("wait {};\n", s.keep); }
  std::string operator()(const Loop& s) const {
    return fmt::format("loop {} {}\n", s.digit.name, block(s.body));
  }
  std::string operator()(const Copy& s) const {
    const std::string roll = s.roll ? fmt::format(" roll {} along {} by {}", s.roll->digit.name,
                                                  s.roll->axis.name, s.roll->by)
                                    : "";
    const std::string ahead =
        s.ahead ? fmt::format(" ahead {} by {}", s.ahead->digit.name, s.ahead->by) : "";
    const std::string across = s.across ? " across " + s.across->name : "";
    const std::string blocks = s.blocks.empty() ? "" : " blocks " + print_counters(s.blocks);
    const std::string whole = s.whole ? fmt::format(" whole {}", *s.whole) : "";
    return fmt::format("copy {}{} {} = {} within ({}) team ({}){}{}{}{}{};\n",
                       s.transport == Transport::plain ? "" : word(s.transport) + " ",
                       print_counters(s.axes), print(s.to), print(s.from),
                       print_conditions(s.within), print_names(s.team), roll, ahead, across, blocks,
                       whole);
  }
  std::string operator()(const Accumulate& s) const {
    return fmt::format("accumulate {} from {};\n", print_target(s.target), print_elements(s.reads));
  }
  std::string operator()(const WriteUp& s) const {
    return fmt::format("write_up ({}) {} from {};\n", print_names(s.over), print_target(s.target),
                       print_elements(s.from));
  }
  std::string operator()(const TeamCombine& s) const {
    return fmt::format("team_combine {}{} elements ({}) {} from {};\n", s.over.name,
                       s.how == Meeting::in_order ? "" : " " + word(s.how), print_names(s.elements),
                       print_target(s.target), print_elements(s.from));
  }
  std::string operator()(const ScanStep& s) const {
    return fmt::format("scan_step {} {};\n", print_shape(s.shape), print_elements(s.elements));
  }
  std::string operator()(const ScanFix& s) const {
    return fmt::format("scan_fix {} {} totals {} offset {}{};\n", print_shape(s.shape),
                       print_elements(s.elements), print_elements(s.totals),
                       print_elements(s.offset),
                       s.how == Meeting::in_order ? "" : " " + word(s.how));
  }
  std::string operator()(const For& s) const {
    const std::string level = s.level.empty() ? "-" : s.level;
    const std::string from = s.first == 0 ? "" : fmt::format("from {} ", s.first);
    return fmt::format("for {} {} < {} {} {}{}\n", level, s.var.name, scalar::print_sum(s.trip),
                       word(s.how), from, block(s.body));
  }
  std::string operator()(const Deal& s) const {
    const std::string dealing = s.dealing == Dealing::block ? "" : " " + word(s.dealing);
    return fmt::format("deal {} {}{}{}{}{} {}\n", word(s.team), print_counters(s.shares),
                       s.collective ? " collective" : "", s.steady ? " steady" : "", dealing,
                       print_on(s.on, s.swizzle), block(s.body));
  }
  std::string operator()(const Exchange& s) const {
    return fmt::format("exchange {} over {} by {} {} = {};\n", print_counters(s.shares),
                       s.over.name, s.by, print(s.to), print(s.from));
  }
  std::string operator()(const Last& s) const {
    return fmt::format("last {} {}\n", s.over.name, block(s.body));
  }
  std::string operator()(const Follow& s) const {
    const std::string told = s.tells.empty()
                                 ? ""
                                 : fmt::format(" tells {}{} hears {} {}", print_elements(s.tells),
                                               s.has_any ? " if " + scalar::print(*s.has_any) : "",
                                               s.nth.name, print_elements(s.hears));
    return fmt::format("follow {} from {} step {}{};\n", s.over.name, scalar::print_sum(s.first),
                       s.step, told);
  }
  std::string operator()(const Meet& s) const { return fmt::format("meet {};\n", s.over.name); }
  std::string operator()(const AtomicCombine& s) const {
    return fmt::format("atomic_combine {} from ({});\n", print_elements(s.to),
                       print_names(s.values));
  }
  std::string operator()(const AtomicTake& s) const {
    return fmt::format("atomic_take ({}) from {};\n", print_names(s.results),
                       print_elements(s.from));
  }
  std::string operator()(const Barrier& s) const {
    return fmt::format("barrier {};\n", word(s.team));
  }
  std::string operator()(const If& s) const {
    const std::string otherwise = s.otherwise.empty() ? "" : " else " + block(s.otherwise);
    return fmt::format("if {} {}{}\n", scalar::print(s.condition), block(s.then), otherwise);
  }
  std::string operator()(const Lanes& s) const {
    return fmt::format("lanes {} {} < {} {}\n", s.level.empty() ? "-" : s.level, s.var.name,
                       s.count, block(s.body));
  }
  std::string operator()(const Let& s) const {
    return fmt::format("let {} = {};\n", s.var.name, scalar::print_sum(s.value));
  }
  std::string operator()(const Load& s) const {
    return fmt::format("load {} = {};\n", s.result.name, print(s.from));
  }
  std::string operator()(const Apply& s) const {
    return fmt::format("apply {} = f({}; {});\n", print_names(s.results), print_names(s.inputs),
                       print_exprs(s.point));
  }
  std::string operator()(const Combine& s) const {
    return fmt::format("combine {} = ({}; {});\n", print_names(s.results), print_names(s.left),
                       print_names(s.right));
  }
  std::string operator()(const Store& s) const {
    return fmt::format("store {} = {}{};\n", print(s.to), s.value.name,
                       s.streaming ? " streaming" : "");
  }
  std::string operator()(const AsyncCopy& s) const {
    const std::string wide = s.width == 1 ? "" : fmt::format("wide {} ", s.width);
    return fmt::format("async {}{} = {};\n", wide, print(s.to), print(s.from));
  }
  std::string operator()(const WideLoad& s) const {
    return fmt::format("load ({}) = {};\n", print_names(s.results), print(s.from));
  }
  std::string operator()(const WideStore& s) const {
    return fmt::format("store {} = ({}){};\n", print(s.to), print_names(s.values),
                       s.streaming ? " streaming" : "");
  }
  std::string operator()(const Prefetch& s) const {
    return fmt::format("prefetch {};\n", print(s.what));
  }
  std::string operator()(const Opaque& s) const {
    return fmt::format("opaque {};\n", s.buffer.name);
  }
  std::string operator()(const Transpose& s) const {
    return fmt::format("transpose {} {} = {};\n", print_counters({s.stored, s.loaded}), print(s.to),
                       print(s.from));
  }
};

std::string print_digit(const Program& p, const Digit& d) {
  return fmt::format("digit {}: {} < {} of {} step {} {}", d.var.name, d.level, d.parts,
                     p.dimensions[static_cast<size_t>(d.dimension)].symbol.name, d.step,
                     word(d.how)) +
         (d.unroll > 1 ? fmt::format(" unroll {}", d.unroll) : "") +
         (d.axis ? fmt::format(" axis {}", "xyz"[*d.axis]) : "") + "\n";
}

std::string print_emission(const Emission& e) {
  switch (e.order) {
    case Emission::Order::program:
      return "";
    case Emission::Order::serpentine:
      return e.operands.empty() ? "emit serpentine\n"
                                : fmt::format("emit serpentine by ({})\n", print_names(e.operands));
    case Emission::Order::by_operand:
      return fmt::format("emit by ({})\n", print_names(e.operands));
  }
  return "";
}

std::string print_cores(const Cores& c) {
  return fmt::format("cores {} ({}) {}{}\n", c.layer, print_names(c.digits), word(c.dealing),
                     print_on(c.count, c.swizzle));
}

std::string print_buffer(const Buffer& b) {
  std::vector<std::string> extents;
  for (const int64_t n : b.extents) extents.push_back(std::to_string(n));
  std::string text = fmt::format("buffer {} {}: {}[{}]", word(b.role), b.symbol.name,
                                 to_string(b.type), join(extents, ", "));
  if (b.role == Role::temporary) {
    text += fmt::format(" in {} of {} per ({})", b.region, word(b.scope), print_names(b.per));
  }
  if (b.holds > 0) text += fmt::format(" holds {}", b.holds);
  if (b.depth > 1) text += fmt::format(" depth {}", b.depth);
  if (b.streaming) text += " streaming";
  if (b.opaque) text += " opaque";
  if (b.held) text += " held";
  if (b.atomic) text += " atomic";
  if (b.swizzle > 1) text += fmt::format(" swizzle {}", b.swizzle);
  if (b.width > 0) text += fmt::format(" width {}", b.width);
  if (b.across) text += " across " + b.across->name;
  return text + "\n";
}

std::string print_function(const scalar::Function& f) {
  std::vector<std::string> parameters;
  for (const auto& p : f.parameters) {
    parameters.push_back(fmt::format("{}: {}", p.symbol.name, to_string(p.type)));
  }
  std::string body;
  for (const auto& local : f.locals) {
    body += " " + scalar::print_assignment(local, true);
  }
  for (const auto& r : f.results) {
    body += fmt::format(" {}: {} = {};", r.target.name, to_string(r.value.type()),
                        scalar::print(r.value));
  }
  return fmt::format("function {}({}) {{{} }}\n", f.name, join(parameters, ", "), body);
}

}  // namespace

std::string print(const Element& element) {
  return fmt::format("{}[{}]", element.buffer.name, print_exprs(element.index));
}

std::string print(const Program& p) {
  std::string text = fmt::format("mdh_loop 1\nkernel {}\n", p.name);
  const Definitions definitions = definitions_of(p);
  for (const scalar::Record& record : definitions.records) text += print_definition(record);
  for (const scalar::Function& f : definitions.functions) text += print_definition(f);
  for (const Dimension& d : p.dimensions) {
    const std::string edge = d.edge == Edge::automatic ? "" : " edge " + word(d.edge);
    text += fmt::format("dimension {} < {} {}{}\n", d.symbol.name, d.size, word(d.kind), edge);
  }
  for (const Digit& d : p.digits) text += print_digit(p, d);
  for (const Cores& c : p.cores) text += print_cores(c);
  if (p.warp > 1) text += fmt::format("warp {}\n", p.warp);
  for (const Buffer& b : p.buffers) text += print_buffer(b);
  text += print_emission(p.emission);
  if (p.bounds != LaunchBounds{})
    text += fmt::format("bounds {} {}\n", p.bounds.cores, p.bounds.groups);
  if (p.begins_early) text += "early\n";
  text += print_function(p.f);
  text += print_function(p.combine);
  return text + "body " + Printer().block(p.body) + "\n";
}

}  // namespace mdh::loop
