// Records in T4, the JSON format in which auto-tuners exchange results and metadata
// (github.com/odgaard/TuningSchema).
//
//   {"schema_version": "1.0.0",
//    "metadata": {"timeunit": "milliseconds", "hardware": {"hardware_description": [...]}},
//    "results": [{"timestamp": "2026-11-15T17:20:25Z",
//                 "configuration": {"layers": "COR, L1", "split.d1.COR": 2, ...},
//                 "objectives": ["time"], "times": {"runtimes": [0.1715]},
//                 "invalidity": "correct", "correctness": 1,
//                 "measurements": [{"name": "time", "value": 0.1715, "unit": "ms"}],
//                 "mdh": {...}}]}
//
// `configuration` has the parameters as numbers and texts, as other tools expect them. `mdh` is the
// whole record: it alone is read back, so that nothing is lost on the way.
#pragma once

#include <string>
#include <string_view>

#include "mdh/tune/database.h"

namespace mdh::tune {

/// All records as one JSON text.
std::string to_t4(const std::vector<Record>& records);

/// The text looks like a T4 file, and not like lines of records.
bool is_t4(std::string_view text);

/// The records of a T4 file. Results without a record of mdh are counted as unreadable: what the
/// parameters of other tuners mean is not known. A user error if it is no T4 file, or of a later
/// major version. `file` is for messages.
Contents from_t4(std::string_view text, const std::string& file);

}  // namespace mdh::tune
