// The command line: options in, verbs called, exceptions to exit codes.
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <system_error>

#include <CLI/CLI.hpp>

#include "mdh/support/files.h"
#include "mdh/support/text.h"
#include "tools/mdh/say.h"
#include "tools/mdh/usage.h"
#include "tools/mdh/verbs.h"

namespace {

using mdh::tool::Request;
using mdh::tool::say;

CLI::Option* add_records_option(CLI::App& verb, Request& request) {
  return verb.add_option("--records", request.records,
                         "a file of tuning records (default: the user's)");
}

/// Where configurations that travel with a program are.
CLI::Option* add_tuned_option(CLI::App& verb, Request& request) {
  return verb.add_option("--tuned", request.tuned,
                         "a file of tuned configurations (default: PROGRAM.tuned of a .mdh file)");
}

/// A program, and where it is to run.
void add_problem_options(CLI::App& verb, Request& request) {
  verb.add_option("PROGRAM", request.program, "a name from 'mdh list', or a .mdh file")->required();
  verb.add_option("--size", request.size, "sizes: 7,13 (dimension order), I=7,K=13, or paper");
  verb.add_option("--type", request.type, "element type: f32, f64, i32, i64, or T=f32");
  verb.add_option("--set", request.set, "other constants: c=0.5 (repeatable)");
  verb.add_option("--target", request.target,
                  "reference, openmp, opencl[:N] or cuda[:N] (default openmp)");
  verb.add_option("--machine", request.machine, "a name from 'mdh doctor', or a .json file");
}

void add_program_options(CLI::App& verb, Request& request) {
  add_problem_options(verb, request);
  verb.add_option("--config", request.config,
                  "a configuration file (JSON), a schedule, 'default' or 'model'");
  verb.add_option("--threads", request.threads, "threads to use (default: all cores)")
      ->check(mdh::tool::whole_number(1, 4096));
  verb.add_option("--seed", request.seed, "seed of the input data (default 1)")
      ->check(mdh::tool::whole_number(0, UINT64_MAX));
  verb.add_flag("-q,--quiet", request.quiet, "no progress on stderr");
  CLI::Option* records = add_records_option(verb, request);
  verb.add_flag("--no-records", request.no_records,
                "whatever the records say, what the model chooses")
      ->excludes(records);
  verb.add_flag("--no-tuned", request.no_tuned, "whatever the file beside the program says")
      ->excludes(add_tuned_option(verb, request));
}

struct RecordsOptions {
  bool json = false;
  bool failures = false;
  size_t keep = mdh::tune::PruneRules().keep;
  std::vector<std::string> files;
  std::string file;
  std::string sizes;
  bool t4 = false;
};

/// The verbs of `records` that only read. The options live until the verbs are called.
template <class Call>
void add_reading_verbs(CLI::App* verb, Request& request, RecordsOptions& options,
                       const Call& call) {
  using mdh::tool::ListAs;
  const auto form = [&options] { return options.json ? ListAs::lines : ListAs::table; };

  CLI::App* list = verb->add_subcommand("list", "all records, one line each");
  add_records_option(*list, request);
  list->add_flag("--json", options.json, "as JSON lines");
  list->callback(call([&request, form] { return list_records(request, form()); }));

  CLI::App* best = verb->add_subcommand("best", "the best configuration for a program");
  add_problem_options(*best, request);
  add_records_option(*best, request);
  best->add_flag("--json", options.json, "its record, as a JSON line");
  best->add_flag("-q,--quiet", request.quiet, "nothing on stderr");
  best->callback(call([&request, form] { return best_record(request, form()); }));

  CLI::App* write = verb->add_subcommand("export", "write all records to a file");
  add_records_option(*write, request);
  write->add_option("FILE", options.file, "the file, which is replaced")->required();
  write->add_flag("--t4", options.t4, "as T4, the JSON format of other auto-tuners");
  write->callback(call([&request, &options] {
    using mdh::tool::ExportAs;
    return export_records(request, options.file, options.t4 ? ExportAs::t4 : ExportAs::lines);
  }));

  CLI::App* ship = verb->add_subcommand("ship", "write the best records beside the program");
  add_problem_options(*ship, request);
  add_records_option(*ship, request);
  add_tuned_option(*ship, request);
  ship->add_option("--sizes", options.sizes, "a file of sizes, a line each")
      ->excludes(ship->get_option("--size"));
  ship->callback(call([&request, &options] { return ship_records(request, options.sizes); }));
}

/// Those that change the file.
template <class Call>
void add_changing_verbs(CLI::App* verb, Request& request, RecordsOptions& options,
                        const Call& call) {
  CLI::App* prune = verb->add_subcommand("prune", "keep the best records only");
  add_records_option(*prune, request);
  prune->add_option("--keep", options.keep, "configurations per program, sizes and machine")
      ->check(mdh::tool::whole_number(0, UINT64_MAX))
      ->capture_default_str();
  prune->add_flag("--failures", options.failures, "also remove what failed");
  prune->callback(call([&request, &options] {
    using mdh::tune::Failures;
    return prune_records(request,
                         {options.keep, options.failures ? Failures::drop : Failures::keep});
  }));

  CLI::App* merge = verb->add_subcommand("merge", "add the records of other files");
  add_records_option(*merge, request);
  merge->add_option("FILE", options.files, "files of records")->required();
  merge->callback(call([&request, &options] { return merge_records(request, options.files); }));

  CLI::App* import = verb->add_subcommand("import", "add the records of a file of any form");
  add_records_option(*import, request);
  import->add_option("FILE", options.file, "records as lines, or in the format T4")->required();
  import->callback(call([&request, &options] { return import_records(request, options.file);
}));
}  // namespace

void add_run_options(CLI::App& verb, Request& request, mdh::tool::RunVerbOptions& options) {
  verb.add_flag("--json", options.json, "one JSON object on stdout");
  verb.add_flag("--compare", options.compare, "also time the plain loop, interleaved");
  verb.add_option("--caches", options.caches, "what each timed call finds: warm (default) or cold")
      ->check(CLI::IsMember({"warm", "cold"}));
  verb.add_option("--input", options.inputs, "data of a buffer: NAME=F.npy (repeatable)");
  verb.add_option("--output", options.outputs, "where a result goes: NAME=F.npy (repeatable)");
  verb.add_flag("--deterministic", options.deterministic,
                "the same bits in every run, with any number of threads");
  verb.add_flag("--in-process", options.in_process,
                "run compiled code in this process, not in a worker");
  verb.add_option("--time-limit", options.time_limit,
                  "seconds for a run of compiled code (default 600; 0: none)")
      ->check(mdh::tool::decimal_number(0, 1e9));
  verb.add_flag("--require-tuned", request.require_tuned, "refuse to run without a tuning record")
      ->excludes(verb.get_option("--no-records"), verb.get_option("--config"));
}

/// What a search takes of the problem: where a configuration comes from is what it finds out.
void add_tune_options(CLI::App& verb, Request& request, mdh::tool::TuneVerbOptions& options) {
  add_problem_options(verb, request);
  verb.add_option("--threads", request.threads, "threads to use (default: all cores)")
      ->check(mdh::tool::whole_number(1, 4096));
  verb.add_option("--seed", request.seed, "seed of the search and the input data (default 1)")
      ->check(mdh::tool::whole_number(0, UINT64_MAX));
  verb.add_flag("-q,--quiet", request.quiet, "no progress on stderr");
  CLI::Option* records = add_records_option(verb, request);
  verb.add_flag("--no-records", request.no_records, "neither use nor write records")
      ->excludes(records);
  verb.add_option("--budget", options.budget, "60s, 3m, or a number of evaluations (default 60s)");
  verb.add_option("--technique", options.technique, "how to search (default auto)");
  verb.add_option("--lock", options.locks,
                  "what is decided: \"split.j=COR 2, L1 64, REG 2, SIMD 4\" (repeatable)");
  verb.add_flag("--restricted{all}", options.restricted,
                "the paper's restrictions: --restricted=phases,parallelism,tiles (default all)");
  CLI::Option* sizes = verb.add_option("--sizes", options.sizes,
                                       "a file of sizes, a line each, one search for each");
  sizes->excludes(verb.get_option("--size"));
  verb.add_option("--report", options.report, "a file for a page about the search (HTML)")
      ->excludes(sizes);
  verb.add_flag("--no-tuned", request.no_tuned, "do not begin at what came with the program")
      ->excludes(add_tuned_option(verb, request));
  verb.add_flag("--ship", options.ship, "write the best into the file of tuned configurations");
  verb.add_flag("--json", options.json, "one JSON object on stdout");
}

void add_model_options(CLI::App& verb, mdh::tool::ModelVerbOptions& options) {
  verb.add_option("--program", options.program,
                  "model: a name from 'mdh list', or a .mdh file (default matmul)");
  verb.add_option("--size", options.size, "model: sizes (default for matmul: 512,512,512)");
  verb.add_option("--count", options.count, "model: random configurations (default 200)")
      ->check(mdh::tool::whole_number(1, 100'000));
  verb.add_option("--seed", options.seed,
                  "model: seed of the configurations and the input data (default 1)")
      ->check(mdh::tool::whole_number(0, UINT64_MAX));
  verb.add_option("--again", options.again,
                  "model: estimate the configurations of a file of --json again");
  verb.add_flag("--measure", options.measure, "model: with --again, measure them anew");
}

void add_gpu_options(CLI::App& verb, mdh::tool::GpuVerbOptions& options) {
  verb.add_option("--target", options.targets,
                  "gpu: cuda[:N] (default cuda); with opencl[:N] a second row of mdh: cuda,opencl")
      ->delimiter(',');
  verb.add_option("--caches", options.caches, "gpu: what timed calls find: warm, cold or both")
      ->check(CLI::IsMember({"warm", "cold", "both"}));
  verb.add_option("--also", options.also,
                  "gpu: further rows of mdh, untuned: default, model (the choice of estimates)")
      ->delimiter(',')
      ->check(CLI::IsMember({"default", "model"}));
  verb.add_option("--from", options.from, "gpu: print files of --json, without a device");
}

void add_bench_options(CLI::App& verb, mdh::bench::BenchOptions& options,
                       mdh::tool::BenchVerbOptions& shown) {
  verb.add_option("SUITE", options.suite,
                  "cpu, more, tiny; gpu; compile: cost of compiling; model: how well it ranks")
      ->required();
  verb.add_flag("--list", shown.list, "only the workloads and the peers");
  verb.add_option("--workloads", options.workloads, "some of the suite: a,b")->delimiter(',');
  verb.add_option("--peers", options.peers, "some of the peers: a,b")->delimiter(',');
  verb.add_option("--peer-file", options.peer_files,
                  "a candidate of your own: NAME=F.c; gpu: F.cpp or F.cu");
  verb.add_option("--configs", options.configs,
                  "a folder with WORKLOAD.json for mdh; tuned: the best records");
  verb.add_option("--records", shown.records,
                  "with --configs tuned: a file of tuning records (default: the user's)");
  verb.add_option("--rounds", options.rounds, "rounds (default 11, quick 3)")
      ->check(mdh::tool::whole_number(1, 1000));
  verb.add_option("--threads", options.threads, "threads to use (default: all cores)")
      ->check(mdh::tool::whole_number(1, 4096));
  verb.add_flag("--quick", options.quick, "few and short rounds, one repetition");
  add_model_options(verb, shown.model);
  add_gpu_options(verb, shown.gpu);
  verb.add_option("--json", shown.json, "a file for the whole report");
  verb.add_flag("-q,--quiet", shown.quiet, "no progress on stderr");
}

/// The text a diagnostic points into, if it is a file that can still be read.
std::string source_of(const mdh::Diagnostic& d) {
  std::error_code failure;
  const bool readable =
      d.where.known() && d.where.file && std::filesystem::is_regular_file(*d.where.file, failure);
  return readable ? mdh::read_file(*d.where.file) : std::string();
}

[[noreturn]] void cannot_print() {
  mdh::user_error("E002", {}, "cannot write to stdout", "is there space left?");
}

/// What a full disk swallowed is not printed, whatever the verb believes.
int printed(const std::function<int()>& verb) {
  int exit = 0;
  try {
    exit = verb();
  } catch (const std::system_error&) {  // fmt's way to say that a write failed
    cannot_print();
  }
  if (std::fflush(stdout) != 0) cannot_print();
  return exit;
}

int guarded(const std::function<int()>& verb) {
  try {
    return printed(verb);
  } catch (const mdh::Error& e) {
    say("{}", render(e.diagnostic(), source_of(e.diagnostic())));
    return exit_code(e.diagnostic().kind);
  } catch (const std::bad_alloc&) {
    const mdh::Diagnostic d{mdh::DiagnosticKind::missing, "E810", {}, "out of memory", {},
                            "use a smaller size"};
    say("{}", render(d));
    return exit_code(d.kind);
  } catch (const std::exception& e) {
    say("mdh: internal error: {}\n", e.what());
    return exit_code(mdh::DiagnosticKind::internal);
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mdh::tool;  // NOLINT(google-build-using-namespace): the verbs
  // A file that may not grow further is an error with a message, here and in compilers.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app{"mdh: de- and re-composition of data-parallel computations", "mdh"};
  app.set_version_flag("--version", "mdh " MDH_VERSION);
  app.require_subcommand(1);
  Request request;
  RunVerbOptions run_options;
  int exit = 0;
  const auto call = [&](auto verb) { return [&exit, verb] { exit = guarded(verb); }; };

  app.add_subcommand("list", "the catalogue: name, dimensions, what it computes")
      ->callback(call(list));

  CLI::App* show_verb = app.add_subcommand("show", "any stage of a program, as text");
  add_program_options(*show_verb, request);
  std::vector<std::string> stages;
  const auto add_stage = [&](const char* stage, const char* what) {
    show_verb->add_flag_callback(
        std::string("--") + stage, [&stages, stage] { stages.emplace_back(stage); }, what);
  };
  add_stage("ll", "the low-level program");
  add_stage("table", "the fifteen parameters, one row per level");
  add_stage("derivation", "which property justifies which step");
  add_stage("footprint", "parts, threads, bytes and traffic");
  add_stage("cost", "an estimate of the time, part by part");
  add_stage("plan", "structured loops");
  add_stage("loop", "concrete loops");
  add_stage("source", "the printed source");
  add_stage("stand-alone", "the same and a plain C function to call it by");
  add_stage("resources",
            "registers, memory and bank conflicts of the compiled functions, where compilers tell");
  std::string after;
  show_verb->add_option("--print-after", after,
                        "loops after a pass ('mdh dev' lists them), or all");
  show_verb->callback(call([&] { return show(request, stages, after); }));

  CLI::App* check_verb =
      app.add_subcommand("check", "validate, count resources, print the configuration");
  add_program_options(*check_verb, request);
  check_verb->callback(call([&] { return check(request); }));

  CLI::App* diff_verb = app.add_subcommand("diff", "two configurations, parameter by parameter");
  std::string left, right;
  diff_verb->add_option("A", left, "a configuration file (JSON)")->required();
  diff_verb->add_option("B", right, "another one")->required();
  diff_verb->callback(call([&] { return diff(left, right); }));

  CLI::App* run_verb = app.add_subcommand("run", "compute, verify and time");
  add_program_options(*run_verb, request);
  add_run_options(*run_verb, request, run_options);
  run_verb->callback(call([&] { return run(request, run_options); }));

  CLI::App* tune_verb = app.add_subcommand("tune", "search for the best configuration");
  mdh::tool::TuneVerbOptions tune_options;
  add_tune_options(*tune_verb, request, tune_options);
  tune_verb->callback(call([&] { return tune(request, tune_options); }));

  CLI::App* bench_verb = app.add_subcommand("bench", "measure against libraries and plain loops");
  mdh::bench::BenchOptions bench_options;
  bench_options.version = MDH_VERSION;
  BenchVerbOptions bench_shown;
  for (int n = 0; n < argc; ++n)
    bench_shown.command += (n == 0 ? "mdh" : std::string(" ") + argv[n]);
  add_bench_options(*bench_verb, bench_options, bench_shown);
  bench_verb->callback(call([&] { return bench(bench_options, bench_shown); }));

  std::string pass, loop_file;
  CLI::App* dev_verb = app.add_subcommand("dev", "one pass on a loop program; alone: all passes");
  CLI::Option* pass_option = dev_verb->add_option("--pass", pass, "such as first-write");
  dev_verb->add_option("FILE", loop_file, "a loop program (.loop.mdh)")->needs(pass_option);
  pass_option->needs(dev_verb->get_option("FILE"));
  dev_verb->callback(call([&] { return dev(pass, loop_file); }));

  std::string code;
  CLI::App* help_verb = app.add_subcommand("help", "what an error code means");
  help_verb->add_option("CODE", code, "the code at the end of a message, such as E204")->required();
  help_verb->callback(call([&] { return help(code); }));

  RecordsOptions records_options;
  CLI::App* records_verb = app.add_subcommand("records", "what tuning has found so far");
  records_verb->require_subcommand(1);
  add_reading_verbs(records_verb, request, records_options, call);
  add_changing_verbs(records_verb, request, records_options, call);

  app.add_subcommand("devices", "the devices of this machine")->callback(call(devices));

  CLI::App* cache_verb = app.add_subcommand("cache", "where compiled kernels are kept");
  CLI::App* clear_verb = cache_verb->add_subcommand("clear", "remove them");
  cache_verb->callback(call([&] { return clear_verb->parsed() ? clear_cache() : cache(); }));

  CLI::App* doctor_verb =
      app.add_subcommand("doctor", "what works on this machine and what is missing");
  bool measures = false;
  doctor_verb->add_flag("--measure", measures, "measure anew how fast it is");
  doctor_verb->callback(call([&] { return doctor(measures ? Rates::measured : Rates::known); }));

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error, argc, argv);
  }
  return exit;
}
