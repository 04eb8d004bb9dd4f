// What parent and worker say to each other: one JSON value per message, over a pair of sockets that
// keep messages apart. A message may carry a file descriptor.
#pragma once

#include <optional>
#include <string>

#include "mdh/kernel/module.h"
#include "mdh/runtime/timer.h"

namespace mdh::runtime {

/// What the worker is to do, complete: a worker that was just started needs nothing else.
struct WorkRequest {
  std::string version;  // of mdh; a worker of another version refuses
  std::string device;   // that the worker opens (runtimes.h)
  std::string model;    // of that device; empty: any
  std::string library;  // what was built for it
  std::vector<kernel::Step> steps;
  std::vector<int64_t> bytes;   // of each buffer
  std::vector<bool> is_output;  // of each buffer
  int64_t workspace_bytes = 0;
  int64_t zeroed_bytes = 0;
  int parts_on_cores = 1;
  int threads = 1;
  double time_limit = 0;                // seconds; 0: none
  std::optional<TimingLimits> measure;  // none: run once
  bool inputs_stay = false;             // as in the request before, if that said so, too
  bool wants_outputs = true;
  std::optional<int> filled;  // all bytes of the outputs before the run; none: as they are shared
  bool compares_all_inputs = false;  // afterwards, also large ones
};

/// What a device needs to load the library again: a module without a source.
kernel::Module module_of(const WorkRequest& request);

/// Out of memory is what a kernel needs besides its buffers; no room is what every kernel of the program
/// would meet: the device cannot hold the buffers.
enum class WorkStatus { ok, crash, timeout, exit, out_of_memory, no_room, no_device, error };
std::string to_string(WorkStatus status);

/// What became of a request.
struct Outcome {
  WorkStatus status = WorkStatus::ok;
  std::string reason;     // of everything but ok, in words
  Timing timing;          // if it was measured
  bool is_last = false;   // the process ends: nothing else can run in it
  std::string hint = {};  // what the user can do, where that is known
  /// An earlier kernel had changed the inputs: what the outputs hold was computed of new ones.
  bool has_renewed_inputs = false;
};

/// The last words of a worker, sent by a signal handler, which can do no more than send bytes.
struct CrashNote {
  char tag[8] = {'m', 'd', 'h', 'c', 'r', 'a', 's', 'h'};
  int64_t signal = 0;
  int64_t error = 0;  // errno of the thread
  uint64_t address = 0;
};

std::string to_text(const WorkRequest& request);
std::string to_text(const Outcome& outcome);

/// Nothing if the text is not such a message.
std::optional<WorkRequest> request_from(const std::string& text);
std::optional<Outcome> outcome_from(const std::string& text);
std::optional<CrashNote> crash_from(const std::string& text);

/// False if it could not be sent: the other end is gone, or the message too long.
bool send_message(int socket, const std::string& text, int descriptor = -1);

enum class Receipt { message, closed, timeout };

/// Waits for a message. `seconds` limits the time; below 0 does not. `descriptor` becomes the one
/// that came with it, or -1.
Receipt receive_message(int socket, double seconds, std::string& text, int& descriptor);

}  // namespace mdh::runtime
