// Who may include whom: reads the #include lines of the source tree and fails on an arrow against
// the dependency graph below. It also holds the tree to its other rules: a README in every folder
// of mdh/, no long files and folders, and nobody who tells targets apart by name.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

using Folders = std::set<std::string>;

constexpr int max_lines = 500;

// Folder of mdh/ -> the folders directly below it. A folder may include all it reaches.
const std::map<std::string, Folders>& modules_below() {
  static const std::map<std::string, Folders> table = {
      {"support", {}},
      {"scalar", {"support"}},
      {"hl", {"scalar"}},
      {"loop", {"scalar"}},
      {"machine", {"support"}},
      {"kernel", {"support"}},
      {"tune", {"support"}},
      {"ll", {"hl", "machine"}},
      {"passes", {"hl", "ll", "loop"}},
      {"backend", {"loop", "ll", "kernel"}},
      {"runtime", {"kernel"}},
      {"model", {"hl", "machine", "ll", "loop"}},
      {"calibration", {"model", "runtime", "tune"}},
      {"search", {"passes", "model", "tune"}},
      {"driver", {"passes", "backend", "runtime", "calibration"}},
      {"tuning", {"driver", "search"}},
      {"report", {"tuning"}},
  };
  return table;
}

// Top-level folder outside mdh/ -> what it may include; nothing is inherited here.
const std::map<std::string, Folders>& users() {
  static const std::map<std::string, Folders> table = {
      {"examples", {"mdh/driver", "mdh/hl", "mdh/scalar", "mdh/support", "mdh/tuning", "examples"}},
      {"tools",
       {"mdh/calibration", "mdh/driver", "mdh/hl", "mdh/report", "mdh/scalar", "mdh/support",
        "mdh/tune", "mdh/tuning", "examples", "bench", "tools"}},
      {"tools/worker", {"mdh/runtime", "mdh/support"}},
      {"bench",
       {"mdh/calibration", "mdh/driver", "mdh/hl", "mdh/runtime", "mdh/scalar", "mdh/search",
        "mdh/support", "mdh/tuning", "examples", "bench"}},
      {"bench/runner", {"mdh/runtime", "mdh/support", "bench/runner"}},
  };
  return table;
}

void add_reachable(const std::string& module, Folders& reached) {
  if (!reached.insert("mdh/" + module).second) return;
  for (const std::string& below : modules_below().at(module)) add_reachable(below, reached);
}

// "mdh/hl/program.h" -> "mdh/hl"; "tools/mdh/main.cpp" -> "tools"; "main.cpp" -> "". A folder of
// tools with a row of its own is told apart.
std::string folder_of(const std::string& path) {
  const std::size_t first = path.find('/');
  if (first == std::string::npos) return "";
  const std::string two = path.substr(0, path.find('/', first + 1));
  return path.substr(0, first) == "mdh" || users().count(two) > 0 ? two : path.substr(0, first);
}

bool is_known(const std::string& folder) {
  if (users().count(folder) > 0 || folder == "tests") return true;
  return folder.rfind("mdh/", 0) == 0 && modules_below().count(folder.substr(4)) > 0;
}

Folders allowed_for(const std::string& folder) {
  if (const auto user = users().find(folder); user != users().end()) return user->second;
  Folders reached;
  add_reachable(folder.substr(4), reached);
  return reached;
}

std::string joined(const Folders& folders) {
  std::string text;
  for (const std::string& folder : folders) text += (text.empty() ? "" : ", ") + folder;
  return text;
}

// One message for each of `includes` that `path` may not have; both are relative to the root.
std::vector<std::string> violations(const std::string& path,
                                    const std::vector<std::string>& includes) {
  const std::string from = folder_of(path);
  if (!is_known(from)) return {path + ": folder '" + from + "' is not in the table of layers"};
  const Folders allowed = allowed_for(from);
  std::vector<std::string> messages;
  for (const std::string& include : includes) {
    const std::string to = folder_of(include);
    const bool is_ours = to == "mdh" || to.rfind("mdh/", 0) == 0 || is_known(to);
    if (!is_ours || allowed.count(to) > 0) continue;
    messages.push_back(path + ": includes \"" + include + "\", but " + from + " may include only " +
                       joined(allowed));
  }
  return messages;
}

