#include "tests/emulation/source.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::emulation {
namespace {

bool is_in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where a whole word stands, from a place on; npos if nowhere.
size_t find_word(const std::string& text, const std::string& word, size_t from = 0) {
  for (size_t at = text.find(word, from); at != std::string::npos; at = text.find(word, at + 1)) {
    const size_t behind = at + word.size();
    const bool begins = at == 0 || !is_in_name(text[at - 1]);
    if (begins && (behind == text.size() || !is_in_name(text[behind]))) return at;
  }
  return std::string::npos;
}

/// "NAME + 448" becomes "FUNCTION(448)"; the numbers are collected. Sums of anything else stay.
std::string with_pieces(const std::string& text, const std::string& name,
                        const std::string& function, std::set<int64_t>& offsets) {
  std::string result;
  size_t done = 0;
  for (size_t at = find_word(text, name); at != std::string::npos;
       at = find_word(text, name, at + 1)) {
    const size_t number = at + name.size() + 3;
    if (text.compare(at + name.size(), 3, " + ") != 0 || number >= text.size()) continue;
    size_t end = number;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end == number || (end < text.size() && is_in_name(text[end]))) continue;
    const std::string digits = text.substr(number, end - number);
    offsets.insert(std::stoll(digits));
    result += text.substr(done, at - done) + fmt::format("{}({})", function, digits);
    done = end;
  }
  return result + text.substr(done);
}

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// The parts of "TYPE NAME[SIZE]", and what is asked for behind it.
struct ArrayText {
  std::string type, name, size, alignment;
};

/// The number in "__attribute__((aligned(16)))"; without it, what the elements need.
std::string alignment_text(const std::string& text, const std::string& type) {
  const std::string word = "aligned(";
  const size_t at = text.find(word);
  if (at == std::string::npos) return fmt::format("__alignof__({})", type);
  const size_t number = at + word.size();
  return text.substr(number, text.find(')', number) - number);
}

/// Nothing if the text declares no array, but a pointer, say.
bool read_array(const std::string& text, ArrayText& array) {
  const size_t open = text.find('['), close = text.find(']');
  if (open == std::string::npos || close == std::string::npos) return false;
  const std::string before = trimmed(text.substr(0, open));
  if (before.find_first_of("*=(") != std::string::npos) return false;
  const size_t space = before.rfind(' ');
  if (space == std::string::npos || text.find('[', close) != std::string::npos) return false;
  const std::string type = trimmed(before.substr(0, space));
  array = {type, before.substr(space + 1), trimmed(text.substr(open + 1, close - open - 1)),
           alignment_text(text.substr(close), type)};
  return true;
}

/// Attributes such as __align__(16) say nothing that the emulation does not do anyway.
std::string without_alignment(std::string text) {
  for (size_t at; (at = find_word(text, "__align__")) != std::string::npos;) {
    text.erase(at, text.find(')', at) + 1 - at);
  }
  return text;
}

/// A line that defines an array which a group shares, or anything else.
std::string with_local(const std::string& line, const Language& language, std::string& dynamic) {
  const size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos) return line;
  const std::string statement = line.substr(begin);
  const bool is_extern = statement.starts_with("extern " + language.local + " ");
  if (!is_extern && !statement.starts_with(language.local + " ")) return line;
  const size_t end = statement.find(';');
  const size_t words = language.local.size() + 1 + (is_extern ? 7 : 0);
  ArrayText array;
  if (end == std::string::npos ||
      !read_array(without_alignment(statement.substr(words, end - words)), array)) {
    return line;
  }
  if (is_extern) {
    dynamic = array.name;
    return fmt::format("#define {} (({} *)mdh_emulation_shared(-1))", array.name, array.type);
  }
  return fmt::format(
      "{}{} *const {} = ({} *)mdh_emulation_local(\"{}\", sizeof({}) * ({}), {}, sizeof({}), "
      "__LINE__);{}",
      line.substr(0, begin), array.type, array.name, array.type, array.name, array.type, array.size,
      array.alignment, array.type, statement.substr(end + 1));
}

