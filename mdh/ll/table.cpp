#include "mdh/ll/table.h"

#include <algorithm>
#include <set>

#include "mdh/ll/names.h"
#include "mdh/ll/parameters.h"
#include "mdh/support/text.h"

namespace mdh::ll {
namespace {

const std::vector<std::string>& columns() {
  static const std::vector<std::string> names = {"level", "#PRT", "D1", "D2", "D3", "D4",
                                                 "S1",    "S2",   "S3", "S4", "S5", "S6",
                                                 "R1",    "R2",   "R3", "R4"};
  return names;
}

using Row = std::vector<std::string>;

// ---- printing

std::string print_layout(const Layout& layout) {
  std::vector<std::string> axes;
  for (const Axis& axis : layout) axes.push_back(to_string(axis));
  return "[" + join(axes, ",") + "]";
}

class Printer {
 public:
  Printer(const Parameters& parameters, const hl::Program& program)
      : p_(parameters), program_(program) {}

  std::string run() const {
    std::vector<Row> rows = {columns()};
    for (const auto& [level, parts] : p_.parts) rows.push_back(row(level, parts));
    rows.push_back(row_of_f());
    return aligned(rows, Align::left);
  }

 private:
  Row row(const Level& level, int64_t parts) const {
    const std::string name =
        fmt::format("({},{})", level.layer + 1, program_.dimensions[level.dimension].symbol.name);
    std::vector<Place> reads, writes;
    for (const Places& places : p_.reads) reads.push_back(places.at(level));
    for (const Places& places : p_.writes) writes.push_back(places.at(level));
    return {name,
            print_parts(parts),
            rank(p_.decomposition, level),
            slot(p_.decomposition, level),
            regions(reads, program_.inputs),
            layouts(reads, program_.inputs),
            rank(p_.scalar, level),
            slot(p_.scalar, level),
            "-",
            "-",
            "-",
            "-",
            rank(p_.recomposition, level),
            slot(p_.recomposition, level),
            regions(writes, program_.outputs),
            layouts(writes, program_.outputs)};
  }

  Row row_of_f() const {
    Row row(columns().size(), "-");
    row[0] = "f";
    row[8] = regions(p_.f_reads, program_.inputs);
    row[9] = layouts(p_.f_reads, program_.inputs);
    row[10] = regions(p_.f_writes, program_.outputs);
    row[11] = layouts(p_.f_writes, program_.outputs);
    return row;
  }

  static std::string rank(const PhaseParameters& phase, const Level& level) {
    const auto found = std::find(phase.order.begin(), phase.order.end(), level);
    return std::to_string(found - phase.order.begin() + 1);
  }

  static std::string slot(const PhaseParameters& phase, const Level& level) {
    const MachineLevel& slot = phase.assignment.at(level);
    return slot.layer + "." + slot.axis;
  }

  static std::string regions(const std::vector<Place>& places,
                             const std::vector<hl::BufferView>& buffers) {
    std::vector<std::string> texts;
    for (size_t b = 0; b < places.size(); ++b) {
      texts.push_back(buffers[b].symbol.name + ":" + places[b].region);
    }
    return texts.empty() ? "-" : join(texts, ",");
  }

  static std::string layouts(const std::vector<Place>& places,
                             const std::vector<hl::BufferView>& buffers) {
    std::vector<std::string> texts;
    for (size_t b = 0; b < places.size(); ++b) {
      texts.push_back(buffers[b].symbol.name + ":" + print_layout(places[b].layout));
    }
    return texts.empty() ? "-" : join(texts, ",");
  }

  const Parameters& p_;
  const hl::Program& program_;
};

// ---- reading

/// Reads rows back into parameters.
class TableReader {
 public:
  TableReader(std::string_view text, const hl::Program& program, const machine::Machine& machine,
              const std::string& file)
      : program_(program), machine_(machine), file_(std::make_shared<const std::string>(file)) {
    for (const std::string& line : split(std::string(text), '\n')) lines_.push_back(line);
  }

  Config run() {
    size_t n = 0;
    const Config common = with_machine_names(parse_config(read_header(n), *file_), machine_);
    for (; n < lines_.size(); ++n) {
      line_ = static_cast<int>(n) + 1;
      const Row row = words(lines_[n]);
      if (row.empty()) continue;
      if (row.size() != columns().size()) {
        fail(fmt::format("a row has {} cells, not {}", columns().size(), row.size()));
      }
      if (row[0] == "f") {
        read_f(row);
      } else {
        read_level(row);
      }
    }
    finish();
    name_layers(common.layers);
    Config config = config_of(result_, program_, machine_);
    config.program = common.program;
    config.sizes = common.sizes;
    config.types = common.types;
    config.fuse = common.fuse;
    config.code = common.code;
    return config;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    user_error("E319", {file_, line_, 1}, message,
               "one row per level of the machine, one for f: see mdh show --table");
  }

