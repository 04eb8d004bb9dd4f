#include "mdh/tune/tuned_file.h"

#include <algorithm>
#include <tuple>

#include <nlohmann/json.hpp>

#include "mdh/support/files.h"
#include "mdh/support/hash.h"
#include "mdh/support/text.h"
#include "mdh/tune/locked_file.h"

namespace mdh::tune {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr int this_version = 1;
constexpr size_t width = 100;  // columns of a line of short fields

// ---- printing

/// With blanks, in one line.
std::string inline_text(const json& value) {
  std::vector<std::string> parts;
  if (value.is_object()) {
    for (const auto& [name, field] : value.items()) {
      parts.push_back(json(name).dump() + ": " + inline_text(field));
    }
    return "{" + join(parts, ", ") + "}";
  }
  if (!value.is_array()) return value.dump(-1, ' ', false, json::error_handler_t::replace);
  for (const json& element : value) parts.push_back(inline_text(element));
  return "[" + join(parts, ", ") + "]";
}

bool is_short(const json& value) { return value.is_primitive() || value.empty(); }

/// Every field that has parts of its own has a line of its own, so that a change of it is a change
/// of one line; the others share lines.
std::string object_text(const json& object) {
  std::string text, line;
  bool may_share = false;
  for (const auto& [name, value] : object.items()) {
    const std::string field =
        json(name).dump() + (name == "config" ? ":\n " : ": ") +
        (name == "config" ? indent(object_text(value), 1).substr(1) : inline_text(value));
    const bool fits = may_share && is_short(value) && line.size() + field.size() + 2 <= width;
    if (!line.empty()) line += fits ? ", " : ",";
    if (!line.empty() && !fits) {
      text += line + "\n";
      line = " ";
    }
    if (line.empty()) line = "{";
    line += field;
    may_share = is_short(value);
  }
  return text + (line.empty() ? "{" : line) + "}";
}

std::string header_text() {
  const json header{{"mdh_tuned", this_version},
                    {"about", "the best known configurations, from 'mdh tune --ship'"}};
  return inline_text(header) + "\n";
}

/// Digits that no measurement has are nothing to compare files by.
double rounded(double value) { return std::stod(fmt::format("{:.4g}", value)); }

/// A record in the form of an entry.
std::string text_of(const TunedEntry& entry) {
  const json record = json::parse(print(entry.record));
  json fields{{"program", entry.name}, {"key", entry.key}};
  for (const char* name : {"sizes", "types", "target", "machine"}) fields[name] = record.at(name);
  if (is_proven(entry.record)) {
    for (const char* name : {"time_us", "verified", "load", "final"}) {
      if (record.contains(name)) fields[name] = record.at(name);
    }
    for (const char* name : {"median", "mean", "ci99"}) {
      json& value = fields["time_us"][name];
      value = rounded(value.get<double>());
    }
  }
  for (const char* name : {"decides", "version", "when"}) {
    if (record.contains(name) && record.at(name) != json("")) fields[name] = record.at(name);
  }
  fields["config"] = record.at("config");
  return object_text(fields) + "\n";
}

/// By which entries are sorted.
auto order(const TunedEntry& entry) {
  const MachineIdentity& machine = entry.record.machine;
  return std::tie(entry.name, entry.key, entry.record.types, entry.record.sizes,
                  entry.record.target, machine.model, machine.cores, machine.isa, machine.caches);
}

// ---- reading

[[noreturn]] void refuse(const std::string& file, const std::string& message,
                         const std::string& hint) {
  user_error("E872", {std::make_shared<const std::string>(file), 1, 1}, message, hint);
}

/// Lines from a brace in the first column up to the next one.
struct Block {
  int line = 1;
  std::string text;
};

std::vector<Block> blocks_of(std::string_view text) {
  std::vector<Block> blocks;
  int line = 0;
  for (const std::string& content : split(text, '\n')) {
    ++line;
    const bool is_blank = content.find_first_not_of(" \t\r") == std::string::npos;
    if (is_blank) continue;
    if (content.front() == '{' || blocks.empty()) blocks.push_back({line, ""});
    blocks.back().text += content + "\n";
  }
  return blocks;
}

void check_header(const std::vector<Block>& blocks, const std::string& file) {
  if (blocks.empty()) return;
  const json header = json::parse(blocks.front().text, nullptr, false);
  const json version =
      header.is_object() && header.contains("mdh_tuned") ? header["mdh_tuned"] : json();
  if (!version.is_number_integer() || version < 1) {
    refuse(file,
           "this is no file of tuned configurations: it does not begin with {\"mdh_tuned\": 1}",
           "'mdh tune PROGRAM --ship' writes such files");
  }
  if (version > this_version) {
    refuse(file,
           fmt::format("the file is of version {}, and this mdh knows versions up to {}",
                       version.dump(), this_version),
           "use a later version of mdh, or name another file by --tuned");
  }
}

/// Why an entry is none; empty if it is one.
std::string missing_in(const json& fields) {
  for (const char* name : {"key", "sizes", "types", "target", "machine", "config"}) {
    if (!fields.contains(name)) return fmt::format("it has no \"{}\"", name);
  }
  return fields["key"].is_string() ? "" : "\"key\" is no text";
}

/// Throws what nlohmann throws about a text that is no JSON.
std::optional<TunedEntry> entry_from(const Block& block, const std::string& file,
                                     std::string& complaint) {
  const json fields = json::parse(block.text);
  complaint = fields.is_object() ? missing_in(fields) : "it is no object";
  if (!complaint.empty()) return std::nullopt;
  json record{{"mdh_record", 1}, {"program", {{"text", ""}}}, {"outcome", "ok"}};
  for (const auto& [name, value] : fields.items()) {
    if (name != "program" && name != "key") record[name] = value;
  }
  std::optional<Record> parsed =
      parse_record(record.dump(-1, ' ', false, json::error_handler_t::replace));
  if (!parsed) {
    complaint = "a field has another form than that of entries";
    return std::nullopt;
  }
  parsed->line.clear();
  parsed->origin = fmt::format("{}:{}", file, block.line);
  const auto name = fields.find("program");
  const bool is_named = name != fields.end() && name->is_string();
  return TunedEntry{is_named ? name->get<std::string>() : "", fields["key"].get<std::string>(),
                    std::move(*parsed), block.text};
}

void read_block(const Block& block, const std::string& file, TunedFile& into) {
  std::string complaint;
  int line = block.line;
  try {
    if (auto entry = entry_from(block, file, complaint)) {
      into.entries.push_back(std::move(*entry));
      return;
    }
  } catch (const json::parse_error& e) {
    const size_t end = std::min(e.byte, block.text.size());
    line += static_cast<int>(
        std::count(block.text.begin(),
                   block.text.begin() + static_cast<std::ptrdiff_t>(end > 0 ? end - 1 : 0), '\n'));
    complaint = "it is damaged here";
  } catch (const json::exception&) {
    complaint = "a field has another form than that of entries";
  }
  into.damaged.push_back(
      {fmt::format("{}:{}: the entry is not used: {}", file, line, complaint), block.text});
}

}  // namespace