std::string numbers_text(const Language& language, const std::string& name,
                         const std::set<int64_t>& numbers) {
  std::vector<std::string> texts = {std::to_string(numbers.size())};
  for (const int64_t number : numbers) texts.push_back(std::to_string(number));
  return fmt::format("{}const long {}[{}] = {{{}}};\n", language.linkage, name, texts.size(),
                     join(texts, ", "));
}

/// A function that calls a kernel with what lies in an array.
std::string entry_text(const Language& language, const kernel::Launch& launch, size_t pointers,
                       size_t indices) {
  std::vector<std::string> types(pointers, "void *"), values;
  types.insert(types.end(), indices, "long");
  for (size_t n = 0; n < types.size(); ++n) {
    values.push_back(fmt::format("{}a[{}]", n < pointers ? "" : "(long)", n));
  }
  return fmt::format(
      "{0}void {1}(void **a);\n{0}__attribute__((no_sanitize_thread)) void {1}(void **a) "
      "{{ ((void (*)({2})){3})({4}); }}\n",
      language.linkage, entry_name(launch.function), join(types, ", "), launch.function,
      join(values, ", "));
}

/// Offsets of pieces, by kernel.
using Cuts = std::map<std::string, std::set<int64_t>>;

/// Every kernel has pieces of its own; its text goes from its name to the name of the next one.
Cuts cut_shared(std::string& text, const std::string& dynamic,
                const std::vector<std::string>& names) {
  Cuts cuts;
  std::map<size_t, std::string> begins;
  for (const std::string& name : names) {
    cuts[name] = {};
    begins[find_word(text, name)] = name;
  }
  if (dynamic.empty()) return cuts;
  std::string result = text.substr(0, begins.begin()->first);
  for (auto at = begins.begin(); at != begins.end() && at->first != std::string::npos; ++at) {
    const auto next = std::next(at);
    const size_t end = next == begins.end() ? text.size() : std::min(next->first, text.size());
    result += with_pieces(text.substr(at->first, end - at->first), dynamic, "mdh_emulation_shared",
                          cuts[at->second]);
  }
  text = result;
  return cuts;
}

std::string module_text(const kernel::Module& module, const Language& language) {
  std::string text = fmt::format("#line 1 \"{}\"\n", module.name), dynamic;
  for (const std::string& line : split(module.source, '\n')) {
    text += with_local(line, language, dynamic) + "\n";
  }
  std::set<int64_t> workspace;
  text = with_pieces(text, "workspace", "mdh_emulation_workspace", workspace);
  std::vector<std::string> names;
  std::string entries;
  kernel::for_each_written_launch(module.steps, [&](const kernel::Launch& launch, size_t loops) {
    if (std::find(names.begin(), names.end(), launch.function) != names.end()) return;
    names.push_back(launch.function);
    entries += entry_text(language, launch, module.arguments.size() + 1, loops);
  });
  for (const auto& [name, cuts] : cut_shared(text, dynamic, names)) {
    entries += numbers_text(language, cuts_name(name), cuts);
  }
  return text + entries + numbers_text(language, workspace_cuts_name(module.name), workspace);
}

}  // namespace

const std::vector<Language>& languages() {
  static const std::vector<Language> all = {
      {"opencl", "c", "gnu11", "opencl.h", "__local", ""},
      {"cuda", "c++", "gnu++17", "cuda.h", "__shared__", "extern \"C\" "},
  };
  return all;
}

const Language* find_language(const std::string& name) {
  for (const Language& language : languages()) {
    if (language.name == name) return &language;
  }
  return nullptr;
}

std::string entry_name(const std::string& function) { return "mdh_enter_" + function; }
std::string cuts_name(const std::string& function) { return "mdh_cuts_" + function; }
std::string workspace_cuts_name(const std::string& module) { return "mdh_workspace_" + module; }

std::string unit_of(std::span<const kernel::Module> modules) {
  std::string text;
  for (const kernel::Module& module : modules) {
    const Language* language = find_language(module.language);
    internal_check(language != nullptr, "'{}' is printed in {}", module.name, module.language);
    text += module_text(module, *language);
  }
  return text;
}

}  // namespace mdh::emulation
