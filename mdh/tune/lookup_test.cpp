#include "mdh/tune/lookup.h"

#include <gtest/gtest.h>

#include "mdh/support/files.h"
#include "mdh/tune/testing.h"

namespace mdh::tune::lookup_test {
namespace {

TuningProblem some_problem() {
  const Record record = some_record(0, 1);
  return {record.program, record.sizes, record.types, record.machine, record.target};
}

Record sized(int config, double median, std::map<std::string, int64_t> sizes) {
  Record record = some_record(config, median);
  record.sizes = std::move(sizes);
  return record;
}

std::vector<std::string> configs_of(const std::vector<Record>& records) {
  std::vector<std::string> configs;
  for (const Record& record : records) configs.push_back(record.config);
  return configs;
}

using Texts = std::vector<std::string>;

TEST(BestRecords, fastest_come_first) {
  const std::vector<Record> records = {some_record(1, 3), some_record(2, 1), some_record(3, 2)};
  EXPECT_EQ(configs_of(best_records(records, some_problem())),
            (Texts{R"({"number":2})", R"({"number":3})", R"({"number":1})"}));
}

TEST(BestRecords, times_of_few_runs_have_to_be_clearly_better) {
  std::vector<Record> records = {some_record(1, 100), some_record(2, 95), some_record(3, 90)};
  records[0].time_us.n = 3;
  records[1].time_us.n = 1;
  records[2].time_us.n = 2;
  EXPECT_EQ(configs_of(best_records(records, some_problem())),
            (Texts{R"({"number":3})", R"({"number":1})", R"({"number":2})"}));
}

TEST(BestRecords, winner_of_a_final_comes_before_times_that_no_final_compared) {
  std::vector<Record> records = {some_record(1, 1), some_record(2, 5), some_record(3, 4),
                                 some_record(4, 6)};
  records[1].final_result = records[3].final_result = FinalResult::won;
  records[2].final_result = FinalResult::lost;
  EXPECT_EQ(configs_of(best_records(records, some_problem())),
            (Texts{R"({"number":2})", R"({"number":4})", R"({"number":1})", R"({"number":3})"}));
}

TEST(BestRecords, times_that_others_spoilt_lose_whatever_they_are) {
  std::vector<Record> records = {some_record(1, 1), some_record(2, 9), some_record(3, 2)};
  records[0].load = 0.5;
  records[2].load = 0.3;
  records[2].final_result = FinalResult::won;
  EXPECT_EQ(configs_of(best_records(records, some_problem())),
            (Texts{R"({"number":2})", R"({"number":3})", R"({"number":1})"}));
  records[0].load = 0.05;  // hardly
  EXPECT_EQ(configs_of(best_records(records, some_problem())).front(), R"({"number":1})");
}

TEST(BestRecords, a_spoilt_time_does_not_replace_another_of_the_same_configuration) {
  for (const bool spoilt_later : {true, false}) {
    std::vector<Record> records = {some_record(1, 0.5), some_record(1, 20)};
    records[0].when = "2026-01-01T00:00:00Z";
    records[1].when = "2026-01-02T00:00:00Z";
    records[spoilt_later ? 1 : 0].load = 0.9;
    const std::vector<Record> best = best_records(records, some_problem());
    ASSERT_EQ(best.size(), 1u);
    EXPECT_EQ(best[0].load, 0);
    // That it is wrong is worth more than any time.
    records[1].outcome = RecordOutcome::wrong;
    EXPECT_TRUE(best_records(records, some_problem()).empty());
  }
}

TEST(BestRecords, other_problems_do_not_count) {
  std::vector<Record> records(6, some_record(1, 1));
  records[0].program += " ";
  records[1].sizes["N1"] = 9;
  records[2].types["out1"] = "f64";
  records[3].machine.cores = 3;
  records[4].target = "opencl";
  records[5].config = R"({"number":6})";
  EXPECT_EQ(configs_of(best_records(records, some_problem())), Texts{R"({"number":6})"});
}

TEST(BestRecords, failures_and_unverified_times_do_not_count) {
  std::vector<Record> records = {some_record(1, 1), some_record(2, 2), some_record(3, 3)};
  records[0].outcome = RecordOutcome::wrong;
  records[1].verified = "none";
  EXPECT_EQ(configs_of(best_records(records, some_problem())), Texts{R"({"number":3})"});
}

TEST(BestRecords, latest_record_of_a_configuration_counts) {
  std::vector<Record> records = {some_record(1, 1, "2026-01-02"), some_record(2, 2),
                                 some_record(1, 3, "2026-01-03"), some_record(1, 0.5)};
  const std::vector<Record> best = best_records(records, some_problem());
  ASSERT_EQ(configs_of(best), (Texts{R"({"number":2})", R"({"number":1})"}));
  EXPECT_EQ(best[1].time_us.median, 3);
  records[2].outcome = RecordOutcome::wrong;
  EXPECT_EQ(configs_of(best_records(records, some_problem())), Texts{R"({"number":2})"})
      << "what turned out to be wrong is not used again";
}

TEST(FailedRecords, are_those_that_would_fail_again) {
  using enum RecordOutcome;
  std::vector<Record> records;
  for (const RecordOutcome outcome : {ok, compile_error, crash, timeout, wrong, out_of_memory}) {
    records.push_back(some_record(static_cast<int>(outcome), 1));
    records.back().outcome = outcome;
  }
  EXPECT_EQ(configs_of(failed_records(records, some_problem())),
            (Texts{R"({"number":2})", R"({"number":4})"}));
  records.push_back(some_record(static_cast<int>(crash), 1, "2030-01-01"));
  EXPECT_EQ(configs_of(failed_records(records, some_problem())), Texts{R"({"number":4})"})
      << "the latest record counts";
  TuningProblem other = some_problem();
  other.sizes["N1"] = 9;
  EXPECT_TRUE(failed_records(records, other).empty());
}

TEST(Neighbours, are_ordered_by_the_distance_of_logarithms) {
  TuningProblem problem = some_problem();
  problem.sizes = {{"N1", 512}, {"N2", 64}};
  const std::vector<Record> records = {sized(1, 1, {{"N1", 512}, {"N2", 64}}),
                                       sized(2, 1, {{"N1", 4096}, {"N2", 64}}),
                                       sized(3, 1, {{"N1", 256}, {"N2", 64}}),
                                       sized(4, 1, {{"N1", 500}, {"N2", 64}}),
                                       sized(5, 9, {{"N1", 1024}, {"N2", 128}}),
                                       sized(6, 8, {{"N1", 1024}, {"N2", 128}}),
                                       sized(7, 1, {{"N1", 512}}),
                                       sized(8, 1, {{"N1", 512}, {"E1", 64}})};
  EXPECT_EQ(configs_of(neighbours(records, problem, 9)),
            (Texts{R"({"number":4})", R"({"number":3})", R"({"number":6})", R"({"number":2})"}));
  EXPECT_EQ(configs_of(neighbours(records, problem, 1)), Texts{R"({"number":4})"});
  EXPECT_TRUE(neighbours(records, problem, 0).empty());
}

TEST(Neighbours, twice_as_large_is_as_far_as_half_as_large) {
  TuningProblem problem = some_problem();
  problem.sizes = {{"N1", 512}};
  const std::vector<Record> records = {sized(1, 1, {{"N1", 1024}}), sized(2, 1, {{"N1", 256}}),
                                       sized(3, 1, {{"N1", 800}})};
  const auto nearest = neighbours(records, problem, 3);
  ASSERT_EQ(nearest.size(), 3u);
  EXPECT_EQ(nearest[0].config, R"({"number":3})");
}

TEST(Neighbours, sizes_without_a_proven_record_are_none) {
  std::vector<Record> records = {sized(1, 1, {{"N1", 16}})};
  records[0].outcome = RecordOutcome::crash;
  EXPECT_TRUE(neighbours(records, some_problem(), 3).empty());
}

TEST(WorthKeeping, are_the_best_of_every_problem_and_the_failures) {
  std::vector<Record> records = {some_record(1, 3), some_record(2, 1), some_record(3, 2),
                                 sized(4, 5, {{"N1", 9}}), some_record(5, 1)};
  records[4].outcome = RecordOutcome::timeout;
  EXPECT_EQ(configs_of(worth_keeping(records, {.keep = 2})),
            (Texts{R"({"number":2})", R"({"number":3})", R"({"number":4})", R"({"number":5})"}));
  EXPECT_EQ(configs_of(worth_keeping(records, {.keep = 1, .failures = Failures::drop})),
            (Texts{R"({"number":2})", R"({"number":4})"}));
}

TEST(WorthKeeping, does_not_change_what_is_best) {
  std::vector<Record> records = {some_record(1, 1, "2026-01-01"), some_record(1, 9, "2026-01-02"),
                                 some_record(2, 5), some_record(3, 1, "2026-01-01"),
                                 some_record(3, 1, "2026-01-02")};
  records[4].outcome = RecordOutcome::wrong;
  for (const Failures failures : {Failures::keep, Failures::drop}) {
    const auto kept = worth_keeping(records, {.keep = 1, .failures = failures});
    EXPECT_EQ(best_records(kept, some_problem()).front().config, R"({"number":2})");
  }
}

// ---- what came with a program

Record shipped(int config, double median, const std::string& when = "2026-01-01") {
  Record record = some_record(config, median, when);
  record.origin = "p.mdh.tuned:3";
  return record;
}

TEST(ShippedRecords, come_behind_those_of_the_user) {
  std::vector<Record> records = {shipped(1, 1), some_record(2, 9), shipped(3, 2)};
  records[0].final_result = FinalResult::won;
  EXPECT_EQ(configs_of(best_records(records, some_problem())),
            (Texts{R"({"number":2})", R"({"number":1})", R"({"number":3})"}));
  records[1].load = 0.5;
  EXPECT_EQ(configs_of(best_records(records, some_problem())).back(), R"({"number":2})")
      << "unless others spoilt the user's time";
}

TEST(ShippedRecords, give_way_to_what_was_measured_here) {
  const std::vector<Record> both = {some_record(1, 7, "2026-01-01"), shipped(1, 3, "2026-01-02")};
  ASSERT_EQ(best_records(both, some_problem()).size(), 1u);
  EXPECT_EQ(best_records(both, some_problem())[0].time_us.median, 7) << "whatever is later";
  std::vector<Record> failed = {shipped(1, 3, "2026-01-02"), some_record(1, 0, "2026-01-01")};
  failed[1].outcome = RecordOutcome::crash;
  EXPECT_TRUE(best_records(failed, some_problem()).empty()) << "it crashes here";
}

TEST(ShippedRecords, of_this_size_come_before_records_of_others) {
  std::vector<Record> records = {sized(1, 1, {{"N1", 16}}), shipped(2, 9)};
  ASSERT_EQ(best_records(records, some_problem()).size(), 1u);
  EXPECT_EQ(configs_of(neighbours(records, some_problem(), 4)), (Texts{R"({"number":1})"}));
}

TEST(SimilarRecords, are_those_of_similar_machines_first_and_then_of_near_sizes) {
  std::vector<Record> records = {sized(1, 1, {{"N1", 8}}),    sized(2, 1, {{"N1", 64}}),
                                 sized(3, 1, {{"N1", 16}}),   sized(4, 0, {{"N1", 8}}),
                                 sized(5, 1, {{"N1", 8}}),    sized(6, 1, {{"N1", 8}}),
                                 sized(3, 1, {{"N1", 4096}}), sized(7, 1, {{"N1", 8}})};
  records[0].machine.model = "another";
  records[3].machine.cores = 16;
  records[4].outcome = RecordOutcome::timeout;
  records[5].target = "opencl";
  records[7].machine.model = records[7].machine.isa = "quite another";
  EXPECT_EQ(configs_of(similar(records, some_problem(), 9)),
            (Texts{R"({"number":3})", R"({"number":2})", R"({"number":4})", R"({"number":1})",
                   R"({"number":7})"}));
  EXPECT_EQ(similar(records, some_problem(), 2).size(), 2u);
}

TEST(Prune, rewrites_the_file) {
  const TemporaryDirectory folder;
  const Database database(folder.path() / "records.jsonl");
  EXPECT_EQ(prune(database, {}).kept, 0);
  EXPECT_FALSE(std::filesystem::exists(database.file())) << "nothing is made of nothing";
  std::string newer = print(some_record(9, 1));
  newer.replace(newer.find(":1"), 2, ":2");
  write_file(database.file(), print(some_record(1, 3)) + "\ntorn{\n" + newer + "\n" +
                                  print(some_record(2, 1)) + "\n{\"torn");
  const Pruned pruned = prune(database, {.keep = 1});
  EXPECT_EQ(pruned.kept, 1);
  EXPECT_EQ(pruned.removed, 1);
  EXPECT_EQ(pruned.unreadable, 2);
  EXPECT_EQ(read_file(database.file()), print(some_record(2, 1)) + "\n" + newer + "\n");
}

}  // namespace
}  // namespace mdh::tune::lookup_test
