#include "mdh/loop/parse.h"

#include <algorithm>
#include <tuple>

#include "mdh/loop/keywords.h"
#include "mdh/loop/parse_buffer.h"
#include "mdh/loop/parse_function.h"
#include "mdh/loop/parse_pieces.h"
#include "mdh/loop/verify.h"
#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/parse_definitions.h"

namespace mdh::loop {
namespace {

using scalar::Scalar;
using scalar::Token;

class Parser : private PieceParser {
 public:
  Parser(std::string_view text, const std::string& file) : PieceParser(text, file) {}

  Program run() {
    tokens_.expect("mdh_loop", "in the first line ('mdh_loop 1')");
    const Location where = tokens_.peek().where;
    if (const int64_t version = tokens_.expect_integer("after 'mdh_loop'"); version != 1) {
      user_error("E206", where, fmt::format("version {} of the text form is unknown", version),
                 "this mdh reads 'mdh_loop 1'");
    }
    tokens_.expect("kernel", "here");
    p_.name = tokens_.expect_name("of the kernel").text;
    definitions();
    while (tokens_.accept("dimension")) dimension();
    while (tokens_.accept("digit")) digit();
    while (tokens_.accept("cores")) cores();
    if (tokens_.accept("warp")) p_.warp = tokens_.expect_integer("(cores of a warp)");
    while (tokens_.accept("buffer")) p_.buffers.push_back(parse_buffer(tokens_, scope_));
    if (tokens_.accept("emit")) p_.emission = parse_emission(tokens_);
    if (tokens_.accept("bounds")) p_.bounds = bounds();
    p_.begins_early = tokens_.accept("early");
    p_.f = parse_function(tokens_, "f", scope_);
    p_.combine = parse_function(tokens_, "combine", scope_);
    tokens_.expect("body", "here");
    p_.body = block();
    if (tokens_.peek().kind != Token::Kind::end) tokens_.fail("the end", "after the body");
    return p_;
  }

 private:
  // ---- declarations

  /// Records and functions of the user are known by name to what follows.
  void definitions() {
    for (;;) {
      if (tokens_.accept("record")) {
        scalar::parse_record(tokens_, scope_);
      } else if (tokens_.accept("fun")) {
        scalar::parse_function(tokens_, scope_);
      } else {
        return;
      }
    }
  }

  /// One of a closed list.
  template <class Choice>
  Choice word_of(std::optional<Choice> (*find)(std::string_view), const char* expected,
                 const char* where) {
    const auto found = find(tokens_.peek().text);
    if (!found) tokens_.fail(expected, where);
    tokens_.next();
    return *found;
  }

  void dimension() {
    Dimension d;
    d.symbol = named(tokens_.expect_name("of a dimension").text);
    tokens_.expect("<", "after the dimension");
    d.size = tokens_.expect_integer("(the size)");
    d.kind = word_of(find_kind, "kept, reduced or scanned", "after the size");
    if (tokens_.accept("edge")) {
      d.edge = word_of(find_edge, "auto, clamp, pad, mask or overlap", "after 'edge'");
    }
    p_.dimensions.push_back(d);
  }

  void digit() {
    Digit d;
    d.var = named(tokens_.expect_name("of a digit").text);
    tokens_.expect(":", "after the digit");
    d.level = level_name();
    tokens_.expect("<", "after the level");
    d.parts = tokens_.expect_integer("(the number of parts)");
    tokens_.expect("of", "after the number of parts");
    const Token name = tokens_.expect_name("of a dimension");
    const auto found = std::find_if(p_.dimensions.begin(), p_.dimensions.end(),
                                    [&](const Dimension& x) { return x.symbol.name == name.text; });
    if (found == p_.dimensions.end()) {
      user_error("E402", name.where, fmt::format("unknown dimension '{}'", name.text));
    }
    d.dimension = static_cast<int>(found - p_.dimensions.begin());
    tokens_.expect("step", "after the dimension");
    d.step = tokens_.expect_integer("(the step)");
    d.how = word_of(find_how, "sequential, grid, cores, unrolled or lanes", "after the step");
    if (tokens_.accept("unroll")) d.unroll = tokens_.expect_integer("(rounds written out)");
    if (tokens_.accept("axis")) d.axis = word_of(find_axis, "x, y or z", "after 'axis'");
    p_.digits.push_back(d);
  }

