#include "mdh/passes/registers/keep_values.h"

#include <gtest/gtest.h>

#include "mdh/passes/registers/test_registers.h"

namespace mdh::passes::keep_values_test {
namespace {

const TargetFacts facts{.access_bytes = 16};

const More tiles{registers.digits,
                 registers.buffers +
                     "buffer temporary ring: i64[4, 8] in REG of registers per (c) "
                     "holds 2\n"
                     "buffer temporary mem: i64[16] in L1 of core per (c)\n"};

void expect_kept(const std::string& before, const std::string& after) {
  const auto dealt = [](const std::string& body) { return "deal cores (c < 7) {" + body + "}"; };
  expect_rewrite(keep_values, dealt(before), dealt(after), tiles, facts);
}

void expect_as_before(const std::string& body) { expect_kept(body, body); }

const std::string sums = R"(
    load m = M[c, 0];
    store acc[0, 0] = m;
    load m2 = M[c, 1];
    load old = acc[0, 0];
    combine sum = (old; m2);
    store acc[0, 0] = sum;
    load m3 = M[c, 2];
    load old2 = acc[0, 0];
    combine sum2 = (old2; m3);
    store acc[0, 0] = sum2;
    load out = acc[0, 0];
    store w[c] = out;)";

TEST(KeepValues, sums_in_registers_are_handed_on_and_stored_once) {
  expect_kept(sums, R"(
    load m = M[c, 0];
    load m2 = M[c, 1];
    combine sum = (m; m2);
    load m3 = M[c, 2];
    combine sum2 = (sum; m3);
    store w[c] = sum2;
    store acc[0, 0] = sum2;)");
}

TEST(KeepValues, means_the_same) {
  expect_meaning(keep_values, "deal cores (c < 7) { alloc acc;" + sums + "}", tiles, facts);
}

TEST(KeepValues, only_where_cores_have_no_vectors) {
  const std::string body = "deal cores (c < 7) {" + sums + "}";
  expect_rewrite(keep_values, body, body, tiles, {});
}

TEST(KeepValues, loops_and_choices_find_everything_in_its_place) {
  expect_kept(R"(
    load vm = M[c, 0];
    store acc[0, 1] = vm;
    store acc[0, 0] = vm;
    for - x < 8 sequential { load va = acc[0, 0]; load vb = acc[0, 0]; store acc[1, 0] = vb; store w[c] = va; }
    load va2 = acc[0, 0];
    store w[c] = va2;)",
              R"(
    load vm = M[c, 0];
    store acc[0, 1] = vm;
    store acc[0, 0] = vm;
    for - x < 8 sequential { load va = acc[0, 0]; store w[c] = va; store acc[1, 0] = va; }
    load va2 = acc[0, 0];
    store w[c] = va2;)");
}

TEST(KeepValues, values_have_the_name_of_the_first_one_in_loops_too) {
  expect_kept(
      "load va = M[c, 0]; load vb = M[c, 0]; for - x < 8 sequential { store t[c, x % 5] = vb; }",
      "load va = M[c, 0]; for - x < 8 sequential { store t[c, x % 5] = va; }");
}

TEST(KeepValues, indices_that_differ_in_a_number_are_other_elements) {
  expect_kept(
      "load va = v[c]; store acc[c % 2, 0] = va; load vb = v[c + 1]; "
      "store acc[c % 2, 1] = vb; load vd = acc[c % 2, 0]; store w[c] = vd;",
      "load va = v[c]; load vb = v[c + 1]; store w[c] = va; store acc[c % 2, 0] = va; "
      "store acc[c % 2, 1] = vb;");
}

TEST(KeepValues, indices_that_may_be_equal_find_what_was_stored) {
  expect_as_before(
      "load va = v[c]; store acc[0, 0] = va; load vb = acc[c % 2, 0]; store w[c] = vb;");
  expect_kept(
      "load va = v[c]; store acc[0, 0] = va; store acc[c % 2, 0] = va; load vb = acc[0, 0]; "
      "store w[c] = vb;",
      "load va = v[c]; store acc[0, 0] = va; store acc[c % 2, 0] = va; load vb = acc[0, 0]; "
      "store w[c] = vb;");
}

