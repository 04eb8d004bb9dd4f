// mdh bench: candidates that are right, wrong, missing or crash.
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include <nlohmann/json.hpp>

#include "mdh/runtime/testing.h"
#include "mdh/support/files.h"
#include "tests/cli/tool.h"

namespace mdh::test::bench_test {
namespace {

using nlohmann::json;

const std::string quick = "bench tiny -q --quick --rounds 2 ";

/// The report of a benchmark of one workload.
json workload_of(const std::string& options) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "report.json";
  const Outcome o = mdh(quick + options + " --json " + file);
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_EQ(o.err, "");
  const json report = json::parse(read_file(file));
  EXPECT_EQ(report["schema"], "mdh_bench 1");
  EXPECT_EQ(report["rounds"], 2);
  return report["workloads"][0];
}

/// A workload with a candidate whose function has this body, beside the plain loop of gcc.
json with_candidate(const std::string& body) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "mine.c";
  write_file(file,
             "#include \"sizes.h\"\nvoid run(void** buffers, char* workspace, long threads) {\n"
             "float *c = buffers[0]; const float *a = buffers[1], *b = buffers[2];\n" +
                 body + "}\n");
  return workload_of("--workloads tiny_dot --peers gcc --peer-file mine=" + file);
}

TEST(Bench, candidates_are_verified_and_measured_in_every_round) {
  const json workload =
      with_candidate("float sum = 0; for (int k = 0; k < K; ++k) sum += a[k] * b[k]; *c = sum;");
  ASSERT_EQ(workload["candidates"].size(), 3u);
  for (const json& candidate : workload["candidates"]) {
    EXPECT_EQ(candidate["standing"], "measured") << candidate;
    EXPECT_EQ(candidate["verified"], "full");
    EXPECT_EQ(candidate["exact_on_whole_numbers"], true);
    EXPECT_EQ(candidate["round_us"].size(), 2u);
    EXPECT_GT(candidate["ratio"], 0);
  }
  EXPECT_EQ(workload["candidates"][0]["name"], "mdh");
  EXPECT_EQ(workload["best_peer"], "gcc");  // files of the user are not ranked
}

/// A candidate that is right only if a condition on its threads holds; `cpu[n]` is where thread n
/// runs, `cores` how many cores the calling thread may use.
json if_threads(const std::string& condition, int threads) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "mine.c";
  write_file(file,
             "#define _GNU_SOURCE\n#include <omp.h>\n#include <sched.h>\n#include \"sizes.h\"\n"
             "void run(void** buffers, char* workspace, long threads) {\n"
             "const float *a = buffers[1], *b = buffers[2]; float sum = 0; int cpu[64];\n"
             "for (int k = 0; k < K; ++k) sum += a[k] * b[k];\n"
             "#pragma omp parallel num_threads(threads)\n"
             "cpu[omp_get_thread_num()] = sched_getcpu();\n"
             "cpu_set_t set; sched_getaffinity(0, sizeof(set), &set);\n"
             "const int cores = CPU_COUNT(&set);\n"
             "*(float *)buffers[0] = sum + (" +
                 condition + " ? 0 : 1000000); }\n");
  return workload_of("--workloads tiny_dot --peers gcc --threads " + std::to_string(threads) +
                     " --peer-file mine=" + file)["candidates"][2];
}

TEST(Bench, threads_have_cores_of_their_own_where_there_are_enough) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (cores < 2 || cores > 60) GTEST_SKIP() << "has " << cores << " cores";
  const json two = if_threads("cpu[0] != cpu[1] && cores == 1", 2);
  EXPECT_EQ(two["standing"], "measured") << two;
  const json many = if_threads("cores > 1", cores + 1);
  EXPECT_EQ(many["standing"], "measured") << many;
}

TEST(Bench, wrong_candidate_is_reported_and_not_measured) {
  const json wrong = with_candidate(
      "float sum = 0; for (int k = 1; k < K; ++k) sum += a[k] * b[k]; *c = sum + 1;")["candidates"]
                                                                                     [2];
  EXPECT_EQ(wrong["name"], "mine");
  EXPECT_EQ(wrong["standing"], "wrong");
  EXPECT_FALSE(wrong.contains("time_us"));
}

