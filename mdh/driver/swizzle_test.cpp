// The order of groups in a launch, compiled and counted.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

#include "mdh/backend/grid/axes.h"
#include "mdh/runtime/host/compiler.h"
#include "mdh/runtime/process.h"
#include "mdh/support/files.h"

namespace mdh::driver::swizzle_test {
namespace {

namespace fs = std::filesystem;

struct Grid {
  int64_t rows, columns, together;
};

/// A function that returns 0 if every member has one number, and rows of a block are side by side.
std::string check_of(const Grid& g, size_t number) {
  return fmt::format(
      "static int check_{0}(void) {{\n"
      "  static char seen[{1} * {2}];\n"
      "  long before = -1;\n"
      "  for (long mdh_flat = 0; mdh_flat < {1} * {2}; ++mdh_flat) {{\n{3}"
      "    if (mdh_row < 0 || mdh_row >= {1} || mdh_column < 0 || mdh_column >= {2}) return 1;\n"
      "    if (seen[mdh_row * {2} + mdh_column]++) return 2;\n"
      "    if (mdh_row / {4} < before) return 3;\n"
      "    before = mdh_row / {4};\n"
      "  }}\n  return 0;\n}}\n",
      number, g.rows, g.columns, backend::swizzled("long", g.rows, g.columns, g.together),
      g.together);
}

TEST(Swizzle, every_member_of_the_grid_begins_once_and_blocks_of_rows_one_after_the_other) {
  const std::vector<Grid> grids = {{1, 1, 2},   {1, 7, 3}, {7, 1, 3},        {5, 3, 2},
                                   {7, 11, 3},  {8, 8, 4}, {13, 17, 5},      {3, 5, 8},
                                   {31, 29, 8}, {9, 4, 9}, {5, 4, INT64_MAX}};
  std::string text, calls;
  for (size_t n = 0; n < grids.size(); ++n) {
    text += check_of(grids[n], n);
    calls += fmt::format("  if (check_{0}()) return {0} + 1;\n", n);
  }
  text += "int main(void) {\n" + calls + "  return 0;\n}\n";
  const fs::path folder = fs::path(testing::TempDir()) / fmt::format("mdh_swizzle_{}", getpid());
  fs::create_directories(folder);
  write_file((folder / "swizzle.c").string(), text);
  const std::string program = (folder / "swizzle").string();
  const runtime::host::Compiler compiler = runtime::host::find_compiler();
  ASSERT_EQ(
      runtime::run_program({compiler.path, (folder / "swizzle.c").string(), "-o", program}, folder)
          .status,
      0)
      << text;
  EXPECT_EQ(runtime::run_program({program}, folder).status, 0) << "number of the grid, from 1";
  fs::remove_all(folder);
}

}  // namespace
}  // namespace mdh::driver::swizzle_test
