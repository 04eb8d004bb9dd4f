#include "mdh/runtime/host/compiler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mdh/runtime/host/isa.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::host::compiler_test {
namespace {

using Words = std::vector<std::string>;

TEST(FindCompiler, variable_names_it) {
  const Script compiler("exit 0");
  const ScopedEnvironment cc("MDH_CC", compiler.path());
  EXPECT_EQ(find_compiler().path, compiler.path());
  EXPECT_EQ(find_compiler().flags, Words{"-O3"});
}

TEST(FindCompiler, variable_may_name_it_without_a_folder) {
  const Script compiler("exit 0", "mdh-test-cc");
  const ScopedEnvironment path("PATH", compiler.folder()), cc("MDH_CC", "mdh-test-cc");
  EXPECT_EQ(find_compiler().path, compiler.path());
}

TEST(FindCompiler, variable_may_name_several) {
  const Script one("exit 0"), two("exit 0"), three("exit 0");
  const ScopedEnvironment cc("MDH_CC", one.path() + ":" + two.path() + "  " + three.path());
  EXPECT_EQ(find_compilers(), (Words{one.path(), two.path(), three.path()}));
  EXPECT_EQ(find_compiler().path, one.path());
}

TEST(FindCompiler, path_with_blanks_is_one_compiler) {
  const Script compiler("exit 0", "my own cc");
  const ScopedEnvironment cc("MDH_CC", compiler.path());
  EXPECT_EQ(find_compilers(), Words{compiler.path()});
}

TEST(FindCompiler, named_compiler_that_is_missing_is_not_replaced_by_another) {
  const Script there("exit 0");
  for (const std::string name : {"/nonexistent", "no-such-compiler", "", "/tmp"}) {
    for (const std::string& before : {std::string(), there.path() + ":"}) {
      if (name.empty() && !before.empty()) continue;
      const ScopedEnvironment cc("MDH_CC", before + name);
      const Diagnostic d = diagnostic_of([] { find_compiler(); });
      EXPECT_EQ(d.kind, DiagnosticKind::missing);
      EXPECT_EQ(d.code, "E601");
      EXPECT_EQ(d.message, "the C compiler '" + name + "' named by MDH_CC was not found");
      EXPECT_EQ(d.hint,
                "install gcc (apt-get install gcc), or set MDH_CC to a C compiler with OpenMP");
    }
  }
}

TEST(FindCompiler, without_the_variable_the_usual_names_are_tried) {
  const Script clang("exit 0", "clang");
  const ScopedEnvironment cc("MDH_CC", std::nullopt), path("PATH", clang.folder());
  EXPECT_EQ(find_compiler().path, clang.path());
  write_file(clang.folder() + "/gcc", "#!/bin/sh\n");
  EXPECT_EQ(find_compiler().path, clang.path()) << "a file that cannot be executed";
  std::filesystem::permissions(clang.folder() + "/gcc", std::filesystem::perms::owner_all);
  EXPECT_EQ(find_compilers(), (Words{clang.folder() + "/gcc", clang.path()}));
  std::filesystem::create_symlink("gcc", clang.folder() + "/cc");
  EXPECT_EQ(find_compilers(), (Words{clang.folder() + "/cc", clang.path()}))
      << "cc is another name of gcc";
}

TEST(FindCompiler, machine_without_any_compiler_is_told_what_to_install) {
  const TemporaryDirectory empty;
  const ScopedEnvironment cc("MDH_CC", std::nullopt), path("PATH", empty.path().string());
  const Diagnostic d = diagnostic_of([] { find_compiler(); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E601");
  EXPECT_EQ(d.message, "no C compiler found (tried cc, gcc, clang)");
}

// ---- by family

TEST(FindCompiler, family_is_what_the_compiler_says_it_is) {
  const Script gnu("echo 'gcc version 99.1 (Test)' >&2", "one");
  const Script llvm("echo 'Test clang version 98.2'", "two"), other("echo hello", "three");
  const ScopedEnvironment cc("MDH_CC", other.path() + ":" + llvm.path() + ":" + gnu.path());
  EXPECT_EQ(find_compiler("gcc").path, gnu.path());
  EXPECT_EQ(find_compiler("clang").path, llvm.path());
  EXPECT_EQ(find_compiler("").path, other.path());
  EXPECT_EQ(identify(gnu.path()).version, "gcc version 99.1 (Test)");
  EXPECT_EQ(identify(llvm.path()).version, "Test clang version 98.2");
  EXPECT_EQ(identify(other.path()).family, "");
}

TEST(FindCompiler, name_with_a_version_is_a_program_on_the_path) {
  for (const std::string name : {"gcc-99", "clang-99", "g++-99.1", "x86_64-linux-gnu-gcc-99"}) {
    const Script compiler("exit 0", name);
    const ScopedEnvironment path("PATH", compiler.folder());
    EXPECT_EQ(find_compiler(name).path, compiler.path());
  }
}

TEST(FindCompiler, any_other_program_must_be_named_by_the_user) {
  const Script compiler("exit 0", "mycc"), other("exit 0", "gcc-99");
  const ScopedEnvironment path("PATH", compiler.folder() + ":/usr/bin:/bin");
  for (const std::string& name :
       {compiler.path(), other.path(), std::string("mycc"), std::string("sh"),
        std::string("gcc-12;sh"), std::string("-gcc"), std::string("./gcc")}) {
    const Diagnostic d = diagnostic_of([&] { find_compiler(name); });
    EXPECT_EQ(d.kind, DiagnosticKind::user);
    EXPECT_EQ(d.code, "E620");
    EXPECT_EQ(d.message, "code.kernel.compiler: '" + name +
                             "' is no C compiler that a configuration may name");
    EXPECT_NE(d.hint.find("named by MDH_CC"), std::string::npos) << d.hint;
  }
  const ScopedEnvironment cc("MDH_CC", "gcc:mycc:" + other.path());
  EXPECT_EQ(find_compiler("mycc").path, compiler.path());
  EXPECT_EQ(find_compiler(other.path()).path, other.path());
  EXPECT_EQ(diagnostic_of([&] { find_compiler(compiler.path()); }).code, "E620")
      << "the same program by another name";
}

TEST(FindCompiler, compiler_of_a_configuration_that_is_missing_is_named) {
  const Script compiler("echo 'gcc version 99.1'");
  const ScopedEnvironment cc("MDH_CC", compiler.path());
  for (const std::string name : {"clang", "gcc-98", "no-such-gcc"}) {
    const Diagnostic d = diagnostic_of([&] { find_compiler(name); });
    EXPECT_EQ(d.kind, DiagnosticKind::missing);
    EXPECT_EQ(d.code, "E604");
    EXPECT_EQ(d.message,
              "the C compiler '" + name + "' that the configuration names was not found");
  }
}

TEST(Identify, fingerprint_changes_with_the_file_and_with_what_it_says) {
  const Script compiler("echo 'gcc version 1'");
  const std::string before = identify(compiler.path()).fingerprint;
  EXPECT_EQ(identify(compiler.path()).fingerprint, before);
  write_file(compiler.path(), read_file(compiler.path()) + "# a comment\n");
  std::filesystem::permissions(compiler.path(), std::filesystem::perms::owner_all);
  EXPECT_NE(identify(compiler.path()).fingerprint, before);
}

// ---- flags

TEST(CompilerFor, proven_instruction_set_and_flags_of_the_module_come_last) {
  kernel::Module module;
  module.flags = {"-funroll-loops"};
  const Compiler compiler = compiler_for(module, Cache::of_user());
  Words expected = {"-O3"};
  const Words proven = proven_isa(compiler.path, Cache::of_user());
  expected.insert(expected.end(), proven.begin(), proven.end());
  expected.push_back("-funroll-loops");
  EXPECT_EQ(compiler.flags, expected);
}

TEST(CompilerFor, module_that_names_an_instruction_set_gets_no_other) {
  kernel::Module module;
  for (const std::string flag : {"-march=x", "-mcpu=y"}) {
    module.flags = {flag};
    EXPECT_EQ(compiler_for(module, Cache()).flags, (Words{"-O3", flag}));
  }
}

TEST(CommandLine, contraction_stands_behind_the_flags) {
  const Words words = command_line({"/bin/cc", {"-O3", "-Ofast"}}, false, "a.c", "a.so");
  EXPECT_EQ(words.front(), "/bin/cc");
  const auto at = [&](const std::string& word) {
    return std::find(words.begin(), words.end(), word) - words.begin();
  };
  EXPECT_LT(at("-Ofast"), at("-ffp-contract=off"));
  EXPECT_LT(at("-ffp-contract=off"), at("a.c"));
  EXPECT_LT(at("-fopenmp"), at("a.c"));
  EXPECT_LT(at("a.c"), at("-lm"));
}

}  // namespace
}  // namespace mdh::runtime::host::compiler_test
