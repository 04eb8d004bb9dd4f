#include "mdh/runtime/turns.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "mdh/runtime/testing.h"

namespace mdh::runtime::turns_test {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class DeviceTurns : public testing::Test {
 protected:
  TemporaryDirectory folder_;
  const ScopedEnvironment locks_{"MDH_DEVICE_LOCKS", folder_.path().string()};
};

TEST_F(DeviceTurns, one_has_the_device_at_a_time) {
  Turns one("pci 0:1", 0.05), other("pci 0:1", 0.05);
  std::optional<Turn> first = one.take();
  EXPECT_TRUE(first->is_alone());
  EXPECT_FALSE(other.take().is_alone());
  first.reset();
  EXPECT_TRUE(other.take().is_alone());
  EXPECT_TRUE(one.take().is_alone());
}

TEST_F(DeviceTurns, other_devices_are_free) {
  Turns one("pci 0:1", 0.05), other("pci 0:2", 0.05);
  const Turn first = one.take();
  EXPECT_TRUE(other.take().is_alone());
}

TEST_F(DeviceTurns, who_waits_is_the_next_one) {
  // Without the queue, the thread that has just had a turn would mostly get the next one, too.
  std::vector<int> order;
  const auto measure = [&](int who) {
    Turns turns("pci 0:1");
    for (int n = 0; n < 20; ++n) {
      const Turn turn = turns.take();
      order.push_back(who);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  };
  std::thread one([&] { measure(1); }), other([&] { measure(2); });
  one.join();
  other.join();
  ASSERT_EQ(order.size(), 40u);
  int changes = 0;
  for (size_t n = 1; n < order.size(); ++n) changes += order[n] != order[n - 1];
  EXPECT_GE(changes, 20) << "of 39, if they took turns all the time";
}

TEST_F(DeviceTurns, process_that_is_killed_gives_its_turn_back) {
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe2(ready.data(), O_CLOEXEC), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Turns turns("pci 0:1");
    const Turn turn = turns.take();
    const bool told = write(ready[1], "x", 1) == 1;
    while (told) pause();
    _exit(1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  Turns turns("pci 0:1", 0.05);
  EXPECT_FALSE(turns.take().is_alone());
  kill(child, SIGKILL);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(turns.take().is_alone());
  close(ready[0]);
  close(ready[1]);
}

TEST_F(DeviceTurns, after_one_wait_in_vain_the_next_ones_are_short) {
  Turns one("pci 0:1"), other("pci 0:1", 0.5);
  std::optional<Turn> first = one.take();
  EXPECT_FALSE(other.take().is_alone());
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(other.take().is_alone());
  EXPECT_LT(seconds_since(begin), 0.4);
  first.reset();
  EXPECT_TRUE(other.take().is_alone());
}

TEST_F(DeviceTurns, nobody_waits_without_a_place_or_with_locks_off) {
  EXPECT_TRUE(Turns("").take().is_alone());
  {
    const ScopedEnvironment off("MDH_DEVICE_LOCKS", "off");
    Turns one("pci 0:1"), other("pci 0:1");
    const Turn first = one.take();
    EXPECT_TRUE(other.take().is_alone());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(DeviceTurns, nobody_waits_where_no_file_can_be) {
  const ScopedEnvironment nowhere("MDH_DEVICE_LOCKS", "/nonexistent/folder");
  Turns one("pci 0:1"), other("pci 0:1");
  const Turn first = one.take();
  EXPECT_TRUE(other.take().is_alone());
}

}  // namespace
}  // namespace mdh::runtime::turns_test
