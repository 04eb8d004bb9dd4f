#include "tests/campaign/standalone.h"

#include <cstring>
#include <filesystem>

#include "mdh/runtime/process.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::test {
namespace {

/// main CASE THREADS INPUT OUTPUT: all buffers are read from one file, outputs written to another.
constexpr const char* main_text = R"(
#include <stdio.h>
#include <stdlib.h>
struct mdh_case { void (*entry)(void **, char *, long); long workspace; int outputs, buffers; long bytes[16]; };
static const struct mdh_case mdh_cases[] = {
%s
};
int main(int argc, char **argv) {
  if (argc != 5) return 90;
  const struct mdh_case *c = &mdh_cases[atoi(argv[1])];
  FILE *in = fopen(argv[3], "rb");
  if (!in) return 91;
  void *buffers[16];
  for (int b = 0; b < c->buffers; ++b) {
    buffers[b] = malloc(c->bytes[b]);
    if (fread(buffers[b], 1, c->bytes[b], in) != (size_t)c->bytes[b]) return 92;
  }
  fclose(in);
  char *workspace = aligned_alloc(64, (c->workspace + 63) / 64 * 64 + 64);
  c->entry(buffers, workspace, atol(argv[2]));
  FILE *out = fopen(argv[4], "wb");
  if (!out) return 93;
  for (int b = 0; b < c->outputs; ++b) fwrite(buffers[b], 1, c->bytes[b], out);
  fclose(out);
  for (int b = 0; b < c->buffers; ++b) free(buffers[b]);
  free(workspace);
  return 0;
}
)";

std::string row_of(const kernel::Module& m) {
  int outputs = 0;
  std::vector<std::string> bytes;
  for (const kernel::Argument& argument : m.arguments) {
    outputs += argument.is_output ? 1 : 0;
    bytes.push_back(std::to_string(argument.bytes()));
  }
  const auto& launch = std::get<kernel::Launch>(m.steps.front().is);
  return fmt::format("  {{{}, {}, {}, {}, {{{}}}}},", launch.function, m.workspace(), outputs,
                     m.arguments.size(), join(bytes, ", "));
}

std::string source_of(const std::vector<kernel::Module>& modules) {
  std::string text;
  std::vector<std::string> rows;
  for (const kernel::Module& m : modules) {
    text += m.source;
    rows.push_back(row_of(m));
  }
  std::string main = main_text;
  main.replace(main.find("%s"), 2, join(rows, "\n"));
  return text + main;
}

std::string compiler_with(const std::string& name, const std::vector<std::string>& flags) {
  const std::string path = runtime::find_program(name);
  if (path.empty()) return "";
  const TemporaryDirectory scratch;
  const std::string source = (scratch.path() / "a.c").string();
  write_file(source, "int main(void) { return 0; }\n");
  std::vector<std::string> command = {path, "-fopenmp", source, "-o",
                                      (scratch.path() / "a").string()};
  command.insert(command.end(), flags.begin(), flags.end());
  return runtime::run_program(command, scratch.path()).status == 0 ? path : "";
}

std::string find_archer() {
  for (const char* folder : {"/usr/lib/llvm-14/lib", "/usr/lib/llvm-15/lib", "/usr/lib/llvm-16/lib",
                             "/usr/lib/llvm-17/lib", "/usr/lib/llvm-18/lib"}) {
    const std::string path = std::string(folder) + "/libarcher.so";
    if (std::filesystem::exists(path)) return path;
  }
  return "";
}

}  // namespace

Sanitizer address_sanitizer() {
  Sanitizer s{"address and undefined behaviour",
              "",
              {"-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"},
              {"ASAN_OPTIONS=detect_leaks=0", "OMP_WAIT_POLICY=passive"}};
  s.compiler = compiler_with("gcc", s.flags);
  return s;
}

Sanitizer thread_sanitizer() {
  const std::string archer = find_archer();
  Sanitizer s{"thread",
              "",
              {"-O1", "-g", "-fsanitize=thread"},
              {"TSAN_OPTIONS=ignore_noninstrumented_modules=1 halt_on_error=1",
               "OMP_TOOL_LIBRARIES=" + archer, "OMP_WAIT_POLICY=passive"}};
  if (!archer.empty()) s.compiler = compiler_with("clang", s.flags);
  return s;
}

Standalone::Standalone(const std::vector<kernel::Module>& modules, const Sanitizer& sanitizer)
    : modules_(modules),
      environment_(sanitizer.environment),
      folder_(std::make_unique<TemporaryDirectory>()) {
  const std::string source = (folder_->path() / "kernels.c").string();
  write_file(source, source_of(modules));
  std::vector<std::string> command = {sanitizer.compiler, "-std=gnu11", "-w", "-fopenmp",
                                      "-ffp-contract=off"};
  command.insert(command.end(), sanitizer.flags.begin(), sanitizer.flags.end());
  command.insert(command.end(), {source, "-o", (folder_->path() / "kernels").string(), "-lm"});
  const runtime::Exit built = runtime::run_program(command, folder_->path());
  internal_check(built.status == 0, "the kernels do not compile: {}", built.output);
}

std::string Standalone::run(size_t number, std::span<void* const> buffers, int threads) const {
  const kernel::Module& m = modules_[number];
  std::string data;
  for (size_t b = 0; b < buffers.size(); ++b) {
    data.append(static_cast<const char*>(buffers[b]), static_cast<size_t>(m.arguments[b].bytes()));
  }
  const std::filesystem::path in = folder_->path() / "in", out = folder_->path() / "out";
  write_file(in, data);
  std::vector<std::string> command = {"/usr/bin/env"};
  command.insert(command.end(), environment_.begin(), environment_.end());
  command.insert(command.end(), {(folder_->path() / "kernels").string(), std::to_string(number),
                                 std::to_string(threads), in.string(), out.string()});
  const runtime::Exit exit = runtime::run_program(command, folder_->path(), 60);
  if (exit.timed_out) return "did not end within 60 s";
  if (exit.status != 0) return fmt::format("exit code {}: {}", exit.status, exit.output);
  const std::string results = read_file(out);
  size_t begin = 0;
  for (size_t b = 0; b < buffers.size() && m.arguments[b].is_output; ++b) {
    const auto bytes = static_cast<size_t>(m.arguments[b].bytes());
    std::memcpy(buffers[b], results.data() + begin, bytes);
    begin += bytes;
  }
  return "";
}

}  // namespace mdh::test
