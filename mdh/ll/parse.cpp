#include "mdh/ll/parse.h"

#include <algorithm>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"
#include "mdh/support/text.h"

namespace mdh::ll {
namespace {

using scalar::Token;
using scalar::TokenStream;

/// Levels and places name dimensions and buffers of the computation, which stands last: they are
/// kept as names until then.
struct NamedLevel {
  std::string layer, dimension;
  Location where;
};
struct NamedPlace {
  std::string buffer;
  Place place;
  Location where;
};
struct NamedOperator {
  NamedLevel level;
  std::string verb;
  TaggedOperator op;
  std::vector<NamedPlace> places;
};

/// The line `code {...}` is JSON and the others are not. Each gets a text in which the rest is
/// blank, so that lines and columns of messages stay right.
struct SeparatedText {
  explicit SeparatedText(std::string_view text) : program(text), code(text) {
    // Further down it is the name of something.
    size_t begin = text.substr(0, text.find("\ndecompose")).find("\ncode ");
    begin = begin == std::string_view::npos ? text.size() : begin + 1;
    const size_t end = std::min(text.find('\n', begin), text.size());
    const size_t json = std::min(begin + std::string_view("code").size(), end);
    blank(program, begin, end);
    blank(code, 0, json);
    blank(code, end, code.size());
    has_code = json < end;
    code_line = 1 + static_cast<int>(std::count(
                        text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
  }

  static void blank(std::string& text, size_t from, size_t to) {
    std::replace_if(
        text.begin() + static_cast<std::ptrdiff_t>(from),
        text.begin() + static_cast<std::ptrdiff_t>(to), [](char c) { return c != '\n'; }, ' ');
  }

  std::string program, code;
  bool has_code = false;
  int code_line = 1;
};

/// Dimensions and buffers that the code speaks of are those of the program. Its layers are those of
/// the machine, which the text only names.
class CodeNames {
 public:
  CodeNames(const Program& p, Location where) : p_(p), where_(std::move(where)) {}

  void check() const {
    for (const auto& [buffer, stages] : p_.code.stage) {
      expect(is_one_of(p_.computation.inputs, buffer), "input", buffer);
      for (const StageCode& stage : stages) {
        if (stage.prefetch) dimension(stage.prefetch->level.dimension);
        if (stage.roll) dimension(stage.roll->dimension);
        if (stage.across) dimension(stage.across->dimension);
      }
    }
    for (const auto& [name, edge] : p_.code.edge) dimension(name);
    for (const auto& [level, how] : p_.code.combine) dimension(level.dimension);
    for (const auto& [level, times] : p_.code.kernel.unroll) dimension(level.dimension);
  }

 private:
  template <class Named>
  static bool is_one_of(const std::vector<Named>& all, const std::string& name) {
    return std::any_of(all.begin(), all.end(),
                       [&](const Named& one) { return one.symbol.name == name; });
  }
  void expect(bool is_known, const char* kind, const std::string& name) const {
    if (is_known) return;
    user_error("E331", where_, fmt::format("code: there is no {} '{}'", kind, name),
               "code speaks of the program's own dimensions and inputs");
  }
  void dimension(const std::string& name) const {
    expect(is_one_of(p_.computation.dimensions, name), "dimension", name);
  }

  const Program& p_;
  Location where_;
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : tokens_(text, file) {}

  Program run() {
    tokens_.expect("mdh_ll", "in the first line ('mdh_ll 1')");
    const Location where = tokens_.peek().where;
    if (const int64_t version = tokens_.expect_integer("after 'mdh_ll'"); version != 1) {
      user_error("E206", where, fmt::format("version {} of the text form is unknown", version),
                 "this mdh reads 'mdh_ll 1'");
    }
    tokens_.expect("machine", "here");
    p_.machine = tokens_.expect_name("of the machine").text;
    tokens_.expect("layers", "here");
    p_.layers = names("layers");
    if (tokens_.accept("axes")) p_.axes = names("layers with axes");
    decompose_ = phase("decompose", "reads");
    scalar();
    recompose_ = phase("recompose", "writes");
    p_.computation = hl::parse_declaration(tokens_);
    if (!hl::is_concrete(p_.computation)) {
      p_.computation = hl::instantiate_open(p_.computation, {});
    }
    if (tokens_.peek().kind != Token::Kind::end) tokens_.fail("the end", "after the program");
    resolve();
    return p_;
  }

 private:
  std::vector<std::string> names(const char* what) {
    std::vector<std::string> all;
    do {
      all.push_back(tokens_.expect_name(fmt::format("in the list of {}", what)).text);
    } while (tokens_.accept(","));
    return all.size() == 1 && all[0] == "none" ? std::vector<std::string>{} : all;
  }

  std::vector<NamedOperator> phase(const char* keyword, const char* verb) {
    std::vector<NamedOperator> operators;
    tokens_.expect(keyword, "here");
    tokens_.expect("{", "to begin the phase");
    while (!tokens_.accept("}")) {
      NamedOperator named;
      named.level = level();
      tokens_.expect(":", "after the level");
      named.verb = this->verb();
      named.op.parts =
          tokens_.accept("*") ? open_parts : tokens_.expect_integer("(the number of parts)");
      tokens_.expect("on", "before the machine's layer");
      named.op.layer = tokens_.expect_name("of a layer").text;
      tokens_.expect(".", "after the layer");
      named.op.dimension = tokens_.expect_name("of a machine dimension").text;
      tokens_.expect(verb, "before the places");
      named.places = places();
      tokens_.expect(";", "after the places");
      operators.push_back(std::move(named));
    }
    return operators;
  }

  std::string verb() {
    std::string text = tokens_.expect_name("of an operator").text;
    if (!tokens_.accept("(")) return text;
    text += "(" + join(names("operators"), ", ") + ")";
    tokens_.expect(")", "after the operators");
    return text;
  }

  NamedLevel level() {
    const Token layer = tokens_.expect_name("of a layer");
    tokens_.expect(".", "after the layer");
    return {layer.text, tokens_.expect_name("of a dimension").text, layer.where};
  }

  std::vector<NamedPlace> places() {
    std::vector<NamedPlace> all;
    if (tokens_.peek(1).text != ":" && tokens_.accept("nothing")) return all;
    do {
      const Token buffer = tokens_.expect_name("of a buffer");
      NamedPlace named{buffer.text, {}, buffer.where};
      tokens_.expect(":", "after the buffer");
      named.place.region = tokens_.expect_name("of a region").text;
      tokens_.expect("[", "to begin the layout");
      if (!tokens_.accept("]")) {
        do {
          named.place.layout.push_back(axis());
        } while (tokens_.accept(","));
        tokens_.expect("]", "after the layout");
      }
      all.push_back(std::move(named));
    } while (tokens_.accept(","));
    return all;
  }

  Axis axis() {
    const auto dimension = static_cast<int>(tokens_.expect_integer("in the layout"));
    if (!tokens_.accept("@")) return dimension;
    return {dimension, tokens_.expect_name("of a layer").text};
  }

  void scalar() {
    tokens_.expect("scalar", "here");
    tokens_.expect("{", "to begin the scalar phase");
    tokens_.expect("order", "here");
    if (!tokens_.accept("none")) {
      do {
        order_.push_back(level());
        slots_.emplace_back();
        if (!tokens_.accept("on")) continue;
        slots_.back() = MachineLevel{tokens_.expect_name("of a layer").text, ""};
        tokens_.expect(".", "after the layer");
        slots_.back()->axis = tokens_.expect_name("of a machine dimension").text;
      } while (tokens_.accept(","));
    }
    tokens_.expect(";", "after the order");
    tokens_.expect("reads", "here");
    reads_ = places();
    tokens_.expect(";", "after the places");
    tokens_.expect("writes", "here");
    writes_ = places();
    tokens_.expect(";", "after the places");
    tokens_.expect("}", "to end the scalar phase");
  }

  // ---- resolving

  void resolve() {
    for (const NamedLevel& level : order_) p_.scalar.order.push_back(resolved(level));
    p_.scalar.reads = resolved(reads_, p_.computation.inputs);
    p_.scalar.writes = resolved(writes_, p_.computation.outputs);
    for (NamedOperator& named : decompose_) {
      check_verb(named, "cc_inv");
      p_.decompose.push_back(resolved(named, p_.computation.inputs));
    }
    for (NamedOperator& named : recompose_) {
      const Level level = resolved(named.level);
      check_verb(named, hl::print(p_.computation.dimensions[level.dimension].combine));
      p_.recompose.push_back(resolved(named, p_.computation.outputs));
    }
    for (size_t n = 0; n < slots_.size(); ++n) {
      p_.scalar.assignment.push_back(slots_[n] ? *slots_[n]
                                               : slot_of(p_.decompose, p_.scalar.order[n]));
    }
  }

  static void check_verb(const NamedOperator& named, const std::string& expected) {
    if (named.verb == expected) return;
    user_error("E330", named.level.where,
               fmt::format("level {}.{} is combined by {}, not by {}", named.level.layer,
                           named.level.dimension, expected, named.verb));
  }

  TaggedOperator resolved(const NamedOperator& named,
                          const std::vector<hl::BufferView>& buffers) const {
    TaggedOperator op = named.op;
    op.level = resolved(named.level);
    op.places = resolved(named.places, buffers);
    return op;
  }

  Level resolved(const NamedLevel& level) const {
    const auto layer = std::find(p_.layers.begin(), p_.layers.end(), level.layer);
    const auto& dimensions = p_.computation.dimensions;
    const auto dimension =
        std::find_if(dimensions.begin(), dimensions.end(),
                     [&](const hl::Dimension& d) { return d.symbol.name == level.dimension; });
    if (layer == p_.layers.end() || dimension == dimensions.end()) {
      user_error("E331", level.where,
                 fmt::format("there is no level {}.{}", level.layer, level.dimension),
                 "a level is a listed layer and a dimension of the program");
    }
    return {static_cast<int>(layer - p_.layers.begin()),
            static_cast<int>(dimension - dimensions.begin())};
  }

  [[noreturn]] static void refuse_places(const std::vector<NamedPlace>& places,
                                         const std::string& buffer) {
    user_error("E332", places.empty() ? Location{} : places.front().where,
               fmt::format("every buffer has one place; '{}' is amiss", buffer));
  }

  static std::vector<Place> resolved(const std::vector<NamedPlace>& places,
                                     const std::vector<hl::BufferView>& buffers) {
    std::vector<Place> all;
    for (const hl::BufferView& buffer : buffers) {
      const auto found = std::find_if(places.begin(), places.end(), [&](const NamedPlace& place) {
        return place.buffer == buffer.symbol.name;
      });
      if (found == places.end()) refuse_places(places, buffer.symbol.name);
      all.push_back(found->place);
    }
    if (places.size() != buffers.size()) refuse_places(places, places.back().buffer);
    return all;
  }

  TokenStream tokens_;
  Program p_;
  std::vector<NamedOperator> decompose_, recompose_;
  std::vector<NamedLevel> order_;
  std::vector<std::optional<MachineLevel>> slots_;
  std::vector<NamedPlace> reads_, writes_;
};

}  // namespace

Program parse(std::string_view text, const std::string& file) {
  const SeparatedText separated(text);
  Program p = Parser(separated.program, file).run();
  if (separated.has_code) {
    p.code = parse_code(separated.code, file);
    CodeNames(p, {std::make_shared<const std::string>(file), separated.code_line, 1}).check();
  }
  try {
    verify(p);
  } catch (const Error& e) {
    user_error("E333", {std::make_shared<const std::string>(file), 1, 1},
               "not a well-formed low-level program: " + e.diagnostic().message);
  }
  return p;
}

}  // namespace mdh::ll