TEST(Bench, candidate_that_does_not_write_its_output_is_wrong) {
  EXPECT_EQ(with_candidate("")["candidates"][2]["standing"], "wrong");
}

TEST(Bench, candidate_that_crashes_fails_alone) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer ends the process in its own way";
#endif
  const json workload = with_candidate("*(volatile int *)16 = 1;");
  EXPECT_EQ(workload["candidates"][2]["standing"], "failed");
  EXPECT_EQ(workload["candidates"][2]["note"], "crashed with signal 11 (Segmentation fault)");
  EXPECT_EQ(workload["candidates"][1]["standing"], "measured");
}

TEST(Bench, missing_library_says_so) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "mine.c";
  write_file(file,
             "const char* open_peer(long threads) { return \"not installed (libx.so)\"; }\n"
             "void run(void** buffers, char* workspace, long threads) {}\n");
  const Outcome o = mdh(quick + "--workloads tiny_dot --peers gcc --peer-file libx=" + file);
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.out, "libx: not installed (libx.so)\n")) << o.out;
  EXPECT_TRUE(contains(o.out, "absent")) << o.out;
}

/// A PyTorch that exports as much of oneMKL as the real one for x86-64 does.
const char* const fake_torch = R"(
void sgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
            const float* beta, float* c, const int* ldc) {
  for (int j = 0; j < *n; ++j)
    for (int i = 0; i < *m; ++i) {
      float sum = 0;
      for (int l = 0; l < *k; ++l)
        sum += (*ta == 'N' ? a[i + l * *lda] : a[l + i * *lda]) *
               (*tb == 'N' ? b[l + j * *ldb] : b[j + l * *ldb]);
      c[i + j * *ldc] = *alpha * sum;
    }
}
void sgemv_(const char* t, const int* m, const int* n, const float* alpha, const float* a,
            const int* lda, const float* x, const int* ix, const float* beta, float* y,
            const int* iy) {
  const int rows = *t == 'N' ? *m : *n, columns = *t == 'N' ? *n : *m;
  for (int i = 0; i < rows; ++i) {
    float sum = 0;
    for (int l = 0; l < columns; ++l) sum += (*t == 'N' ? a[i + l * *lda] : a[l + i * *lda]) * x[l];
    y[i] = *alpha * sum;
  }
}
float sdot_(const int* n, const float* x, const int* ix, const float* y, const int* iy) {
  float sum = 0;
  for (int i = 0; i < *n; ++i) sum += x[i] * y[i];
  return sum;
}
void cblas_sgemm_batch(int order, const int* ta, const int* tb, const int* m, const int* n,
                       const int* k, const float* alpha, const float** a, const int* lda,
                       const float** b, const int* ldb, const float* beta, float** c,
                       const int* ldc, int groups, const int* counts) {
  for (int at = 0; order == 101 && groups == 1 && at < *counts; ++at)
    sgemm_(*tb == 111 ? "N" : "T", *ta == 111 ? "N" : "T", n, m, k, alpha, b[at], ldb, a[at], lda,
           beta, c[at], ldc);
}
void mkl_serv_set_num_threads(int threads) {}
void MKL_Get_Version_String(char* text, int size) {
  for (int i = 0; i < size; ++i) text[i] = i < 8 ? "oneMKL x"[i] : ' ';
}
)";

/// The only candidate beside mdh, with MDH_TORCH set.
json with_torch(const std::filesystem::path& package, const std::string& peer,
                const std::string& workload) {
  const runtime::ScopedEnvironment torch("MDH_TORCH", package.string());
  return workload_of("--workloads " + workload + " --peers " + peer)["candidates"][1];
}

