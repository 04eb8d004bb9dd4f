// Prints hashes of sources, compares them with a file of hashes, or shows one source.
#include <CLI/CLI.hpp>
#include <atomic>
#include <thread>

#include "mdh/support/files.h"
#include "tests/frozen/sources.h"

namespace mdh::test {
namespace {

FrozenLine line_or_end(const FrozenCase& one) {
  try {
    return frozen_line(one);
  } catch (const std::exception& e) {
    fmt::print(stderr, "frozen: {}: {}\n", one.name, e.what());
    std::_Exit(2);
  }
}

/// On all cores: there are thousands. A case that cannot be made ends the program.
std::vector<FrozenLine> all_lines() {
  const std::vector<FrozenCase> cases = frozen_cases();
  std::vector<FrozenLine> lines(cases.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t n; (n = next++) < cases.size();) lines[n] = line_or_end(cases[n]);
  };
  std::vector<std::jthread> threads(std::max(1U, std::thread::hardware_concurrency()));
  for (std::jthread& thread : threads) thread = std::jthread(work);
  threads.clear();
  return lines;
}

void write_all() {
  for (const FrozenLine& line : all_lines()) fmt::print("{}", print(line));
}

int check(const std::string& file) {
  const std::vector<FrozenLine> before = read_frozen(read_file(file)), after = all_lines();
  const std::vector<std::string> found = changes(before, after);
  for (const std::string& change : found) fmt::print("{}\n", change);
  fmt::print(stderr, "frozen: {} cases, {} changes\n", after.size(), found.size());
  return found.empty() ? 0 : 1;
}

int show(const std::string& name, const std::string& target) {
  const std::vector<FrozenCase> cases = frozen_cases();
  const FrozenCase* one = find_case(cases, name);
  if (one == nullptr) {
    fmt::print(stderr, "frozen: no case '{}'\n", name);
    return 2;
  }
  const Triple triple = one->make();
  fmt::print("{}", target == "triple" ? text_of(triple) : printed(triple, target));
  return 0;
}

}  // namespace
}  // namespace mdh::test

int main(int argc, char** argv) {
  std::string file, name, target;
  CLI::App app("Sources of many cases, as hashes");
  app.require_subcommand(1);
  auto* hashes = app.add_subcommand("hashes", "all of them, to be kept in a file");
  auto* check = app.add_subcommand("check", "what is not as the file says");
  check->add_option("file", file)->required()->check(CLI::ExistingFile);
  auto* show = app.add_subcommand("show", "one source");
  show->add_option("name", name)->required();
  show->add_option("target", target, "openmp, opencl or triple")->required();
  CLI11_PARSE(app, argc, argv);
  if (hashes->parsed()) mdh::test::write_all();
  if (check->parsed()) return mdh::test::check(file);
  if (show->parsed()) return mdh::test::show(name, target);
  return 0;
}
