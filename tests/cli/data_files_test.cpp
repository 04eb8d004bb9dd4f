// Data in and out through .npy files, and `mdh help`.
#include <gtest/gtest.h>

#include "mdh/driver/npy.h"
#include "mdh/support/files.h"
#include "tests/cli/tool.h"

namespace mdh::test::data_files_test {
namespace {

using scalar::Array;
using scalar::Scalar;

void write_floats(const std::filesystem::path& path, const scalar::Extents& extents,
                  const std::vector<float>& values) {
  driver::write_npy(path, scalar::copy_from_memory(Scalar::f32, extents, values.data()));
}

TEST(DataFiles, result_of_given_inputs_is_written_on_both_targets) {
  const TemporaryDirectory scratch;
  const std::string dir = scratch.path().string();
  write_floats(scratch.path() / "M.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  write_floats(scratch.path() / "v.npy", {3}, {1, 10, 100});
  for (const std::string target : {"openmp", "reference"}) {
    const Outcome o = mdh({"run", "matvec", "--size", "2,3", "-q", "--target", target, "--input",
                           "M=" + dir + "/M.npy", "--input", "v=" + dir + "/v.npy", "--output",
                           "w=" + dir + "/w.npy"});
    EXPECT_EQ(o.exit, 0) << describe(o);
    const Array w = driver::read_npy(scratch.path() / "w.npy");
    EXPECT_EQ(w.extents, (scalar::Extents{2}));
    EXPECT_EQ(w.cells[0].as_floating(), 321);
    EXPECT_EQ(w.cells[1].as_floating(), 654);
  }
}

TEST(DataFiles, buffer_of_the_wrong_size_or_type_is_refused) {
  const TemporaryDirectory scratch;
  write_floats(scratch.path() / "v.npy", {2}, {1, 2});
  const std::string option = "v=" + (scratch.path() / "v.npy").string();
  const Outcome size = mdh({"run", "matvec", "--size", "2,3", "-q", "--input", option});
  EXPECT_EQ(size.exit, 2);
  EXPECT_TRUE(contains(size.err, "buffer 'v' must have extents [3], got [2] [E231]")) << size.err;
  const Outcome type =
      mdh({"run", "matvec", "--size", "3,2", "-q", "--type", "f64", "--input", option});
  EXPECT_EQ(type.exit, 2);
  EXPECT_TRUE(contains(type.err, "buffer 'v' must have type f64, got f32 [E232]")) << type.err;
}

TEST(DataFiles, unknown_buffers_and_files_are_refused_before_anything_runs) {
  const Outcome name = mdh("run matvec --size 3,2 -q --output W=/tmp/w.npy");
  EXPECT_EQ(name.exit, 2);
  EXPECT_TRUE(contains(name.err, "--output: there is no buffer 'W' [E823]")) << name.err;
  EXPECT_TRUE(contains(name.err, "hint: did you mean 'w'?")) << name.err;
  const Outcome form = mdh("run matvec --size 3,2 -q --input v");
  EXPECT_EQ(form.exit, 2);
  EXPECT_TRUE(contains(form.err, "hint: write --input NAME=FILE.npy")) << form.err;
  const Outcome file = mdh("run matvec --size 3,2 -q --input v=/nonexistent.npy");
  EXPECT_EQ(file.exit, 2);
  EXPECT_TRUE(contains(file.err, "cannot read '/nonexistent.npy'")) << file.err;
}

TEST(Compare, reference_has_nothing_to_compare) {
  const Outcome o = mdh("run dot --target reference --compare -q");
  EXPECT_EQ(o.exit, 2);
  EXPECT_TRUE(contains(o.err, "--compare needs a target that is compiled [E808]")) << o.err;
  EXPECT_TRUE(contains(o.err, "hint: use --target openmp")) << o.err;
}

TEST(Help, code_is_explained_from_the_documentation) {
  const Outcome o = mdh("help E204");
  EXPECT_EQ(o.exit, 0);
  EXPECT_EQ(o.out.rfind("E204", 0), 0u);
  EXPECT_FALSE(contains(o.out, "E205")) << "only one section";
  const Outcome unknown = mdh("help E999");
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_TRUE(contains(unknown.err, "there is no error 'E999' [E811]")) << unknown.err;
}

}  // namespace
}  // namespace mdh::test::data_files_test
