#include "mdh/runtime/host/library.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <numeric>
#include <thread>

#include "mdh/kernel/refused.h"
#include "mdh/runtime/process.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::host::library_test {
namespace {

using kernel::Module;

Kernel load_one(const Module& module, const Compiler& compiler = find_compiler()) {
  return load({&module, 1}, compiler).front();
}

/// Calls a kernel on its one buffer, filled with -1 before.
std::vector<long> result_of(const Kernel& kernel, int threads = 1) {
  std::vector<long> out(static_cast<size_t>(kernel.module().arguments.at(0).elements()), -1);
  void* pointer = out.data();
  kernel({&pointer, 1}, threads);
  return out;
}

Cache cache_of(const TemporaryDirectory& folder) { return Cache(folder.path() / "cache"); }

bool is_mapped(const std::string& file) {
  std::ifstream maps("/proc/self/maps");
  const std::string all{std::istreambuf_iterator<char>(maps), {}};
  return all.find(file) != std::string::npos;
}

// ---- compile, load, call

TEST(Library, modules_are_one_translation_unit) {
  Module first = module_of("first", "out[0] = twice(20);");
  first.source = "static long twice(long x) { return 2 * x; }\n" + first.source;
  const Module second = module_of("second", "out[0] = twice(4) + threads;");
  const std::vector<Module> modules = {first, second};
  const std::vector<Kernel> kernels = load(modules, find_compiler());
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(result_of(kernels[0]), std::vector<long>{40});
  EXPECT_EQ(result_of(kernels[1]), std::vector<long>{9});
  EXPECT_EQ(kernels[0].module().name, "first");
  EXPECT_EQ(kernels[1].module().name, "second");
}

TEST(Library, no_modules_are_no_kernels) { EXPECT_TRUE(load({}, find_compiler()).empty()); }

TEST(Library, buffers_arrive_in_the_order_of_the_arguments) {
  Module module{.language = "c", .name = "weigh", .steps = {{kernel::Launch{"weigh"}}}};
  module.source =
      "void weigh(void **b, char *w, long t) {\n"
      "  *(double *)b[0] = ((float *)b[1])[0] + 10 * ((float *)b[1])[1] + 100 * *(int *)b[2]; }";
  module.arguments = {
      {"r", "f64", 8, {}, true}, {"x", "f32", 4, {2}, false}, {"n", "i32", 4, {}, false}};
  const Kernel kernel = load_one(module);
  double r = 0;
  float x[2] = {1, 2};
  int n = 3;
  void* const buffers[] = {&r, x, &n};
  kernel(buffers, 1);
  EXPECT_EQ(r, 321);
}

TEST(Library, launches_are_made_in_order) {
  Module module = module_of("one", "out[0] = 1;");
  module.source +=
      "\nvoid two(void **b, char *w, long t) { *(long *)b[0] = *(long *)b[0] * 10 + 2; }";
  module.steps = {{kernel::Launch{"one"}}, {kernel::Launch{"two"}}, {kernel::Launch{"two"}}};
  EXPECT_EQ(result_of(load_one(module)), std::vector<long>{122});
}

TEST(Library, threads_are_at_least_one_and_at_most_the_parts) {
  Module module = module_of("count", "out[0] = threads;");
  module.parts_on_cores = 4;
  const Kernel kernel = load_one(module);
  EXPECT_EQ(result_of(kernel, 3), std::vector<long>{3});
  EXPECT_EQ(result_of(kernel, 9), std::vector<long>{4});
  EXPECT_EQ(result_of(kernel, 0), std::vector<long>{1});
  EXPECT_EQ(result_of(kernel, -5), std::vector<long>{1});
}

TEST(Library, workspace_is_aligned_and_as_large_as_asked) {
  std::vector<Module> modules;
  for (const int64_t bytes : {0, 1, 64, 1000, 100000}) {
    const std::string fill = fmt::format(
        "out[0] = (unsigned long)workspace % 64; out[1] = 0;\n"
        "for (long n = 0; n < {0}; ++n) workspace[n] = n % 100;\n"
        "for (long n = 0; n < {0}; ++n) out[1] += workspace[n] == n % 100;",
        bytes);
    modules.push_back(module_of(fmt::format("fill{}", bytes), fill, 2));
    modules.back().workspace_bytes = bytes;
  }
  for (const Kernel& kernel : load(modules, find_compiler())) {
    EXPECT_EQ(result_of(kernel), (std::vector<long>{0, kernel.module().workspace_bytes}));
  }
}

TEST(Library, kernels_of_one_library_have_workspaces_of_their_own) {
  const std::string body = "out[0] = *(long *)workspace; *(long *)workspace = ";
  std::vector<Module> modules = {module_of("a", body + "11;"), module_of("b", body + "22;")};
  for (Module& module : modules) module.workspace_bytes = 8;
  const std::vector<Kernel> kernels = load(modules, find_compiler());
  result_of(kernels[0]);
  result_of(kernels[1]);
  EXPECT_EQ(result_of(kernels[0]), std::vector<long>{11});
}

// ---- threads

/// Writes a number of its own all over its workspace, and then reads it back.
Module writes_and_reads(int64_t bytes) {
  Module module = module_of("noisy", fmt::format(R"(
    const char mine = (char)out[0];
    for (long n = 0; n < {0}; ++n) ((volatile char *)workspace)[n] = mine;
    long same = 0;
    for (long n = 0; n < {0}; ++n) same += ((volatile char *)workspace)[n] == mine;
    out[0] = same;)",
                                                 bytes));
  module.workspace_bytes = bytes;
  return module;
}

