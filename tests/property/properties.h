// The properties of the high level: what holds of every case that can be chosen.
//
// Each is run on cases from seeds, the same everywhere. Where RapidCheck is installed it also
// chooses the cases, and shrinks one that fails (shrinking_test.cpp).
#pragma once

#include <string>

#include "tests/property/choices.h"

namespace mdh::test {

/// Makes a case of the choices, and says how it breaks the property; nothing where it holds.
using Property = std::string(Choices&);

// ---- MDAs and combine operators (mda_test.cpp)
Property concatenation_is_commutative_and_associative;
Property split_and_concatenation_are_inverse;
Property scan_of_a_whole_is_the_combination_of_the_scans_of_its_parts;
Property every_bracketing_of_a_fold_is_the_left_fold;

// ---- homomorphisms (homomorphism_test.cpp)
Property catalogue_programs_are_homomorphisms;
Property mixes_with_one_operator_are_homomorphisms;
Property mixes_with_two_operators_are_refused;

// ---- views (views_test.cpp)
Property input_view_undoes_an_injective_output_view;
Property output_view_restores_what_the_input_view_reads;

// ---- the text form (round_trip_test.cpp)
Property generic_programs_are_read_back_equal;
Property concrete_programs_are_read_back_equal;
Property partly_bound_programs_are_read_back_equal;
Property programs_bound_in_steps_are_those_bound_at_once;
Property programs_that_are_read_back_compute_the_same;

/// How the case breaks the property; errors are violations, too.
std::string violation(Property& property, Choices& choices);

/// Runs `usual` cases from seeds: fewer with sanitizers, MDH_CASES of them where it is set.
void expect_holds(Property& property, int usual);
int case_count(int usual);

}  // namespace mdh::test
