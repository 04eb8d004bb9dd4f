#include "mdh/backend/rts/rts.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "mdh/backend/rts/files.h"
#include "mdh/support/files.h"
#include "mdh/support/testing.h"

namespace mdh::backend::rts_test {
namespace {

TEST(Rts, text_is_without_the_comment_at_its_beginning) {
  const std::string text = rts_text("from_bf16");
  EXPECT_TRUE(text.starts_with("static inline float mdh_from_bf16(unsigned short a) {")) << text;
  EXPECT_TRUE(text.ends_with("}")) << text;
}

TEST(Rts, helper_that_is_not_there_is_a_bug) {
  EXPECT_EQ(diagnostic_of([] { rts_text("nothing"); }).kind, DiagnosticKind::internal);
}

/// Every helper is a source of its own: a compiler takes it alone, with all warnings.
/// What helpers of CUDA use of its language, for compilers that do not know it.
const std::string words_of_cuda = R"(
#define __device__
#define __constant__
#define __shared__ static
struct Place { unsigned x, y, z; };
extern Place threadIdx, blockDim;
void __syncthreads();
void __threadfence();
unsigned atomicInc(unsigned *address, unsigned most);
unsigned atomicExch(unsigned *address, unsigned value);
unsigned long long atomicExch(unsigned long long *address, unsigned long long value);
#define memcpy __builtin_memcpy
unsigned long long atomicAdd(unsigned long long *address, unsigned long long value);
unsigned atomicAdd(unsigned *address, unsigned value);
)";

TEST(Rts, every_helper_compiles_alone) {
  const TemporaryDirectory folder;
  ASSERT_FALSE(rts_files().empty());
  for (const auto& [name, file] : rts_files()) {
    const std::string text = rts_text(name);
    const bool is_cuda = text.find("__device__") != std::string::npos ||
                         text.find("__constant__") != std::string::npos;
    const std::string source = (folder.path() / (name + (is_cuda ? ".cpp" : ".c"))).string();
    write_file(source, (is_cuda ? words_of_cuda : "") + text + "\n");
    const std::string command =
        fmt::format("cc {} -Wall -Wextra -Wno-unused-function -Werror -fsyntax-only {}",
                    is_cuda ? "-std=c++17" : "-std=gnu11", source);
    EXPECT_EQ(std::system(command.c_str()), 0) << name;
  }
}

}  // namespace
}  // namespace mdh::backend::rts_test
