#include "mdh/backend/c/names.h"

#include "mdh/backend/c/type.h"

namespace mdh::backend {

std::string Names::declare(const Symbol& symbol, bool is_pointer) {
  std::string name = fresh(symbol.name);
  bind(symbol, {name, is_pointer});
  return name;
}

std::string Names::fresh(const std::string& wish) {
  const std::string name = c_name(wish);
  std::string unused = name;
  for (int n = 2; !used_.insert(unused).second; ++n) unused = name + "_" + std::to_string(n);
  return unused;
}

Names::Place Names::find(const Symbol& symbol) const {
  const auto found = places_.find(symbol);
  return found == places_.end() ? Place{c_name(symbol.name)} : found->second;
}

}  // namespace mdh::backend
