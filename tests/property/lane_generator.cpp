#include "tests/property/lane_generator.h"

#include <fmt/format.h>

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/hl/parse.h"
#include "mdh/support/text.h"

namespace mdh::test {
namespace {

bool is_float(const std::string& type) { return type[0] == 'f'; }

/// Writes a program as text. Values stay finite: what is not a number equals nothing.
class LaneWriter {
 public:
  explicit LaneWriter(Random& random) : random_(random) {
    static const std::vector<std::string> wide = {"f32", "f64", "i32", "i64", "u32", "u64"},
                                          same = {"f32", "i32", "u32"}, narrow = {"i8", "u8"},
                                          small = {"i16", "u16"};
    types_ = random.chance(70)   ? wide
             : random.chance(60) ? same
             : random.chance(50) ? narrow
                                 : small;
    // Indices have 64 bits, and lanes of small numbers cannot be that wide.
    indices_ = bytes_of(*scalar::find_scalar(types_.front())) >= 4 || random.chance(20);
  }

  std::string run() {
    const std::string rows = std::to_string(random_.between(1, 9));
    const std::string columns = std::to_string(random_.pick<int64_t>({2, 4, 8, 8, 16, 7, 11}));
    const bool reduced = random_.chance(35);
    const std::string inputs = views();
    std::string body = lets();
    std::vector<std::string> results;
    bool floats = false;
    for (int64_t n = random_.between(1, 2); n > 0; --n) {
      const std::string type = random_.pick(types_);
      floats = floats || is_float(type);
      results.push_back(fmt::format("o{}: {} = [{}j]", n, type, reduced ? "" : "i, "));
      // The comparison keeps compilers from fusing operations, which would round differently.
      const std::string otherwise = number(type, 2), then = number(type, 3);
      body += fmt::format(" o{} = if {} then {} else {};", n, truth(2), then, otherwise);
    }
    static const std::vector<std::string> exact = {"min", "max"},
                                          any = {"add", "mul", "min", "max"};
    const std::string by = reduced ? "pw(" + random_.pick(floats ? exact : any) + ")" : "cc";
    return fmt::format(
        "mdh 1\nprogram lanes =\n  out_view( {} )\n* md_hom( i: {} by {}, j: {} by cc ) {{{} }}\n"
        "* inp_view({})\n",
        join(results, "; "), rows, by, columns, body, inputs);
  }

 private:
  std::string views() {
    static const std::vector<std::string> accesses = {"[i, j]", "[j]", "[i]", "[i + j]", "[2 * j]"};
    std::vector<std::string> texts;
    for (int64_t n = random_.between(1, 3); n > 0; --n) {
      const std::string type = random_.pick(types_);
      names_.emplace_back(fmt::format("x{}", n), type);
      texts.push_back(fmt::format("x{}: {} = {}", n, type, random_.pick(accesses)));
    }
    return " " + join(texts, "; ") + " ";
  }

  std::string lets() {
    std::string text;
    for (int64_t n = random_.between(0, 3); n > 0; --n) {
      const bool decides = random_.chance(50);
      const std::string type = decides ? "bool" : random_.pick(types_);
      const std::string value = decides ? truth(2) : fmt::format("{}({})", type, number(type, 2));
      text += fmt::format(" l{} = {};", n, value);
      names_.emplace_back(fmt::format("l{}", n), type);
    }
    return text;
  }

  std::string leaf(const std::string& type) {
    std::vector<std::string> known;
    for (const auto& [name, of] : names_) {
      if (of == type) known.push_back(name);
    }
    if (!known.empty() && random_.chance(75)) return random_.pick(known);
    const bool exact = type != "f32" && indices_;
    if (exact && random_.chance(40))
      return fmt::format("{}({})", type, random_.pick<std::string>({"i", "j"}));
    return constant(type);
  }

  std::string constant(const std::string& type) {
    const int64_t number = random_.between(0, 5);
    return is_float(type) ? fmt::format("{}({}.5)", type, number)
                          : fmt::format("{}({})", type, number);
  }

  /// The same in all lanes, or not.
  std::string on_indices() {
    static const std::vector<std::string> all = {"i == 0", "j == 0",     "i < 3",      "j > 1",
                                                 "i == j", "i + 1 <= j", "2 * j != i", "i >= j"};
    return "(" + random_.pick(all) + ")";
  }

  /// Of a condition on indices or data, and arms that are constants or not.
  std::string choice(const std::string& type, int depth) {
    const auto arm = [&] { return random_.chance(40) ? constant(type) : number(type, depth - 1); };
    const std::string holds = indices_ && random_.chance(60) ? on_indices() : truth(depth - 1);
    const std::string then = arm();
    return fmt::format("(if {} then {} else {})", holds, then, arm());
  }

  std::string converted(const std::string& type, int depth) {
    const std::string from = random_.pick(types_);
    const bool saturates = is_float(from) && !is_float(type);
    const bool rounds = type == "f32" && from.substr(1) == "64" && !is_float(from);
    return saturates || rounds ? leaf(type) : fmt::format("{}({})", type, number(from, depth - 1));
  }

  std::string number(const std::string& type, int depth) {
    if (depth <= 0) return leaf(type);
    const auto side = [&] { return number(type, depth - 1); };
    switch (random_.between(0, 8)) {
      case 0:
        return leaf(type);
      case 1: {
        const std::string right = side(), left = side();
        return fmt::format("({} + {})", left, right);
      }
      case 2: {
        const std::string right = side(), left = side();
        return fmt::format("({} - {})", left, right);
      }
      case 3: {
        const std::string right = leaf(type);
        return fmt::format("({} * {})", side(), right);
      }
      case 4: {
        const std::string right = side(), left = side();
        return fmt::format("{}({}, {})", random_.pick<std::string>({"min", "max"}), left, right);
      }
      case 5:
        return choice(type, depth);
      case 6:
        return converted(type, depth);
      case 7:
        return is_float(type) ? fmt::format("({} / 4.0)", side())
                              : fmt::format("(-{})", leaf(type));
      default:
        return loop(type, depth);
    }
  }

