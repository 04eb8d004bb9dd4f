#include "tests/emulation/library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>

#include "mdh/kernel/refused.h"
#include "mdh/runtime/process.h"
#include "mdh/support/text.h"
#include "tests/emulation/hooks.h"
#include "tests/emulation/source.h"

namespace mdh::emulation {
namespace {

/// The pages that a loaded object has.
struct Pages {
  const char* name;
  const char* begin = nullptr;
  const char* end = nullptr;
};

int find_pages(dl_phdr_info* info, size_t, void* to) {
  auto* pages = static_cast<Pages*>(to);
  if (std::string(info->dlpi_name) != pages->name) return 0;
  for (int n = 0; n < info->dlpi_phnum; ++n) {
    const ElfW(Phdr)& part = info->dlpi_phdr[n];
    if (part.p_type != PT_LOAD) continue;
    const char* begin = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
    if (pages->begin == nullptr || begin < pages->begin) pages->begin = begin;
    pages->end = std::max(pages->end, begin + part.p_memsz);
  }
  return 1;
}

/// Without optimisation: compiling takes most of the time, and every access that is written down
/// shall happen. With lines, for messages.
std::vector<std::string> command_line(const std::string& compiler, const Language& language,
                                      const std::string& source, const std::string& object) {
  return {compiler,
          "-x",
          language.compiled,
          "-std=" + language.standard,
          "-w",
          "-O0",
          "-g1",
          "-fsanitize=thread",
          "-ffp-contract=off",
          "-fstack-clash-protection",
          "-fPIC",
          "-I" MDH_EMULATION_PRELUDE,
          "-include",
          language.prelude,
          "-c",
          source,
          "-o",
          object};
}

/// Without -fsanitize=thread, so that its calls find the functions of hooks.cpp. Without libraries but
/// for the helpers of the compiler: the program that loads the object has the others, and to read
/// their symbols takes the linker longer than everything else.
std::vector<std::string> link_line(const std::string& compiler, const std::string& object,
                                   const std::string& library) {
  return {compiler, "-shared", "-nostdlib", object, "-o", library, "-lgcc"};
}

}  // namespace

Library::Library(std::string path, std::shared_ptr<const TemporaryDirectory> folder)
    : path_(std::move(path)), folder_(std::move(folder)) {
  keep_hooks();
  handle_ = {dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
               if (handle != nullptr) dlclose(handle);
             }};
  if (!handle_) internal_failure(false, fmt::format("an object does not load: {}", dlerror()));
  Pages pages{path_.c_str()};
  dl_iterate_phdr(find_pages, &pages);
  begin_ = pages.begin;
  end_ = pages.end;
}

std::vector<int64_t> Library::numbers(const std::string& symbol) const {
  const auto* found = static_cast<const long*>(dlsym(handle_.get(), symbol.c_str()));
  return found == nullptr ? std::vector<int64_t>{}
                          : std::vector<int64_t>(found + 1, found + 1 + found[0]);
}

Function Library::function(const std::string& name) const {
  void* found = dlsym(handle_.get(), entry_name(name).c_str());
  internal_check(found != nullptr, "no kernel '{}' in {}", name, path_);
  return {reinterpret_cast<void (*)(void**)>(found), numbers(cuts_name(name))};
}

std::vector<int64_t> Library::workspace_cuts(const std::string& module) const {
  return numbers(workspace_cuts_name(module));
}

/// By the lines in the object, where addr2line is installed.
size_t Library::line_of(const void* code) const {
  const std::string tool = runtime::find_program("addr2line");
  if (code == nullptr || tool.empty() || !contains(code)) return 0;
  const TemporaryDirectory scratch;
  // The address behind a call may belong to the next line.
  const std::string address = fmt::format("{:#x}", static_cast<const char*>(code) - begin_ - 1);
  const runtime::Exit said =
      runtime::run_program({tool, "-s", "-e", path_, address}, scratch.path());
  const size_t colon = said.output.rfind(':');
  long long line = 0;
  if (said.status != 0 || colon == std::string::npos) return 0;
  const std::string digits = said.output.substr(colon + 1);
  const size_t end = digits.find_first_not_of("0123456789");
  return to_integer(digits.substr(0, end), line) ? static_cast<size_t>(line) : 0;
}

bool understands(const std::string& language) { return find_language(language) != nullptr; }

/// Only gcc: clang tells nothing of a read that is followed by a write to the same place.
std::string find_compiler(const std::string& language) {
  return runtime::find_program(find_language(language)->compiled == "c" ? "gcc" : "g++");
}

std::shared_ptr<const Library> compiled(std::span<const kernel::Module> modules) {
  const Language& language = *find_language(modules.front().language);
  const std::string compiler = find_compiler(language.name);
  if (compiler.empty()) {
    missing("E601", fmt::format("no gcc for {}", language.compiled), "apt-get install g++");
  }
  const auto folder = std::make_shared<const TemporaryDirectory>();
  const auto file = [&](const char* name) { return (folder->path() / name).string(); };
  write_file(file("kernels.txt"), unit_of(modules));
  const runtime::Exit made = runtime::run_program(
      command_line(compiler, language, file("kernels.txt"), file("kernels.o")), folder->path());
  if (made.status != 0) {
    throw kernel::Refused("the emulation does not compile:\n" + made.output);
  }
  const runtime::Exit linked = runtime::run_program(
      link_line(compiler, file("kernels.o"), file("kernels.so")), folder->path());
  internal_check(linked.status == 0, "an object does not link: {}", linked.output);
  return std::make_shared<const Library>(file("kernels.so"), folder);
}

}  // namespace mdh::emulation
