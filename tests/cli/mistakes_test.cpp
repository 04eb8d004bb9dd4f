// What the command line refuses: the text says what is wrong and what to do, the exit code which
// kind of mistake it was, and nothing is on stdout.
#include <gtest/gtest.h>

#include "mdh/runtime/testing.h"
#include "mdh/support/files.h"
#include "tests/cli/tool.h"

namespace mdh::test::mistakes_test {
namespace {

struct Mistake {
  std::string line;     // the command line
  std::string message;  // with its code
  std::string hint;     // how it begins
};

/// Exit code 2, the message and the hint on stderr, nothing on stdout.
void expect_refused(const Mistake& mistake) {
  const Outcome o = mdh(mistake.line);
  EXPECT_EQ(o.exit, 2) << mistake.line << "\n" << describe(o);
  EXPECT_EQ(o.out, "") << mistake.line;
  EXPECT_TRUE(contains(o.err, "error: " + mistake.message + "\n")) << mistake.line << "\n" << o.err;
  EXPECT_TRUE(contains(o.err, "\nhint: " + mistake.hint)) << mistake.line << "\n" << o.err;
}

TEST(Mistake, misspelt_verb) {
  expect_refused({"chck matvec", "unknown verb 'chck' [E800]", "did you mean 'check'?\n"});
  expect_refused(
      {"compile", "unknown verb 'compile' [E800]", "known: list, show, check, diff, run"});
}

TEST(Mistake, no_verb) {
  const Outcome o = mdh(std::vector<std::string>{});
  EXPECT_EQ(o.exit, 2);
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(contains(o.err, "[E800]\nhint: 'mdh --help' shows all verbs\n")) << o.err;
}

TEST(Mistake, misspelt_option) {
  expect_refused({"run matvec --siez 7,13", "'mdh run' has no option '--siez' [E800]",
                  "did you mean '--size'?\n"});
  expect_refused({"run matvec --thread=3", "'mdh run' has no option '--thread' [E800]",
                  "did you mean '--threads'?\n"});
  expect_refused({"show matvec --json", "'mdh show' has no option '--json' [E800]", ""});
}

TEST(Mistake, option_without_or_with_an_impossible_value) {
  for (const std::string value : {"0", "4097", "-1", "x", "1.5", "1e3", "3x"}) {
    expect_refused({"run matvec --threads=" + value,
                    "--threads: '" + value + "' is not a whole number from 1 to 4096 [E800]",
                    "'mdh --help' shows all verbs\n"});
  }
  expect_refused({"run matvec --seed x", "--seed: 'x' is not a whole number from 0 on [E800]", ""});
  for (const std::string value : {"nan", "inf", "-1", "1e10", "5s"}) {
    expect_refused({"run matvec --time-limit=" + value,
                    "--time-limit: '" + value + "' is not a number from 0 to 1e+09 [E800]", ""});
  }
  expect_refused({"run matvec --size 7,13 --threads", "--threads needs a value [E800]", ""});
  expect_refused({"run matvec --threads --json", "--threads needs a value [E800]", ""});
}

TEST(Mistake, words_that_are_missing_too_many_or_do_not_fit) {
  expect_refused({"run", "'mdh run' needs PROGRAM [E800]", ""});
  expect_refused({"diff a.json", "'mdh diff' needs B [E800]", ""});
  expect_refused({"run matvec 7,13", "'mdh run' has no use for '7,13' [E800]", ""});
  expect_refused({"run matvec --no-records --records x.jsonl",
                  "--records and --no-records exclude each other [E800]", ""});
  expect_refused({"dev x.loop.mdh", "FILE needs --pass [E800]", ""});
  expect_refused({"records", "'mdh records' needs a verb of its own [E800]", "known: list, best"});
}

TEST(Mistake, misspelt_program) {
  expect_refused({"run matvek", "unknown program 'matvek' [E801]",
                  "did you mean 'matvec'? (a file of your own ends in .mdh; 'mdh list' shows"});
  for (const std::string verb : {"show", "check"}) {
    expect_refused({verb + " zzz", "unknown program 'zzz' [E801]", "known: dot, matvec, matmul"});
  }
}

TEST(Mistake, wrong_number_of_sizes) {
  expect_refused({"run matvec --size 7",
                  "program 'matvec' has 2 dimensions (i, k), got 1 size [E212]",
                  "give one value per dimension, or names: --size I=7,K=13\n"});
  expect_refused(
      {"run dot --size 7,13", "program 'dot' has 1 dimension (k), got 2 sizes [E212]", ""});
}

TEST(Mistake, size_that_is_not_an_integer) {
  for (const std::string word : {"x", "1.5", "7e3", "0x10", "+3", "99999999999999999999"}) {
    expect_refused({"run dot --size " + word, "--size: '" + word + "' is not an integer [E802]",
                    "write --size 7,13 or --size I=7,K=13\n"});
  }
  expect_refused({"run matvec --size 7,", "--size: '' is not an integer [E802]", ""});
  expect_refused({"run matvec --size I=,K=3", "--size: '' is not an integer [E802]", ""});
}

TEST(Mistake, size_below_one) {
  for (const std::string size : {"0", "-3"}) {
    const Outcome o = mdh("run matvec --size " + size + ",13");
    EXPECT_EQ(o.exit, 2) << describe(o);
    EXPECT_EQ(o.out, "");
    EXPECT_TRUE(contains(o.err, " is " + size + ", but sizes are at least 1 [E215]\n")) << o.err;
  }
}

TEST(Mistake, size_beyond_64_bits) {
  const Outcome o = mdh("run matmul --size 4000000000,4000000000,4000000000");
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_TRUE(contains(o.err, "the index set is too large for 64-bit indices [E216]\n")) << o.err;
}

TEST(Mistake, unknown_size) {
  expect_refused({"run matvec --size II=3", "program 'matvec' has no size 'II' [E210]",
                  "did you mean 'I'?\n"});
  expect_refused({"run matvec --size I=3,13", "--size mixes names and positions [E804]",
                  "write --size 7,13 or --size I=7,K=13\n"});
  expect_refused({"run dot --size paper3", "'dot' has no sizes called 'paper3' [E803]",
                  "known: paper, paper2\n"});
  expect_refused({"run jacobi1d --size paper", "'jacobi1d' has no sizes called 'paper' [E803]",
                  "give numbers\n"});
}

TEST(Mistake, type_that_is_not_supported) {
  expect_refused({"run matvec --type i8", "not supported: 'matvec' with element type i8 [E807]",
                  "its types are f32, f64, i32, i64\n"});
  expect_refused({"run matvec --type f16", "not supported: 'matvec' with element type f16 [E807]",
                  "its types are f32, f64, i32, i64\n"});
}

TEST(Mistake, type_that_does_not_exist) {
  expect_refused({"run matvec --type f322", "unknown type 'f322' [E114]", "did you mean 'f32'?\n"});
  expect_refused({"run matvec --type U=f64", "program 'matvec' has no type 'U' [E210]", ""});
}

TEST(Mistake, constant_that_cannot_be_read) {
  expect_refused({"run jacobi1d --set c", "--set: cannot read 'c' [E806]", "write --set c=0.5\n"});
  expect_refused({"run jacobi1d --set cc=1", "program 'jacobi1d' has no constant 'cc' [E210]",
                  "did you mean 'c'?\n"});
  expect_refused({"run jacobi1d --set c=1+",
                  "expected an expression here, found end of text [E103]",
                  "the text ends too early\n"});
}

/// Tests with a GPU are elsewhere: here there is none, wherever they run.
TEST(Mistake, target_without_a_driver) {
  const runtime::ScopedEnvironment none("MDH_LIBCUDA", "/nonexistent/libcuda.so.1");
  for (const char* verb : {"run", "tune"}) {
    const Outcome outcome = mdh(std::string(verb) + " matvec --size 8,8 --target cuda");
    EXPECT_EQ(outcome.exit, 3) << describe(outcome);
    EXPECT_TRUE(contains(outcome.err, "there is no CUDA driver: /nonexistent/libcuda.so.1"))
        << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "[E641]\nhint: ")) << outcome.err;
  }
}