  std::string truth(int depth) {
    std::vector<std::string> known;
    for (const auto& [name, of] : names_) {
      if (of == "bool") known.push_back(name);
    }
    if (!known.empty() && random_.chance(30)) return random_.pick(known);
    if (indices_ && random_.chance(25)) return on_indices();
    const auto side = [&] { return truth(depth - 1); };
    switch (depth <= 0 ? 9 : random_.between(0, 9)) {
      case 0: {
        const std::string right = side(), left = side();
        return fmt::format("({} && {})", left, right);
      }
      case 1: {
        const std::string right = side(), left = side();
        return fmt::format("({} || {})", left, right);
      }
      case 2:
        return fmt::format("(!{})", side());
      case 3: {
        const std::string otherwise = side(), then = side();
        return fmt::format("(if {} then {} else {})", side(), then, otherwise);
      }
      default: {
        static const std::vector<std::string> signs = {"<", "<=", ">", ">=", "==", "!="};
        const std::string type = random_.pick(types_);
        const std::string right = number(type, depth - 1), sign = random_.pick(signs);
        return fmt::format("({} {} {})", number(type, depth - 1), sign, right);
      }
    }
  }

  /// Counts to a small number, from a start that is the same in all lanes or not; other conditions
  /// end it earlier.
  std::string loop(const std::string& type, int depth) {
    const std::string counter = indices_ ? "i32" : types_.front();
    const std::string k = fmt::format("k{}", loops_), s = fmt::format("s{}", loops_);
    ++loops_;
    const std::string begin =
        random_.chance(40) ? fmt::format("(if {0} then {1}(0) else {1}(2))", truth(1), counter)
                           : counter + "(0)";
    const std::string initial = fmt::format("{}({})", type, number(type, depth - 2));
    const auto outside = names_;
    names_.emplace_back(k, counter);
    names_.emplace_back(s, type);
    std::string condition = fmt::format("{} < {}", k, random_.between(1, 5));
    if (random_.chance(60)) {
      const std::string more = truth(depth - 1);
      condition = random_.chance(50) ? more + " && " + condition : condition + " && " + more;
    }
    const std::string next = is_float(type)
                                 ? fmt::format("({} * 0.5 + {})", s, number(type, depth - 2))
                                 : number(type, depth - 1);
    const std::string result = random_.chance(60) ? s : number(type, depth - 2);
    names_ = outside;
    return fmt::format(
        "(loop ({0} = {1}, {2} = {3}) while ({4}) {{ {2} = {5}, {0} = {0} + 1 }} yield {6})", k,
        begin, s, initial, condition, next, result);
  }

  Random& random_;
  std::vector<std::string> types_;
  std::vector<std::pair<std::string, std::string>> names_;
  bool indices_ = true;  // indices are mentioned
  int loops_ = 0;
};

/// Tiles that transpose, tiles in registers that compilers do not know, and results that go past
/// the caches where nothing is reduced.
void add_hints(ll::Config& config, const hl::Program& program, Random& random) {
  for (const hl::BufferView& input : program.inputs) {
    const bool is_matrix = input.accesses.front().index.size() == 2;
    if (is_matrix && random.chance(60)) {
      config.stage[input.symbol.name] = {{config.order[1], "L1", {{"2", ""}, {"1", ""}}}};
    } else if (random.chance(40)) {
      config.stage[input.symbol.name] = {{config.order[1], "REG", {}}};
      config.code.stage[input.symbol.name] = {{.opaque = true}};
    }
  }
  const bool reduces =
      std::any_of(program.dimensions.begin(), program.dimensions.end(),
                  [](const hl::Dimension& d) { return d.combine.shape != hl::Shape::concatenate; });
  if (!reduces && random.chance(50)) config.code.kernel.store = ll::Hint::streaming;
}

}  // namespace

hl::Program lane_program(Random& random) {
  for (;;) {
    const std::string text = LaneWriter(random).run();
    if (text.size() < 3000) return hl::parse(text);
  }
}

ll::Config lane_config(const hl::Program& program, Random& random) {
  ll::Config config{
      .program = program.name, .machine = "cpu", .layers = {"COR", "L1", "REG", "SIMD"}};
  const std::vector<int64_t> sizes = hl::sizes(program);
  const int64_t lanes = random.pick<int64_t>({2, 4, 4, 8, 16});
  const int64_t tiles = random.between(1, 2), cores = random.between(1, 2);
  const auto covered = [](int64_t size, int64_t parts) { return (size + parts - 1) / parts; };
  config.split["i"] = {{"COR", cores}, {"L1", covered(sizes[0], cores)}};
  config.split["j"] = {{"L1", covered(sizes[1], tiles * lanes)}, {"REG", tiles}, {"SIMD", lanes}};
  config.order = {{"COR", "i"}, {"L1", "i"}, {"L1", "j"}, {"REG", "j"}, {"SIMD", "j"}};
  if (random.chance(30)) std::swap(config.order[1], config.order[2]);
  if (random.chance(30)) std::swap(config.order[1], config.order[3]);
  add_hints(config, program, random);
  return config;
}

}  // namespace mdh::test