TEST(KeepValues, memory_is_written_at_once_and_read_once_until_then) {
  expect_kept(
      "load va = mem[0]; load vb = mem[0]; store mem[1] = vb; load vd = mem[0]; "
      "store w[c] = vd;",
      "load va = mem[0]; store mem[1] = va; load vd = mem[0]; store w[c] = vd;");
}

TEST(KeepValues, neighbours_at_once_are_read_once) {
  expect_kept(
      "load (va, vb) = mem[0]; load vd = mem[1]; load (ve, vg) = mem[0]; load (vh, vk) = mem[2];"
      "store mem[4] = (vd, ve); store mem[6] = (vg, vk);",
      "load (va, vb) = mem[0]; load (vh, vk) = mem[2]; store mem[4] = (vb, va); "
      "store mem[6] = (vb, vk);");
}

TEST(KeepValues, after_copies_in_flight_memory_is_read_again) {
  expect_kept(
      "load vm = v[c]; store acc[0, 0] = vm; load va = mem[0]; async mem[1] = v[1]; commit; wait "
      "0; "
      "load vb = mem[0]; store w[c] = vb; load vd = acc[0, 0]; store t[c, 0] = vd;",
      "load vm = v[c]; load va = mem[0]; async mem[1] = v[1]; commit; wait 0; "
      "load vb = mem[0]; store w[c] = vb; store t[c, 0] = vm; store acc[0, 0] = vm;");
}

TEST(KeepValues, copies_in_flight_find_what_they_copy) {
  expect_as_before(
      "load vm = v[c]; store acc[0, 0] = vm; async mem[1] = acc[0, 0]; commit; wait 0;");
}

TEST(KeepValues, names_with_two_meanings_stay_what_they_are) {
  const std::string first = "if c > 2 { load va = v[1]; store w[c] = va; }";
  expect_as_before(first + "load va = v[0]; load vb = v[0]; store t[c, 0] = vb;");
  expect_as_before(first + "load va = v[0]; store acc[0, 0] = va; load vb = acc[0, 0];");
  expect_as_before(first + "load vb = v[0]; store acc[0, 0] = vb; load va = acc[0, 0];");
}

TEST(KeepValues, tiles_that_roll_stay_as_they_are) {
  expect_as_before("load va = v[c]; store ring[0, 0] = va; load vb = ring[0, 0]; store w[c] = vb;");
}

/// A copy by way of registers.
loop::Program copy_of(const std::string& type, const std::string& body) {
  return loop::parse(fmt::format(R"(mdh_loop 1
kernel copy
dimension i < 4 kept
digit g: BLK.i < 4 of i step 1 grid
buffer output y: {0}[4]
buffer input x: {0}[4]
buffer temporary r: {0}[1] in RM of registers per (g)
function f(x: {0}, i: i64) {{ y: {0} = x; }}
function combine() {{ }}
body {{ deal grid (g < 4) {{ alloc r; load a = x[g]; {1} }} }})",
                                 type, body));
}

TEST(KeepValues, halves_are_rounded_where_they_are_stored) {
  const std::string body = "store r[0] = a; load b = r[0]; store y[g] = b;";
  const std::string kept = "store y[g] = a; store r[0] = a;";
  for (const char* type : {"f16", "bf16"}) {
    EXPECT_EQ(keep_values(copy_of(type, body), facts), copy_of(type, body));
  }
  for (const char* type : {"f32", "i8", "bool"}) {
    EXPECT_EQ(loop::print(keep_values(copy_of(type, body), facts)),
              loop::print(copy_of(type, kept)));
  }
}

}  // namespace
}  // namespace mdh::passes::keep_values_test
