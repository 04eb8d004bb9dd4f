// The documentation tells the truth: every code block is run, parsed or found in a source file.
//
//   <!-- run: mdh ARGS -->            the block is what the tool prints; MDH_UPDATE_DOCS=1 rewrites
//   it
//   <!-- error: mdh ARGS -->          the block is what the tool complains; MDH_UPDATE_DOCS=1
//   rewrites it
//   <!-- file: PATH -->               the block stands in that file
//   <!-- cat: PATH -->                the block is the whole file; MDH_UPDATE_DOCS=1 rewrites it
//   ```mdh, ```json, ```sh            parsed as a program, as a configuration, as commands that
//   exist
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <regex>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/ll/config.h"
#include "mdh/machine/machine.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"

namespace mdh::test::docs_test {
namespace {

namespace fs = std::filesystem;

const fs::path root = MDH_SOURCE_DIR;

struct CodeBlock {
  int line = 0;
  std::string language;
  std::string directive;  // "run", "error", "file", "cat" or nothing
  std::string argument;
  std::string text;
};

/// A markdown file cut into prose and code blocks, so that blocks can be replaced.
struct Page {
  std::vector<std::string> lines;
  std::vector<CodeBlock> blocks;
};

Page read_page(const fs::path& path) {
  Page page;
  page.lines = split(read_file(path), '\n');
  const std::regex directive("<!-- (run|error|file|cat): (.*) -->");
  std::string kind, argument;
  for (size_t n = 0; n < page.lines.size(); ++n) {
    std::smatch match;
    if (std::regex_match(page.lines[n], match, directive)) {
      kind = match[1];
      argument = match[2];
    } else if (page.lines[n].rfind("```", 0) == 0) {
      CodeBlock block{static_cast<int>(n) + 1, page.lines[n].substr(3), kind, argument, ""};
      for (++n; n < page.lines.size() && page.lines[n] != "```"; ++n)
        block.text += page.lines[n] + "\n";
      page.blocks.push_back(block);
      kind.clear();
      argument.clear();
    }
  }
  return page;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> all = {root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  }
  return all;
}

std::string output_of(const std::string& arguments, const char* stream, int& status) {
  const std::string command =
      fmt::format("cd '{}' && '{}' {} {}", root.string(), MDH_TOOL, arguments, stream);
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> chunk{};
  while (const size_t count = fread(chunk.data(), 1, chunk.size(), pipe))
    text.append(chunk.data(), count);
  status = pclose(pipe);
  return text;
}

constexpr const char* only_stdout = "2>/dev/null";
constexpr const char* only_stderr = "2>&1 >/dev/null";

/// What a block that the tool or a file dictates must be.
std::string dictated(const CodeBlock& block) {
  if (block.directive == "cat") return read_file(root / block.argument);
  const bool fails = block.directive == "error";
  int status = 0;
  const std::string arguments = block.argument.substr(block.argument.find(' '));
  std::string text = output_of(arguments, fails ? only_stderr : only_stdout, status);
  EXPECT_EQ(status != 0, fails) << block.argument;
  return text;
}

bool updating() { return std::getenv("MDH_UPDATE_DOCS") != nullptr; }

void replace_block(const fs::path& path, const CodeBlock& block, const std::string& text) {
  std::vector<std::string> lines = read_page(path).lines;
  const auto begin = lines.begin() + block.line;
  const auto old_count = std::count(block.text.begin(), block.text.end(), '\n');
  std::vector<std::string> fresh = split(text, '\n');
  fresh.pop_back();
  lines.erase(begin, begin + old_count);
  lines.insert(lines.begin() + block.line, fresh.begin(), fresh.end());
  write_file(path, join(lines, "\n"));
}

/// Blanks do not matter when a block is looked for in a source file.
std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) result += c;
  }
  return result;
}

