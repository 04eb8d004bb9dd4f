// The same properties with cases that RapidCheck chooses: one that fails is shrunk before it is
// shown. The only file that includes RapidCheck; without it the tests say that they were skipped.
#include <gtest/gtest.h>

#include <ostream>
#include <sstream>
#include <vector>

#include "tests/property/properties.h"

#ifdef MDH_HAS_RAPIDCHECK
#include <rapidcheck.h>
#endif

namespace mdh::test::shrinking_test {
namespace {

struct Row {
  const char* name;
  Property* property;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"concatenation_is_commutative_and_associative",
       concatenation_is_commutative_and_associative},
      {"split_and_concatenation_are_inverse", split_and_concatenation_are_inverse},
      {"scan_of_a_whole_is_the_combination_of_the_scans_of_its_parts",
       scan_of_a_whole_is_the_combination_of_the_scans_of_its_parts},
      {"every_bracketing_of_a_fold_is_the_left_fold", every_bracketing_of_a_fold_is_the_left_fold},
      {"catalogue_programs_are_homomorphisms", catalogue_programs_are_homomorphisms},
      {"mixes_with_one_operator_are_homomorphisms", mixes_with_one_operator_are_homomorphisms},
      {"mixes_with_two_operators_are_refused", mixes_with_two_operators_are_refused},
      {"input_view_undoes_an_injective_output_view", input_view_undoes_an_injective_output_view},
      {"output_view_restores_what_the_input_view_reads",
       output_view_restores_what_the_input_view_reads},
      {"generic_programs_are_read_back_equal", generic_programs_are_read_back_equal},
      {"concrete_programs_are_read_back_equal", concrete_programs_are_read_back_equal},
      {"partly_bound_programs_are_read_back_equal", partly_bound_programs_are_read_back_equal},
      {"programs_bound_in_steps_are_those_bound_at_once",
       programs_bound_in_steps_are_those_bound_at_once},
      {"programs_that_are_read_back_compute_the_same",
       programs_that_are_read_back_compute_the_same},
  };
  return all;
}

class Shrinking : public testing::TestWithParam<Row> {};

TEST_P(Shrinking, finds_no_case) {
#ifdef MDH_HAS_RAPIDCHECK
  rc::detail::TestParams parameters;
  parameters.seed = 1;
  parameters.maxSuccess = case_count(60);
  parameters.maxSize = 60;
  const auto holds = [] {
    // Programs take some hundred choices.
    const auto list = *rc::gen::scale(20.0, rc::gen::arbitrary<std::vector<uint16_t>>());
    Choices choices(std::vector<uint32_t>(list.begin(), list.end()));
    const std::string found = violation(*GetParam().property, choices);
    if (!found.empty()) RC_FAIL(found);
  };
  const auto result = rc::detail::checkTestable(holds, rc::detail::TestMetadata(), parameters);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  ADD_FAILURE() << text.str();
#else
  GTEST_SKIP() << "RapidCheck is not installed (apt-get install librapidcheck-dev)";
#endif
}

INSTANTIATE_TEST_SUITE_P(Of, Shrinking, testing::ValuesIn(rows()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace mdh::test::shrinking_test