  LaunchBounds bounds() {
    const int64_t cores = tokens_.expect_integer("(cores of a group)");
    return {cores, tokens_.expect_integer("(groups of a multiprocessor)")};
  }

  void cores() {
    Cores c;
    c.layer = tokens_.expect_name("of a layer").text;
    c.digits = names_in_parentheses();
    c.dealing = word_of(find_dealing, "block, cyclic or dynamic", "after the digits");
    c.count = core_count();
    c.swizzle = swizzle();
    p_.cores.push_back(c);
  }

  int64_t core_count() {
    return tokens_.accept("on") ? tokens_.expect_integer("(the number of cores)") : 0;
  }

  int64_t swizzle() {
    return tokens_.accept("swizzle") ? tokens_.expect_integer("(rows side by side)") : 1;
  }

  // ---- statements

  /// Everything that walks over blocks is recursive, so they are not nested without limit.
  Block block() {
    Block statements;
    if (++depth_ > 200) tokens_.fail("a simpler body", "(nested too deeply)");
    tokens_.expect("{", "to begin a block");
    while (!tokens_.accept("}")) statements.push_back(statement());
    --depth_;
    return statements;
  }

  Stmt statement() {
    const Token keyword = tokens_.expect_name("of a statement");
    if (keyword.text == "loop") {
      const Symbol digit = named(tokens_.expect_name("of a digit").text);
      return StmtNode{Loop{digit, block()}};
    }
    if (keyword.text == "for") return for_loop();
    if (keyword.text == "deal") return deal();
    if (keyword.text == "if") return choice();
    if (keyword.text == "lanes") return lanes();
    if (keyword.text == "last") {
      const Symbol over = name("of a share");
      return StmtNode{Last{over, block()}};
    }
    return simple(keyword);
  }

  Stmt simple(const Token& keyword) {
    Stmt s = simple_without_semicolon(keyword);
    tokens_.expect(";", "after the statement");
    return s;
  }

  Stmt simple_without_semicolon(const Token& keyword) {
    if (keyword.text == "alloc") {
      return StmtNode{Alloc{named(tokens_.expect_name("of a buffer").text)}};
    }
    if (keyword.text == "commit") return StmtNode{Commit{}};
    if (keyword.text == "wait") {
      return StmtNode{Wait{tokens_.expect_integer("(the groups that stay in flight)")}};
    }
    if (keyword.text == "copy") return copy();
    if (keyword.text == "accumulate") return accumulate();
    if (keyword.text == "write_up") return write_up();
    if (keyword.text == "team_combine") return team_combine();
    if (keyword.text == "scan_step") return scan_step();
    if (keyword.text == "scan_fix") return scan_fix();
    if (keyword.text == "exchange") return exchange();
    if (keyword.text == "follow") return follow();
    if (keyword.text == "meet") return StmtNode{Meet{name("of a share")}};
    if (keyword.text == "atomic_combine") {
      const std::vector<Element> to = elements();
      tokens_.expect("from", "after the elements");
      return StmtNode{AtomicCombine{to, names_in_parentheses()}};
    }
    if (keyword.text == "atomic_take") {
      const std::vector<Symbol> results = names_in_parentheses();
      tokens_.expect("from", "after the names");
      return StmtNode{AtomicTake{results, elements()}};
    }
    if (keyword.text == "barrier") return StmtNode{Barrier{team()}};
    if (keyword.text == "let") {
      const Symbol var = assigned();
      return StmtNode{Let{var, index_expression()}};
    }
    if (keyword.text == "load") return load();
    if (keyword.text == "store") return store();
    if (keyword.text == "async") {
      const int64_t width = tokens_.accept("wide") ? tokens_.expect_integer("(elements)") : 1;
      const auto [to, from] = assignment();
      return StmtNode{AsyncCopy{to, from, width}};
    }
    if (keyword.text == "prefetch") return StmtNode{Prefetch{element()}};
    if (keyword.text == "opaque") {
      return StmtNode{Opaque{named(tokens_.expect_name("of a buffer").text)}};
    }
    if (keyword.text == "transpose") return transpose();
    if (keyword.text == "apply") return apply();
    if (keyword.text == "combine") return combine();
    user_error("E401", keyword.where, fmt::format("unknown statement '{}'", keyword.text));
  }