TEST(Bench, onemkl_is_found_inside_of_pytorch_and_called_by_its_fortran_names) {
  const TemporaryDirectory package;
  std::filesystem::create_directory(package.path() / "lib");
  write_file(package.path() / "torch.c", fake_torch);
  const Outcome o =
      run_command({"cc", "-shared", "-fPIC", "-o", package.path() / "lib/libtorch_cpu.so",
                   package.path() / "torch.c"});
  ASSERT_EQ(o.exit, 0) << describe(o);
  for (const std::string workload : {"tiny_matmul", "tiny_vecmat", "tiny_bmatmul", "tiny_matmul_t",
                                     "tiny_dot", "tiny_matvec", "tiny_mcc", "tiny_ccsdt"}) {
    const json onemkl = with_torch(package.path(), "onemkl", workload);
    EXPECT_EQ(onemkl["standing"], "measured") << workload << onemkl;
    EXPECT_TRUE(onemkl["note"] == "oneMKL x" || contains(onemkl["note"], "Intel")) << onemkl;
  }
}

TEST(Bench, onemkl_without_any_library_says_where_it_was_looked_for) {
  const json onemkl = with_torch("/nowhere", "onemkl", "tiny_dot");
  if (onemkl["standing"] == "measured") GTEST_SKIP() << "this machine has libmkl_rt.so";
  EXPECT_TRUE(contains(onemkl["note"], "not installed (libmkl_rt.so: ")) << onemkl;
  EXPECT_TRUE(contains(onemkl["note"], "nor PyTorch: there is no lib/libtorch_cpu.so in /nowhere"));
}

TEST(Bench, pytorch_that_is_not_there_says_so) {
  const json torch = with_torch("/nowhere", "torch", "tiny_dot");
  EXPECT_EQ(torch["standing"], "absent");
  EXPECT_EQ(torch["note"], "not installed: there is no lib/libtorch_cpu.so in /nowhere");
}

TEST(Bench, pytorch_computes_in_place_by_onednn_and_by_einsum) {
  for (const std::string workload : {"tiny_dot", "tiny_mcc", "tiny_contraction"}) {
    const json torch = workload_of("--peers torch --workloads " + workload)["candidates"][1];
    if (torch["standing"] == "absent") GTEST_SKIP() << torch["note"];
    EXPECT_EQ(torch["standing"], "measured") << torch;
    EXPECT_TRUE(contains(torch["note"], "through ATen")) << torch;
  }
}

TEST(Bench, results_kept_elsewhere_are_stored_before_they_are_verified) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "mine.c";
  write_file(file,
             "#include \"sizes.h\"\nstatic float sum;\n"
             "void run(void** buffers, char* workspace, long threads) {\n"
             "const float *a = buffers[1], *b = buffers[2];\n"
             "sum = 0; for (int k = 0; k < K; ++k) sum += a[k] * b[k]; }\n"
             "void store_peer(void** buffers) { *(float *)buffers[0] = sum; }\n");
  const json mine =
      workload_of("--workloads tiny_dot --peers gcc --peer-file mine=" + file)["candidates"][2];
  EXPECT_EQ(mine["standing"], "measured") << mine;
}

TEST(Bench, source_that_does_not_compile_says_so) {
  const json workload = with_candidate("this is no C;");
  EXPECT_EQ(workload["candidates"][2]["standing"], "absent");
  EXPECT_TRUE(contains(workload["candidates"][2]["note"], "not compiled: error: ")) << workload;
}

TEST(Bench, prototypes_and_plain_loops_of_the_tiny_suite_are_right) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "report.json";
  const Outcome o = mdh("bench tiny -q --quick --rounds 1 --peers gcc,prototype --json " + file);
  EXPECT_EQ(o.exit, 0) << describe(o);
  for (const json& workload : json::parse(read_file(file))["workloads"]) {
    for (const json& candidate : workload["candidates"]) {
      EXPECT_EQ(candidate["standing"], "measured") << workload["name"] << " " << candidate;
    }
  }
}

TEST(Bench, own_configurations_are_used) {
  const TemporaryDirectory folder;
  write_file(folder.path() / "tiny_dot.json",
             "{\"mdh_config\": 1, \"layers\": [\"COR\"], \"split\": {\"k\": [\"COR 1000\"]}, "
             "\"order\": [\"COR.k\"]}");
  const json mdh = workload_of("--workloads tiny_dot --peers gcc --configs " +
                               folder.path().string())["candidates"][0];
  EXPECT_TRUE(contains(mdh["about"], "tiny_dot.json")) << mdh;
  EXPECT_EQ(mdh["standing"], "measured");
}