// The quoted #include lines of a source text.
std::vector<std::string> quoted_includes(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string directive;
    words >> directive;
    if (directive == "#") {
      words >> directive;
      directive = "#" + directive;
    }
    if (directive.rfind("#include", 0) != 0) continue;
    const std::size_t open = line.find('"');
    const std::size_t close = line.find('"', open + 1);
    if (open == std::string::npos || close == std::string::npos) continue;
    result.push_back(line.substr(open + 1, close - open - 1));
  }
  return result;
}

fs::path root() { return MDH_SOURCE_DIR; }

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// Sources under the given top-level folders, sorted, relative to the root.
std::vector<std::string> sources(const std::vector<std::string>& folders) {
  static const std::set<std::string> extensions = {".h", ".cpp", ".c", ".cu", ".cl"};
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    if (!fs::exists(root() / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root() / folder)) {
      if (!entry.is_regular_file() || extensions.count(entry.path().extension()) == 0) continue;
      files.push_back(fs::relative(entry.path(), root()).generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Layers, every_include_follows_the_dependency_graph) {
  const std::vector<std::string> files = sources({"mdh", "tools", "examples", "bench"});
  ASSERT_FALSE(files.empty()) << "no sources under " << root();
  for (const std::string& file : files) {
    for (const std::string& message : violations(file, quoted_includes(read(root() / file)))) {
      ADD_FAILURE() << message;
    }
  }
}

TEST(Layers, every_folder_of_mdh_has_a_readme) {
  for (const fs::directory_entry& entry : fs::directory_iterator(root() / "mdh")) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(fs::exists(entry.path() / "README.md"))
        << fs::relative(entry.path(), root()) << " needs a README.md: what it is, what it may "
        << "include, which header to open first";
  }
}

TEST(Layers, no_source_file_is_longer_than_500_lines) {
  for (const std::string& file : sources({"mdh", "tools", "examples", "bench"})) {
    const std::string text = read(root() / file);
    const auto lines = std::count(text.begin(), text.end(), '\n');
    EXPECT_LE(lines, max_lines) << file << " has " << lines << " lines; split it by concept";
  }
}

// Nobody reads a folder that takes days to read. Tests do not count: they are read one by one.
TEST(Layers, no_folder_has_more_than_4500_lines) {
  std::map<std::string, long> lines;
  for (const std::string& file : sources({"mdh", "tools", "examples", "bench"})) {
    if (file.ends_with("_test.cpp")) continue;
    const std::string text = read(root() / file);
    lines[file.substr(0, file.rfind('/'))] += std::count(text.begin(), text.end(), '\n');
  }
  for (const auto& [folder, count] : lines) {
    if (folder == "mdh/ll") continue;  // one concept that has no half
    EXPECT_LE(count, 4500) << folder << " has " << count << " lines; split it by concept";
  }
}

// Lines that ask whether a target, a language or a runtime has a certain name.
std::vector<std::string> names_compared(const std::string& text) {
  static const std::regex comparison(
      R"rx([!=]=\s*"(openmp|opencl|cuda|c|host)"|"(openmp|opencl|cuda|c|host)"\s*[!=]=)rx"
      R"rx(|Dialect::\w+\s*[!=]=|[!=]=\s*Dialect::|case Dialect::)rx");
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, comparison)) found.push_back(line);
  }
  return found;
}

bool may_name_targets(const std::string& file) {
  if (file.ends_with("_test.cpp") || file == "mdh/driver/target.cpp") return true;
  for (const char* place :
       {"mdh/backend/c/dialect.cpp", "mdh/backend/openmp/", "mdh/backend/opencl/",
        "mdh/runtime/host/", "mdh/runtime/opencl/", "mdh/runtime/cuda/", "mdh/machine/devices/"}) {
    if (file.starts_with(place)) return true;
  }
  return false;
}

// What differs between targets is a fact in their rows: whoever adds one should not have to look for
// names in other places.
TEST(Layers, targets_are_not_told_apart_by_name) {
  for (const std::string& file : sources({"mdh", "tools", "examples", "bench"})) {
    if (may_name_targets(file)) continue;
    for (const std::string& line : names_compared(read(root() / file))) {
      ADD_FAILURE() << file << " compares a name: " << line;
    }
  }
}

