#include "tests/property/generator.h"

#include <fmt/format.h>

#include <algorithm>

#include "examples/catalogue.h"
#include "mdh/hl/analysis.h"
#include "mdh/hl/parse.h"
#include "mdh/support/text.h"

namespace mdh::test {
namespace {

using scalar::Scalar;

int64_t random_size(Random& random, int dimensions) {
  static const std::vector<int64_t> few = {1, 2, 3, 5, 7}, many = {1, 2, 3, 5, 7, 11, 13, 31};
  return random.pick(dimensions > 2 ? few : many);
}

/// What plan() has code for: others are refused with E503 and E504.
bool has_code(const hl::Program& p) {
  for (const hl::Dimension& d : p.dimensions) {
    const hl::Shape shape = d.combine.shape;
    if (shape != hl::Shape::concatenate && shape != hl::Shape::pointwise) return false;
  }
  return is_plain(hl::scalar_function(p)) && is_plain(hl::combine_function(p));
}

hl::Program program_of(const examples::Entry& entry, Random& random) {
  examples::Instance at{random.pick(entry.types), {}};
  const auto dimensions = entry.generic().dimensions.size();
  for (size_t d = 0; d < dimensions; ++d) {
    at.sizes.push_back(random_size(random, static_cast<int>(dimensions)));
  }
  // The literal evaluators visit every part of every point: many dimensions have to be small.
  while (scalar::volume(at.sizes) > 500) {
    const auto d = static_cast<size_t>(random.between(0, static_cast<int64_t>(dimensions) - 1));
    at.sizes[d] = (at.sizes[d] + 1) / 2;
  }
  return entry.build(at);
}

hl::Program catalogue_program(Random& random) {
  for (;;) {
    hl::Program p = program_of(random.pick(examples::catalogue()), random);
    if (has_code(p)) return p;
  }
}

/// Writes a program as text, so that the parser is tested on the way.
class ProgramWriter {
 public:
  explicit ProgramWriter(Random& random) : random_(random) {
    static const std::vector<std::string> types = {"f32", "f64", "i8",  "i16", "i32",
                                                   "i64", "u8",  "u16", "u32", "u64"};
    type_ = random.pick(types);
    floating_ = type_[0] == 'f';
    const int64_t dimensions = random.between(1, 4);
    for (int64_t d = 0; d < dimensions; ++d) {
      names_.push_back(std::string(1, static_cast<char>('a' + d)));
      sizes_.push_back(random_size(random, static_cast<int>(dimensions)));
      reduced_.push_back(random.chance(40));
    }
  }

  std::string run() {
    const std::string inputs = views("x", random_.between(0, 3), [this] { return accesses(); });
    const int64_t outputs = random_.between(1, 2);
    std::vector<std::string> results, assignments;
    for (int64_t n = 0; n < outputs; ++n) {
      results.push_back(fmt::format("o{}: {} = {}", n, type_, output_access()));
      assignments.push_back(fmt::format("o{} = {};", n, expression(3)));
    }
    return fmt::format(
        "mdh 1\nprogram made =\n  out_view( {} )\n* md_hom( {} ) {{ {} }}\n* inp_view({})\n",
        join(results, "; "), dimensions(), join(assignments, " "), inputs);
  }

 private:
  std::string dimensions() {
    static const std::vector<std::string> for_floats = {"add", "min", "max"};
    static const std::vector<std::string> for_integers = {"add", "mul", "min", "max",
                                                          "and", "or",  "xor"};
    const std::string op = random_.pick(floating_ ? for_floats : for_integers);
    std::vector<std::string> texts;
    for (size_t d = 0; d < names_.size(); ++d) {
      texts.push_back(
          fmt::format("{}: {} by {}", names_[d], sizes_[d], reduced_[d] ? "pw(" + op + ")" : "cc"));
    }
    return join(texts, ", ");
  }

  template <class Accesses>
  std::string views(const std::string& prefix, int64_t count, Accesses accesses) {
    std::vector<std::string> texts;
    for (int64_t n = 0; n < count; ++n) {
      const std::string name = fmt::format("{}{}", prefix, n);
      texts.push_back(fmt::format("{}: {} = {}", name, type_, accesses()));
      const auto several = std::count(texts.back().begin(), texts.back().end(), ']');
      for (int64_t a = 1; a <= several; ++a) {
        inputs_.push_back(several == 1 ? name : fmt::format("{}.{}", name, a));
      }
    }
    return texts.empty() ? "" : " " + join(texts, "; ") + " ";
  }

  /// One to three accesses of equal rank: shifted, strided, reversed, diagonal, constant.
  std::string accesses() {
    const int64_t rank = random_.between(0, 3);
    std::vector<std::string> all;
    for (int64_t a = random_.between(1, 3); a > 0; --a) {
      std::vector<std::string> index;
      for (int64_t e = 0; e < rank; ++e) index.push_back(index_function());
      all.push_back("[" + join(index, ", ") + "]");
    }
    return join(all, ", ");
  }

  std::string index_function() {
    const size_t d =
        static_cast<size_t>(random_.between(0, static_cast<int64_t>(names_.size()) - 1));
    switch (random_.between(0, 5)) {
      case 0:
        return fmt::format("{} + {}", names_[d], random_.between(0, 2));
      case 1:
        return fmt::format("2 * {} + {}", names_[d], random_.pick(names_));
      case 2:
        return fmt::format("{} - {}", sizes_[d] - 1, names_[d]);
      case 3:
        return std::to_string(random_.between(0, 2));
      default:
        return names_[d];
    }
  }

