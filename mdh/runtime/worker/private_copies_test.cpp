#include "mdh/runtime/worker/private_copies.h"

#include <gtest/gtest.h>

#include <cstring>

namespace mdh::runtime::private_copies_test {
namespace {

/// Memory as devices have it that cannot protect it.
class PlainMemory : public DeviceMemory {
 public:
  explicit PlainMemory(int64_t bytes) : DeviceMemory(bytes), bytes_(static_cast<size_t>(bytes)) {}

  void* handle() const override { return bytes_.data(); }
  void upload(const void* from) const override { std::memcpy(bytes_.data(), from, bytes_.size()); }
  void download(void* to) const override { std::memcpy(to, bytes_.data(), bytes_.size()); }

 private:
  mutable std::vector<char> bytes_;
};

class PlainDevice : public Device {
 public:
  std::string name() const override { return "plain"; }
  Accuracy accuracy() const override { return {}; }
  bool takes(const std::string&) const override { return false; }
  std::vector<std::vector<Built>> build(const ModuleGroups&, const BuildLimits&) const override {
    return {};
  }
  std::shared_ptr<const LoadedKernel> load_object(const kernel::Module&,
                                                  const std::string&) const override {
    return nullptr;
  }
  std::shared_ptr<const DeviceMemory> allocate(int64_t bytes, const std::string&) const override {
    return std::make_shared<PlainMemory>(bytes);
  }

 private:
  LoadedKernels load_for(Purpose, std::span<const kernel::Module>) const override { return {}; }
};

constexpr int64_t megabyte = int64_t{1} << 20;

class PrivateCopiesTest : public testing::Test {
 protected:
  /// An output, a small input and a large one.
  const SharedBuffers shared_{{8, 64, 40 * megabyte}};
  const PlainDevice device_;
  PrivateCopies copies_{device_, shared_, {true, false, false}};

  void SetUp() override { copies_.protect_inputs(); }
  char* copy(size_t n) const { return static_cast<char*>(copies_.handles()[n]); }
};

TEST_F(PrivateCopiesTest, small_inputs_are_compared_after_every_run) {
  for (int run = 0; run < 5; ++run) {
    EXPECT_EQ(copies_.inputs_now(shared_), PrivateCopies::Inputs::intact);
  }
  copy(1)[63] = 1;
  EXPECT_EQ(copies_.inputs_now(shared_), PrivateCopies::Inputs::spoilt);
  EXPECT_TRUE(copies_.are_inputs_spoilt(shared_));
}

TEST_F(PrivateCopiesTest, every_byte_of_a_large_input_is_compared_after_some_runs) {
  for (const int64_t at : {int64_t{0}, 17 * megabyte, 40 * megabyte - 1}) {
    copy(2)[at] = 1;
    int found = 0;
    for (int run = 0; run < 3; ++run) {
      found += copies_.inputs_now(shared_) == PrivateCopies::Inputs::spoilt_before ? 1 : 0;
    }
    EXPECT_EQ(found, 1) << at;
    EXPECT_TRUE(copies_.are_inputs_spoilt(shared_));
    copy(2)[at] = 0;
  }
  EXPECT_FALSE(copies_.are_inputs_spoilt(shared_));
}

TEST_F(PrivateCopiesTest, outputs_are_filled_and_inputs_are_not) {
  copies_.fill_outputs(0x24);
  EXPECT_EQ(std::string(copy(0), 8), "$$$$$$$$");
  EXPECT_EQ(copies_.inputs_now(shared_), PrivateCopies::Inputs::intact);
}

}  // namespace
}  // namespace mdh::runtime::private_copies_test
