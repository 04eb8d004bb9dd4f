#include "mdh/runtime/worker/shared_buffers.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "mdh/support/testing.h"

namespace mdh::runtime::shared_buffers_test {
namespace {

int open_files() {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
    count += file.path().empty() ? 0 : 1;
  }
  return count;
}

TEST(SharedBuffers, buffers_are_zero_apart_and_aligned) {
  const SharedBuffers buffers({1, 0, 5000, 8});
  ASSERT_EQ(buffers.pointers().size(), 4u);
  for (size_t n = 0; n < 4; ++n) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffers.pointers()[n]) % 64, 0u);
    const auto* bytes = static_cast<const char*>(buffers.pointers()[n]);
    for (int64_t k = 0; k < buffers.bytes()[n]; ++k) ASSERT_EQ(bytes[k], 0);
    std::memset(buffers.pointers()[n], static_cast<int>(n + 1),
                static_cast<size_t>(buffers.bytes()[n]));
  }
  EXPECT_EQ(static_cast<char*>(buffers.pointers()[0])[0], 1);
  EXPECT_EQ(static_cast<char*>(buffers.pointers()[2])[4999], 3);
  EXPECT_EQ(static_cast<char*>(buffers.pointers()[3])[7], 4);
}

TEST(SharedBuffers, no_buffers_are_possible) { EXPECT_TRUE(SharedBuffers({}).pointers().empty()); }

TEST(SharedBuffers, another_mapping_sees_the_same) {
  const SharedBuffers buffers({100, 100});
  const SharedBuffers other(dup(buffers.descriptor()), {100, 100});
  static_cast<char*>(buffers.pointers()[1])[99] = 7;
  EXPECT_EQ(static_cast<char*>(other.pointers()[1])[99], 7);
  static_cast<char*>(other.pointers()[0])[0] = 9;
  EXPECT_EQ(static_cast<char*>(buffers.pointers()[0])[0], 9);
}

TEST(SharedBuffers, buffers_that_do_not_fit_the_block_are_a_bug) {
  const SharedBuffers buffers({100});
  const Diagnostic d = diagnostic_of([&] {
    SharedBuffers(dup(buffers.descriptor()), {100, 1 << 20});
  });
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
}

TEST(SharedBuffers, more_than_there_is_address_space_is_missing) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer ends the process instead";
#endif
  const Diagnostic d = diagnostic_of([] { SharedBuffers({int64_t{1} << 60}); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E603");
}

TEST(SharedBuffers, nothing_is_left_open) {
  const int before = open_files();
  for (int round = 0; round < 10; ++round) {
    const SharedBuffers buffers({100});
    const SharedBuffers other(dup(buffers.descriptor()), {100});
    EXPECT_EQ(open_files(), before + 2);
  }
  EXPECT_EQ(open_files(), before);
}

}  // namespace
}  // namespace mdh::runtime::shared_buffers_test
