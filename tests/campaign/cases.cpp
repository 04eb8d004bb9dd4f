#include "tests/campaign/cases.h"

#include <algorithm>
#include <filesystem>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"
#include "mdh/machine/machine_json.h"
#include "mdh/support/files.h"

namespace mdh::test {
namespace {

namespace fs = std::filesystem;

uint64_t seed_in(const std::string& name) {
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  return digits < name.size() ? std::stoull(name.substr(digits)) : 1;
}

std::string text_in(const fs::path& folder, const char* name) {
  return read_file((folder / name).string());
}

}  // namespace

std::vector<std::string> folders_of_cases(const std::string& folder) {
  std::vector<std::string> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (fs::exists(entry.path() / "program.mdh")) folders.push_back(entry.path().string());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

Case read_case(const std::string& folder) {
  const std::string name = fs::path(folder).filename().string();
  return {name,
          seed_in(name),
          {hl::instantiate(hl::parse(text_in(folder, "program.mdh")), {}),
           machine::parse_machine(text_in(folder, "machine.json")),
           ll::parse_config(text_in(folder, "config.json"))}};
}

std::vector<Case> read_cases(const std::string& folder) {
  std::vector<Case> cases;
  for (const std::string& one : folders_of_cases(folder)) cases.push_back(read_case(one));
  return cases;
}

std::string write_case(const Triple& triple, uint64_t seed, const std::string& parent) {
  const fs::path folder = fs::path(parent) / fmt::format("seed_{}", seed);
  fs::create_directories(folder);
  write_file((folder / "program.mdh").string(), hl::print(triple.program));
  write_file((folder / "machine.json").string(), machine::print(triple.machine));
  write_file((folder / "config.json").string(), ll::print(triple.config));
  return folder.string();
}

}  // namespace mdh::test