  static Row words(const std::string& line) {
    Row row;
    for (const std::string& word : split(line, ' ')) {
      if (!word.empty()) row.push_back(word);
    }
    return row;
  }

  /// Everything before the line that names the columns; `n` ends behind it.
  std::string read_header(size_t& n) {
    std::string header;
    for (; n < lines_.size(); ++n) {
      if (words(lines_[n]) == columns()) {
        ++n;
        return header;
      }
      header += lines_[n] + "\n";
    }
    line_ = 1;
    fail("there is no line that names the columns");
  }

  int64_t number(const std::string& text, int64_t least, int64_t most) const {
    long long value = 0;
    if (!to_integer(text, value) || value < least || value > most) {
      fail(fmt::format("'{}' is not a number from {} to {}", text, least, most));
    }
    return value;
  }

  Level level(const std::string& text) const {
    const std::vector<std::string> parts =
        text.size() > 2 && text.front() == '(' && text.back() == ')'
            ? split(text.substr(1, text.size() - 2), ',')
            : std::vector<std::string>{};
    if (parts.size() != 2 || !find_dimension(program_, parts[1])) {
      fail(fmt::format("'{}' is not a level such as (1,{})", text,
                       program_.dimensions.empty() ? "i" : program_.dimensions[0].symbol.name));
    }
    const auto layers = static_cast<int64_t>(machine_.layers.size());
    return {static_cast<int>(number(parts[0], 1, layers)) - 1, *find_dimension(program_, parts[1])};
  }

  void read_level(const Row& row) {
    const Level at = level(row[0]);
    if (result_.parts.contains(at)) fail(fmt::format("level {} occurs twice", row[0]));
    result_.parts[at] = row[1] == "*" ? open_parts : number(row[1], 1, int64_t{1} << 40);
    read_phase(decomposition_, result_.decomposition, at, row[2], row[3]);
    read_phase(scalar_, result_.scalar, at, row[6], row[7]);
    read_phase(recomposition_, result_.recomposition, at, row[12], row[13]);
    const auto reads = places(row[4], row[5], program_.inputs);
    const auto writes = places(row[14], row[15], program_.outputs);
    result_.reads.resize(reads.size());
    result_.writes.resize(writes.size());
    for (size_t b = 0; b < reads.size(); ++b) result_.reads[b][at] = reads[b];
    for (size_t b = 0; b < writes.size(); ++b) result_.writes[b][at] = writes[b];
  }

  void read_phase(std::map<int64_t, Level>& ranks, PhaseParameters& phase, const Level& at,
                  const std::string& rank, const std::string& slot) const {
    if (!ranks.emplace(number(rank, 1, 1 << 20), at).second) {
      fail(fmt::format("rank {} occurs twice", rank));
    }
    const std::vector<std::string> words = split(slot, '.');
    if (words.size() != 2 || !machine_.find_layer(words[0])) {
      fail(fmt::format("'{}' is not a level of machine '{}'", slot, machine_.name));
    }
    phase.assignment[at] = {machine_.find_layer(words[0])->name, words[1]};
  }

  void read_f(const Row& row) {
    if (has_f_) fail("the row of f occurs twice");
    has_f_ = true;
    result_.f_reads = places(row[8], row[9], program_.inputs);
    result_.f_writes = places(row[10], row[11], program_.outputs);
  }

  /// "A:DM,B:DM" and "A:[1,2],B:[2,1]": a comma inside of brackets separates axes.
  std::vector<std::string> cells(const std::string& text,
                                 const std::vector<hl::BufferView>& buffers) const {
    std::vector<std::string> found;
    std::string rest = text == "-" ? "" : text;
    for (const hl::BufferView& buffer : buffers) {
      const std::string prefix = (found.empty() ? "" : ",") + buffer.symbol.name + ":";
      if (rest.rfind(prefix, 0) != 0) {
        fail(fmt::format("expected '{}' in the cell '{}'", prefix, text));
      }
      rest.erase(0, prefix.size());
      const size_t end = rest[0] == '[' ? rest.find(']') + 1 : rest.find(',');
      found.push_back(rest.substr(0, end));
      rest.erase(0, std::min(end, rest.size()));
    }
    if (!rest.empty()) fail(fmt::format("unexpected '{}' in the cell '{}'", rest, text));
    return found;
  }

