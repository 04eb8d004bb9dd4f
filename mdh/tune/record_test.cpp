#include "mdh/tune/record.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "mdh/support/hash.h"
#include "mdh/support/random.h"
#include "mdh/tune/testing.h"

namespace mdh::tune::record_test {
namespace {

using nlohmann::ordered_json;

std::string changed(const Record& record, const std::function<void(ordered_json&)>& change) {
  ordered_json root = ordered_json::parse(print(record));
  change(root);
  return root.dump();
}

TEST(RecordLine, has_the_fields_of_the_contract_in_their_order) {
  const std::string key = hash_name("mdh 1\nprogram p = ...\n");
  EXPECT_EQ(print(some_record(1, 2.5)),
            R"({"mdh_record":1,"when":"2026-01-01","program":{"text":"mdh 1\nprogram p = ...\n",)"
            R"("key":")" +
                key +
                R"("},"sizes":{"N1":8},"types":{"out1":"f32"},"machine":{"vendor":"ARM",)"
                R"("model":"0xd40","cores":2,"isa":"neon","caches":{"L1":65536,"L2":1048576}},)"
                R"("target":"openmp","config":{"number":1},"outcome":"ok","reason":"",)"
                R"("time_us":{"median":2.5,"mean":2.5,"ci99":0.1,"n":30},"verified":"full",)"
                R"("compiler":"gcc 12","version":"0.1.0","seed":7})");
}

TEST(RecordLine, is_read_back) {
  Record record = some_record(3, 1.25);
  record.outcome = RecordOutcome::out_of_memory;
  record.reason = "two\nlines";
  const std::optional<Record> again = parse_record(print(record));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->when, record.when);
  EXPECT_EQ(again->program, record.program);
  EXPECT_EQ(again->sizes, record.sizes);
  EXPECT_EQ(again->types, record.types);
  EXPECT_TRUE(is_same(again->machine, record.machine));
  EXPECT_EQ(again->machine.vendor, "ARM");
  EXPECT_EQ(again->target, record.target);
  EXPECT_EQ(again->config, record.config);
  EXPECT_EQ(again->outcome, record.outcome);
  EXPECT_EQ(again->reason, record.reason);
  EXPECT_EQ(again->time_us, record.time_us);
  EXPECT_EQ(again->verified, record.verified);
  EXPECT_EQ(again->compiler, record.compiler);
  EXPECT_EQ(again->version, record.version);
  EXPECT_EQ(again->seed, record.seed);
  EXPECT_EQ(print(*again), print(record));
}

TEST(RecordLine, load_and_final_are_read_back_and_may_be_missing) {
  Record record = some_record(1, 1);
  EXPECT_EQ(parse_record(print(record))->load, 0) << "as in records of earlier versions";
  EXPECT_EQ(parse_record(print(record))->final_result, FinalResult::none);
  record.load = 0.43;
  EXPECT_EQ(parse_record(print(record))->load, 0.43);
  EXPECT_TRUE(is_loaded(*parse_record(print(record))));
  for (const FinalResult result : {FinalResult::won, FinalResult::lost}) {
    record.final_result = result;
    EXPECT_EQ(parse_record(print(record))->final_result, result);
  }
  const std::string later = changed(record, [](auto& root) { root["final"] = "drawn"; });
  EXPECT_EQ(parse_record(later)->final_result, FinalResult::none);
  EXPECT_EQ(print(*parse_record(later)), later);
}

TEST(RecordLine, every_outcome_has_a_name_that_is_read_back) {
  for (int n = 0; n <= static_cast<int>(RecordOutcome::out_of_memory); ++n) {
    Record record = some_record(1, 1);
    record.outcome = static_cast<RecordOutcome>(n);
    const auto again = parse_record(print(record));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->outcome, record.outcome);
    EXPECT_EQ(is_proven(*again), n == 0);
  }
}

TEST(RecordLine, what_is_not_text_or_not_finite_is_no_obstacle) {
  Record record = some_record(1, std::numeric_limits<double>::infinity());
  record.reason = "kernel said \xff\xfe";
  const auto again = parse_record(print(record));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->time_us.median, 0);
  EXPECT_FALSE(is_proven(*again));
}

TEST(RecordLine, key_is_recomputed_and_never_believed) {
  const Record record = some_record(1, 1);
  const std::string tampered =
      changed(record, [](ordered_json& root) { root["program"]["key"] = "0123456789abcdef"; });
  const auto read = parse_record(tampered);
  ASSERT_TRUE(read);
  EXPECT_EQ(key_of(*read), hash_name(record.program));
  EXPECT_EQ(print(*read), print(record)) << "and written right";
  const std::string missing =
      changed(record, [](ordered_json& root) { root["program"].erase("key"); });
  ASSERT_TRUE(parse_record(missing));
  EXPECT_EQ(print(*parse_record(missing)), print(record));
  EXPECT_FALSE(parse_record(changed(record, [](ordered_json& root) {
    root["program"]["key"] = 5;
  }))) << "a key that is no text is a damaged line";
}

