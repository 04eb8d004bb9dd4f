// Best known configurations as a file that travels with a program, NAME.mdh.tuned: made to be read
// by people, compared by diff and kept under version control, for several sizes, machines and
// targets.
//
//   {"mdh_tuned": 1, "about": "..."}
//
//   {"program": "matvec", "key": "64645fd0d8945e19",
//    "sizes": {"N1": 512, "N2": 4096},
//    "types": {"in1": "f32", "in2": "f32", "out1": "f32"},
//    "target": "openmp",
//    "machine": {"vendor": "ARM", "model": "0xd40 r1p1", "cores": 2, ...},
//    "time_us": {"median": 171.5, "mean": 171.5, "ci99": 1.715, "n": 30},
//    "verified": "full", ...,
//    "config":
//    {"mdh_config": 1, ...,
//     "split": {"d1": ["COR 2", "L1 256"], "d2": ["L1 4096"]},
//     ...}}
//
// An entry begins with a brace in the first column. It has the fields of a record, in positional
// names, without the text of the program: the key says which version of the program it is for. One
// without a time is a place to begin a search at, and nothing that could be run. Entries are sorted
// and one that does not change keeps its text, letter by letter. What is damaged costs one entry.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mdh/tune/lookup.h"

namespace mdh::tune {

struct TunedEntry {
  std::string name;  // of the program, for people
  std::string key;   // of its text
  Record record;     // without the program; `origin` says where it stands
  std::string text;  // as it stands in the file; empty: it is new
};

/// An entry that cannot be read: why, with its place, and what stands there.
struct TunedDamage {
  std::string complaint;  // "FILE:LINE: why"
  std::string text;
};

struct TunedFile {
  std::vector<TunedEntry> entries;
  std::vector<TunedDamage> damaged;
};

/// `file` is for messages. A text of another kind or of a later version is a user error; an empty
/// one has no entries.
TunedFile parse_tuned(std::string_view text, const std::string& file);

/// One that does not exist has no entries.
TunedFile load_tuned(const std::filesystem::path& file);

/// Sorted by program, types, sizes, target and machine; what is damaged stands at the end.
std::string print(TunedFile file);

/// A new entry.
TunedEntry entry_of(const Record& record, const std::string& program_name);

/// The record of an entry, if it is about this program.
std::optional<Record> record_for(const TunedEntry& entry, const std::string& program_text);

/// Both are about the same program, sizes, types, target and machine.
bool is_same_problem(const TunedEntry& a, const TunedEntry& b);

/// Reads, changes and replaces the file, which is made if it is missing; nobody else writes in
/// between, and readers see the old or the new one. Nothing happens to the file if nothing changes
/// or on a failure, which is a user error.
void rewrite_tuned(const std::filesystem::path& file,
                   const std::function<void(TunedFile&)>& change);

}  // namespace mdh::tune