TEST(Mistake, target_that_is_unknown) {
  expect_refused(
      {"run matvec --target opnmp", "unknown target 'opnmp' [E702]", "did you mean 'openmp'?\n"});
}

TEST(Mistake, unknown_machine) {
  expect_refused(
      {"run matvec --machine cpuu", "unknown machine 'cpuu' [E301]", "did you mean 'cpu'?\n"});
  expect_refused({"check matvec --machine tpu", "unknown machine 'tpu' [E301]", ""});
}

TEST(Mistake, file_that_is_missing) {
  for (const std::string line : {"run nowhere.mdh", "show ./nowhere.mdh", "check /nowhere/x"}) {
    const std::string file = line.substr(line.find(' ') + 1);
    expect_refused({line, "cannot read '" + file + "' [E001]", "check the path"});
  }
  expect_refused(
      {"run matvec --config nowhere.json", "cannot read 'nowhere.json' [E001]", "check the path"});
}

// ---- mistakes in files

/// The name of a file with this content, for as long as the object lives.
class File {
 public:
  File(const std::string& name, const std::string& content)
      : path_((folder_.path() / name).string()) {
    write_file(path_, content);
  }
  const std::string& path() const { return path_; }

 private:
  TemporaryDirectory folder_;
  std::string path_;
};

