#include "mdh/loop/evaluation/memory.h"

#include <gtest/gtest.h>

#include "mdh/loop/test_programs.h"

namespace mdh::loop::memory_test {
namespace {

using scalar::Value;

/// A core of the only team there is, after some barriers.
Moment core(int32_t owner, int64_t epoch) { return {{-1, owner}, {0, epoch}}; }

/// A core of a member of the grid, after some barriers of the grid and of the member.
Moment core_of(int32_t member, int32_t owner, int64_t grid_epoch, int64_t epoch) {
  return {{member, owner}, {grid_epoch, epoch}};
}

/// Four elements; tests touch element `at`, which is 2 if not told otherwise.
class Cells {
 public:
  Cells() : memory_("t", scalar::Array::undefined(scalar::Scalar::i64, {4})) {}

  void store(const Moment& now, int64_t value = 0, int64_t at = 2) {
    const std::vector<Value> leaves = {Value::integer(value)};
    memory_.store(std::vector<int64_t>{at}, now, leaves);
  }
  int64_t load(const Moment& now, int64_t at = 2) {
    std::vector<Value> leaves;
    memory_.load(std::vector<int64_t>{at}, now, leaves);
    return leaves.at(0).as_integer();
  }
  std::string store_error(const Moment& now) {
    return internal_error_of([&] { store(now); });
  }
  std::string load_error(const Moment& now, int64_t at = 2) {
    return internal_error_of([&] { load(now, at); });
  }
  void undefine() { memory_.undefine(); }
  const scalar::Array& content() const { return memory_.content(); }

