#include "mdh/tuning/tuner.h"

#include <gtest/gtest.h>

#include <set>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/ll/config.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/files.h"
#include "mdh/support/testing.h"
#include "mdh/support/text.h"
#include "mdh/tuning/compiler_choice.h"
#include "mdh/tuning/model_choice.h"

namespace mdh::tuning::tuner_test {
namespace {

CandidateOptions options() {
  CandidateOptions o;
  o.target = &driver::find_target("openmp");
  o.machine = machine::find_machine("cpu");
  o.threads = 2;
  o.worker.program = MDH_WORKER_FILE;
  o.worker.time_limit = 10;
  return o;
}

ll::Config usual(const hl::Program& p) {
  return ll::default_config(p, machine::find_machine("cpu"), 2);
}

TEST(Candidates, right_ones_are_verified_and_timed) {
  const hl::Program p = matmul(24);
  Candidates candidates(p, options());
  std::vector<Trial> trials = candidates.compile({usual(p), usual(p)}, Candidates::Together::all);
  for (size_t n = 0; n < trials.size(); ++n) {
    candidates.measure(n, {}, trials[n]);
    EXPECT_TRUE(trials[n].is_good()) << trials[n].reason;
    EXPECT_EQ(trials[n].verified, "full");
    EXPECT_GT(trials[n].timing.median_us, 0);
  }
}

TEST(Candidates, decisions_without_effect_are_not_measured_again) {
  const hl::Program p = matmul(32);
  Candidates candidates(p, options());
  ll::Config same = usual(p);
  same.code.kernel.emit = "serpentine";  // of one accumulator
  std::vector<Trial> first = candidates.compile({usual(p)}, Candidates::Together::all);
  candidates.measure(0, {}, first[0]);
  for (int n = 0; n < 20 && first[0].is_loaded(); ++n) candidates.measure(0, {}, first[0]);
  ASSERT_TRUE(first[0].is_good()) << first[0].reason;
  if (first[0].is_loaded()) GTEST_SKIP() << "others use the cores: such times are not kept";
  std::vector<Trial> again = candidates.compile({same}, Candidates::Together::all);
  EXPECT_EQ(again[0].timing.median_us, first[0].timing.median_us);
  EXPECT_EQ(again[0].verified, first[0].verified);
  EXPECT_EQ(again[0].config, same);
  EXPECT_TRUE(again[0].is_repeated);
  EXPECT_FALSE(first[0].is_repeated);
  candidates.measure(0, {}, again[0]);
  EXPECT_EQ(again[0].timing.median_us, first[0].timing.median_us);
  const std::vector<Trial> alone = candidates.compile({same}, Candidates::Together::none);
  EXPECT_EQ(alone[0].timing.count, 0) << "what is compared is measured";
}

/// A compiler that refuses kernels with -fno-web and makes wrong ones with -fweb.
runtime::Script treacherous_compiler() {
  return runtime::Script(
      "for word; do case \"$word\" in -fno-web) echo refused >&2; exit 1;;"
      " -fweb) set -- \"$@\" -Dfloat=int;; esac; done\nexec cc \"$@\"");
}

TEST(Candidates, one_that_cannot_be_lowered_or_compiled_is_lost_alone) {
  const runtime::Script compiler = treacherous_compiler();
  const runtime::ScopedEnvironment cc("MDH_CC", compiler.path());
  const hl::Program p = matmul(24);
  Candidates candidates(p, options());
  ll::Config invalid = usual(p), refused = usual(p);
  invalid.order.clear();
  refused.code.kernel.flags = {"-fno-web"};
  std::vector<Trial> trials =
      candidates.compile({invalid, usual(p), refused}, Candidates::Together::all);
  for (size_t n = 0; n < trials.size(); ++n) candidates.measure(n, {}, trials[n]);
  EXPECT_EQ(trials[0].outcome, tune::RecordOutcome::compile_error);
  EXPECT_TRUE(trials[1].is_good()) << trials[1].reason;
  EXPECT_EQ(trials[2].outcome, tune::RecordOutcome::compile_error);
  EXPECT_FALSE(trials[2].reason.empty());
}

TEST(Candidates, a_bug_of_a_printer_ends_the_search) {
  const hl::Program p = matmul(24);
  CandidateOptions with_bug = options();
  driver::Target target = *with_bug.target;
  target.print = [](const loop::Program&, const std::string&) -> kernel::Module {
    internal_check(false, "a planted bug");
    return {};
  };
  with_bug.target = &target;
  Candidates candidates(p, with_bug);
  const Diagnostic d =
      diagnostic_of([&] { candidates.compile({usual(p)}, Candidates::Together::all); });
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
  EXPECT_EQ(d.message.find("a planted bug"), 0u) << d.message;
  ASSERT_FALSE(d.notes.empty());
  EXPECT_NE(d.notes.back().find(ll::print(usual(p))), std::string::npos) << d.notes.back();
}

TEST(Candidates, one_that_compiles_for_too_long_is_no_error_of_the_compiler) {
  const hl::Program p = matmul(24);
  CandidateOptions hasty = options();
  hasty.build = {.seconds = 1e-3, .cache = {}};
  Candidates candidates(p, hasty);
  const Trial trial = candidates.compile({usual(p)}, Candidates::Together::all).front();
  EXPECT_EQ(trial.outcome, tune::RecordOutcome::timeout);
  EXPECT_NE(trial.reason.find("took longer than"), std::string::npos) << trial.reason;
}

TEST(Candidates, wrong_results_are_found_before_and_after_there_is_a_right_one) {
  const hl::Program p = matmul(24);
  const runtime::Script compiler = treacherous_compiler();
  const runtime::ScopedEnvironment cc("MDH_CC", compiler.path());
  ll::Config wrong = usual(p);
  wrong.code.kernel.flags = {"-fweb"};
  for (const std::vector<ll::Config>& order :
       {std::vector{wrong, usual(p)}, std::vector{usual(p), wrong}}) {
    Candidates candidates(p, options());
    std::vector<Trial> trials = candidates.compile(order, Candidates::Together::all);
    for (size_t n = 0; n < trials.size(); ++n) {
      candidates.measure(n, {}, trials[n]);
      const bool is_wrong = trials[n].config == wrong;
      EXPECT_EQ(trials[n].is_good(), !is_wrong) << trials[n].reason;
      EXPECT_TRUE(!is_wrong || trials[n].outcome == tune::RecordOutcome::wrong);
    }
  }
}

TEST(Candidates, one_that_takes_too_long_is_stopped_and_the_next_one_runs) {
  const hl::Program p = matmul(700);
  Candidates candidates(p, options());
  ll::Config slow = usual(p);
  slow.code.kernel.flags = {"-O0"};
  std::vector<Trial> trials =
      candidates.compile({slow, usual(matmul(700))}, Candidates::Together::none);
  candidates.measure(0, {.give_up_us = 1}, trials[0]);
  EXPECT_EQ(trials[0].outcome, tune::RecordOutcome::timeout) << trials[0].timing.median_us;
  candidates.measure(1, {}, trials[1]);
  EXPECT_TRUE(trials[1].is_good()) << trials[1].reason;
}

TEST(Candidates, too_little_memory_is_a_value) {
  const hl::Program p = matmul(24);
  CandidateOptions little = options();
  little.worker.memory_limit = 8 << 20;
  Candidates candidates(p, little);
  std::vector<Trial> trials = candidates.compile({usual(p)}, Candidates::Together::all);
  candidates.measure(0, {}, trials[0]);
  EXPECT_FALSE(trials[0].is_good());
}

TEST(Tuner, finds_a_configuration_within_a_number_of_evaluations) {
  const hl::Program p = matmul(64);
  TuneOptions o;
  o.candidates = options();
  o.evaluations = 12;
  o.seconds = 120;
  size_t told = 0;
  const TuneReport report = tune(p, o, [&](const Trial&, const TuneProgress& progress) {
    ++told;
    EXPECT_EQ(progress.evaluations, told);
  });
  ASSERT_TRUE(report.best);
  EXPECT_EQ(report.trials.size(), told);
  EXPECT_EQ(report.trials.size(), 12U);
  EXPECT_EQ(report.stopped_by, "evaluations");
  EXPECT_EQ(report.best->verified, "full");
  EXPECT_EQ(report.searched, 12U);
  EXPECT_FALSE(report.gain) << "no final, no claim";
  EXPECT_EQ(report.no_gain_because, "the budget is too small for a final");
  double seconds = 0;
  for (const Trial& trial : report.trials) {
    EXPECT_GE(trial.seconds, seconds);
    seconds = trial.seconds;
    EXPECT_FALSE(trial.is_good() && is_better(trial, *report.best));
  }
}

TEST(Tuner, refines_by_the_compilers_that_decide) {
  const hl::Program p = matmul(48);
  TuneOptions o;
  o.candidates = options();
  o.evaluations = 80;
  o.seconds = 600;
  std::vector<std::string> phases;
  const TuneReport report = tune(p, o, [&](const Trial& trial, const TuneProgress& progress) {
    if (phases.empty() || phases.back() != progress.phase) phases.push_back(progress.phase);
    const std::vector<std::string>& flags = trial.config.code.kernel.flags;
    const bool quick = flags == quick_compiler(compilers_here()).flags;
    EXPECT_EQ(quick, progress.phase == "searching");
  });
  EXPECT_EQ(phases, (std::vector<std::string>{"untuned", "searching", "refining", "final"}));
  ASSERT_TRUE(report.best);
  EXPECT_GE(report.screening.candidates, 39U);
  EXPECT_LT(report.screening.candidates, report.searched);
  EXPECT_GT(report.screening.compiling, 0);
  EXPECT_GT(report.screening.measuring, 0);
  EXPECT_LE(report.trials.size() - report.searched, 6U) << "in the final";
  EXPECT_LE(report.trials.size(), 80U);
  const Trial& untuned = report.trials[report.searched];
  EXPECT_EQ(untuned.config,
            untuned_choice(p, *o.candidates.target, "", o.candidates.machine, 2).config)
      << "as mdh run compiles it, in the final";
  EXPECT_EQ(report.trials.front().config, untuned.config) << "and first of all";
  ASSERT_TRUE(report.gain);
  EXPECT_GE(*report.gain, 1);
  size_t winners = 0;
  for (const Trial& trial : report.trials) {
    if (trial.final_result != tune::FinalResult::won) continue;
    ++winners;
    EXPECT_EQ(trial.config, report.best->config);
  }
  EXPECT_EQ(winners, 1U);
}

/// One point that takes microseconds: its space ends soon, and then there is a final.
hl::Program one_point() {
  return hl::parse(
      "mdh 1\nprogram p = out_view( y: f32 = [i] ) * md_hom( i: 1 by cc )"
      " { y = loop (k = 0, s = x) while (k < 5000) { s = s * 0.5 + 1.0, k = k + 1 } yield s; }"
      " * inp_view( x: f32 = [i] )");
}

TuneReport exhausted(TuneOptions o) {
  o.candidates = options();
  o.restricted = search::all_restrictions;
  o.seconds = 600;
  return tune(one_point(), o, [](const Trial&, const TuneProgress&) {});
}

ll::Config untuned_by(const std::string& flag) {
  ll::Config config = usual(one_point());
  config.code.kernel.flags = {flag};
  return config;
}

TEST(Tuner, gain_is_one_if_the_untuned_choice_wins) {
  const TuneReport report = exhausted({});
  ASSERT_TRUE(report.best);
  ASSERT_TRUE(report.gain) << report.no_gain_because;
  const bool untuned_wins = report.best->config == report.untuned->config;
  EXPECT_TRUE(!untuned_wins || *report.gain == 1) << *report.gain;
  // What is restricted may be slower than the untuned choice.
  EXPECT_EQ(report.best->final_result,
            *report.gain < 1 ? tune::FinalResult::lost : tune::FinalResult::won);
  EXPECT_EQ(report.untuned->final_result,
            *report.gain < 1 || untuned_wins ? tune::FinalResult::won : tune::FinalResult::lost);
}

/// What every library that it makes does when it is loaded: it notes in which process that is.
runtime::Script noting_compiler(const std::string& log) {
  return runtime::Script(
      "cat > \"$0.h\" <<'end'\n"
      "int open(const char*, int, ...), dprintf(int, const char*, ...), close(int), getpid(void);\n"
      "__attribute__((constructor)) static void note_process(void) {\n"
      "  const int log = open(\"" +
      log +
      "\", 02001, 0600);\n"
      "  dprintf(log, \"%d\\n\", getpid());\n"
      "  close(log);\n"
      "}\n"
      "end\n"
      "exec cc -include \"$0.h\" \"$@\"");
}

/// A process makes the same code faster or slower for all of its life: three rounds and four duels
/// each have new ones.
TEST(Tuner, the_final_is_in_fresh_processes_in_every_round) {
  const TemporaryDirectory folder;
  const std::string log = (folder.path() / "processes").string();
  write_file(log, "");
  const runtime::Script compiler = noting_compiler(log);
  const runtime::ScopedEnvironment cc("MDH_CC", compiler.path());
  std::set<std::string> before;
  TuneOptions o;
  o.candidates = options();
  o.restricted = search::all_restrictions;
  o.seconds = 600;
  const auto processes = [&] {
    std::set<std::string> all;
    for (const std::string& line : split(read_file(log), '\n')) {
      if (!line.empty()) all.insert(line);
    }
    return all;
  };
  const TuneReport report = tune(one_point(), o, [&](const Trial&, const TuneProgress& progress) {
    if (progress.phase != "final") before = processes();
  });
  ASSERT_TRUE(report.gain) << report.no_gain_because;
  EXPECT_GE(before.size(), 1U);
  EXPECT_GE(processes().size(), before.size() + 7);
}

TEST(Tuner, gain_is_over_the_untuned_choice_as_it_would_be_compiled) {
  const TuneReport report = exhausted({.untuned = untuned_by("-O0")});
  ASSERT_TRUE(report.gain) << report.no_gain_because;
  EXPECT_GT(*report.gain, 1.2);
  EXPECT_EQ(report.untuned->config, untuned_by("-O0"));
  EXPECT_NE(report.best->config, report.untuned->config);
}

TEST(Tuner, untuned_choice_that_does_not_work_is_no_yardstick) {
  const TuneReport report = exhausted({.untuned = untuned_by("--no-such-flag")});
  ASSERT_TRUE(report.best);
  EXPECT_FALSE(report.gain);
  EXPECT_EQ(report.no_gain_because, "the untuned choice did not work");
  EXPECT_EQ(report.best->final_result, tune::FinalResult::won);
}

TEST(Tuner, what_a_user_locks_is_kept_whatever_the_untuned_choice_is_like) {
  const TuneReport report = exhausted({.locks = {"compiler=gcc, scheduled"}});
  ASSERT_TRUE(report.best);
  EXPECT_TRUE(report.gain) << report.no_gain_because;
  EXPECT_EQ(report.best->config.code.kernel.compiler, "gcc");
  EXPECT_EQ(report.untuned->config.code.kernel.compiler, "") << "compared with all the same";
}

TEST(Tuner, knows_what_earlier_searches_found) {
  const hl::Program p = matmul(32);
  TuneOptions o;
  o.candidates = options();
  o.evaluations = 3;
  Trial unbeaten{.config = usual(p), .verified = "full"};
  unbeaten.timing.median_us = 1e-6;
  o.known = {unbeaten};
  const TuneReport report = tune(p, o, [](const Trial&, const TuneProgress&) {});
  ASSERT_TRUE(report.best);
  EXPECT_TRUE(report.best_was_known);
  EXPECT_EQ(report.best->config, unbeaten.config);
  o.known[0].timing.median_us = 1e9;
  const TuneReport better = tune(p, o, [](const Trial&, const TuneProgress&) {});
  EXPECT_FALSE(better.best_was_known);
  EXPECT_LT(better.best->timing.median_us, 1e9);
}

TEST(Tuner, smallest_budget_is_enough_for_one_batch) {
  const hl::Program p = matmul(32);
  TuneOptions o;
  o.candidates = options();
  o.seconds = 1e-6;
  const TuneReport report = tune(p, o, [](const Trial&, const TuneProgress&) {});
  EXPECT_TRUE(report.best);
  EXPECT_LE(report.trials.size(), o.batch);
  EXPECT_EQ(report.stopped_by, "time");
}

TEST(Tuner, leaves_the_compiler_to_the_user_who_decides_it) {
  const hl::Program p = matmul(32);
  TuneOptions o;
  o.candidates = options();
  o.evaluations = 3;
  o.locks = {"compiler=gcc, scheduled"};
  const TuneReport report = tune(p, o, [](const Trial&, const TuneProgress&) {});
  ASSERT_TRUE(report.best);
  EXPECT_EQ(report.best->config.code.kernel.compiler, "gcc");
  EXPECT_EQ(report.best->config.code.kernel.flags, std::vector<std::string>{"-O3"});
}

TEST(Tuner, stops_when_it_is_asked_to_and_keeps_the_best) {
  const hl::Program p = matmul(64);
  TuneOptions o;
  o.candidates = options();
  o.seconds = 120;
  size_t told = 0;
  o.interrupted = [&] { return told >= 3; };
  const TuneReport report = tune(p, o, [&](const Trial&, const TuneProgress&) { ++told; });
  EXPECT_EQ(report.stopped_by, "interrupted");
  EXPECT_FALSE(report.gain);
  EXPECT_EQ(report.no_gain_because, "the search was interrupted");
  EXPECT_LT(report.trials.size(), 12U);
  EXPECT_TRUE(report.best);
}

}  // namespace
}  // namespace mdh::tuning::tuner_test
