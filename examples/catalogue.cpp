#include "examples/catalogue.h"

#include "examples/texts.h"
#include "mdh/hl/parse.h"
#include "mdh/scalar/parse.h"

namespace mdh::examples {
namespace {

std::vector<Entry> joined(const std::vector<std::vector<Entry>>& families) {
  std::vector<Entry> all;
  for (const std::vector<Entry>& family : families) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace

hl::Program Entry::generic() const { return hl::parse(texts().at(name), name + ".mdh"); }

int64_t Instance::setting(const std::string& name, int64_t otherwise) const {
  const auto found = settings.find(name);
  return found == settings.end() ? otherwise : found->second;
}

Settings Entry::settings_of(const std::string& size) const {
  const auto found = settings.find(size);
  return found == settings.end() ? Settings{} : found->second;
}

std::map<std::string, scalar::Expr> Entry::constants(scalar::Scalar type) const {
  std::map<std::string, scalar::Expr> values;
  if (scalar::is_floating(type)) return values;
  for (const auto& [constant, text] : integer_constants) {
    values.insert_or_assign(constant, scalar::parse_expression(text));
  }
  return values;
}

const std::vector<Entry>& catalogue() {
  static const std::vector<Entry> table = joined({
      {dot_entry(), matvec_entry(), matmul_entry(), matmul_t_entry(), bmatmul_entry()},
      {conv2d_entry(), mcc_entry(), mcc_strided_entry(), mcc_nchw_entry(), mcc_capsule_entry()},
      ccsdt_entries(),
      {jacobi1d_entry(), jacobi2d_entry(), jacobi3d_entry()},
      {histo_entry(), genhisto_entry()},
      {map_entry(), reduce_entry(), reduce2_entry(), scan_entry(), mbbs_entry()},
      {mandelbrot_entry(), prl_entry(), prl_multi_entry()},
  });
  return table;
}

const Entry* find_entry(const std::string& name) {
  for (const Entry& entry : catalogue()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace mdh::examples