 private:
  Memory memory_;
};

const std::string two_writers = "race: element 2 of 't' is written by two parts";
const std::string reader_meets_writer =
    "race: element 2 of 't' is read while another part writes it";
const std::string writer_meets_reader =
    "race: element 2 of 't' is written while another part reads it";

// ---- order

TEST(LoopMoment, one_core_is_always_in_order) {
  EXPECT_TRUE(is_ordered(core(0, 0), core(0, 0)));
  EXPECT_TRUE(is_ordered(core(0, 0), core(0, 5)));
  EXPECT_TRUE(is_ordered(core_of(1, 2, 0, 0), core_of(1, 2, 0, 0)));
}

TEST(LoopMoment, cores_of_one_member_are_ordered_by_a_barrier_of_either_kind) {
  EXPECT_FALSE(is_ordered(core_of(1, 2, 0, 0), core_of(1, 3, 0, 0)));
  EXPECT_TRUE(is_ordered(core_of(1, 2, 0, 0), core_of(1, 3, 0, 1)));
  EXPECT_TRUE(is_ordered(core_of(1, 2, 0, 0), core_of(1, 3, 1, 0)));
}

TEST(LoopMoment, members_of_the_grid_are_ordered_by_a_barrier_of_the_grid_only) {
  EXPECT_FALSE(is_ordered(core_of(1, 2, 0, 0), core_of(2, 2, 0, 0)));
  EXPECT_FALSE(is_ordered(core_of(1, 2, 0, 0), core_of(2, 2, 0, 7)));
  EXPECT_FALSE(is_ordered(core_of(1, 2, 0, 0), core_of(2, 3, 0, 7)));
  EXPECT_TRUE(is_ordered(core_of(1, 2, 0, 0), core_of(2, 2, 1, 0)));
  EXPECT_TRUE(is_ordered(core_of(1, 2, 0, 0), core_of(2, 3, 1, 0)));
}

TEST(LoopMoment, what_all_cores_do_alike_is_done_by_none_of_them) {
  EXPECT_FALSE(is_ordered(core(-1, 0), core(0, 0)));
  EXPECT_FALSE(is_ordered(core(0, 0), core(-1, 0)));
  EXPECT_TRUE(is_ordered(core(-1, 0), core(-1, 0)));
  EXPECT_FALSE(is_ordered(core_of(-1, -1, 0, 0), core_of(0, -1, 0, 0)));
}

/// A core of a warp, after some barriers of warps.
Moment core_in_warp(int64_t warp, int32_t owner, int64_t warp_epoch, int32_t member = 1) {
  return {{member, owner}, {0, 0}, warp, warp_epoch};
}

TEST(LoopMoment, a_barrier_of_warps_orders_cores_of_one_warp_only) {
  EXPECT_FALSE(is_ordered(core_in_warp(0, 2, 0), core_in_warp(0, 3, 0)));
  EXPECT_TRUE(is_ordered(core_in_warp(0, 2, 0), core_in_warp(0, 3, 1)));
  EXPECT_FALSE(is_ordered(core_in_warp(0, 2, 0), core_in_warp(1, 3, 1)));
  EXPECT_FALSE(is_ordered(core_in_warp(0, 2, 0, 1), core_in_warp(0, 2, 1, 2))) << "two members";
  EXPECT_FALSE(is_ordered(core_in_warp(-1, 2, 0), core_in_warp(-1, 3, 1))) << "no warp is known";
}

// ---- elements

TEST(LoopMemory, what_was_stored_is_loaded) {
  Cells cells;
  cells.store(core(0, 0), 7);
  cells.store(core(0, 0), 9, 3);
  EXPECT_EQ(cells.load(core(0, 0)), 7);
  EXPECT_EQ(cells.load(core(0, 0), 3), 9);
  EXPECT_EQ(cells.content().defined, (std::vector<uint8_t>{0, 0, 1, 1}));
}

TEST(LoopMemory, elements_begin_undefined) {
  Cells cells;
  cells.store(core(0, 0));
  EXPECT_EQ(cells.load_error(core(0, 0), 1), "element 1 of 't' is read before it is written");
}

TEST(LoopMemory, what_begins_anew_is_undefined_and_may_be_written_again) {
  Cells cells;
  cells.store(core(0, 0), 7);
  cells.undefine();
  EXPECT_EQ(cells.load_error(core(0, 0)), "element 2 of 't' is read before it is written");
  cells.store(core(0, 0), 8);
  EXPECT_EQ(cells.load(core(0, 0)), 8);
}

TEST(LoopMemory, to_begin_anew_is_no_barrier) {
  Cells cells;
  cells.store(core(0, 0));
  cells.load(core(1, 1));
  cells.undefine();
  EXPECT_EQ(cells.store_error(core(0, 1)), writer_meets_reader);
  Cells written;
  written.store(core(0, 0));
  written.undefine();
  EXPECT_EQ(written.store_error(core(1, 0)), two_writers);
}

TEST(LoopMemory, indices_out_of_range_are_reported) {
  Cells cells;
  EXPECT_EQ(cells.load_error(core(0, 0), 4), "index 4 is outside of [0, 4)");
  EXPECT_EQ(cells.load_error(core(0, 0), -1), "index -1 is outside of [0, 4)");
}

TEST(LoopMemory, content_that_is_given_is_there) {
  Memory memory("x", array({2, 2}, {1, 2, 3, 4}));
  std::vector<Value> leaves;
  memory.load(std::vector<int64_t>{1, 0}, core(-1, 0), leaves);
  EXPECT_EQ(leaves.at(0).as_integer(), 3);
}

TEST(LoopMemory, an_element_has_all_leaves_of_its_type) {
  Cells cells;
  Memory memory("t", scalar::Array::undefined(scalar::Scalar::i64, {4}));
  const std::vector<Value> two = {Value::integer(1), Value::integer(2)};
  EXPECT_EQ(internal_error_of([&] { memory.store(std::vector<int64_t>{0}, core(0, 0), two); }),
            "'t' is written with another type");
}

// ---- races

TEST(LoopMemory, two_writers_race_until_a_barrier) {
  Cells cells;
  cells.store(core(0, 0));
  cells.store(core(0, 0));
  EXPECT_EQ(cells.store_error(core(1, 0)), two_writers);
  cells.store(core(1, 1));
  EXPECT_EQ(cells.store_error(core(0, 1)), two_writers);
}

TEST(LoopMemory, a_reader_and_another_writer_race_until_a_barrier) {
  Cells cells;
  cells.store(core(0, 0), 5);
  EXPECT_EQ(cells.load(core(0, 0)), 5);
  EXPECT_EQ(cells.load_error(core(1, 0)), reader_meets_writer);
  EXPECT_EQ(cells.load(core(1, 1)), 5);
  EXPECT_EQ(cells.store_error(core(0, 1)), writer_meets_reader);
  cells.store(core(0, 2));
}

TEST(LoopMemory, the_only_reader_may_write) {
  Cells cells;
  cells.store(core(0, 0));
  cells.load(core(1, 1));
  cells.store(core(1, 1));
  EXPECT_EQ(cells.load_error(core(0, 1)), reader_meets_writer);
}

TEST(LoopMemory, many_may_read_and_then_nobody_may_write) {
  for (const int32_t last : {0, 1, 2}) {
    Cells cells;
    cells.store(core(0, 0));
    for (const int32_t reader : {0, 1, last}) cells.load(core(reader, 1));
    EXPECT_EQ(cells.store_error(core(last, 1)), writer_meets_reader) << last;
    cells.store(core(last, 2));
  }
}

TEST(LoopMemory, statements_outside_of_deal_race_with_those_inside) {
  Cells cells;
  cells.store(core(0, 0));
  EXPECT_EQ(cells.load_error(core(-1, 0)), reader_meets_writer);
  cells.load(core(-1, 1));
  EXPECT_EQ(cells.store_error(core(0, 1)), writer_meets_reader);
}

TEST(LoopMemory, members_of_the_grid_race_whatever_their_cores_wait_for) {
  Cells cells;
  cells.store(core_of(0, 0, 0, 0));
  EXPECT_EQ(cells.store_error(core_of(1, 0, 0, 3)), two_writers);
  EXPECT_EQ(cells.load_error(core_of(1, 0, 0, 3)), reader_meets_writer);
  cells.load(core_of(0, 1, 1, 1));
  EXPECT_EQ(cells.store_error(core_of(1, 1, 1, 4)), writer_meets_reader);
  cells.store(core_of(1, 1, 2, 4));
}

TEST(LoopMemory, an_earlier_reader_in_another_member_is_remembered) {
  Cells cells;
  cells.store(core_of(0, 0, 0, 0));
  cells.load(core_of(1, 0, 1, 0));
  cells.load(core_of(0, 0, 1, 0));
  // Member 0 read last, and member 1 still may.
  EXPECT_EQ(cells.store_error(core_of(0, 0, 1, 0)), writer_meets_reader);
}

TEST(LoopMemory, readers_within_a_member_do_not_make_one_of_another_member_forgotten) {
  Cells cells;
  cells.store(core_of(0, 0, 0, 0));
  cells.load(core_of(1, 0, 1, 0));
  cells.load(core_of(0, 0, 1, 1));
  cells.load(core_of(0, 1, 1, 1));
  // A barrier of member 0 orders its own two readers and not the one of member 1.
  EXPECT_EQ(cells.store_error(core_of(0, 0, 1, 2)), writer_meets_reader);
  cells.store(core_of(0, 0, 2, 2));
}

}  // namespace
}  // namespace mdh::loop::memory_test