TEST(Mistake, syntax_error_shows_the_place_with_a_caret) {
  const File file("broken.mdh",
                  "mdh 1\n"
                  "program broken<I: size = 9> =\n"
                  "  out_view( y: i32 = [i] )\n"
                  "* md_hom( i: I by cc ) { y = x +; }\n"
                  "* inp_view( x: i32 = [i] )\n");
  for (const std::string verb : {"show", "check", "run"}) {
    const Outcome o = mdh(verb + " " + file.path());
    EXPECT_EQ(o.exit, 2);
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(o.err.find(file.path() + ":4:33: error: expected an expression here, found ';' "
                                       "[E103]\n"
                                       "  * md_hom( i: I by cc ) { y = x +; }\n"
                                       "                                  ^\n"
                                       "hint: "),
              0u)
        << o.err;
  }
}

TEST(Mistake, program_without_a_type_parameter_takes_no_type) {
  const File file("fixed.mdh",
                  "mdh 1\nprogram fixed = out_view( y: i32 = [i] ) * md_hom( i: 3 by cc )"
                  " { y = x; } * inp_view( x: i32 = [i] )\n");
  expect_refused({"run " + file.path() + " --type f32",
                  "program 'fixed' has no type parameter [E805]", "leave --type out\n"});
  expect_refused({"run " + file.path() + " --compare",
                  "--compare needs a program of the catalogue, without --set [E808]", "only they"});
}

TEST(Mistake, comparison_with_a_plain_loop_of_other_constants) {
  expect_refused({"run jacobi1d --compare --set c=0.5",
                  "--compare needs a program of the catalogue, without --set [E808]",
                  "only they come with a plain loop, which has constants of its own\n"});
}

TEST(Mistake, output_that_is_not_injective_has_no_code) {
  const File file("overlap.mdh",
                  "mdh 1\nprogram overlap =\n  out_view( y: i32 = [i + j] )\n"
                  "* md_hom( i: 3 by cc, j: 2 by cc ) { y = 1; }\n* inp_view( )\n");
  expect_refused({"run " + file.path() + " -q",
                  "not supported: code for output 'y', whose index functions are not provably "
                  "injective [E502]",
                  "run it with --target reference\n"});
}

TEST(Mistake, configuration_that_breaks_a_rule) {
  const auto refused = [](const std::string& lines, const std::string& message,
                          const std::string& hint) {
    const File file("config.json", "{\"mdh_config\": 1, " + lines + "}");
    for (const std::string verb : {"check", "show --source", "run -q"}) {
      const std::string line = verb + " matvec --size 7,13 --config " + file.path();
      expect_refused({line, message, hint});
    }
  };
  refused(R"("layers": ["L1"], "split": {"i": ["L1 7"], "k": ["L1 12"]},
             "order": ["L1.i", "L1.k"])",
          "split.k: 12 parts do not cover the size 13 (full partitioning) [E326]",
          "multiply one of the counts by at least 2\n");
  refused(R"("layers": ["L1"], "split": {"i": ["L1 7"], "k": ["L1 13"]}, "order": ["L1.i"])",
          "order: level L1.k has 13 parts, but no place [E329]", "add \"L1.k\" to \"order\"\n");
  refused(R"("layers": ["L9"])", "layers: machine 'cpu' has no layer 'L9' [E320]",
          "did you mean 'L");
  refused(R"("layrs": ["L1"])", "\"layrs\": unknown key [E314]", "did you mean 'layers'?\n");
  refused(R"("layers": ["L1"], "split": {"i": ["L1 7"], "k": ["L1 13"]},
             "order": ["L1.i", "L1.k"], "stage": {"u": [{"from": "L1.k", "region": "L1"}]})",
          "stage: program 'matvec' has no input 'u' [E340]", "did you mean '");
}

