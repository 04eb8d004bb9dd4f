// mdh-bench-gpu-runner: the process of one candidate on a GPU. It answers the lines of
// mdh-bench-runner (main.cpp), and
//
//   time N cold   N runs, each with caches that hold nothing of its own   -> ok T1 T2 ...
//
// Nothing runs on the device before the first "load", because others get ready at the same time.
// Its answer says once more what the candidate tells about itself: libraries have chosen how they
// compute. Times are those of the device. "failed" and why is an answer to each line as well. The first
// word is what a worker is told (runtime/worker/message.h); without steps, the library is a peer.
#include <algorithm>
#include <chrono>
#include <map>

#include "bench/runner/gpu_job.h"
#include "bench/runner/talk.h"
#include "mdh/runtime/runtimes.h"
#include "mdh/runtime/worker/private_copies.h"
#include "mdh/support/diagnostic.h"

namespace {

using mdh::runtime::Caches;
using mdh::runtime::Lap;
using mdh::runtime::WorkRequest;
using namespace mdh::bench;  // NOLINT(google-build-using-namespace): this is its program

class Server {
 public:
  explicit Server(const WorkRequest& request)
      : request_(request),
        shared_(memory_of_parent, request.bytes),
        device_(mdh::runtime::open_device(request.device)),
        job_(request.steps.empty() ? peer_job(request) : module_job(request, *device_)) {}

  std::string about() const { return job_->about(); }

  std::string answer_to(const std::string& line) {
    const std::vector<std::string> words = mdh::split(line, ' ');
    if (words[0] == "compute") compute();
    if (words[0] == "load") load();
    if (words[0] == "load") return "ok " + about();
    if (words[0] != "time") return "ok";
    return "ok" + times(std::atoi(words.at(1).c_str()),
                        words.back() == "cold" ? Caches::cold : Caches::warm);
  }

 private:
  void load() {
    watches_.clear();
    copies_ = nullptr;  // before there are others
    copies_ = std::make_unique<mdh::runtime::PrivateCopies>(*device_, shared_, request_.is_output);
    job_->load(copies_->handles());
  }

  void compute() {
    copies_->fetch_outputs(shared_);
    job_->run(copies_->handles());
    job_->store(copies_->handles());
    copies_->store_outputs(shared_);
  }

  std::string times(int count, Caches caches) {
    auto& watch = watches_[caches];
    if (!watch) watch = job_->stopwatch(copies_->handles(), caches);
    warm_up(watch);
    std::string text;
    for (int n = 0; n < count; ++n) text += " " + std::to_string(watch().device_us);
    return text;
  }

  /// The device has rested since the last turn: its clock needs a while to be up again.
  static void warm_up(const std::function<Lap()>& watch) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(3);
    do {
      watch();
    } while (Clock::now() < end);
  }

  WorkRequest request_;
  mdh::runtime::SharedBuffers shared_;
  std::shared_ptr<const mdh::runtime::Device> device_;
  std::unique_ptr<GpuJob> job_;
  std::unique_ptr<mdh::runtime::PrivateCopies> copies_;
  std::map<Caches, std::function<Lap()>> watches_;
};

std::string first_line(const std::exception& e) {
  const auto* error = dynamic_cast<const mdh::Error*>(&e);
  const std::string text = error != nullptr ? error->diagnostic().message : e.what();
  return mdh::split(text, '\n').front();
}

/// A library that is missing, or a device that is, is no failure.
std::string refusal_of(const std::exception& e) {
  const auto* error = dynamic_cast<const mdh::Error*>(&e);
  const bool is_missing =
      error != nullptr && error->diagnostic().kind == mdh::DiagnosticKind::missing;
  return (is_missing ? "absent " : "failed ") + first_line(e);
}

void serve(Server& server) {
  std::string line;
  while (receive(line)) {
    std::string text;
    try {
      text = server.answer_to(line);
    } catch (const std::exception& e) {
      text = "failed " + first_line(e);
    }
    answer(text);
  }
}

}  // namespace

int main(int count, char** words) {
  if (!is_started_by_mdh(count, 3, "mdh-bench-gpu-runner")) return 2;
  std::optional<WorkRequest> request = mdh::runtime::request_from(words[1]);
  if (!request) {
    answer("failed cannot read what it is to do");
    return 1;
  }
  request->is_output.clear();
  request->bytes = bytes_of(words[2], request->is_output);
  try {
    Server server(*request);
    answer("ok " + server.about());
    serve(server);
  } catch (const std::exception& e) {
    answer(refusal_of(e));
  }
  return 0;
}
