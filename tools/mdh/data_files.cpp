#include "tools/mdh/data_files.h"

#include "mdh/driver/npy.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::tool {
namespace {

struct DataFile {
  size_t buffer;
  std::string path;
};

DataFile parsed(const std::string& option, const char* name,
                const std::vector<hl::BufferView>& views) {
  const size_t equal = option.find('=');
  if (equal == std::string::npos) {
    user_error("E822", {}, fmt::format("{}: cannot read '{}'", name, option),
               fmt::format("write {} NAME=FILE.npy", name));
  }
  std::vector<std::string> known;
  for (size_t b = 0; b < views.size(); ++b) {
    known.push_back(views[b].symbol.name);
    if (known.back() == option.substr(0, equal)) return {b, option.substr(equal + 1)};
  }
  user_error("E823", {}, fmt::format("{}: there is no buffer '{}'", name, option.substr(0, equal)),
             suggestion(option.substr(0, equal), known));
}

}  // namespace

void read_inputs(const hl::Program& p, const std::vector<std::string>& options,
                 std::vector<scalar::Array>& inputs) {
  for (const std::string& option : options) {
    const DataFile file = parsed(option, "--input", p.inputs);
    inputs[file.buffer] = driver::read_npy(file.path);
  }
}

void write_outputs(const hl::Program& p, const std::vector<std::string>& options,
                   const std::vector<scalar::Array>& outputs) {
  for (const std::string& option : options) {
    const DataFile file = parsed(option, "--output", p.outputs);
    driver::write_npy(file.path, outputs[file.buffer]);
  }
}

void check_files(const hl::Program& p, const std::vector<std::string>& inputs,
                 const std::vector<std::string>& outputs) {
  for (const std::string& option : inputs) parsed(option, "--input", p.inputs);
  for (const std::string& option : outputs) parsed(option, "--output", p.outputs);
}

}  // namespace mdh::tool
