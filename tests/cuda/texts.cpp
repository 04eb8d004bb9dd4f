#include "tests/cuda/texts.h"

#include <algorithm>
#include <filesystem>

#include "mdh/driver/stages.h"
#include "mdh/hl/parse.h"
#include "mdh/support/text.h"
#include "tests/campaign/catalogue_triples.h"
#include "tests/frozen/sources.h"

namespace mdh::test {
namespace {

namespace fs = std::filesystem;

constexpr int cores = 4;
constexpr const char* mathematics = "mathematics";

/// Folders of configurations, by how the names of their units begin.
const std::vector<std::pair<std::string, std::string>> folders = {
    {"stored_", "tests/golden/configs/gpu"}, {"measured_", "bench/configs/sm_90"}};

fs::path path_of(const std::string& folder) { return fs::path(MDH_SOURCE_DIR) / folder; }

CudaText text_of(const std::string& name, const hl::Program& program,
                 const machine::Machine& machine, const ll::Config& config) {
  std::string function = name;
  std::replace(function.begin(), function.end(), ' ', '_');
  return {
      name,
      driver::lower_all(program, machine, config, driver::find_target("cuda"), function).module};
}

CudaText by_default(const std::string& name, const hl::Program& program) {
  const machine::Machine& machine = machine::find_machine("gpu");
  return text_of(name, program, machine, ll::default_config(program, machine, cores));
}

CudaUnit unit_of(const examples::Entry& entry) {
  CudaUnit unit{entry.name, {}};
  constexpr size_t drawn = 1;
  const std::vector<Prepared> odd = prepared_of(entry, "cuda", drawn);
  for (size_t n = 0; n < odd.size(); ++n) {
    const std::string type = to_string(entry.types[n / (1 + drawn)]);
    const char* how = n % (1 + drawn) == 0 ? "odd" : "drawn";
    unit.texts.push_back({fmt::format("{} {} {}", entry.name, type, how), odd[n].module});
  }
  for (const scalar::Scalar type : entry.types) {
    unit.texts.push_back(by_default(fmt::format("{} {} usual", entry.name, to_string(type)),
                                    entry.build(usual_instance(entry, type))));
  }
  return unit;
}

CudaUnit stored_unit(const std::string& name, const std::string& begin, const std::string& folder) {
  const std::string file = name.substr(begin.size()) + ".json";
  const Triple triple = stored_triple((path_of(folder) / file).string());
  return {name, {text_of(name, triple.program, triple.machine, triple.config)}};
}

/// Every function that programs have, and minima of numbers that may be none.
CudaUnit unit_of_mathematics() {
  CudaUnit unit{mathematics, {}};
  for (const char* type : {"f32", "f64", "f16", "bf16"}) {
    const std::string text = fmt::format(
        "mdh 1\nprogram all = out_view( y: {0} = [i] ) * md_hom( i: 100 by cc ) {{\n"
        "  y = sqrt(abs(x)) + exp(x) + exp2(x) + log(x) + log2(x) + log10(x) + sin(x) + cos(x) +\n"
        "      tan(x) + tanh(x) + floor(x) + ceil(x) + pow(x, x) + atan2(x, x) +\n"
        "      min(x, x * x) + max(x, x * x);\n}} * inp_view( x: {0} = [i] )",
        type);
    unit.texts.push_back(by_default(fmt::format("{} {}", mathematics, type), hl::parse(text)));
  }
  return unit;
}

}  // namespace

std::vector<std::string> cuda_unit_names() {
  std::vector<std::string> names = {mathematics};
  for (const examples::Entry& entry : examples::catalogue()) names.push_back(entry.name);
  for (const auto& [begin, folder] : folders) {
    for (const auto& entry : fs::directory_iterator(path_of(folder))) {
      if (entry.path().extension() != ".json") continue;
      names.push_back(begin + entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

CudaUnit cuda_unit(const std::string& name) {
  if (name == mathematics) return unit_of_mathematics();
  for (const auto& [begin, folder] : folders) {
    if (name.starts_with(begin)) return stored_unit(name, begin, folder);
  }
  return unit_of(*examples::find_entry(name));
}

}  // namespace mdh::test