TEST(Bench, tuned_configurations_are_those_of_the_records) {
  const TemporaryDirectory folder;
  const std::string records = folder.path() / "records.jsonl";
  const Outcome tuned = mdh("tune dot --size 1000 --budget 3 -q --records " + records);
  ASSERT_EQ(tuned.exit, 0) << describe(tuned);
  const json found =
      workload_of("--workloads tiny_dot --peers gcc --configs tuned --records " + records);
  EXPECT_EQ(found["candidates"][0]["standing"], "measured");
  EXPECT_EQ(found["candidates"][0]["about"].get<std::string>().find("record ("), 0u) << found;
  const json none =
      workload_of("--workloads tiny_matmul --peers gcc --configs tuned --records " + records);
  EXPECT_EQ(none["candidates"][0]["about"], "default, no tuning record");
  // Without a file they are the user's, of whom tests have none.
  EXPECT_EQ(
      workload_of("--workloads tiny_dot --peers gcc --configs tuned")["candidates"][0]["about"],
      "default, no tuning record");
}

TEST(Bench, list_names_workloads_peers_and_suites) {
  const Outcome o = mdh("bench cpu --list");
  EXPECT_EQ(o.exit, 0);
  for (const std::string word : {"matmul_1024", "I=1024 J=1024 K=1024", "openblas", "tiny"}) {
    EXPECT_TRUE(contains(o.out, word)) << o.out;
  }
}

TEST(Bench, cost_of_compiling_is_measured_on_variants_of_a_configuration) {
  const TemporaryDirectory folder;
  write_file(folder.path() / "tiny_matmul.json",
             "{\"mdh_config\": 1, \"machine\": \"cpu\", \"layers\": [\"L1\", \"REG\", \"SIMD\"],"
             " \"split\": {\"i\": [\"L1 2\", \"REG 8\"], \"j\": [\"L1 4\", \"REG 2\", \"SIMD 4\"],"
             " \"k\": [\"L1 64\"]}, \"order\": [\"L1.i\", \"L1.j\", \"L1.k\", \"REG.i\","
             " \"REG.j\", \"SIMD.j\"], \"acc\": {\"C\": [{\"inside\": \"L1.k\","
             " \"region\": \"REG\"}]}}");
  const std::string file = folder.path() / "report.json";
  const Outcome o = mdh("bench compile -q --rounds 1 --workloads tiny_matmul --configs " +
                        folder.path().string() + " --json " + file);
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.out, "cheapest: ")) << o.out;
  const json report = json::parse(read_file(file));
  EXPECT_EQ(report["variants"].size(), 8u);
  EXPECT_EQ(report["variants"][0], "i 8, j 2");
  EXPECT_GT(report["cheapest_ratio"], 0) << report;
  EXPECT_EQ(report["ways"][0]["absence"], "");
  EXPECT_EQ(report["ways"][2]["round_cpu_seconds"].size(), 1u) << report;
}

TEST(Bench, model_is_compared_with_the_clock_on_random_configurations) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "report.json";
  const std::string command = "bench model --size 8,9,7 --count 4 --threads 1 --seed 3 --json ";
  const Outcome o = mdh(command + file);
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.out, "the model on 4 configurations of matmul I=8 J=9 K=7, seed 3"))
      << o.out;
  EXPECT_TRUE(contains(o.out, "rank correlation  ")) << o.out;
  EXPECT_TRUE(contains(o.err, "mdh: 4 of 4, ")) << o.err;
  const json report = json::parse(read_file(file));
  EXPECT_EQ(report["schema"], "mdh_bench_model 1");
  ASSERT_EQ(report["configs"].size(), 4u);
  size_t measured = 0;
  for (const json& config : report["configs"]) {
    EXPECT_GT(config["estimate_us"], 0) << config;
    EXPECT_TRUE(config["config"].contains("split")) << config;
    EXPECT_EQ(config["outcome"] == "ok", config["time_us"].is_number()) << config;
    EXPECT_EQ(config["outcome"] == "ok", config["reason"] == "") << config;
    measured += config["outcome"] == "ok" ? 1 : 0;
  }
  EXPECT_GE(measured, 1u) << report;
  EXPECT_EQ(report["measured"], measured);
}