  std::vector<Place> places(const std::string& regions, const std::string& layouts,
                            const std::vector<hl::BufferView>& buffers) const {
    const std::vector<std::string> where = cells(regions, buffers), how = cells(layouts, buffers);
    std::vector<Place> all;
    for (size_t b = 0; b < buffers.size(); ++b) {
      const machine::Region* region = machine_.find_region(where[b]);
      if (!region) fail(fmt::format("machine '{}' has no region '{}'", machine_.name, where[b]));
      all.push_back({region->name, layout(how[b], buffers[b])});
    }
    return all;
  }

  Layout layout(const std::string& text, const hl::BufferView& buffer) const {
    const auto rank = static_cast<int64_t>(buffer.accesses.front().index.size());
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
      fail(fmt::format("'{}' is not a layout such as [1,2]", text));
    }
    Layout result;
    if (text == "[]") return result;
    for (const std::string& axis : split(text.substr(1, text.size() - 2), ',')) {
      const size_t at = axis.find('@');
      result.emplace_back(static_cast<int>(number(axis.substr(0, at), 1, rank)),
                          at == std::string::npos ? "" : axis.substr(at + 1));
    }
    return result;
  }

  /// Ranks become orders; all levels and f are there.
  void finish() {
    line_ = static_cast<int>(lines_.size());
    const size_t levels = machine_.layers.size() * program_.dimensions.size();
    if (result_.parts.size() != levels) {
      fail(fmt::format("{} levels are there, the machine has {}", result_.parts.size(), levels));
    }
    if (!has_f_) fail("the row of f is missing");
    for (const auto& [rank, at] : decomposition_) result_.decomposition.order.push_back(at);
    for (const auto& [rank, at] : scalar_) result_.scalar.order.push_back(at);
    for (const auto& [rank, at] : recomposition_) result_.recomposition.order.push_back(at);
    check_assignment(result_.decomposition);
    check_assignment(result_.scalar);
    check_assignment(result_.recomposition);
    result_.reads.resize(program_.inputs.size());
    result_.writes.resize(program_.outputs.size());
  }

  /// Layers have the names that the header gives them, in the order of significance; those that it
  /// leaves out follow in the order of the machine.
  void name_layers(const std::vector<std::string>& given) {
    result_.layers = all_layers(given, machine_);
    if (result_.layers.size() == machine_.layers.size()) return;
    line_ = 1;
    fail("\"layers\" names a layer twice, or one that the machine does not have");
  }

  /// A configuration gives each layer one digit of a dimension, and each level of the machine once.
  void check_assignment(const PhaseParameters& phase) const {
    std::set<MachineLevel> slots;
    std::set<std::pair<int, std::string>> digits;
    for (const auto& [level, slot] : phase.assignment) {
      const std::string& dimension = program_.dimensions[level.dimension].symbol.name;
      if (!digits.emplace(level.dimension, slot.layer).second) {
        fail(fmt::format("two levels of {} are on {}", dimension, slot.layer));
      }
      if (!slots.insert(slot).second) {
        fail(fmt::format("two levels are on {}.{}", slot.layer, slot.axis));
      }
    }
  }

  const hl::Program& program_;
  const machine::Machine& machine_;
  std::shared_ptr<const std::string> file_;
  std::vector<std::string> lines_;
  int line_ = 1;
  bool has_f_ = false;
  Parameters result_;
  std::map<int64_t, Level> decomposition_, scalar_, recomposition_;
};

}  // namespace

std::string print_table(const Config& config, const hl::Program& program,
                        const machine::Machine& machine) {
  const Config named = with_machine_names(config, machine);
  Config common;  // what the columns do not say, in the file form
  common.program = program.name;
  common.sizes = config.sizes;
  common.types = config.types;
  common.machine = machine.name;
  common.fuse = config.fuse;
  common.layers = named.layers;
  common.code = named.code;
  return print(common) + Printer(parameters_of(config, program, machine), program).run();
}

Config parse_table(std::string_view text, const hl::Program& program,
                   const machine::Machine& machine, const std::string& file) {
  return TableReader(text, program, machine, file).run();
}

}  // namespace mdh::ll
