#include "mdh/runtime/worker/message.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

namespace mdh::runtime::message_test {
namespace {

struct Sockets {
  int ends[2] = {-1, -1};
  Sockets() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0); }
  ~Sockets() {
    close(ends[0]);
    close(ends[1]);
  }
};

TEST(WorkerMessage, requests_survive_the_way) {
  WorkRequest request{
      .version = "1.2",
      .device = "opencl:1",
      .model = "some GPU",
      .library = "/a b/\"c\".so",
      .steps = {{kernel::Launch{"f", {3, 2, 1}, {64, 4, 1}, 4096, {1, 2, 1}, true}},
                {kernel::Repeat{3, {{kernel::Launch{"g"}}, {kernel::Repeat{2, {}}}}}}},
      .bytes = {8, int64_t{1} << 40},
      .is_output = {true, false},
      .workspace_bytes = 77,
      .parts_on_cores = 5,
      .threads = 4,
      .time_limit = 1.5,
      .measure = TimingLimits{1, 2, 3, 4.5, 0.25, Caches::cold},
      .inputs_stay = true,
      .wants_outputs = false,
      .filled = 0x24,
      .compares_all_inputs = true};
  const auto read = request_from(to_text(request));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->version, request.version);
  EXPECT_EQ(read->device, request.device);
  EXPECT_EQ(read->model, request.model);
  EXPECT_EQ(read->library, request.library);
  EXPECT_EQ(read->steps, request.steps);
  EXPECT_EQ(read->bytes, request.bytes);
  EXPECT_EQ(read->is_output, request.is_output);
  EXPECT_EQ(read->workspace_bytes, 77);
  EXPECT_EQ(read->parts_on_cores, 5);
  EXPECT_EQ(read->threads, 4);
  EXPECT_EQ(read->time_limit, 1.5);
  EXPECT_TRUE(read->inputs_stay);
  EXPECT_FALSE(read->wants_outputs);
  EXPECT_EQ(read->filled, 0x24);
  EXPECT_TRUE(read->compares_all_inputs);
  ASSERT_TRUE(read->measure);
  EXPECT_EQ(read->measure->warm_up, 1);
  EXPECT_EQ(read->measure->least, 2);
  EXPECT_EQ(read->measure->most, 3);
  EXPECT_EQ(read->measure->seconds, 4.5);
  EXPECT_EQ(read->measure->accuracy, 0.25);
  request.measure.reset();
  EXPECT_FALSE(request_from(to_text(request))->measure);
}

TEST(WorkerMessage, outcomes_survive_the_way) {
  for (const WorkStatus status :
       {WorkStatus::ok, WorkStatus::crash, WorkStatus::timeout, WorkStatus::exit,
        WorkStatus::out_of_memory, WorkStatus::no_room, WorkStatus::no_device, WorkStatus::error}) {
    const bool is_last = status == WorkStatus::crash;
    const auto read = outcome_from(
        to_text(Outcome{status, "why\n\xff", {1.5, 2, 0.25, 9, 0.5, 7.25}, is_last, {}, is_last}));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->has_renewed_inputs, is_last);
    EXPECT_EQ(read->is_last, is_last);
    EXPECT_EQ(read->status, status);
    EXPECT_EQ(read->reason.substr(0, 4), "why\n") << "and what is not text is replaced";
    EXPECT_EQ(read->timing.median_us, 1.5);
    EXPECT_EQ(read->timing.mean_us, 2);
    EXPECT_EQ(read->timing.ci99_us, 0.25);
    EXPECT_EQ(read->timing.count, 9);
    EXPECT_EQ(read->timing.load, 0.5);
    EXPECT_EQ(read->timing.host_us, 7.25);
  }
}

TEST(WorkerMessage, nonsense_is_nothing) {
  for (const std::string text : {"", "x", "{}", "[]", "{\"status\": 3}", "null"}) {
    EXPECT_FALSE(request_from(text)) << text;
    EXPECT_FALSE(outcome_from(text)) << text;
    EXPECT_FALSE(crash_from(text)) << text;
  }
}

TEST(WorkerMessage, last_words_are_told_from_texts) {
  CrashNote note;
  note.signal = 11;
  note.error = 12;
  note.address = 0x1234;
  const std::string text(reinterpret_cast<const char*>(&note), sizeof(note));
  ASSERT_TRUE(crash_from(text));
  EXPECT_EQ(crash_from(text)->signal, 11);
  EXPECT_EQ(crash_from(text)->error, 12);
  EXPECT_EQ(crash_from(text)->address, 0x1234u);
  EXPECT_FALSE(crash_from(text + "x"));
  EXPECT_FALSE(outcome_from(text));
}

TEST(WorkerSocket, messages_are_kept_apart_and_may_carry_a_descriptor) {
  const Sockets sockets;
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  ASSERT_TRUE(send_message(sockets.ends[0], "one", pipe_ends[1]));
  ASSERT_TRUE(send_message(sockets.ends[0], std::string(50000, 'x')));
  std::string text;
  int descriptor = -1;
  ASSERT_EQ(receive_message(sockets.ends[1], -1, text, descriptor), Receipt::message);
  EXPECT_EQ(text, "one");
  ASSERT_GE(descriptor, 0);
  EXPECT_EQ(write(descriptor, "y", 1), 1);
  char byte = 0;
  EXPECT_EQ(read(pipe_ends[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  for (const int file : {descriptor, pipe_ends[0], pipe_ends[1]}) close(file);
  ASSERT_EQ(receive_message(sockets.ends[1], 1, text, descriptor), Receipt::message);
  EXPECT_EQ(text, std::string(50000, 'x'));
  EXPECT_EQ(descriptor, -1);
}

TEST(WorkerSocket, time_and_closed_ends_are_noticed) {
  Sockets sockets;
  std::string text;
  int descriptor = -1;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(receive_message(sockets.ends[1], 0.05, text, descriptor), Receipt::timeout);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(50));
  EXPECT_EQ(receive_message(sockets.ends[1], 0, text, descriptor), Receipt::timeout);
  close(sockets.ends[0]);
  sockets.ends[0] = -1;
  EXPECT_EQ(receive_message(sockets.ends[1], -1, text, descriptor), Receipt::closed);
  EXPECT_FALSE(send_message(sockets.ends[1], "anybody there?"));
}

TEST(WorkerSocket, message_that_is_too_long_is_not_sent) {
  const Sockets sockets;
  EXPECT_FALSE(send_message(sockets.ends[0], std::string(50 << 20, 'x')));
}

}  // namespace
}  // namespace mdh::runtime::message_test