/// Calls that did not find in their workspace what they had written there.
long disturbed(const std::vector<Kernel>& one_per_thread, int calls, int64_t bytes) {
  std::atomic<long> wrong{0};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < one_per_thread.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int n = 0; n < calls; ++n) {
        long out = static_cast<long>(t) + 1;
        void* pointer = &out;
        one_per_thread[t]({&pointer, 1}, 1);
        if (out != bytes) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

TEST(LibraryThreads, one_kernel_on_eight_threads_has_a_workspace_for_each_call) {
  const Kernel kernel = load_one(writes_and_reads(4096));
  EXPECT_EQ(disturbed(std::vector<Kernel>(8, kernel), 500, 4096), 0);
  EXPECT_LE(kernel.workspaces(), 8u);
}

TEST(LibraryThreads, copies_of_a_kernel_share_workspaces_but_not_at_the_same_time) {
  const Kernel original = load_one(writes_and_reads(1000));
  const std::vector<Kernel> copies(5, original);
  EXPECT_EQ(disturbed(copies, 10000, 1000), 0);
  EXPECT_EQ(original.workspaces(), copies.back().workspaces());
  EXPECT_LE(original.workspaces(), 5u);
}

TEST(LibraryThreads, calls_one_after_the_other_use_one_workspace) {
  const Kernel kernel = load_one(writes_and_reads(100));
  EXPECT_EQ(disturbed({kernel}, 100, 100), 0);
  EXPECT_EQ(kernel.workspaces(), 1u);
}

TEST(Library, wrong_number_of_buffers_is_a_bug) {
  const Kernel kernel = load_one(module_of("f", "out[0] = 1;"));
  const Diagnostic d = diagnostic_of([&] { kernel({}, 1); });
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
  EXPECT_EQ(d.message.find("0 buffers for 1 arguments"), 0u) << d.message;
}

// ---- unloading

TEST(Library, lives_as_long_as_the_last_kernel_and_leaves_no_file) {
  const TemporaryDirectory folder;
  const ScopedEnvironment temporary("TMPDIR", folder.path().string());
  for (const Cache& cache : {Cache(), Cache(folder.path() / "cache")}) {
    std::optional<Kernel> copy;
    {
      const Kernel kernel = load(module_of("f", "out[0] = 5;"), {.cache = cache});
      copy = kernel;
    }
    const std::string path = copy->path();
    EXPECT_TRUE(is_mapped(path));
    EXPECT_TRUE(std::filesystem::exists(path)) << "other processes may load it";
    EXPECT_EQ(result_of(*copy), std::vector<long>{5});
    copy.reset();
    EXPECT_FALSE(is_mapped(path));
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  EXPECT_EQ(cache_of(folder).clear().files, 1);
  std::filesystem::remove(folder.path() / "cache");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// The compiler is replaced by a copy of its output, for the sake of time.
TEST(Library, can_be_loaded_and_unloaded_while_openmp_threads_wait) {
  const Module module = module_of("team",
                                  "#pragma omp parallel num_threads(4)\n"
                                  "{ int omp_get_thread_num(void); int n = omp_get_thread_num();\n"
                                  "  out[n] = n + 1; }",
                                  4);
  const TemporaryDirectory folder;
  const std::string source = folder.path() / "team.c", object = folder.path() / "team.so";
  write_file(source, module.source);
  const Exit compiled = run_program(
      {find_compiler().path, "-shared", "-fPIC", "-fopenmp", source, "-o", object}, folder.path());
  ASSERT_EQ(compiled.status, 0) << compiled.output;
  const Script copies("while [ \"$1\" != -o ]; do shift; done\ncp " + object + " \"$2\"");
  for (int round = 0; round < 50; ++round) {
    const auto kernels = load({&module, 1}, {copies.path(), {}}, {.cache = {}});
    EXPECT_EQ(result_of(kernels[0]), (std::vector<long>{1, 2, 3, 4}));
  }
  EXPECT_FALSE(is_mapped("kernels.so"));
}

// ---- the cache

/// A compiler that counts how often it compiles, by appending to a file.
Script counting_compiler() {
  return Script(
      "for word; do [ \"$word\" = -shared ] && echo x >>\"$0.log\"; done\nexec cc \"$@\"");
}

int compilations(const Script& compiler) {
  const std::string log = compiler.path() + ".log";
  return std::filesystem::exists(log) ? static_cast<int>(read_file(log).size()) / 2 : 0;
}

TEST(LibraryCache, second_load_compiles_nothing) {
  const TemporaryDirectory folder;
  const Script compiler = counting_compiler();
  const Module module = module_of("f", "out[0] = 7;");
  for (int round = 0; round < 3; ++round) {
    const auto kernels =
        load({&module, 1}, {compiler.path(), {"-O1"}}, {.cache = cache_of(folder)});
    EXPECT_EQ(result_of(kernels[0]), std::vector<long>{7});
    EXPECT_EQ(compilations(compiler), 1);
  }
}

TEST(LibraryCache, source_flags_contraction_and_compiler_are_told_apart) {
  const TemporaryDirectory folder;
  const Script compiler = counting_compiler();
  const auto load_with = [&](const Module& module, const std::string& flag) {
    return load({&module, 1}, {compiler.path(), {flag}}, {.cache = cache_of(folder)}).front();
  };
  Module module = module_of("f", "out[0] = 7;");
  load_with(module, "-O1");
  load_with(module, "-O2");
  EXPECT_EQ(compilations(compiler), 2) << "another flag";
  module.contract_allowed = false;
  load_with(module, "-O1");
  EXPECT_EQ(compilations(compiler), 3) << "another contraction";
  EXPECT_EQ(result_of(load_with(module_of("f", "out[0] = 8;"), "-O1")), std::vector<long>{8});
  EXPECT_EQ(compilations(compiler), 4) << "another source";
  write_file(compiler.path(), read_file(compiler.path()) + "# changed\n");
  std::filesystem::permissions(compiler.path(), std::filesystem::perms::owner_all);
  load_with(module, "-O1");
  EXPECT_EQ(compilations(compiler), 5) << "another compiler of the same name";
}

TEST(LibraryCache, entry_that_is_damaged_or_cannot_be_loaded_is_replaced) {
  const TemporaryDirectory folder;
  const Cache cache = cache_of(folder);
  const Script compiler = counting_compiler();
  const Module module = module_of("f", "out[0] = 7;");
  const auto loaded = [&] {
    return load({&module, 1}, {compiler.path(), {"-O1"}}, {.cache = cache}).front();
  };
  loaded();
  const std::string path = std::filesystem::directory_iterator(cache.folder())->path();
  const std::string intact = read_file(path), key = path.substr(path.rfind('/') + 1, 32);
  write_file(path, intact.substr(0, intact.size() / 2));
  EXPECT_EQ(result_of(loaded()), std::vector<long>{7});
  EXPECT_EQ(compilations(compiler), 2) << "cut off";
  ASSERT_TRUE(cache.store(key, "sealed, but no library"));
  EXPECT_EQ(result_of(loaded()), std::vector<long>{7});
  EXPECT_EQ(compilations(compiler), 3) << "not a library";
  EXPECT_EQ(read_file(path), intact);
  EXPECT_EQ(result_of(loaded()), std::vector<long>{7});
  EXPECT_EQ(compilations(compiler), 3);
}

TEST(LibraryCache, kernels_do_not_share_what_is_static_and_survive_the_clearing) {
  const TemporaryDirectory folder;
  const Module module = module_of("f", "static long calls; out[0] = ++calls;");
  const Kernel one = load(module, {.cache = cache_of(folder)});
  const Kernel two = load(module, {.cache = cache_of(folder)});
  cache_of(folder).clear();
  EXPECT_EQ(result_of(one), std::vector<long>{1});
  EXPECT_EQ(result_of(one), std::vector<long>{2});
  EXPECT_EQ(result_of(two), std::vector<long>{1});
  EXPECT_TRUE(std::filesystem::exists(one.path()));
}

TEST(LibraryCache, folder_that_cannot_be_written_only_costs_time) {
  const Cache nowhere("/proc/no such folder");
  EXPECT_EQ(result_of(load(module_of("f", "out[0] = 3;"), {.cache = nowhere})),
            std::vector<long>{3});
}

// ---- the compiler

/// What the compiler was called with when these modules were loaded.
std::string arguments_for(const std::vector<Module>& modules) {
  const Script compiler("echo \" $* \" >\"$0.log\"\nexec cc \"$@\"");
  load(modules, {compiler.path(), {"-O1", "-DUSER"}});
  return read_file(compiler.path() + ".log");
}

TEST(Library, compiler_gets_its_own_flags) {
  const std::string words = arguments_for({module_of("f", "out[0] = 1;")});
  EXPECT_NE(words.find(" -O1 -DUSER "), std::string::npos) << words;
  EXPECT_NE(words.find(" -fopenmp "), std::string::npos) << words;
}

TEST(Library, one_module_that_forbids_contraction_forbids_it_for_all) {
  std::vector<Module> modules = {module_of("f", "out[0] = 1;"), module_of("g", "out[0] = 2;")};
  EXPECT_NE(arguments_for(modules).find(" -ffp-contract=fast "), std::string::npos);
  modules[1].contract_allowed = false;
  const std::string words = arguments_for(modules);
  EXPECT_NE(words.find(" -ffp-contract=off "), std::string::npos) << words;
  EXPECT_EQ(words.find("-ffp-contract=fast"), std::string::npos) << words;
}

// ---- failures

TEST(Library, source_that_does_not_compile_is_a_bug_and_shows_why) {
  const Diagnostic d =
      diagnostic_of([] { load_one(module_of("f", "out[0] = undeclared_thing;")); });
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
  EXPECT_NE(d.message.find(" refused the printed source:\n"), std::string::npos) << d.message;
  EXPECT_NE(d.message.find("undeclared_thing"), std::string::npos) << d.message;
}

TEST(Library, flags_of_the_configuration_that_the_compiler_refuses_are_the_users_mistake) {
  Module module = module_of("f", "out[0] = 1;");
  module.flags = {"-fno-such-flag"};
  const Diagnostic d = diagnostic_of([&] { load(module); });
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.code, "E605");
  EXPECT_NE(d.message.find(" with the flags '-fno-such-flag' of the configuration:\n"),
            std::string::npos)
      << d.message;
  EXPECT_EQ(d.hint, "it compiles without them: take them out");
}

// ---- another compiler

/// A compiler that takes everything but kernels.
const char* const refuses_kernels =
    "case \"$*\" in *kernels.c*) echo 'kernels.c:3:1: error: no, thank you' >&2; exit 1;; esac\n"
    "exec cc \"$@\"";

TEST(Library, source_that_one_compiler_refuses_is_given_to_the_next) {
  const Script refuses(refuses_kernels), takes("exec cc \"$@\"");
  const ScopedEnvironment both("MDH_CC", refuses.path() + ":" + takes.path());
  const Kernel kernel = load(module_of("f", "out[0] = 7;"));
  EXPECT_EQ(result_of(kernel), std::vector<long>{7});
  EXPECT_EQ(kernel.remark(),
            fmt::format("{} refused the printed source (no, thank you), {} compiled it; please "
                        "report this",
                        refuses.path(), takes.path()));
}

TEST(Library, compiler_of_the_configuration_is_replaced_if_it_refuses) {
  const Script refuses(refuses_kernels), takes("exec cc \"$@\"");
  const ScopedEnvironment known("MDH_CC", takes.path() + ":" + refuses.path());
  Module module = module_of("f", "out[0] = 8;");
  module.compiler = refuses.path();
  module.flags = {"-O2"};
  const Kernel kernel = load(module);
  EXPECT_EQ(result_of(kernel), std::vector<long>{8});
  EXPECT_NE(kernel.remark().find(takes.path() + " compiled it"), std::string::npos);
}

/// Compilers that nobody has named are found by their full paths.
TEST(Library, compilers_on_the_path_replace_each_other) {
  const ScopedEnvironment nobody("MDH_CC", std::nullopt);
  const std::string gcc = find_program("gcc"), path = std::getenv("PATH");
  if (gcc.empty()) GTEST_SKIP() << "SKIP: no gcc";
  const Script refuses(
      "case \"$*\" in *kernels.c*) echo 'error: no, thank you' >&2; exit 1;; esac\n"
      "exec '" +
          gcc + "' \"$@\"",
      "cc");
  const ScopedEnvironment first("PATH", refuses.folder() + ":" + path);
  const Module module = module_of("f", "out[0] = 9;");
  EXPECT_EQ(result_of(load(module)), std::vector<long>{9});
  EXPECT_EQ(result_of(load_by_any({&module, 1}, find_compiler()).front()), std::vector<long>{9});
}

TEST(Library, source_that_all_compilers_refuse_is_a_bug) {
  const Script one(refuses_kernels), other(refuses_kernels);
  const ScopedEnvironment both("MDH_CC", one.path() + ":" + other.path());
  const auto fails = [] { load(module_of("f", "out[0] = 7;")); };
  EXPECT_THROW(fails(), kernel::Refused);
  const Diagnostic d = diagnostic_of(fails);
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
  EXPECT_NE(d.message.find(one.path() + " refused the printed source:\n"), std::string::npos);
  EXPECT_NE(d.message.find("no, thank you"), std::string::npos);
}

TEST(Library, kernel_that_compiles_at_once_has_no_remark) {
  EXPECT_EQ(load(module_of("f", "out[0] = 7;")).remark(), "");
}

TEST(Library, flags_and_compiler_of_the_module_are_used) {
  const Script compiler("exec cc \"$@\"");
  const ScopedEnvironment cc("MDH_CC", "cc:" + compiler.path());
  Module module = module_of("f", "out[0] = ANSWER;");
  module.compiler = compiler.path();
  module.flags = {"-DANSWER=42"};
  EXPECT_EQ(result_of(load(module)), std::vector<long>{42});
}

TEST(Library, compiler_that_hangs_is_ended) {
  const Script compiler("[ \"$1\" = -v ] && exit 0\nsleep 100");
  const Diagnostic d = diagnostic_of([&] {
    const Module module = module_of("f", "out[0] = 1;");
    load({&module, 1}, {compiler.path(), {}}, {.seconds = 0.1});
  });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E607");
  EXPECT_EQ(d.message,
            "compiling a kernel took too long: " + compiler.path() + " took longer than 0.1 s");
}

TEST(Library, entry_that_is_not_in_the_source_is_a_bug) {
  Module module = module_of("f", "out[0] = 1;");
  module.steps = {{kernel::Launch{"g"}}};
  const Diagnostic d = diagnostic_of([&] { load_one(module); });
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
  EXPECT_EQ(d.message.find("the compiled library lacks 'g'"), 0u) << d.message;
}

TEST(Library, library_that_cannot_be_loaded_is_missing_something) {
  const Script compiler("exit 0");
  const Diagnostic d = diagnostic_of([&] {
    load_one(module_of("f", "out[0] = 1;"), {compiler.path(), {}});
  });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E602");
  EXPECT_EQ(d.message.find("a compiled kernel cannot be loaded: "), 0u) << d.message;
  EXPECT_NE(d.message.find("kernels.so"), std::string::npos) << d.message;
  EXPECT_EQ(d.hint, "is the OpenMP runtime library installed?");
}

TEST(Library, workspace_larger_than_the_memory_is_refused) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer ends the process instead";
#endif
  Module module = module_of("f", "out[0] = 1;");
  module.workspace_bytes = int64_t{1} << 60;
  const Diagnostic d = diagnostic_of([&] { load_one(module); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E603");
  EXPECT_EQ(d.message, "no memory for a workspace of 1152921504606846976 bytes");
}

}  // namespace
}  // namespace mdh::runtime::host::library_test