TEST(LayersChecker, finds_comparisons_with_names) {
  EXPECT_EQ(names_compared("if (target.name == \"openmp\") {\n  x = \"openmp\";\n}").size(), 1u);
  EXPECT_EQ(names_compared("\"opencl\" != target.name").size(), 1u);
  EXPECT_EQ(names_compared("return dialect == Dialect::c;").size(), 1u);
  EXPECT_TRUE(names_compared("find_target(\"openmp\")").empty());
  EXPECT_TRUE(may_name_targets("mdh/backend/c/dialect.cpp"));
  EXPECT_FALSE(may_name_targets("mdh/driver/run.cpp"));
  EXPECT_FALSE(may_name_targets("mdh/backend/c/printer.cpp"));
  EXPECT_EQ(names_compared("    case Dialect::c:").size(), 1u);
}

// The promise of the two interfaces.
TEST(Layers, a_back_end_takes_less_than_150_lines) {
  const std::string text = read(root() / "mdh/driver/toy_backend_test.cpp");
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 150);
}

TEST(LayersChecker, accepts_itself_and_everything_below) {
  EXPECT_TRUE(violations("mdh/ll/config.h", {"mdh/ll/parts.h", "mdh/hl/program.h",
                                             "mdh/scalar/type.h", "mdh/support/symbol.h"})
                  .empty());
  EXPECT_TRUE(
      violations("mdh/driver/compile.cpp", {"mdh/tune/space.h", "mdh/model/cost.h"}).empty());
  EXPECT_TRUE(violations("mdh/hl/program_test.cpp", {"mdh/hl/program.h", "gtest.h"}).empty());
  EXPECT_TRUE(
      violations("tools/mdh/main.cpp", {"examples/catalogue.h", "tools/mdh/verbs.h"}).empty());
}

TEST(LayersChecker, refuses_an_arrow_upwards) {
  const auto messages =
      violations("mdh/scalar/expr.cpp", {"mdh/support/symbol.h", "mdh/hl/program.h"});
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0],
            "mdh/scalar/expr.cpp: includes \"mdh/hl/program.h\", but mdh/scalar may include only "
            "mdh/scalar, mdh/support");
}

TEST(LayersChecker, refuses_an_arrow_sideways) {
  EXPECT_EQ(violations("mdh/runtime/host/device.cpp", {"mdh/loop/program.h"}).size(), 1u);
  EXPECT_EQ(violations("mdh/tune/space_test.cpp", {"mdh/ll/config.h"}).size(), 1u);
}

TEST(LayersChecker, refuses_internals_in_tools_and_examples) {
  EXPECT_EQ(violations("tools/mdh/run.cpp", {"mdh/backend/openmp/openmp.h"}).size(), 1u);
  EXPECT_EQ(violations("examples/matvec.cpp", {"mdh/ll/config.h"}).size(), 1u);
}

TEST(LayersChecker, worker_knows_the_runtime_and_not_the_driver) {
  EXPECT_TRUE(violations("tools/worker/main.cpp", {"mdh/runtime/worker/server.h"}).empty());
  EXPECT_EQ(violations("tools/worker/main.cpp", {"mdh/driver/run.h"}).size(), 1u);
  EXPECT_EQ(violations("tools/mdh/main.cpp", {"mdh/runtime/worker/server.h"}).size(), 1u);
}

TEST(LayersChecker, refuses_what_stands_above_the_library) {
  EXPECT_EQ(violations("mdh/driver/run.cpp", {"examples/catalogue.h"}).size(), 1u);
  EXPECT_EQ(violations("examples/matvec.cpp", {"tools/mdh/verbs.h"}).size(), 1u);
}

TEST(LayersChecker, refuses_folders_it_does_not_know) {
  EXPECT_EQ(violations("mdh/misc/things.cpp", {}).size(), 1u);
  EXPECT_EQ(violations("mdh/hl/program.cpp", {"mdh/misc/things.h"}).size(), 1u);
}

TEST(LayersChecker, reads_quoted_includes_only) {
  const std::vector<std::string> expected = {"mdh/hl/program.h", "mdh/hl/view.h"};
  EXPECT_EQ(quoted_includes("// #include \"mdh/no.h\"\n#include <vector>\n"
                            "#include \"mdh/hl/program.h\"\n  #  include \"mdh/hl/view.h\"  // x\n"
                            "const char* s = \"#include\";\n"),
            expected);
}

}  // namespace
