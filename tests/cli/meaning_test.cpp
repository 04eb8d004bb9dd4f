// mdh run on programs that compilers and machines like to treat in their own ways.
#include <gtest/gtest.h>

#include "mdh/runtime/process.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/files.h"
#include "tests/cli/tool.h"

namespace mdh::test::meaning_test {
namespace {

/// A program in a file of its own.
class Program {
 public:
  explicit Program(const std::string& text) : path_((folder_.path() / "program.mdh").string()) {
    write_file(path_, "mdh 1\n" + text);
  }
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  TemporaryDirectory folder_;
  std::string path_;
};

/// Large enough for a configuration by the model, which has lanes.
const char* const first_row = R"(
program first_row<T: type = f64, I: size = 300, J: size = 256> =
  out_view( y: T = [i, j] )
* md_hom( i: I by cc, j: J by cc ) { y = if i == 0 then 0 else a - 2 * b; }
* inp_view( a: T = [i, j]; b: T = [i, j] )
)";

/// A configuration for it, with more of it.
std::string config_with(const std::string& more) {
  return R"({"mdh_config": 1, "layers": ["L1"], "split": {"i": ["L1 300"], "j": ["L1 256"]},
  "order": ["L1.i", "L1.j"])" +
         more + "}";
}

TEST(Meaning, choice_by_an_index_runs_in_all_types_and_by_all_compilers) {
  const Program program(first_row);
  for (const char* compiler : {"gcc", "clang"}) {
    if (runtime::find_program(compiler).empty()) continue;
    const runtime::ScopedEnvironment cc("MDH_CC", compiler);
    for (const char* type : {"f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u32"}) {
      const Outcome o = mdh({"run", program.path(), "--type", type});
      EXPECT_EQ(o.exit, 0) << compiler << " " << type << "\n" << describe(o);
      EXPECT_FALSE(contains(o.err, "refused")) << describe(o);
    }
  }
}

TEST(Meaning, kernel_that_one_compiler_refuses_is_compiled_by_the_next) {
  const runtime::Script refuses(
      "case \"$*\" in *kernels.c*) echo 'kernels.c:3:1: error: not today' >&2; exit 1;; esac\n"
      "exec cc \"$@\"");
  const runtime::Script takes("exec cc \"$@\"");
  const runtime::ScopedEnvironment cc("MDH_CC", refuses.path() + ":" + takes.path());
  const Program program(first_row);
  const Outcome o = mdh({"run", program.path()});
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.err, "mdh: note: " + refuses.path() +
                                  " refused the printed source (not today), " + takes.path() +
                                  " compiled it; please report this\n"))
      << describe(o);
  const Outcome quiet = mdh({"run", program.path(), "-q"});
  EXPECT_EQ(quiet.err, "");
}

TEST(Meaning, kernel_that_all_compilers_refuse_is_made_from_the_default_configuration) {
  // The first kernel is refused, whatever it is.
  const TemporaryDirectory folder;
  const std::string seen = (folder.path() / "seen").string();
  const runtime::Script refuses(
      "case \"$*\" in *kernels.c*) if [ ! -e " + seen + " ]; then touch " + seen +
      "; echo 'error: not this one' >&2; exit 1; fi;; esac\n" + "exec cc \"$@\"");
  const runtime::ScopedEnvironment cc("MDH_CC", refuses.path());
  const Program program(first_row);
  const Outcome o = mdh({"run", program.path()});
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.err, "mdh: note: " + refuses.path() +
                                  " refused the printed source: the default configuration is taken "
                                  "instead; please report this\n"))
      << describe(o);
}

TEST(Meaning, kernel_of_a_configuration_in_a_file_is_not_replaced) {
  const runtime::Script refuses(
      "case \"$*\" in *kernels.c*) echo 'error: never' >&2; exit 1;; esac\nexec cc \"$@\"");
  const runtime::ScopedEnvironment cc("MDH_CC", refuses.path());
  const Program program(first_row);
  write_file(program.file("config.json"), config_with(""));
  const Outcome o = mdh({"run", program.path(), "--config", program.file("config.json")});
  EXPECT_EQ(o.exit, 70) << describe(o);
  EXPECT_TRUE(contains(o.err, refuses.path() + " refused the printed source:\nerror: never"))
      << describe(o);
}

TEST(Meaning, flags_that_change_what_numbers_mean_are_refused) {
  const Program program(first_row);
  write_file(program.file("config.json"),
             config_with(R"(, "code": {"kernel": {"flags": ["-Ofast"]}})"));
  const Outcome o = mdh({"run", program.path(), "--config", program.file("config.json")});
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_TRUE(contains(o.err, "\"flags\": '-Ofast' is none of the flags that are known"))
      << describe(o);
}

TEST(Meaning, division_by_zero_is_zero_on_all_targets) {
  const Program program(R"(
program divide<N: size = 97> =
  out_view( q: i32 = [i]; r: i32 = [i] )
* md_hom( i: N by cc ) { q = a / i32(i % 3); r = a % i32(i % 3); }
* inp_view( a: i32 = [i] )
)");
  std::string expected;
  for (const char* target : {"reference", "openmp", "opencl"}) {
    const std::string q = program.file("q.npy"), r = program.file("r.npy");
    const Outcome o = mdh(
        {"run", program.path(), "--target", target, "--output", "q=" + q, "--output", "r=" + r});
    if (o.exit == 3 && target == std::string("opencl")) GTEST_SKIP() << "SKIP: no OpenCL device";
    ASSERT_EQ(o.exit, 0) << target << "\n" << describe(o);
    const std::string found = read_file(q) + read_file(r);
    if (expected.empty()) expected = found;
    EXPECT_EQ(found, expected) << target;
  }
}

}  // namespace
}  // namespace mdh::test::meaning_test