TEST(Bench, model_takes_other_programs_and_draws_no_configuration_twice) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "report.json";
  const Outcome o = mdh("bench model -q --program dot --size 2 --count 20 --json " + file);
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_EQ(o.err, "");
  const json report = json::parse(read_file(file));
  EXPECT_EQ(report["asked"], 20);
  std::set<std::string> different;
  for (const json& config : report["configs"]) different.insert(config["config"].dump());
  EXPECT_EQ(different.size(), report["configs"].size());
}

TEST(Bench, model_where_nothing_compiles_says_how_many_failed) {
  const runtime::ScopedEnvironment compiler("MDH_CC", "/bin/false");
  const Outcome o = mdh("bench model -q --size 8,9,7 --count 2");
  EXPECT_EQ(o.exit, 4) << describe(o);
  EXPECT_TRUE(contains(o.out, "measured          0\nfailed            2\n  2 compile_error, the"))
      << o.out;
  EXPECT_TRUE(contains(o.err, "no configuration works [E880]\nhint: ")) << o.err;
}

TEST(Bench, tool_without_its_runner_says_so) {
  const TemporaryDirectory alone;
  std::filesystem::copy_file(MDH_TOOL, alone.path() / "mdh");
  const Outcome o = run_command({alone.path() / "mdh", "bench", "tiny", "--workloads", "tiny_dot"});
  EXPECT_EQ(o.exit, 3) << describe(o);
  EXPECT_TRUE(contains(o.err,
                       "mdh-bench-runner was not found beside this one [E843]\nhint: it is "
                       "built together with mdh"))
      << o.err;
}

TEST(Bench, mistakes_have_a_code_and_a_hint) {
  const auto refused = [](const std::string& options, const std::string& message) {
    const Outcome o = mdh(options);
    EXPECT_EQ(o.exit, 2) << describe(o);
    EXPECT_TRUE(contains(o.err, message)) << o.err;
  };
  refused("bench gpus", "unknown suite 'gpus' [E840]");
  refused("bench cpu --workloads dott", "suite 'cpu' has no workload 'dott' [E841]\nhint: did you");
  refused("bench cpu --peers blas", "unknown peer 'blas' [E842]");
  refused("bench compile --workloads tiny_dott",
          "no suite has a workload 'tiny_dott' [E841]\nhint: did");
  refused(
      "bench compile --workloads tiny_dot",
      "cannot vary a configuration of 'tiny_dot': there is none for this machine [E846]\nhint: ");
  refused("bench compile --configs tuned", "has no configurations 'tuned' [E847]");
  refused("bench cpu --records r.jsonl", "--records is for configurations that were tuned [E847]");
  refused("bench model --program matmull", "unknown program 'matmull' [E801]\nhint: did you");
  refused("bench model --count 0", "--count: '0' is not a whole number from 1 to 100000");
  refused("bench model --size 8,9", "has 3 dimensions (i, j, k), got 2 sizes [E212]");
  refused("bench model --again /nowhere.json", "/nowhere.json");
  refused("bench model --again " + std::string(MDH_SOURCE_DIR) + "/README.md",
          "README.md' is no report of 'mdh bench model' for this program: ");
  refused("bench model --count 4 --again x.json", "it has no --count and no --seed [E848]");
  refused("bench model --program dot --again " + std::string(MDH_SOURCE_DIR) +
              "/bench/model_times/matmul_512_avx512.json",
          "it is about 'matmul', not 'dot' [E849]");
  refused("bench model --measure", "--measure is for the configurations of a file [E848]");
  refused("bench model --workloads dot", "'mdh bench model' has no option '--workloads' [E848]");
  refused("bench cpu --count 4", "'mdh bench cpu' has no option '--count' [E848]\nhint: it is for");
  refused("bench cpu --peer-file x.c", "--peer-file: cannot read 'x.c' [E844]");
}

}  // namespace
}  // namespace mdh::test::bench_test
