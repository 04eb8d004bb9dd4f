#include <gtest/gtest.h>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/report/test_runs.h"

namespace mdh::report {

hl::Program test_matmul() {
  return hl::instantiate(
      hl::parse("mdh 1\nprogram matmul = out_view( C: f32 = [i, j] ) * md_hom( i: 1024 by cc, "
                "j: 1024 by cc, k: 1024 by pw(add) ) { C = A * B; } * inp_view( A: f32 = [i, k]; "
                "B: f32 = [k, j] )"),
      {});
}

ll::Config test_config() {
  return ll::parse_config(
      R"({"mdh_config": 1, "layers": ["COR", "L2", "L1", "REG", "SIMD"],
          "split": {"i": ["L2 8", "L1 16", "REG 8"], "j": ["COR 2", "L1 64", "REG 2", "SIMD 4"],
                    "k": ["L2 2", "L1 512"]},
          "order": ["COR.j", "L2.k", "L2.i", "L1.j", "L1.i", "L1.k", "REG.i", "REG.j", "SIMD.j"],
          "stage": {"A": [{"from": "L1.j", "region": "L1", "layout": ["i@L1", "k@L1", "i@REG"]},
                          {"from": "REG.i", "region": "REG"}],
                    "B": [{"from": "L2.i", "region": "L2"}]},
          "acc": {"C": [{"inside": "L1.k", "region": "REG"}]},
          "code": {"kernel": {"compiler": "gcc", "flags": ["-O3"]}}})");
}

TuningPage test_page() {
  TuningPage page{.program = test_matmul(),
                  .sizes = {{"I", 1024}, {"J", 1024}, {"K", 1024}},
                  .types = {{"T", "f32"}},
                  .machine = machine::find_machine("cpu"),
                  .hardware = {"ARM", "0xd40", 2, "neon", {{"L1", 65536}}},
                  .threads = 2,
                  .when = "2026-11-15T17:20:25Z",
                  .version = "0.1.0",
                  .budget = "60s",
                  .technique = "auto",
                  .command = "mdh run matmul",
                  .command_of_file = "mdh run matmul --config best.json"};
  page.rates = model::typical_rates(page.machine, 2);
  tuning::TuneReport& report = page.report;
  for (int n = 0; n < 12; ++n) {
    tuning::Trial trial{.config = test_config(), .verified = "full", .seconds = 0.5 * n};
    trial.timing.median_us = 90000.0 / (n + 1);
    if (n == 3 || n == 7) {
      trial.outcome = tune::RecordOutcome::compile_error;
      trial.reason = "<stdin>:1: error: unknown type name 'a&b' in \"f<x>\"";
      ++report.failures[to_string(trial.outcome)];
    }
    report.trials.push_back(trial);
  }
  report.searched = 9;
  report.untuned = report.trials.front();
  report.best = report.trials.back();
  report.gain = 12;
  report.stopped_by = "time";
  return page;
}

TuningPage test_page_of_device() {
  TuningPage page = test_page();
  page.machine = machine::find_machine("gpu");
  page.hardware = {"NVIDIA", "NVIDIA H200", 132, "sm_90, CUDA 13.0", {}};
  page.rates = model::typical_rates(page.machine, 1);
  page.report.best->config = ll::parse_config(
      R"({"mdh_config": 1, "layers": ["BLK", "WRP", "SHR", "THR", "REG"],
          "split": {"i": ["BLK 16", "WRP 8", "REG 8"], "j": ["BLK 16", "THR 32", "REG 2"],
                    "k": ["SHR 1024"]},
          "order": ["BLK.i", "BLK.j", "WRP.i", "THR.j", "SHR.k", "REG.i", "REG.j"],
          "acc": {"C": [{"inside": "SHR.k", "region": "RM"}]}})");
  for (tuning::Trial& trial : page.report.trials) trial.config = page.report.best->config;
  return page;
}

}  // namespace mdh::report