  Stmt load() {
    if (tokens_.peek().text != "(") {
      const Symbol result = assigned();
      return StmtNode{Load{result, element()}};
    }
    const std::vector<Symbol> results = names_in_parentheses();
    tokens_.expect("=", "after the names");
    return StmtNode{WideLoad{results, element()}};
  }

  Stmt store() {
    Store s;
    s.to = element();
    tokens_.expect("=", "after the element");
    if (tokens_.peek().text == "(") {
      const std::vector<Symbol> values = names_in_parentheses();
      return StmtNode{WideStore{s.to, values, tokens_.accept("streaming")}};
    }
    s.value = named(tokens_.expect_name("of a value").text);
    s.streaming = tokens_.accept("streaming");
    return StmtNode{s};
  }

  Stmt exchange() {
    Exchange s;
    s.shares = counters();
    tokens_.expect("over", "after the shares");
    s.over = name("of a share");
    tokens_.expect("by", "after the share");
    const int64_t sign = tokens_.accept("-") ? -1 : 1;
    s.by = sign * tokens_.expect_integer("(how many shares further)");
    std::tie(s.to, s.from) = assignment();
    return StmtNode{s};
  }

  Stmt follow() {
    const Symbol over = name("of a share");
    tokens_.expect("from", "after the share");
    const Expr first = index_expression();
    tokens_.expect("step", "after the first share");
    Follow s{over, first, tokens_.expect_integer("(from one share to the next)")};
    if (tokens_.accept("tells")) {
      s.tells = elements();
      if (tokens_.accept("if")) {
        s.has_any = typed(scalar::parse_expression(tokens_), Scalar::boolean);
      }
      tokens_.expect("hears", "after what is told");
      s.nth = name("of a counter");
      s.hears = elements();
    }
    return StmtNode{s};
  }

  Stmt transpose() {
    const Token here = tokens_.peek();
    const std::vector<Counter> both = counters();
    if (both.size() != 2) user_error("E401", here.where, "'transpose' has two counters");
    const auto [to, from] = assignment();
    return StmtNode{Transpose{both[0], both[1], to, from}};
  }

  Team team() {
    const auto team = find_team(tokens_.peek().text);
    if (!team) tokens_.fail("grid, cores, all or warp", "here");
    tokens_.next();
    return *team;
  }

  Stmt copy() {
    const auto transport = find_transport(tokens_.peek().text);
    if (transport) tokens_.next();
    Copy s{counters(), element(), {}, {}, {}, transport.value_or(Transport::plain)};
    tokens_.expect("=", "after the element");
    s.from = element();
    tokens_.expect("within", "after the elements");
    tokens_.expect("(", "to begin the conditions");
    if (!tokens_.accept(")")) {
      do {
        s.within.push_back(typed(scalar::parse_expression(tokens_), Scalar::boolean));
      } while (tokens_.accept(","));
      tokens_.expect(")", "after the conditions");
    }
    tokens_.expect("team", "after the conditions");
    s.team = names_in_parentheses();
    if (tokens_.accept("roll")) s.roll = roll();
    if (tokens_.accept("ahead")) s.ahead = ahead();
    if (tokens_.accept("across")) s.across = named(tokens_.expect_name("of a digit").text);
    if (tokens_.accept("blocks")) s.blocks = counters();
    if (tokens_.accept("whole")) s.whole = tokens_.expect_integer("(axes)");
    return StmtNode{s};
  }

  Roll roll() {
    Roll r;
    r.digit = named(tokens_.expect_name("of a digit").text);
    tokens_.expect("along", "after the digit");
    r.axis = named(tokens_.expect_name("of an axis").text);
    tokens_.expect("by", "after the axis");
    r.by = tokens_.expect_integer("(how far it moves)");
    return r;
  }

  Ahead ahead() {
    Ahead a;
    a.digit = named(tokens_.expect_name("of a digit").text);
    tokens_.expect("by", "after the digit");
    a.by = tokens_.expect_integer("(how many iterations)");
    return a;
  }

  Stmt accumulate() {
    const Target t = target();
    tokens_.expect("from", "after the target");
    return StmtNode{Accumulate{elements(), t}};
  }

