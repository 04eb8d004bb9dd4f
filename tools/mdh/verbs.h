// The verbs of the command line, one file each. They print data on stdout, progress on stderr, and
// return the exit code.
#pragma once

#include "bench/bench.h"
#include "tools/mdh/request.h"

namespace mdh::tool {

int list();

/// `stages`: ll, table, derivation, footprint, plan, loop, source; none: the canonical text of the
/// program.
/// `after` names a pass, or is "all", or empty.
int show(const Request& request, const std::vector<std::string>& stages, const std::string& after);

int check(const Request& request);

struct RunVerbOptions {
  bool json = false;
  bool compare = false;
  std::string caches = "warm";       // or cold: what each timed call finds in them
  bool deterministic = false;        // refuse what may give other bits next time
  bool in_process = false;           // compiled code is not given to a worker
  double time_limit = 600;           // seconds for one run of compiled code in a worker; 0: none
  std::vector<std::string> inputs;   // "NAME=F.npy"
  std::vector<std::string> outputs;  // "NAME=F.npy"
};
int run(const Request& request, const RunVerbOptions& options);

struct TuneVerbOptions {
  std::string budget = "60s";  // or 3m, or a number of evaluations
  std::string technique = "auto";
  std::vector<std::string> locks;  // "split.j=COR 2, L1 64, REG 2, SIMD 4"
  std::string restricted;          // of the paper's restrictions: names, or all; empty: none
  bool json = false;
  std::string report;  // a file for a page about the search; empty: none
  std::string sizes;   // a file of sizes to tune one after the other; empty: none
  bool ship = false;   // the best goes into the file of tuned configurations
};

/// Searches for the best configuration and records all that was tried.
int tune(const Request& request, const TuneVerbOptions& options);

/// What only `mdh bench model` has.
struct ModelVerbOptions {
  std::optional<std::string> program;  // none: matmul
  std::optional<std::string> size;     // none: 512,512,512 for matmul, else the program's own
  std::optional<size_t> count;         // of configurations; none: 200
  std::optional<uint64_t> seed;        // of the drawing and the input data; none: 1
  std::optional<std::string> again;    // a report whose times are compared with new estimates
  bool measure = false;                // measure the configurations of that report anew
};

/// What only `mdh bench gpu` has.
struct GpuVerbOptions {
  std::vector<std::string> targets;   // none: cuda
  std::optional<std::string> caches;  // warm, cold or both; none: both
  std::vector<std::string> from;      // recordings: no device is needed
  std::vector<std::string> also;      // further rows of mdh: "default", "model"
};

struct BenchVerbOptions {
  ModelVerbOptions model;
  GpuVerbOptions gpu;
  std::string command;  // the whole line, for recordings
  std::string records;  // with configurations "tuned": a file of records; empty: the user's
  bool list = false;    // only say what there is
  bool quiet = false;
  std::string json;  // a file for the whole report; empty: none
};

/// mdh against its peers, or what else a suite compares: a table on stdout.
int bench(const bench::BenchOptions& asked, const BenchVerbOptions& verb);

/// The same on a GPU, or a table of what was measured there.
int bench_gpu(const bench::BenchOptions& asked, const BenchVerbOptions& verb);

/// Two configuration files; exit code 0 also if they differ.
int diff(const std::string& left, const std::string& right);

/// What works here. The rates of the machine as they are known, or measured anew.
enum class Rates { known, measured };
int doctor(Rates rates);

/// A loop program after one pass; without a pass, all passes there are.
int dev(const std::string& pass, const std::string& file);

/// The devices of this machine, those of every back end.
int devices();

/// Tuning records as a table, or as the lines that they are.
enum class ListAs { table, lines };
int list_records(const Request& request, ListAs form);

/// The best configuration that is recorded for a program; as a line, its record.
int best_record(const Request& given, ListAs form);

/// Removes what is not among the best.
int prune_records(const Request& request, const tune::PruneRules& rules);

/// Adds the records of other files.
int merge_records(const Request& request, const std::vector<std::string>& files);

/// Adds the records of a file of either kind, lines or T4.
int import_records(const Request& request, const std::string& file);

/// Writes all records that can be read to a file.
enum class ExportAs { lines, t4 };
int export_records(const Request& request, const std::string& file, ExportAs form);

/// Writes the best records of a program into its file of tuned configurations: for the sizes that
/// are given, or for those of a file.
int ship_records(const Request& given, const std::string& sizes);

/// Where compiled kernels are kept, and how much there is.
int cache();

/// Removes them.
int clear_cache();

/// What an error code means, from docs/errors.md.
int help(const std::string& code);

}  // namespace mdh::tool