void check_commands(const CodeBlock& block) {
  for (const std::string& line : split(block.text, '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> words = split(line, ' ');
    if (words[0] == "mdh" || words[0].ends_with("/mdh")) {
      int status = 0;
      output_of(line.substr(words[0].size()), only_stdout, status);
      EXPECT_EQ(status, 0) << line;
    } else if (words[0].find('/') != std::string::npos) {
      EXPECT_TRUE(fs::exists(root / words[0])) << line;
    } else {
      EXPECT_TRUE(words[0] == "git" || words[0] == "cmake" || words[0] == "ctest" ||
                  words[0] == "cd" || words[0] == "MDH_UPDATE_DOCS=1" ||
                  words[0] == "MDH_UPDATE_GOLDEN=1" || words[0] == "MDH_CASES=4000")
          << line;
    }
  }
}

/// True if the page was rewritten, and so has to be read again.
bool check_block(const fs::path& path, const CodeBlock& block) {
  SCOPED_TRACE(fmt::format("{}:{}", path.string(), block.line));
  if (!block.directive.empty() && block.directive != "file") {
    const std::string expected = dictated(block);
    if (updating() && expected != block.text) {
      replace_block(path, block, expected);
      return true;
    }
    EXPECT_EQ(block.text, expected) << "MDH_UPDATE_DOCS=1 rewrites it";
  } else if (block.directive == "file") {
    EXPECT_NE(squeezed(read_file(root / block.argument)).find(squeezed(block.text)),
              std::string::npos)
        << block.argument << " does not contain the block";
  } else if (block.language == "mdh") {
    EXPECT_NO_THROW(hl::instantiate(hl::parse(block.text, path.string()), {}));
  } else if (block.language == "json") {
    EXPECT_NO_THROW(ll::parse_config(block.text));
  } else if (block.language == "sh") {
    check_commands(block);
  } else {
    // Grammars and diagrams are not code; everything else must be checked in one of the ways above.
    EXPECT_TRUE(block.language == "grammar" || block.language == "diagram")
        << "a block of language '" << block.language << "' that nothing checks";
  }
  return false;
}

TEST(Docs, every_code_block_is_run_parsed_or_found_in_a_source_file) {
  int blocks = 0;
  for (const fs::path& path : pages()) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const CodeBlock& block : read_page(path).blocks) {
        changed = check_block(path, block);
        ++blocks;
        if (changed) break;
      }
    }
  }
  EXPECT_GE(blocks, 15);
}

/// A row of the table in docs/machines.md: memory layers, then core layers, aliases in parentheses.
std::string row_of(const machine::Machine& m) {
  std::vector<std::string> memory, cores;
  for (const machine::Layer& layer : m.layers) {
    const bool computes = layer.kind == machine::LayerKind::cores || !cores.empty();
    const std::string aliases = layer.aliases.empty() ? "" : " (" + join(layer.aliases, ", ") + ")";
    (computes ? cores : memory).push_back(layer.name + aliases);
  }
  return fmt::format("\n| `{}` | {} | {} |\n", m.name, join(memory, ", "), join(cores, ", "));
}

TEST(Docs, the_table_of_machines_is_complete) {
  const std::string page = read_file(root / "docs/machines.md");
  for (const machine::Machine& m : machine::machines()) {
    EXPECT_NE(page.find(row_of(m)), std::string::npos) << "docs/machines.md lacks" << row_of(m);
  }
}

TEST(Docs, relative_links_lead_somewhere) {
  const std::regex link(R"(\]\(([^)#: ]+)(#[^)]*)?\))");
  for (const fs::path& path : pages()) {
    const std::string text = read_file(path);
    for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it) {
      EXPECT_TRUE(fs::exists(path.parent_path() / (*it)[1].str())) << path << ": " << (*it)[1];
    }
  }
}

TEST(Docs, every_requirement_test_that_is_named_exists) {
  const std::regex row(R"(^\| ([A-J]-\d+) \| .* \| ([^|]*) \|$)");
  int proven = 0;
  for (const std::string& line : split(read_file(root / "docs/requirements.md"), '\n')) {
    std::smatch match;
    if (!std::regex_match(line, match, row) || match[2].str().find('`') == std::string::npos)
      continue;
    const std::string cell = match[2];
    const std::regex name("`([^`]+)`");
    for (std::sregex_iterator it(cell.begin(), cell.end(), name), end; it != end; ++it) {
      EXPECT_TRUE(fs::exists(root / (*it)[1].str())) << line;
    }
    ++proven;
  }
  EXPECT_GE(proven, 20);
}

}  // namespace
}  // namespace mdh::test::docs_test
