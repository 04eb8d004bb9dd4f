// Choices in all forms, on all types: what compilers have to take, and what it has to mean. A
// condition on an index may be the same in all lanes, its arms constants, vectors of memory or
// vectors that were computed, and compilers differ in which of them they bring together.
#include <gtest/gtest.h>

#include "mdh/driver/data.h"
#include "mdh/hl/parse.h"
#include "mdh/support/text.h"
#include "tests/property/samples.h"

namespace mdh::test::conditions_test {
namespace {

using scalar::Scalar;

/// On indices, the same in all lanes or not, and on data.
const std::vector<std::string> conditions = {"i == 0",
                                             "j == 0",
                                             "i < 2 && j != 3",
                                             "i == j",
                                             "i + 1 < j",
                                             "i == 0 || a < b",
                                             "!(i == 0)",
                                             "a < b",
                                             "s < a",
                                             "2 * i > j && !(j == 5)",
                                             "if i == 0 then j == 1 else a < b",
                                             "true"};

std::string constant_of(Scalar type, int n) {
  if (type == Scalar::boolean) return n % 2 == 0 ? "true" : "false";
  return fmt::format("{}({})", to_string(type),
                     is_floating(type) ? fmt::format("{}.5", n) : std::to_string(n));
}

/// Arms of all kinds: a constant, an element, the same in all lanes, computed.
std::vector<std::string> arms_of(Scalar type) {
  std::vector<std::string> arms = {constant_of(type, 0), constant_of(type, 3), "a", "b", "s"};
  if (type == Scalar::boolean) {
    arms.insert(arms.end(), {"a != b", "a && s"});
  } else {
    arms.insert(arms.end(), {fmt::format("a - {} * b", constant_of(type, 2)), "s + s", "min(a, s)",
                             fmt::format("max(b, {})", constant_of(type, 1))});
  }
  return arms;
}

/// One output per result, each a text that computes it.
Sample sample_of(const std::string& name, Scalar type, const std::string& lets,
                 const std::vector<std::string>& results, int64_t lanes,
                 const std::string& along_i = "cc") {
  std::vector<std::string> outputs, operators(results.size(), along_i);
  std::string body = lets;
  for (size_t n = 0; n < results.size(); ++n) {
    outputs.push_back(
        fmt::format("y{}: {} = [{}j]", n, to_string(type), along_i == "cc" ? "i, " : ""));
    body += fmt::format(" y{} = {};", n, results[n]);
  }
  const std::string text = fmt::format(
      "mdh 1\nprogram {0} =\n  out_view( {1} )\n* md_hom( i: 5 by {2}, j: 19 by cc ) {{ {3} }}\n"
      "* inp_view( a: {4} = [i, j]; b: {4} = [i, j]; s: {4} = [i] )\n",
      name, join(outputs, "; "),
      along_i == "cc" ? "cc" : fmt::format("pw({})", join(operators, ", ")), body, to_string(type));
  const hl::Program program = hl::parse(text);
  return {program, driver::random_inputs(program, 3), lanes};
}

/// Every condition with arms that take turns, so that each kind of arm meets each other one.
class Forms {
 public:
  explicit Forms(Scalar type) : type_(type), arms_(arms_of(type)) {}

  void add_to(std::vector<Sample>& samples, int64_t lanes) {
    const auto add = [&](const std::string& form, const std::string& lets,
                         const std::vector<std::string>& results) {
      samples.push_back(sample_of(fmt::format("{}_{}_{}", form, to_string(type_), lanes), type_,
                                  lets, results, lanes));
    };
    std::vector<std::string> plain, chain, nested, named, sums;
    std::string lets;
    for (size_t n = 0; n < conditions.size(); ++n) {
      const std::string &c = conditions[n], &d = conditions[(n + 5) % conditions.size()];
      const std::string first = arm(1), second = arm(3), third = arm(4);
      plain.push_back(fmt::format("if {} then {} else {}", c, first, second));
      chain.push_back(
          fmt::format("if {} then {} else if {} then {} else {}", c, second, d, third, first));
      nested.push_back(
          fmt::format("if {} then (if {} then {} else {}) else {}", c, d, first, third, second));
      lets += fmt::format(" l{0} = {1}; z{0} = {2};", n, c, third);
      named.push_back(fmt::format("if l{0} && ({1}) then z{0} else {2}", n, d, first));
      sums.push_back(fmt::format("(if {} then {} else {}) * a + (if i == 0 then {} else s)", c,
                                 first, second, constant_of(type_, 1)));
    }
    add("plain", "", plain);
    add("chain", "", chain);
    add("nested", "", nested);
    add("named", lets, named);
    if (type_ != Scalar::boolean) add("sums", "", sums);
  }

 private:
  std::string arm(size_t step) { return arms_[(turn_ += step) % arms_.size()]; }

  Scalar type_;
  std::vector<std::string> arms_;
  size_t turn_ = 0;
};

std::vector<Sample> all_samples() {
  std::vector<Sample> samples;
  for (const Scalar type : all_scalar_types()) {
    Forms forms(type);
    std::vector<int64_t> widths = {0};
    if (has_lanes(type)) widths.push_back(8);
    if (type == Scalar::f64 || type == Scalar::u32) widths.push_back(4);
    const bool truth = type == Scalar::boolean;
    for (const int64_t lanes : widths) {
      forms.add_to(samples, lanes);
      // Old values are added, or taken, in the first round of a reduction only.
      const std::string sum = truth ? "a != b" : "a + b", name = to_string(type);
      samples.push_back(sample_of(fmt::format("first_{}_{}", name, lanes), type, "",
                                  {fmt::format("if i == 0 then {} else b", sum),
                                   fmt::format("if i == 0 then {} else a", constant_of(type, 2))},
                                  lanes, truth ? "or" : "max"));
    }
  }
  return samples;
}

TEST(Conditions, are_taken_and_right_by_every_compiler) {
  const std::vector<Sample> samples = all_samples();
  for (const tuning::CompilerChoice& choice : all_compilers()) {
    for (const std::string& found : differences_in_c(samples, choice)) EXPECT_EQ(found, "");
    if (HasFailure()) return;
  }
  fmt::print("{} programs\n", samples.size());
}

}  // namespace
}  // namespace mdh::test::conditions_test
