#include "examples/prl/prl.h"

#include <gtest/gtest.h>

#include "examples/catalogue.h"
#include "mdh/hl/evaluate.h"

namespace mdh::examples::prl_test {
namespace {

constexpr int64_t fresh = 150, existing = 300;

struct Linked {
  PatientData data;
  std::vector<Link> links;
};

/// What the definition makes of the data.
Linked linked(uint64_t seed) {
  const Instance at{scalar::Scalar::f64, {fresh, existing}};
  const hl::Program p = find_entry("prl")->build(at);
  Linked result{make_patients(fresh, existing, seed), std::vector<Link>(fresh)};
  const auto outputs = hl::evaluate(p, patient_arrays(result.data, p.inputs[0].type));
  copy_to_memory(outputs[0], result.links.data());
  return result;
}

bool equal_values(const Patient& a, const Patient& b) {
  return std::equal(a.surname, a.surname + 3, b.surname) &&
         std::equal(a.forename, a.forename + 3, b.forename) &&
         std::equal(a.birth_name, a.birth_name + 3, b.birth_name) && a.day == b.day &&
         a.month == b.month && a.year == b.year && a.gender == b.gender && a.town == b.town;
}

TEST(RecordLinkage, record_lies_in_memory_as_the_program_says) {
  const hl::Program p = find_entry("prl")->build({scalar::Scalar::f64, {1, 1}});
  EXPECT_EQ(scalar::bytes_of(p.inputs[0].type), static_cast<int>(sizeof(Patient)));
  EXPECT_EQ(scalar::bytes_of(p.outputs[0].type), static_cast<int>(sizeof(Link)));
}

/// Copies of people with frequent names are only possible matches.
TEST(RecordLinkage, exact_copy_is_linked_to_its_origin_or_an_equal_record_before_it) {
  int copies = 0;
  for (const uint64_t seed : {1, 2, 3}) {
    const Linked result = linked(seed);
    for (int64_t i = 0; i < fresh; ++i) {
      if (result.data.origin[i] < 0 || result.data.edits[i] > 0) continue;
      ++copies;
      EXPECT_GE(result.links[i].status, 1);
      EXPECT_LE(result.links[i].id, result.data.origin[i]);
      EXPECT_TRUE(equal_values(result.data.fresh[i], result.data.existing[result.links[i].id]));
    }
  }
  EXPECT_GT(copies, 50);
}

TEST(RecordLinkage, record_without_a_blocked_partner_gets_the_first_one) {
  int alone = 0;
  const Linked result = linked(4);
  for (const Link& link : result.links) {
    if (link.weight != 0) continue;
    ++alone;
    EXPECT_EQ(link.id, 0);
    EXPECT_EQ(link.status, 0);
  }
  EXPECT_GT(alone, 20) << "ties have to occur";
}

TEST(RecordLinkage, most_links_are_right) {
  const Linked result = linked(5);
  int found = 0, right = 0, related = 0;
  for (int64_t i = 0; i < fresh; ++i) {
    related += result.data.origin[i] >= 0 ? 1 : 0;
    if (result.links[i].status == 0) continue;
    ++found;
    right += result.links[i].id == result.data.origin[i] ? 1 : 0;
  }
  EXPECT_GE(right, found * 9 / 10) << "precision";
  EXPECT_GE(right, related / 3) << "recall";
}

TEST(RecordLinkage, three_outputs_say_the_same_as_one_record) {
  const Linked result = linked(6);
  const hl::Program p = find_entry("prl_multi")->build({scalar::Scalar::f64, {fresh, existing}});
  const auto outputs = hl::evaluate(p, patient_arrays(result.data, p.inputs[0].type));
  for (int64_t i = 0; i < fresh; ++i) {
    EXPECT_EQ(outputs[0].cells[i].as_integer(), result.links[i].id);
    EXPECT_EQ(outputs[1].cells[i].as_floating(), result.links[i].weight);
    EXPECT_EQ(outputs[2].cells[i].as_integer(), result.links[i].status);
  }
}

}  // namespace
}  // namespace mdh::examples::prl_test
