#include "mdh/loop/memory.h"

#include <gtest/gtest.h>

#include "mdh/loop/test_programs.h"

namespace mdh::loop {
namespace {

using scalar::Value;

/// Four elements; tests touch element `at`, which is 2 if not told otherwise.
class Cells {
 public:
  Cells() : memory_(Buffer{named("t"), scalar::Scalar::i64, {4}, Role::workspace}) {}

  void store(Owner owner, int64_t epoch, int64_t value = 0, int64_t at = 2) {
    memory_.store(std::vector<int64_t>{at}, Value::integer(value), owner, epoch);
  }
  int64_t load(Owner owner, int64_t epoch, int64_t at = 2) {
    return memory_.load(std::vector<int64_t>{at}, owner, epoch).as_integer();
  }
  std::string store_error(Owner owner, int64_t epoch) {
    return internal_error_of([&] { store(owner, epoch); });
  }
  std::string load_error(Owner owner, int64_t epoch, int64_t at = 2) {
    return internal_error_of([&] { load(owner, epoch, at); });
  }
  const scalar::Array& content() const { return memory_.content(); }

 private:
  Memory memory_;
};

const std::string two_writers = "race: element 2 of 't' is written by two parts";
const std::string reader_meets_writer =
    "race: element 2 of 't' is read while another part writes it";
const std::string writer_meets_reader =
    "race: element 2 of 't' is written while another part reads it";

TEST(LoopMemory, what_was_stored_is_loaded) {
  Cells cells;
  cells.store(0, 0, 7);
  cells.store(0, 0, 9, 3);
  EXPECT_EQ(cells.load(0, 0), 7);
  EXPECT_EQ(cells.load(0, 0, 3), 9);
  EXPECT_EQ(cells.content().defined, (std::vector<uint8_t>{0, 0, 1, 1}));
}

TEST(LoopMemory, elements_begin_undefined) {
  Cells cells;
  cells.store(0, 0);
  EXPECT_EQ(cells.load_error(0, 0, 1), "element 1 of 't' is read before it is written");
}

TEST(LoopMemory, indices_out_of_range_are_reported) {
  Cells cells;
  EXPECT_EQ(cells.load_error(0, 0, 4), "index 4 is outside of [0, 4)");
  EXPECT_EQ(cells.load_error(0, 0, -1), "index -1 is outside of [0, 4)");
}

TEST(LoopMemory, content_must_have_the_extents_of_the_buffer) {
  const Buffer buffer{named("x"), scalar::Scalar::i64, {2, 2}, Role::input};
  EXPECT_EQ(internal_error_of([&] {
              Memory(buffer, array({4}, {1, 2, 3, 4}));
            }),
            "'x' is given with other extents");
  Memory memory(buffer, array({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(memory.load(std::vector<int64_t>{1, 0}, nobody, 0).as_integer(), 3);
}

TEST(LoopMemory, two_writers_race_until_a_barrier) {
  Cells cells;
  cells.store(0, 0);
  cells.store(0, 0);
  EXPECT_EQ(cells.store_error(1, 0), two_writers);
  cells.store(1, 1);
  EXPECT_EQ(cells.store_error(0, 1), two_writers);
}

TEST(LoopMemory, a_reader_and_another_writer_race_until_a_barrier) {
  Cells cells;
  cells.store(0, 0, 5);
  EXPECT_EQ(cells.load(0, 0), 5);
  EXPECT_EQ(cells.load_error(1, 0), reader_meets_writer);
  EXPECT_EQ(cells.load(1, 1), 5);
  EXPECT_EQ(cells.store_error(0, 1), writer_meets_reader);
  cells.store(0, 2);
}

TEST(LoopMemory, the_only_reader_may_write) {
  Cells cells;
  cells.store(0, 0);
  cells.load(1, 1);
  cells.store(1, 1);
  EXPECT_EQ(cells.load_error(0, 1), reader_meets_writer);
}

TEST(LoopMemory, many_may_read_and_then_nobody_may_write) {
  for (const Owner last : {0, 1, 2}) {
    Cells cells;
    cells.store(0, 0);
    for (const Owner reader : {0, 1, last}) cells.load(reader, 1);
    EXPECT_EQ(cells.store_error(last, 1), writer_meets_reader) << last;
    cells.store(last, 2);
  }
}

TEST(LoopMemory, statements_outside_of_deal_race_with_those_inside) {
  Cells cells;
  cells.store(0, 0);
  EXPECT_EQ(cells.load_error(nobody, 0), reader_meets_writer);
  cells.load(nobody, 1);
  EXPECT_EQ(cells.store_error(0, 1), writer_meets_reader);
}

}  // namespace
}  // namespace mdh::loop