TEST(Mistake, machine_file_with_an_unknown_key) {
  const File file("m.json",
                  "{\"mdh_machine\": 1, \"name\": \"m\",\n"
                  " \"layers\": [{\"name\": \"M\", \"kind\": \"loop\", \"regin\": \"M\"}]}\n");
  const Outcome o = mdh("run matvec --machine " + file.path());
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_EQ(o.err.find(file.path() + ":2:43: error: \"regin\": unknown key [E308]\n"), 0u) << o.err;
  EXPECT_TRUE(contains(o.err, "hint: did you mean 'region'?\n")) << o.err;
}

TEST(Mistake, machine_file_that_breaks_a_rule) {
  const File file("m.json", R"({"mdh_machine": 1, "name": "m",
                                "layers": [{"name": "M", "kind": "loop", "region": "M"}],
                                "regions": [{"name": "M"}]})");
  expect_refused({"check matvec --machine " + file.path(),
                  "machine 'm': there is no layer of kind cores [E306]", ""});
}

TEST(Mistake, configuration_that_is_not_json) {
  const File file("config.json", "{\"mdh_config\": 1,\n \"layers\": [\"L1\"}\n");
  const Outcome o = mdh("run matvec --size 7,13 --config " + file.path());
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(o.err.find(file.path() + ":2:17: error: this is not JSON: "), 0u) << o.err;
  EXPECT_TRUE(contains(o.err, " [E310]\n   \"layers\": [\"L1\"}\n                  ^\n")) << o.err;
}

// ---- what the machine lacks

TEST(Missing, compiler_is_exit_code_3) {
  const runtime::ScopedEnvironment cc("MDH_CC", "/nonexistent");
  const Outcome o = mdh("run matvec --size 7,13 -q");
  EXPECT_EQ(o.exit, 3);
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(o.err,
            "mdh: error: the C compiler '/nonexistent' named by MDH_CC was not found [E601]\n"
            "hint: install gcc (apt-get install gcc), or set MDH_CC to a C compiler with OpenMP\n");
  EXPECT_EQ(mdh("run matvec --size 7,13 --target reference").exit, 0) << "which needs no compiler";
}

TEST(Missing, memory_is_exit_code_3) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer needs more address space than the test leaves";
#endif
  const Outcome o = run_command(
      {"sh", "-c",
       "ulimit -v 1000000 && exec \"$0\" run dot --size 1000000000 --target reference -q",
       MDH_TOOL});
  EXPECT_EQ(o.exit, 3) << describe(o);
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(o.err, "mdh: error: out of memory [E810]\nhint: use a smaller size\n");
}

TEST(Missing, space_for_the_output_is_noticed) {
  const Outcome o = run_command({"sh", "-c", "exec \"$0\" list >/dev/full", MDH_TOOL});
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_TRUE(contains(o.err, "cannot write to stdout [E002]\n")) << o.err;
}

TEST(Missing, compiler_that_fails_is_reported_as_a_bug_with_its_text) {
  const runtime::Script compiler("echo no such luck >&2\nexit 1");
  const runtime::ScopedEnvironment cc("MDH_CC", compiler.path());
  const Outcome o = mdh("run dot --size 9 -q");
  EXPECT_EQ(o.exit, 70);
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(contains(o.err, "mdh: internal error: ")) << o.err;
  EXPECT_TRUE(contains(o.err, "no such luck\n")) << o.err;
  EXPECT_TRUE(contains(o.err, "please report it")) << o.err;
}

}  // namespace
}  // namespace mdh::test::mistakes_test
