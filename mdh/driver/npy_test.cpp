#include "mdh/driver/npy.h"

#include <gtest/gtest.h>

#include "mdh/support/files.h"
#include "mdh/support/random.h"
#include "mdh/support/testing.h"

namespace mdh::driver::npy_test {
namespace {

using scalar::Array;
using scalar::Scalar;

Array filled(Scalar type, const scalar::Extents& extents) {
  Array array = Array::undefined(type, extents);
  Random random(7);
  for (auto& cell : array.cells) cell = scalar::from_integer(type, random.between(0, 1));
  std::fill(array.defined.begin(), array.defined.end(), uint8_t{1});
  return array;
}

/// What numpy.save writes for numpy.array([[1, 2, 3]], dtype='<i2').
std::string numpy_file() {
  std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 3), }";
  header.append(117 - header.size(), ' ');
  header += '\n';
  std::string text("\x93NUMPY\x01\x00\x76\x00", 10);
  return text + header + std::string("\x01\x00\x02\x00\x03\x00", 6);
}

TEST(Npy, file_of_numpy_is_read) {
  const TemporaryDirectory scratch;
  write_file(scratch.path() / "a.npy", numpy_file());
  const Array array = read_npy(scratch.path() / "a.npy");
  EXPECT_EQ(array.type, scalar::Type(Scalar::i16));
  EXPECT_EQ(array.extents, (scalar::Extents{1, 3}));
  EXPECT_EQ(array.cells[2].as_integer(), 3);
}

TEST(Npy, what_is_written_for_numpy_is_byte_for_byte_what_numpy_writes) {
  const TemporaryDirectory scratch;
  write_file(scratch.path() / "a.npy", numpy_file());
  write_npy(scratch.path() / "b.npy", read_npy(scratch.path() / "a.npy"));
  EXPECT_EQ(read_file(scratch.path() / "b.npy"), numpy_file());
}

TEST(Npy, every_type_and_rank_survives_a_round_trip) {
  const TemporaryDirectory scratch;
  for (const Scalar type : {Scalar::boolean, Scalar::i8, Scalar::u16, Scalar::i32, Scalar::u64,
                            Scalar::f16, Scalar::f32, Scalar::f64}) {
    for (const auto& extents : {scalar::Extents{}, {1}, {5}, {3, 1, 7}}) {
      const Array array = filled(type, extents);
      write_npy(scratch.path() / "a.npy", array);
      EXPECT_EQ(read_npy(scratch.path() / "a.npy"), array) << to_string(type);
      EXPECT_EQ((read_file(scratch.path() / "a.npy").size() -
                 static_cast<size_t>(array.size() * scalar::bytes_of(type))) %
                    64,
                0u);
    }
  }
}

TEST(Npy, broken_files_are_refused_with_the_reason) {
  const TemporaryDirectory scratch;
  const auto complaint = [&](const std::string& from, const std::string& to) {
    std::string text = numpy_file();
    text.replace(text.find(from), from.size(), to);
    write_file(scratch.path() / "a.npy", text);
    return diagnostic_of([&] { read_npy(scratch.path() / "a.npy"); }).message;
  };
  EXPECT_NE(complaint("NUMPY", "NUMPX").find("not a .npy file"), std::string::npos);
  EXPECT_NE(complaint("<i2", ">i2").find("big-endian"), std::string::npos);
  EXPECT_NE(complaint("<i2", "<c8").find("'c8' is unknown"), std::string::npos);
  EXPECT_NE(complaint("False,", "True, ").find("column-major"), std::string::npos);
  EXPECT_NE(complaint("(1, 3)", "(1, 4)").find("holds 6 bytes of data, but its shape needs 8"),
            std::string::npos);
  EXPECT_NE(complaint("\x76", "\xff").find("cut off"), std::string::npos);
}

TEST(Npy, types_without_a_counterpart_are_refused) {
  const Diagnostic d = diagnostic_of([] { write_npy("unused.npy", filled(Scalar::bf16, {2})); });
  EXPECT_EQ(d.message, "not supported: writing bf16 to a .npy file");
}

}  // namespace
}  // namespace mdh::driver::npy_test
