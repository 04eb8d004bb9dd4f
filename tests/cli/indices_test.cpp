// Index functions that leave their buffer: every verb and every target says so before anything
// runs, with exit code 2; those that stay inside run everywhere.
#include <gtest/gtest.h>

#include "mdh/support/files.h"
#include "tests/cli/tool.h"

namespace mdh::test::indices_test {
namespace {

/// A file with a 7 x 13 reduction whose second input is accessed as given.
class File {
 public:
  explicit File(const std::string& view) : path_((folder_.path() / "p.mdh").string()) {
    write_file(path_,
               "mdh 1\nprogram p<I: size = 7, K: size = 13> = out_view( w: f32 = [i] )\n"
               "* md_hom( i: I by cc, k: K by pw(add) ) { w = M * v; }\n"
               "* inp_view( M: f32 = [i, k]; v: f32" +
                   view + " )\n");
  }
  const std::string& path() const { return path_; }

 private:
  TemporaryDirectory folder_;
  std::string path_;
};

void expect_refused_everywhere(const std::string& view, const std::string& message) {
  const File file(view);
  for (const std::string line :
       {"run {} -q", "run {} -q --in-process", "run {} -q --target reference",
        "run {} -q --target opencl", "tune {} -q --no-records --budget 2", "check {}",
        "show {} --source"}) {
    std::string words = line;
    words.replace(words.find("{}"), 2, file.path());
    const Outcome o = mdh(words);
    EXPECT_EQ(o.exit, 2) << line << "\n" << describe(o);
    EXPECT_EQ(o.out, "") << line;
    EXPECT_TRUE(contains(o.err, ": error: " + message + "\n")) << line << "\n" << o.err;
  }
}

TEST(Indices, outside_of_the_buffer_are_refused_by_every_verb) {
  expect_refused_everywhere("[10] = [i * k * 1000000]",
                            "index 1 of buffer 'v' is 72000000 at i = 6, k = 12, outside of [0, "
                            "10) [E235]");
}

TEST(Indices, that_divide_by_zero_are_refused_by_every_verb) {
  expect_refused_everywhere("[101] = [100 / k]",
                            "index 1 of buffer 'v' divides by zero at i = 0, k = 0 [E130]");
}

TEST(Indices, that_exceed_64_bits_are_refused_by_every_verb) {
  expect_refused_everywhere("[10] = [(k * 1152921504606846976) % 10]",
                            "index 1 of buffer 'v' exceeds 64 bits on its way at i = 0, k = 12 "
                            "[E236]");
}

TEST(Indices, that_stay_inside_run_and_are_right) {
  for (const char* view :
       {"[73] = [i * k]", "[101] = [100 / (k + 1)]", "[9] = [100 % (9 - i)]",
        "[101] = [(if k == 0 then 0 else 100 / k)]", "[13] = [min(i * i, k)]",
        "[16] = [((i ^ k) & 15)]", "[7] = [~i + 7]", "[13] = [(if !(i < k) then i else k)]"}) {
    const File file(view);
    const Outcome o = mdh("run " + file.path() + " -q --in-process");
    EXPECT_EQ(o.exit, 0) << view << "\n" << describe(o);
    EXPECT_TRUE(contains(o.out, "verified: full")) << view << "\n" << o.out;
  }
}

// Padded tiles: 7 is no multiple of 4, and at i = 7 the index would divide by zero.
TEST(Indices, are_not_evaluated_outside_of_the_index_set) {
  const File file("[101] = [100 / (I - i) + 100 % (K - k) % 1]");
  const TemporaryDirectory folder;
  const std::string config = folder.path() / "c.json";
  for (const char* split :
       {R"("split": {"i": ["COR 2", "L1 4"], "k": ["L1 13"]}, "order": ["COR.i", "L1.i", "L1.k"])",
        R"("split": {"i": ["COR 2", "REG 4"], "k": ["L1 4", "REG 4"]},
           "order": ["COR.i", "L1.k", "REG.k", "REG.i"])",
        R"("split": {"i": ["L1 2", "SIMD 4"], "k": ["COR 2", "L1 7"]},
           "order": ["COR.k", "L1.i", "L1.k", "SIMD.i"])"}) {
    write_file(
        config,
        std::string(R"({"mdh_config": 1, "layers": ["COR", "L1", "REG", "SIMD"], )") + split + "}");
    const Outcome o = mdh("run " + file.path() + " -q --machine cpu --config " + config);
    EXPECT_EQ(o.exit, 0) << split << "\n" << describe(o);
  }
}

TEST(Indices, that_code_cannot_be_made_of_are_for_the_reference) {
  const File file("[5] = [i64(sqrt(f64(k)))]");
  const Outcome o = mdh("run " + file.path() + " -q");
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_TRUE(contains(o.err,
                       "not supported: code for the index function 'i64(sqrt(f64(k)))' of "
                       "buffer 'v' [E507]"))
      << o.err;
  EXPECT_EQ(mdh("run " + file.path() + " -q --target reference").exit, 0);
}

}  // namespace
}  // namespace mdh::test::indices_test