  /// The concatenated dimensions in any order, some of them strided or shifted: always injective.
  std::string output_access() {
    std::vector<std::string> index;
    for (size_t d = 0; d < names_.size(); ++d) {
      if (reduced_[d]) continue;
      const int64_t stride = random_.chance(20) ? 2 : 1, shift = random_.chance(20) ? 1 : 0;
      index.push_back(fmt::format("{} * {} + {}", stride, names_[d], shift));
    }
    random_.shuffle(index);
    return "[" + join(index, ", ") + "]";
  }

  std::string leaf() {
    if (!inputs_.empty() && random_.chance(70)) return random_.pick(inputs_);
    if (random_.chance(50)) return fmt::format("{}({})", type_, random_.pick(names_));
    return floating_ ? fmt::format("{}.5", random_.between(0, 3))
                     : std::to_string(random_.between(0, 9));
  }

  /// Floats stay with + - *, whose rounding errors have a bound; integers do everything.
  std::string expression(int depth) {
    if (depth == 0 || random_.chance(25)) return leaf();
    const std::string a = expression(depth - 1), b = expression(depth - 1);
    switch (random_.between(0, floating_ ? 2 : 6)) {
      case 0:
        return fmt::format("({} + {})", a, b);
      case 1:
        return fmt::format("({} - {})", a, b);
      case 2:
        return fmt::format("{} * {}", parenthesised(a), parenthesised(b));
      case 3:
        return fmt::format("max({}, {})", a, b);
      case 4:
        return fmt::format("(if {} < {} then {} else {})", parenthesised(a), parenthesised(b), b,
                           a);
      case 5:
        return fmt::format("{} / ({}({}) + 1)", parenthesised(a), type_, random_.pick(names_));
      default:
        return fmt::format("({} & {} ^ {})", parenthesised(a), parenthesised(b), leaf());
    }
  }

  static std::string parenthesised(const std::string& text) { return "(" + text + ")"; }

  Random& random_;
  std::string type_;
  bool floating_ = false;
  std::vector<std::string> names_, inputs_;
  std::vector<int64_t> sizes_;
  std::vector<bool> reduced_;
};

/// Counts for some of the layers whose product covers the size, with little padding in total.
std::vector<ll::Digit> random_digits(int64_t size, const std::vector<std::string>& layers,
                                     Random& random) {
  std::vector<ll::Digit> digits;
  int64_t rest = size;
  for (const std::string& layer : layers) {
    if (rest == 1 || random.chance(35)) continue;
    const int64_t parts = random.between(1, std::min<int64_t>(rest, 6));
    digits.push_back({layer, parts});
    rest = (rest + parts - 1) / parts;
  }
  if (rest == 1) return digits;
  // What is left goes to one of the layers that are still free, or onto the last digit.
  std::vector<size_t> free;
  for (size_t l = 0; l < layers.size(); ++l) {
    const bool used = std::any_of(digits.begin(), digits.end(),
                                  [&](const ll::Digit& d) { return d.layer == layers[l]; });
    if (!used) free.push_back(l);
  }
  if (free.empty()) {
    digits.back().parts *= rest;
    return digits;
  }
  const std::string& layer = layers[random.pick(free)];
  digits.push_back({layer, rest});
  std::sort(digits.begin(), digits.end(), [&](const ll::Digit& a, const ll::Digit& b) {
    return std::find(layers.begin(), layers.end(), a.layer) <
           std::find(layers.begin(), layers.end(), b.layer);
  });
  return digits;
}

/// Seven memories and five layers of cores, the outermost ones first.
machine::Machine deep_machine() {
  machine::Machine m{.name = "deep"};
  for (int l = 1; l <= 7; ++l) {
    const std::string name = fmt::format("M{}", l);
    m.layers.push_back({.name = name, .region = name});
    m.regions.push_back({.name = name, .owner = l <= 2 ? "" : fmt::format("C{}", l - 2)});
  }
  for (int l = 1; l <= 5; ++l) {
    m.layers.push_back({.name = fmt::format("C{}", l),
                        .kind = machine::LayerKind::cores,
                        .region = fmt::format("M{}", l + 1),
                        .barrier = true});
  }
  machine::verify(m);
  return m;
}

}  // namespace

hl::Program random_program(Random& random) {
  return random.chance(40) ? catalogue_program(random) : hl::parse(ProgramWriter(random).run());
}

const machine::Machine& random_machine(Random& random) {
  static const std::vector<machine::Machine> without_rules = [] {
    std::vector<machine::Machine> all = {deep_machine()};
    for (const machine::Machine& m : machine::machines()) {
      if (m.constraints.empty()) all.push_back(m);
    }
    return all;
  }();
  return random.pick(without_rules);
}

ll::Config random_config(const hl::Program& program, const machine::Machine& machine,
                         Random& random) {
  ll::Config config{.program = program.name, .machine = machine.name};
  for (const machine::Layer& layer : machine.layers) config.layers.push_back(layer.name);
  random.shuffle(config.layers);
  const std::vector<int64_t> sizes = hl::sizes(program);
  for (size_t d = 0; d < sizes.size(); ++d) {
    const std::string& name = program.dimensions[d].symbol.name;
    config.split[name] = random_digits(sizes[d], config.layers, random);
    for (const ll::Digit& digit : config.split[name]) config.order.push_back({digit.layer, name});
  }
  random.shuffle(config.order);
  return config;
}

}  // namespace mdh::test
