#include "examples/catalogue.h"

#include "examples/texts.h"
#include "mdh/hl/parse.h"
#include "mdh/scalar/parse.h"

namespace mdh::examples {

hl::Program Entry::generic() const { return hl::parse(texts().at(name), name + ".mdh"); }

std::map<std::string, scalar::Expr> Entry::constants(scalar::Scalar type) const {
  std::map<std::string, scalar::Expr> values;
  if (scalar::is_floating(type)) return values;
  for (const auto& [constant, text] : integer_constants) {
    values.insert_or_assign(constant, scalar::parse_expression(text));
  }
  return values;
}

const std::vector<Entry>& catalogue() {
  static const std::vector<Entry> table = {dot_entry(), matvec_entry(), matmul_entry(),
                                           jacobi1d_entry()};
  return table;
}

const Entry* find_entry(const std::string& name) {
  for (const Entry& entry : catalogue()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace mdh::examples
