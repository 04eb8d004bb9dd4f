// Which flags of compilers configurations may have.
#include "mdh/ll/compiler_flags.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "mdh/ll/config.h"
#include "mdh/support/files.h"
#include "mdh/support/testing.h"

namespace mdh::ll::compiler_flags_test {
namespace {

TEST(CompilerFlags, that_only_make_code_faster_or_slower_are_known) {
  for (const std::string flag : {"-O0",
                                 "-O1",
                                 "-O2",
                                 "-O3",
                                 "-Os",
                                 "-g",
                                 "-funroll-loops",
                                 "-fno-unroll-loops",
                                 "-fno-schedule-insns",
                                 "-fschedule-insns2",
                                 "-fno-predictive-commoning",
                                 "-fno-tree-vectorize",
                                 "-fno-slp-vectorize",
                                 "-mavx2",
                                 "-mno-avx512f",
                                 "-mfma",
                                 "-mprefer-vector-width=512",
                                 "-mprefer-vector-width=none",
                                 "-march=native",
                                 "-march=x86-64-v3",
                                 "-march=armv8.2-a+fp16",
                                 "-mcpu=neoverse-v1",
                                 "-mtune=znver4",
                                 "-falign-loops=32",
                                 "-fvect-cost-model=unlimited",
                                 "-fira-region=one"}) {
    EXPECT_TRUE(is_known_flag(flag)) << flag;
  }
}

TEST(CompilerFlags, that_change_results_files_or_programs_are_not) {
  for (const std::string flag : {"-Ofast",
                                 "-O",
                                 "-O4",
                                 "-ffast-math",
                                 "-funsafe-math-optimizations",
                                 "-fassociative-math",
                                 "-fno-signed-zeros",
                                 "-freciprocal-math",
                                 "-ffinite-math-only",
                                 "-frounding-math",
                                 "-ffp-contract=fast",
                                 "-fno-math-errno",
                                 "-fsingle-precision-constant",
                                 "-mrecip",
                                 "-mfpmath=387",
                                 "-m32",
                                 "-mlong-double-64",
                                 "-mdaz-ftz",
                                 "-mno-sse2",
                                 "-fplugin=x.so",
                                 "-fplugin-arg-x-y=z",
                                 "-specs=x",
                                 "--specs=x",
                                 "@file",
                                 "-o",
                                 "-ox",
                                 "-Ddouble=float",
                                 "-Ufloat",
                                 "-include",
                                 "-I/tmp",
                                 "-wrapper",
                                 "-B/tmp",
                                 "-x",
                                 "-xc++",
                                 "-Wl,-rpath,/tmp",
                                 "-Wa,-o,x",
                                 "-lm",
                                 "-L/tmp",
                                 "-save-temps",
                                 "-fdump-tree-all",
                                 "-fprofile-use",
                                 "-MD",
                                 "-fno-openmp",
                                 "-fwrapv",
                                 "-fsanitize=address",
                                 "-fopt-info-all=/tmp/x",
                                 "-Xclang",
                                 "-fallow-store-data-races",
                                 "--param=allow-store-data-races=1",
                                 "-E",
                                 "-S",
                                 "-c",
                                 "x.c",
                                 "",
                                 " ",
                                 "-",
                                 "-f",
                                 "-fno-",
                                 "-m",
                                 "-march=",
                                 "-march=x y",
                                 "-march=$(id)",
                                 "-march=a/b",
                                 "-mprefer-vector-width",
                                 "-falign-loops=1k",
                                 "-O3 -Ofast",
                                 "-O3\n",
                                 "-g3"}) {
    EXPECT_FALSE(is_known_flag(flag)) << "'" << flag << "'";
  }
}

TEST(CompilerFlags, of_configurations_are_checked_where_they_are_read) {
  const Diagnostic d = diagnostic_of([] {
    parse_config(
        "{\"mdh_config\": 1,\n \"code\": {\"kernel\": {\"flags\": [\"-fno-unrol-loops\"]}}}",
        "mine.json");
  });
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.code, "E355");
  EXPECT_EQ(*d.where.file, "mine.json");
  EXPECT_EQ(d.where.line, 2);
  EXPECT_EQ(d.message,
            "\"flags\": '-fno-unrol-loops' is none of the flags that are known to change neither "
            "results nor files");
  EXPECT_EQ(d.hint.substr(0, 34), "did you mean '-fno-unroll-loops'? ") << d.hint;
}

TEST(CompilerFlags, of_the_configurations_of_the_benchmark_are_known) {
  int checked = 0;
  for (const char* folder : {"/bench/configs", "/tests/golden/configs", "/docs"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(MDH_SOURCE_DIR + std::string(folder))) {
      if (entry.path().extension() != ".json") continue;
      const std::string text = read_file(entry.path().string());
      if (text.find("\"mdh_config\"") == std::string::npos) continue;
      EXPECT_NO_THROW(parse_config(text, entry.path().string()));
      ++checked;
    }
  }
  EXPECT_GT(checked, 50);
}

}  // namespace
}  // namespace mdh::ll::compiler_flags_test
