#include "mdh/runtime/host/build.h"

#include <gtest/gtest.h>

#include <chrono>

#include "mdh/runtime/host/library.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::host::build_test {
namespace {

using kernel::Module;
using Kind = BuildFailure::Kind;

Module good(const std::string& name, int value) {
  return module_of(name, fmt::format("out[0] = {};", value));
}

long result_of(const Module& module, const Object& object) {
  long out = -1;
  void* pointer = &out;
  Kernel(module, object)({&pointer, 1}, 1);
  return out;
}

double seconds_of(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(BuildUnits, results_are_in_the_order_of_the_units) {
  const Compiler compiler = find_compiler();
  std::vector<Module> modules;
  std::vector<Unit> units;
  for (int n = 0; n < 5; ++n) {
    modules.push_back(n == 3 ? module_of("f", "nonsense") : good("f", n));
    units.push_back(unit_of({modules.back()}, compiler));
  }
  const std::vector<Built> built = build_units(units, {.at_once = 2, .cache = {}});
  ASSERT_EQ(built.size(), 5u);
  for (int n = 0; n < 5; ++n) {
    ASSERT_EQ(built[n].object.has_value(), n != 3);
    if (built[n].object) {
      EXPECT_EQ(result_of(modules[n], *built[n].object), n);
    }
  }
  EXPECT_EQ(built[3].failure.kind, Kind::refused);
  EXPECT_NE(built[3].failure.text.find("nonsense"), std::string::npos);
}

TEST(BuildUnits, compilers_run_at_the_same_time) {
  const Script slow("[ \"$1\" = -v ] && exit 0\nsleep 0.5");
  const std::vector<Unit> units(4, unit_of({}, {slow.path(), {}}));
  const double alone = seconds_of([&] { build_units(units, {.at_once = 1, .cache = {}}); });
  const double together = seconds_of([&] { build_units(units, {.at_once = 4, .cache = {}}); });
  EXPECT_GE(alone, 2);
  EXPECT_LT(together, alone - 0.5);
}

TEST(BuildUnits, time_limit_holds_for_each_and_for_what_it_starts) {
  const Script slow("[ \"$1\" = -v ] && exit 0\nsleep 100 & echo $! >\"$0.pid\"\nwait");
  std::vector<Unit> units = {unit_of({}, {slow.path(), {}}),
                             unit_of({good("f", 1)}, find_compiler())};
  std::vector<Built> built;
  const double seconds =
      seconds_of([&] { built = build_units(units, {.at_once = 1, .seconds = 3, .cache = {}}); });
  EXPECT_LT(seconds, 30);
  EXPECT_EQ(built[0].failure.kind, Kind::timed_out);
  EXPECT_EQ(built[0].failure.text, slow.path() + " took longer than 3 s");
  EXPECT_TRUE(built[1].object.has_value());
  // The grandchild is gone, or dead and waiting for its new parent.
  const std::string process = "/proc/" + read_file(slow.path() + ".pid");
  const std::string status = process.substr(0, process.size() - 1) + "/stat";
  if (std::filesystem::exists(status)) {
    EXPECT_NE(read_file(status).find(") Z "), std::string::npos);
  }
}

TEST(BuildUnits, compiler_that_cannot_be_started_says_so) {
  const Built built = build_units({unit_of({}, {"/nowhere/cc", {}})}, {.cache = {}}).front();
  EXPECT_EQ(built.failure.kind, Kind::not_started);
  EXPECT_EQ(built.failure.text, "/nowhere/cc cannot be started");
}

TEST(BuildUnits, cache_is_used_and_filled) {
  const TemporaryDirectory folder;
  const BuildLimits options{.cache = Cache(folder.path())};
  const Unit unit = unit_of({good("f", 6)}, find_compiler());
  const Object first = *build_units({unit}, options).front().object;
  const Object second = *build_units({unit}, options).front().object;
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(read_file(first.path), read_file(second.path));
  EXPECT_EQ(result_of(good("f", 6), second), 6);
  BuildLimits renewing = options;
  renewing.renew = true;
  EXPECT_FALSE(build_units({unit}, renewing).front().object->from_cache);
}

// ---- groups

TEST(BuildGroups, modules_of_a_group_share_an_object) {
  const std::vector<std::vector<Module>> groups = {
      {good("a", 1), good("b", 2)}, {good("c", 3)}, {}};
  const auto built = build_groups(groups, {});
  ASSERT_EQ(built.size(), 3u);
  ASSERT_EQ(built[0].size(), 2u);
  EXPECT_TRUE(built[2].empty());
  EXPECT_EQ(built[0][0].object->path, built[0][1].object->path);
  EXPECT_NE(built[0][0].object->path, built[1][0].object->path);
  EXPECT_EQ(result_of(groups[0][0], *built[0][0].object), 1);
  EXPECT_EQ(result_of(groups[0][1], *built[0][1].object), 2);
  EXPECT_EQ(result_of(groups[1][0], *built[1][0].object), 3);
}

TEST(BuildGroups, failing_module_is_found_and_the_others_survive) {
  const std::vector<std::vector<Module>> groups = {
      {good("a", 1), module_of("b", "wrong_b"), good("c", 3), module_of("d", "wrong_d")},
      {good("e", 5)}};
  const auto built = build_groups(groups, {});
  EXPECT_EQ(result_of(groups[0][0], *built[0][0].object), 1);
  EXPECT_EQ(result_of(groups[0][2], *built[0][2].object), 3);
  EXPECT_EQ(result_of(groups[1][0], *built[1][0].object), 5);
  ASSERT_FALSE(built[0][1].object || built[0][3].object);
  EXPECT_NE(built[0][1].failure.text.find("wrong_b"), std::string::npos);
  EXPECT_EQ(built[0][1].failure.text.find("wrong_d"), std::string::npos);
  EXPECT_NE(built[0][3].failure.text.find("wrong_d"), std::string::npos);
}

TEST(BuildGroups, modules_with_other_flags_or_compilers_are_units_of_their_own) {
  const Script compiler("exec cc -DVALUE=30 \"$@\"");
  const ScopedEnvironment cc("MDH_CC", "cc:" + compiler.path());
  std::vector<Module> group(3, module_of("f", "out[0] = VALUE;"));
  group[0].flags = {"-DVALUE=10"};
  group[1].flags = {"-DVALUE=20"};
  group[2].compiler = compiler.path();
  const auto built = build_groups({group}, {}).front();
  for (int n = 0; n < 3; ++n) {
    ASSERT_TRUE(built[n].object.has_value()) << built[n].failure.text;
    EXPECT_EQ(result_of(group[n], *built[n].object), 10 * (n + 1));
  }
}

TEST(BuildGroups, modules_whose_compiler_is_missing_fail_alone) {
  std::vector<Module> group = {good("a", 1), good("b", 2)};
  group[1].compiler = "no-such-compiler";
  const auto built = build_groups({group}, {}).front();
  EXPECT_EQ(result_of(group[0], *built[0].object), 1);
  ASSERT_FALSE(built[1].object);
  EXPECT_EQ(built[1].failure.kind, Kind::not_started);
  EXPECT_NE(built[1].failure.text.find("'no-such-compiler'"), std::string::npos);
}

TEST(BuildUnits, compiler_that_says_nothing_is_quoted_by_its_exit_code) {
  const Script silent("exit 7"), killed("kill -9 $$");
  const auto failure_of = [](const Script& compiler) {
    return build_units({unit_of({}, {compiler.path(), {}})}, {.cache = {}}).front().failure.text;
  };
  EXPECT_EQ(failure_of(silent), silent.path() + " ended with exit code 7, without a word");
  EXPECT_EQ(failure_of(killed), killed.path() + " ended by signal 9");
}

TEST(BuildGroups, both_compilers_of_this_machine_can_be_asked_for) {
  for (const std::string family : {"gcc", "clang"}) {
    Module module = good("f", 4);
    module.compiler = family;
    try {
      find_compiler(family);
    } catch (const Error&) {
      continue;  // not installed here
    }
    const Built built = build_groups({{module}}, {}).front().front();
    ASSERT_TRUE(built.object.has_value()) << built.failure.text;
    EXPECT_EQ(result_of(module, *built.object), 4);
  }
}

}  // namespace
}  // namespace mdh::runtime::host::build_test
