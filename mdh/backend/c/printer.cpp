#include "mdh/backend/c/printer.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "mdh/backend/c/opaque.h"
#include "mdh/backend/c/transpose.h"
#include "mdh/scalar/free.h"
#include "mdh/scalar/linear.h"
#include "mdh/scalar/simplify.h"
#include "mdh/support/text.h"

namespace mdh::backend {
namespace {

using loop::Block;
using loop::Stmt;
using scalar::Expr;

bool mentions(const Block& block, const Symbol& symbol);

bool mentions(const Stmt& s, const Symbol& symbol) {
  bool found = false;
  loop::map_expressions(s, [&](const Expr& e) {
    found = found || scalar::mentions(e, symbol);
    return e;
  });
  loop::for_each_child(s, [&](const Block& b) { found = found || mentions(b, symbol); });
  return found;
}

bool mentions(const Block& block, const Symbol& symbol) {
  return std::any_of(block.begin(), block.end(),
                     [&](const Stmt& s) { return mentions(s, symbol); });
}

const char* note(loop::How how) {
  switch (how) {
    case loop::How::unrolled:
      return ", side by side in registers";
    case loop::How::lanes:
      return ", lanes";
    default:
      return "";
  }
}

void collect(const Block& block, std::set<std::string>& names) {
  for (const Stmt& s : block) {
    const loop::Uses uses = loop::uses_of(s);
    for (const Symbol& b : uses.reads) names.insert(b.name);
    for (const Symbol& b : uses.writes) names.insert(b.name);
    loop::for_each_child(s, [&](const Block& child) { collect(child, names); });
  }
}

void collect_defined(const Block& block, std::set<std::string>& names) {
  for (const Stmt& s : block) {
    for (const Symbol& symbol : loop::defined_by(s)) names.insert(c_name(symbol.name));
    loop::for_each_child(s, [&](const Block& child) { collect_defined(child, names); });
  }
}

std::vector<std::string> names_of(const std::vector<Symbol>& symbols) {
  std::vector<std::string> names;
  for (const Symbol& symbol : symbols) names.push_back(c_name(symbol.name));
  return names;
}

int64_t calls_in(const Block& block) {
  int64_t calls = 0;
  for (const Stmt& s : block) {
    if (s.as<loop::Apply>() || s.as<loop::Combine>() || s.as<loop::AtomicCombine>()) ++calls;
    loop::for_each_child(s, [&](const Block& b) { calls += calls_in(b); });
  }
  return calls;
}

bool writes(const Block& block, const Symbol& buffer) {
  return std::any_of(block.begin(), block.end(), [&](const Stmt& s) {
    const std::vector<Symbol> written = loop::uses_of(s).writes;
    bool found = std::find(written.begin(), written.end(), buffer) != written.end();
    loop::for_each_child(s, [&](const Block& b) { found = found || writes(b, buffer); });
    return found;
  });
}

/// How many rounds a loop in the block has is computed from the variable.
bool counts_by(const Symbol& variable, const Block& block) {
  return std::any_of(block.begin(), block.end(), [&](const Stmt& s) {
    const auto* loop = s.as<loop::For>();
    bool found = loop && scalar::mentions(loop->trip, variable);
    loop::for_each_child(s, [&](const Block& b) { found = found || counts_by(variable, b); });
    return found;
  });
}

}  // namespace

std::vector<loop::Buffer> mentioned(const loop::Program& p, const Block& block) {
  std::set<std::string> names;
  collect(block, names);
  std::vector<loop::Buffer> buffers;
  for (const loop::Buffer& b : p.buffers) {
    if (names.contains(b.symbol.name)) buffers.push_back(b);
  }
  return buffers;
}

CPrinter::CPrinter(const loop::Program& p, Dialect dialect, scalar::Scalar index)
    : program_(p), facts_(facts_of(dialect)), expressions_(dialect, calls_in(p.body), index) {
  for (const loop::Buffer& b : p.buffers) taken_.insert(c_name(b.symbol.name));
  for (const loop::Digit& d : p.digits) taken_.insert(c_name(d.var.name));
  for (const loop::Dimension& d : p.dimensions) taken_.insert(c_name(d.symbol.name));
  collect_defined(p.body, taken_);
}

std::string CPrinter::comment(const std::string& level, loop::How how) {
  if (level.empty()) return "";
  return fmt::format("  /* {}{} */", level, note(how));
}

std::string CPrinter::block(const Block& statements) {
  const RegisterMap outside = registers_;
  const std::set<std::string> referred = referred_;
  std::set<std::string> begun;  // what begins anew in the same block is declared already
  std::string text;
  for (auto at = statements.begin(); at != statements.end(); ++at) {
    const auto rest = [&] { return Block(at + 1, statements.end()); };
    if (const auto* begin = at->as<loop::Alloc>()) {
      if (!begun.insert(begin->buffer.name).second) continue;
      text += begins(find_buffer(program_, begin->buffer), rest());
      continue;
    }
    if (const auto* load = at->as<loop::Load>(); load && refers(*load, rest())) {
      text += reference(*load);
      continue;
    }
    if (const auto* f = at->as<loop::Apply>()) text += places_of_results(*f, rest());
    for (const Symbol& symbol : loop::defined_by(*at)) referred_.erase(symbol.name);
    // An index that nothing uses would only be noise.
    const auto* let = at->as<loop::Let>();
    if (!let || mentions(rest(), let->var)) text += statement(*at);
  }
  registers_ = outside;
  referred_ = referred;
  return text;
}

/// A record is large and f reads a few of its fields: it is read where it lies, unless it lies in
/// variables or something is written there before the block ends. (In OpenCL C, pointers tell in
/// which memory, and functions take them to private memory only.)
bool CPrinter::refers(const loop::Load& s, const Block& rest) const {
  const loop::Buffer& b = find_buffer(program_, s.from.buffer);
  return facts_.has_one_memory && !b.type.is_scalar() && !registers_.contains(b.symbol.name) &&
         !writes(rest, b.symbol);
}

std::string CPrinter::reference(const loop::Load& s) {
  referred_.insert(s.result.name);
  return fmt::format("const {} *const {} = &{};\n",
                     expressions_.storage_type(find_buffer(program_, s.from.buffer).type),
                     c_name(s.result.name), element(s.from));
}

/// Of results that are stored right behind f, which loops.
std::string CPrinter::places_of_results(const loop::Apply& s, const Block& rest) {
  if (!facts_.knows_places_before_loops || !scalar::has_loop(program_.f)) return "";
  std::string text;
  for (const Stmt& next : rest) {
    const auto* store = next.as<loop::Store>();
    if (!store || std::find(s.results.begin(), s.results.end(), store->value) == s.results.end()) {
      break;
    }
    if (registers_.contains(store->to.buffer.name)) continue;
    std::string place = c_name(store->value.name) + "_place";
    while (!taken_.insert(place).second) place += "_";
    const std::string to = element(store->to);
    places_[to] = place;
    text += fmt::format("{} *const {} = &{};\n",
                        expressions_.storage_type(find_buffer(program_, store->to.buffer).type),
                        place, to);
  }
  return text;
}

std::string CPrinter::value(const Symbol& symbol) const {
  return (referred_.contains(symbol.name) ? "*" : "") + c_name(symbol.name);
}

std::vector<std::string> CPrinter::values(const std::vector<Symbol>& symbols) const {
  std::vector<std::string> texts;
  for (const Symbol& symbol : symbols) texts.push_back(value(symbol));
  return texts;
}

std::string CPrinter::statement(const Stmt& s) {
  return std::visit([&](const auto& kind) { return print(kind); }, s.node().is);
}

void CPrinter::unprintable(const char* what) {
  internal_failure(false, fmt::format("{} reached the printer", what));
}

std::string CPrinter::print(const loop::Let& s) {
  return fmt::format("const {} {} = {};\n", index(), c_name(s.var.name),
                     expressions_.print_index(s.value));
}

std::string CPrinter::print(const loop::Load& s) {
  const scalar::Type& type = find_buffer(program_, s.from.buffer).type;
  return fmt::format("const {} {} = {};\n", expressions_.value_type(type), c_name(s.result.name),
                     expressions_.load(type, element(s.from)));
}

std::string CPrinter::print(const loop::Store& s) {
  std::string to = element(s.to);
  if (const auto place = places_.extract(to)) to = "*" + place.mapped();
  return expressions_.store(find_buffer(program_, s.to.buffer).type, to, value(s.value));
}

std::string CPrinter::async_copy(const loop::AsyncCopy& s) {
  return fmt::format("{} = {};\n", element(s.to), element(s.from));
}

std::string CPrinter::print(const loop::Prefetch& s) {
  if (!facts_.is_gnu) return "";
  return fmt::format("__builtin_prefetch(&{});\n", element(s.what));
}

/// Only variables: what an array holds is read again anyway.
std::string CPrinter::print(const loop::Opaque& s) {
  const auto found = registers_.find(s.buffer.name);
  if (found == registers_.end() || !facts_.is_gnu) return "";
  const scalar::Scalar type = scalar_of(find_buffer(program_, s.buffer).type);
  std::string text;
  for (const int64_t n : found->second.variables) {
    text += made_opaque(expressions_.definitions(), type, found->second.lanes,
                        found->second.variable(n));
  }
  return text;
}

/// Vectors in C; where there are none, loops.
std::string CPrinter::print(const loop::Transpose& s) {
  if (!facts_.is_gnu) return element_by_element(s);
  const auto place = [&](const loop::Element& e) {
    const Expr address = address_of(program_, e);
    const Expr first = with_value(with_value(address, s.stored.var, 0), s.loaded.var, 0);
    return fmt::format("&{}[{}]", c_name(e.buffer.name), expressions_.print_index(first));
  };
  const auto stride = [&](const loop::Element& e, const loop::Counter& along) {
    return *scalar::coefficient(address_of(program_, e), along.var);
  };
  const scalar::Scalar type = scalar_of(find_buffer(program_, s.to.buffer).type);
  return fmt::format("{}({}, {}, {}, {});\n",
                     square_transpose(expressions_.definitions(), type, s.stored.count),
                     place(s.to), stride(s.to, s.loaded), place(s.from), stride(s.from, s.stored));
}

std::string CPrinter::element_by_element(const loop::Transpose& s) {
  Symbol value = loop::named("moved");
  while (taken_.contains(c_name(value.name))) value.name += "_";
  Block body = {loop::StmtNode{loop::Load{value, s.from}},
                loop::StmtNode{loop::Store{s.to, value}}};
  for (const loop::Counter& c : {s.stored, s.loaded}) {
    body = {loop::StmtNode{
        loop::For{c.var, scalar::index_literal(c.count), loop::How::sequential, "", body}}};
  }
  return block(body);
}

/// How often the body of a loop is to be written: no more often than it runs, where that is known.
int64_t CPrinter::times_written(const loop::For& s) const {
  const int64_t asked = is_digit(program_, s.var) ? find_digit(program_, s.var).unroll : 1;
  if (!facts_.unrolls_known_counts) return asked;
  const auto trip = constant(s.trip);
  return trip ? std::min(asked, *trip - s.first) : 1;
}

std::string CPrinter::goes_on(const loop::For& s) const {
  const auto trip = constant(s.trip);
  const bool is_at_risk =
      facts_.loses_rounds && trip && *trip > s.first && counts_by(s.var, s.body);
  return is_at_risk ? "!=" : "<";
}

std::string CPrinter::print(const loop::For& s) {
  const std::string var = c_name(s.var.name);
  const int64_t unroll = times_written(s);
  const std::string pragma = unroll <= 1 ? "" : fmt::format("{} {}\n", facts_.unroll, unroll);
  return fmt::format("{5}for ({6} {0} = {1}; {0} {7} {2}; ++{0}) {{{3}\n{4}}}\n", var, s.first,
                     expressions_.print_index(s.trip), comment(s.level, s.how),
                     indent(block(s.body), 2), pragma, index(), goes_on(s));
}

/// OpenCL C has vectors, too, but its compilers find lanes by themselves: work-items.
std::string CPrinter::print(const loop::Lanes& s) {
  if (facts_.is_gnu) return print_lanes(program_, s, registers_, expressions_);
  return print(loop::For{s.var, scalar::index_literal(s.count), loop::How::lanes, s.level, s.body});
}

std::string CPrinter::begins(const loop::Buffer& b, const Block& rest) {
  auto registers = registers_of(program_, b, rest, facts_.is_gnu);
  registers_.erase(b.symbol.name);
  if (b.scope == loop::Scope::registers) {
    (registers ? as_variables_ : as_arrays_).insert(b.symbol.name);
  }
  if (!registers) return alloc(b);
  std::set<std::string> others;
  for (const auto& [buffer, other] : registers_) {
    for (const int64_t n : other.variables) others.insert(other.variable(n));
  }
  const auto clashes = [&](int64_t n) {
    const std::string name = registers->variable(n);
    return taken_.contains(name) || others.contains(name);
  };
  while (std::any_of(registers->variables.begin(), registers->variables.end(), clashes)) {
    registers->name += "_";
  }
  registers_[b.symbol.name] = *registers;
  return declared(*registers, b);
}

/// At the edges, tiles have bodies of their own, with loops: an array there is no surprise.
std::vector<std::string> CPrinter::arrays() const {
  std::vector<std::string> names;
  std::set_difference(as_arrays_.begin(), as_arrays_.end(), as_variables_.begin(),
                      as_variables_.end(), std::back_inserter(names));
  return names;
}

std::string CPrinter::declared(const Registers& registers, const loop::Buffer& b) {
  if (registers.variables.empty()) return "";
  std::vector<std::string> names;
  for (const int64_t n : registers.variables) names.push_back(registers.variable(n));
  const std::string type = registers.lanes == 1 ? expressions_.storage_type(b.type)
                                                : vector_type(expressions_.definitions(),
                                                              scalar_of(b.type), registers.lanes);
  return fmt::format("{} {};  /* {} */\n", type, join(names, ", "), b.region);
}

std::string CPrinter::print(const loop::If& s) {
  std::string text = fmt::format("if ({}) {{\n{}}}", expressions_.print_index(s.condition),
                                 indent(block(s.then), 2));
  if (!s.otherwise.empty()) text += fmt::format(" else {{\n{}}}", indent(block(s.otherwise), 2));
  return text + "\n";
}

std::string CPrinter::print(const loop::Apply& s) {
  std::vector<std::string> arguments = values(s.inputs);
  for (const Expr& index : s.point) arguments.push_back(expressions_.index_argument(index));
  return expressions_.call(program_.f, arguments, names_of(s.results));
}

std::string CPrinter::print(const loop::Combine& s) {
  std::vector<std::string> arguments = values(s.left);
  for (const std::string& right : values(s.right)) arguments.push_back(right);
  return expressions_.call(program_.combine, arguments, names_of(s.results));
}

std::string CPrinter::element(const loop::Element& e) {
  const auto registers = registers_.find(e.buffer.name);
  if (registers != registers_.end()) {
    return registers->second.element(places_of(program_, e, nullptr)->front());
  }
  return fmt::format("{}[{}]", beginning(e), address(e));
}

namespace {

/// The digit of a number whose neighbours are `stride` apart.
std::string digit_of(const std::string& flat, int64_t stride, int64_t count, bool is_first) {
  if (count == 1) return "0";
  if (stride == 1) return is_first ? flat : fmt::format("{} % {}", flat, count);
  if (is_first) return fmt::format("{} / {}", flat, stride);
  return fmt::format("({} / {}) % {}", flat, stride, count);
}

}  // namespace

std::string CPrinter::unflattened(const std::vector<loop::Counter>& counters,
                                  const std::string& flat) const {
  std::string text;
  const int64_t all = loop::volume_of(counters);
  int64_t stride = all;
  for (const loop::Counter& c : counters) {
    const bool is_first = stride == all;
    stride /= c.count;
    text += fmt::format("const {} {} = {};\n", index(), c_name(c.var.name),
                        digit_of(flat, stride, c.count, is_first));
  }
  return text;
}

std::string CPrinter::instance(const loop::Buffer& b) const {
  std::string text;
  for (const Symbol& digit : b.per) {
    const std::string var = c_name(digit.name);
    text = text.empty()
               ? var
               : fmt::format("({} * {} + {})", text, find_digit(program_, digit).parts, var);
  }
  return text;
}

}  // namespace mdh::backend
