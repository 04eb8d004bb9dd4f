#include "mdh/runtime/host/compiler.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <regex>

#include "mdh/runtime/host/isa.h"
#include "mdh/runtime/process.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"

namespace mdh::runtime::host {
namespace {

namespace fs = std::filesystem;

/// The text itself if it is one program, so that a path may have blanks.
std::vector<std::string> named_compilers(const std::string& text) {
  if (!find_program(text).empty()) return {text};
  std::vector<std::string> names;
  for (const std::string& some : split(text, ':')) {
    for (const std::string& name : split(some, ' ')) {
      if (!name.empty()) names.push_back(name);
    }
  }
  return names.empty() ? std::vector<std::string>{text} : names;
}

[[noreturn]] void no_compiler(const std::string& message) {
  missing("E601", message,
          "install gcc (apt-get install gcc), or set MDH_CC to a C compiler with OpenMP");
}

/// cc is mostly another name of gcc.
bool is_listed(const std::vector<std::string>& paths, const std::string& path) {
  return std::any_of(paths.begin(), paths.end(), [&](const std::string& other) {
    std::error_code failure;
    return fs::equivalent(path, other, failure);
  });
}

bool names_instruction_set(const std::vector<std::string>& flags) {
  return std::any_of(flags.begin(), flags.end(), [](const std::string& flag) {
    return flag.starts_with("-march=") || flag.starts_with("-mcpu=");
  });
}

/// "gcc", "clang-14", "aarch64-linux-gnu-g++-12": a compiler by its name, wherever PATH has it.
bool is_compiler_name(const std::string& name) {
  static const std::regex names("([a-z0-9_]+-)*(cc|gcc|g\\+\\+|clang|clang\\+\\+)(-[0-9.]+)?");
  return std::regex_match(name, names);
}

bool is_named_by_user(const std::string& name) {
  const char* named = std::getenv("MDH_CC");
  const std::vector<std::string> all = named_compilers(named == nullptr ? "" : named);
  return std::find(all.begin(), all.end(), name) != all.end();
}

/// Configurations and records come from anywhere: they must not run any program there is.
[[noreturn]] void not_a_compiler(const std::string& name) {
  user_error("E620", {},
             fmt::format(
                 "code.kernel.compiler: '{}' is no C compiler that a configuration may name", name),
             "write gcc, clang, or one with a version such as gcc-13; another program has to be "
             "named by MDH_CC");
}

/// The line "gcc version 12.2.0 ..." or "... clang version 14.0.6".
std::string version_line(const std::string& output) {
  for (const std::string& line : split(output, '\n')) {
    if (line.find(" version ") == std::string::npos) continue;
    return line.substr(0, line.find_last_not_of(' ') + 1);
  }
  return {};
}

}  // namespace

std::vector<std::string> find_compilers() {
  std::vector<std::string> paths;
  if (const char* named = std::getenv("MDH_CC")) {
    for (const std::string& name : named_compilers(named)) {
      paths.push_back(find_program(name));
      if (!paths.back().empty()) continue;
      no_compiler(fmt::format("the C compiler '{}' named by MDH_CC was not found", name));
    }
    return paths;
  }
  for (const std::string name : {"cc", "gcc", "clang"}) {
    const std::string path = find_program(name);
    if (!path.empty() && !is_listed(paths, path)) paths.push_back(path);
  }
  if (paths.empty()) no_compiler("no C compiler found (tried cc, gcc, clang)");
  return paths;
}

Compiler find_compiler(const std::string& name) {
  const std::vector<std::string> flags = {"-O3"};
  if (name.empty()) return {find_compilers().front(), flags};
  if (name == "gcc" || name == "clang") {
    for (const std::string& path : find_compilers()) {
      if (identify(path).family == name) return {path, flags};
    }
  } else {
    if (!is_compiler_name(name) && !is_named_by_user(name)) not_a_compiler(name);
    const std::string path = find_program(name);
    if (!path.empty()) return {path, flags};
  }
  missing(
      "E604", fmt::format("the C compiler '{}' that the configuration names was not found", name),
      "install it, set MDH_CC to a list of compilers that has it, or take 'compiler' out of the "
      "configuration");
}

Compiler compiler_for(const kernel::Module& module, const Cache& cache) {
  Compiler compiler = find_compiler(module.compiler);
  const auto append = [&](const std::vector<std::string>& flags) {
    compiler.flags.insert(compiler.flags.end(), flags.begin(), flags.end());
  };
  if (!names_instruction_set(module.flags)) append(proven_isa(compiler.path, cache));
  append(module.flags);
  return compiler;
}

Compiler compiler_at(const std::string& path, const Cache& cache) {
  Compiler compiler{path, {"-O3"}};
  const std::vector<std::string> isa = proven_isa(path, cache);
  compiler.flags.insert(compiler.flags.end(), isa.begin(), isa.end());
  return compiler;
}

CompilerIdentity identify(const std::string& path) {
  const TemporaryDirectory scratch;
  const std::string output = run_program({path, "-v"}, scratch.path(), 10).output;
  CompilerIdentity identity;
  identity.version = version_line(output);
  if (identity.version.starts_with("gcc ")) identity.family = "gcc";
  if (identity.version.find("clang ") != std::string::npos) identity.family = "clang";
  // A script around a compiler may change and still claim the same version.
  struct stat status {};
  stat(path.c_str(), &status);
  identity.fingerprint = fmt::format("{}\n{} {} {}\n{}", path, status.st_size,
                                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec, output);
  return identity;
}

std::vector<std::string> command_line(const Compiler& compiler, bool contract,
                                      const std::string& source, const std::string& object) {
  std::vector<std::string> command = {compiler.path, "-std=gnu11", "-shared",
                                      "-fPIC",       "-fopenmp",   "-w"};
  command.insert(command.end(), compiler.flags.begin(), compiler.flags.end());
  // Behind the flags of a configuration: they may make a kernel fast, but not wrong.
  command.emplace_back(contract ? "-ffp-contract=fast" : "-ffp-contract=off");
  command.insert(command.end(), {source, "-o", object, "-lm"});
  return command;
}

}  // namespace mdh::runtime::host