  Stmt write_up() {
    const std::vector<Symbol> over = names_in_parentheses();
    const Target t = target();
    tokens_.expect("from", "after the target");
    return StmtNode{WriteUp{over, elements(), t}};
  }

  Stmt team_combine() {
    TeamCombine s;
    s.over = named(tokens_.expect_name("of a digit").text);
    const auto how = find_meeting(tokens_.peek().text);
    if (how && *how != Meeting::in_order) {
      s.how = *how;
      tokens_.next();
    }
    tokens_.expect("elements", "after the digit");
    s.elements = names_in_parentheses();
    s.target = target();
    tokens_.expect("from", "after the target");
    s.from = elements();
    return StmtNode{s};
  }

  ScanShape shape() {
    ScanShape s;
    s.digit = named(tokens_.expect_name("of a digit").text);
    tokens_.expect("coarse", "after the digit");
    s.coarse = names_in_parentheses();
    tokens_.expect("fine", "after the coarse digits");
    s.fine = names_in_parentheses();
    tokens_.expect("lines", "after the fine digits");
    s.lines = names_in_parentheses();
    return s;
  }

  Stmt scan_step() {
    const ScanShape s = shape();
    return StmtNode{ScanStep{s, elements()}};
  }

  Stmt scan_fix() {
    ScanFix s;
    s.shape = shape();
    s.elements = elements();
    tokens_.expect("totals", "after the elements");
    s.totals = elements();
    tokens_.expect("offset", "after the totals");
    s.offset = elements();
    if (const auto how = find_meeting(tokens_.peek().text)) {
      tokens_.next();
      s.how = *how;
    }
    return StmtNode{s};
  }

  Stmt for_loop() {
    const std::string level = tokens_.accept("-") ? "" : level_name();
    const Symbol var = named(tokens_.expect_name("of a loop variable").text);
    tokens_.expect("<", "after the loop variable");
    const Expr trip = index_expression();
    const auto how = find_how(tokens_.peek().text);
    if (!how || *how == How::cores || *how == How::grid) {
      tokens_.fail("sequential, unrolled or lanes", "after the bound");
    }
    tokens_.next();
    const int64_t first = tokens_.accept("from") ? tokens_.expect_integer("(the first round)") : 0;
    return StmtNode{For{var, trip, *how, level, block(), first}};
  }

  Stmt lanes() {
    Lanes s;
    s.level = tokens_.accept("-") ? "" : level_name();
    s.var = named(tokens_.expect_name("of the lane").text);
    tokens_.expect("<", "after the lane");
    s.count = tokens_.expect_integer("(how many lanes)");
    s.body = block();
    return StmtNode{s};
  }

  Stmt deal() {
    Deal s;
    s.team = team();
    s.shares = counters();
    s.collective = tokens_.accept("collective");
    s.steady = tokens_.accept("steady");
    if (const auto dealing = find_dealing(tokens_.peek().text)) {
      s.dealing = *dealing;
      tokens_.next();
    }
    s.on = core_count();
    s.swizzle = swizzle();
    s.body = block();
    return StmtNode{s};
  }

  Stmt choice() {
    const Expr condition = typed(scalar::parse_expression(tokens_), Scalar::boolean);
    const Block then = block();
    return StmtNode{If{condition, then, tokens_.accept("else") ? block() : Block{}}};
  }

  Stmt apply() {
    Apply s;
    s.results = names_until("=");
    tokens_.expect("f", "after '='");
    tokens_.expect("(", "after f");
    s.inputs = names_until(";");
    if (!tokens_.accept(")")) {
      do {
        s.point.push_back(index_expression());
      } while (tokens_.accept(","));
      tokens_.expect(")", "after the point");
    }
    return StmtNode{s};
  }

  Stmt combine() {
    Combine s;
    s.results = names_until("=");
    tokens_.expect("(", "after '='");
    s.left = names_until(";");
    s.right = names_until(")");
    return StmtNode{s};
  }

  scalar::Scope scope_;
  Program p_;
  int depth_ = 0;
};

}  // namespace

Program parse(std::string_view text, const std::string& file) {
  Program p = Parser(text, file).run();
  try {
    verify(p);
  } catch (const Error& e) {
    user_error("E403", {std::make_shared<const std::string>(file), 1, 1},
               "not a well-formed loop program: " + e.diagnostic().message);
  }
  return p;
}

}  // namespace mdh::loop