TEST(RecordLine, fields_of_later_times_stay) {
  const std::string line = changed(some_record(1, 1), [](ordered_json& root) {
    root["energy"] = {{"joule", 3}};
    root["machine"]["clock"] = 2600;
    root["time_us"]["min"] = 0.5;
  });
  const auto record = parse_record(line);
  ASSERT_TRUE(record);
  EXPECT_EQ(print(*record), line);
}

TEST(RecordLine, torn_or_foreign_lines_are_no_records) {
  const std::string line = print(some_record(1, 1));
  for (size_t length = 0; length < line.size(); ++length) {
    EXPECT_FALSE(parse_record(line.substr(0, length))) << length;
    EXPECT_FALSE(is_newer_record(line.substr(0, length))) << length;
  }
  EXPECT_FALSE(parse_record("{}"));
  EXPECT_FALSE(parse_record("[1]"));
  EXPECT_FALSE(parse_record("{\"mdh_config\": 1}"));
  const auto without = [&](const char* field) {
    return changed(some_record(1, 1), [&](ordered_json& root) { root.erase(field); });
  };
  for (const char* field :
       {"mdh_record", "program", "sizes", "types", "machine", "target", "config", "outcome"}) {
    EXPECT_FALSE(parse_record(without(field))) << field;
  }
  for (const char* field :
       {"when", "reason", "time_us", "verified", "compiler", "version", "seed"}) {
    EXPECT_TRUE(parse_record(without(field))) << field;
  }
  const auto with = [&](const char* field, const ordered_json& value) {
    return changed(some_record(1, 1), [&](ordered_json& root) { root[field] = value; });
  };
  EXPECT_FALSE(parse_record(with("outcome", "fine")));
  EXPECT_FALSE(parse_record(with("config", "text")));
  EXPECT_FALSE(parse_record(with("sizes", {{"N1", "8"}})));
}

TEST(RecordLine, damage_is_noticed_and_never_more) {
  const std::string line = print(some_record(1, 1));
  Random random(1);
  for (int n = 0; n < 2000; ++n) {
    std::string damaged = line;
    for (int64_t bytes = random.between(1, 4); bytes > 0; --bytes) {
      const auto at = static_cast<size_t>(random.between(0, static_cast<int64_t>(line.size()) - 1));
      damaged[at] = static_cast<char>(random.between(0, 255));
    }
    const auto record = parse_record(damaged);
    is_newer_record(damaged);
    if (!record) continue;
    EXPECT_TRUE(parse_record(print(*record))) << damaged;
  }
}

TEST(RecordLine, later_version_is_told_apart) {
  const std::string line =
      changed(some_record(1, 1), [](ordered_json& root) { root["mdh_record"] = 2; });
  EXPECT_FALSE(parse_record(line));
  EXPECT_TRUE(is_newer_record(line));
  EXPECT_FALSE(is_newer_record(print(some_record(1, 1))));
  EXPECT_FALSE(is_newer_record("{\"mdh_record\": \"2\"}"));
}

TEST(Proven, is_what_ran_right_and_was_checked) {
  Record record = some_record(1, 1);
  EXPECT_TRUE(is_proven(record));
  record.verified = "sampled";
  EXPECT_TRUE(is_proven(record));
  record.verified = "none";
  EXPECT_FALSE(is_proven(record));
  EXPECT_FALSE(is_proven(some_record(1, 0))) << "no time";
}

TEST(SameMachine, means_same_model_cores_instructions_and_caches) {
  const MachineIdentity machine = some_machine();
  const auto same_with = [&](const std::function<void(MachineIdentity&)>& change) {
    MachineIdentity other = machine;
    change(other);
    return is_same(machine, other);
  };
  EXPECT_TRUE(same_with([](auto& m) { m.vendor = "Arm Ltd."; }));
  EXPECT_FALSE(same_with([](auto& m) { m.model = "0xd0c"; }));
  EXPECT_FALSE(same_with([](auto& m) { m.cores = 4; }));
  EXPECT_FALSE(same_with([](auto& m) { m.isa = "sve"; }));
  EXPECT_FALSE(same_with([](auto& m) { m.caches["L3"] = 1; }));
}

TEST(Now, is_a_time_that_sorts) {
  EXPECT_EQ(now_utc().size(), std::string("2026-11-15T17:20:25Z").size());
  EXPECT_GT(now_utc(), "2024-01-01T00:00:00Z");
}

}  // namespace
}  // namespace mdh::tune::record_test