TunedFile parse_tuned(std::string_view text, const std::string& file) {
  TunedFile result;
  const std::vector<Block> blocks = blocks_of(text);
  check_header(blocks, file);
  for (size_t n = 1; n < blocks.size(); ++n) read_block(blocks[n], file, result);
  return result;
}

TunedFile load_tuned(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  return parse_tuned(read_file(file), file.string());
}

std::string print(TunedFile file) {
  std::stable_sort(file.entries.begin(), file.entries.end(),
                   [](const TunedEntry& a, const TunedEntry& b) { return order(a) < order(b); });
  std::string text = header_text();
  for (const TunedEntry& entry : file.entries) {
    text += "\n" + (entry.text.empty() ? text_of(entry) : entry.text);
  }
  for (const TunedDamage& damage : file.damaged) text += "\n" + damage.text;
  return text;
}

TunedEntry entry_of(const Record& record, const std::string& program_name) {
  TunedEntry entry{program_name, key_of(record), record, ""};
  entry.record.line.clear();
  entry.record.program.clear();
  return entry;
}

std::optional<Record> record_for(const TunedEntry& entry, const std::string& program_text) {
  if (entry.key != hash_name(program_text)) return std::nullopt;
  Record record = entry.record;
  record.program = program_text;
  return record;
}

bool is_same_problem(const TunedEntry& a, const TunedEntry& b) {
  return a.key == b.key && a.record.sizes == b.record.sizes && a.record.types == b.record.types &&
         a.record.target == b.record.target && is_same(a.record.machine, b.record.machine);
}

void rewrite_tuned(const fs::path& file, const std::function<void(TunedFile&)>& change) {
  const auto failed = [&](const std::string& why) {
    user_error(
        "E870", {},
        fmt::format("cannot write the tuned configurations '{}': {}", file.string(), why),
        "check the path, its permissions and the free space, or name another file by --tuned");
  };
  LockedFile locked(file);
  if (!locked.failure().empty()) failed(locked.failure());
  const std::string old = locked.read();
  if (!locked.failure().empty()) failed(locked.failure());
  TunedFile contents = parse_tuned(old, file.string());
  change(contents);
  const std::string text = print(std::move(contents));
  if (text != old) locked.replace(text);
  if (!locked.failure().empty()) failed(locked.failure());
}

}  // namespace mdh::tune
