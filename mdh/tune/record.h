// One line of the tuning database: what was tried, where, and what came of it.
//
//   {"mdh_record": 1, "when": "2026-11-15T17:20:25Z",
//    "program": {"text": "mdh 1\nprogram p<...> = ...", "key": "91c0a3f5..."},
//    "sizes": {"N1": 512, "N2": 4096}, "types": {"out1": "f32", "in1": "f32", "in2": "f32"},
//    "machine": {"vendor": "ARM", "model": "0xd40 r1p1", "cores": 2, "isa": "neon",
//                "caches": {"L1": 65536, "L2": 1048576}},
//    "target": "openmp", "config": {"mdh_config": 1, ...}, "outcome": "ok", "reason": "",
//    "time_us": {"median": 61.2, "mean": 61.9, "ci99": 0.8, "n": 30}, "verified": "full",
//    "compiler": "gcc 12.2", "version": "0.1.0", "seed": 1, "load": 0.02, "final": "won"}
//
// Programs and configurations have positional names, so that programs that differ only in names
// share their records. What identifies a problem is the text; the key is its hash, a short name for
// people, and what a file says about it is never believed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "mdh/support/hardware.h"

namespace mdh::tune {

/// `spills`: it was not measured, because its threads need more registers than they have.
enum class RecordOutcome { ok, compile_error, crash, timeout, wrong, out_of_memory, spills };

const std::string& to_string(RecordOutcome outcome);

/// What became of a configuration in a final, where the best few of a search and the untuned choice
/// run in turn.
enum class FinalResult { none, won, lost };  // none: it was in no final

using mdh::MachineIdentity;

struct RecordTime {
  double median = 0;
  double mean = 0;
  double ci99 = 0;  // half of the width of the confidence interval of the mean
  int64_t n = 0;
  friend bool operator==(const RecordTime&, const RecordTime&) = default;
};

struct Record {
  std::string when;     // UTC, "2026-11-15T17:20:25Z": later is greater
  std::string program;  // canonical text
  std::map<std::string, int64_t> sizes;
  std::map<std::string, std::string> types;
  MachineIdentity machine;
  std::string target;
  std::string config = "{}";  // JSON text
  RecordOutcome outcome = RecordOutcome::ok;
  std::string reason;  // of a failure
  RecordTime time_us;
  std::string verified = "none";  // full, sampled, none
  std::string compiler;
  std::string version;  // of mdh
  uint64_t seed = 0;
  /// The share of the measurement in which a thread waited for a core that other programs used; 0
  /// in records that do not have it.
  double load = 0;
  FinalResult final_result = FinalResult::none;
  /// `code.edge` and `code.combine` of the configuration were carried out when it was measured. In
  /// records that do not say so they were ignored.
  bool decides = false;

  /// Where it stands if it came with a program (tuned_file.h), "FILE:LINE"; nothing in a record of
  /// this user. Not written.
  std::string origin;

  /// The text that it was read from, with what later versions may have added; nothing for a new
  /// one.
  std::string line;
};

/// The hash of the program's text.
std::string key_of(const Record& record);

/// A time that may be believed: the run was right, and that was checked.
bool is_proven(const Record& record);

/// Somebody else measured it, maybe on another machine of the same kind.
inline bool is_shipped(const Record& record) { return !record.origin.empty(); }

/// Beyond this share of waiting a time says little about a configuration.
inline constexpr double most_load = 0.1;
inline bool is_loaded(const Record& record) { return record.load > most_load; }

/// The time of day as records have it.
std::string now_utc();

/// One line without its end. A record that was read is printed as it was, but for a wrong key.
std::string print(const Record& record);

/// Nothing if the line is torn, is not JSON, or lacks something.
std::optional<Record> parse_record(std::string_view line);

/// A whole record of a later version, which is kept and not understood.
bool is_newer_record(std::string_view line);

}  // namespace mdh::tune
