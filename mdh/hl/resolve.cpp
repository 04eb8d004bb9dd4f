#include "mdh/hl/resolve.h"

#include <algorithm>

#include "mdh/hl/define.h"
#include "mdh/support/text.h"

namespace mdh::hl {
namespace {

using scalar::Scope;

/// Index functions and the body mention names that are declared later, so everything is declared
/// first.
class Resolver {
 public:
  Resolver(Program p, Scope scope) : p_(std::move(p)), scope_(std::move(scope)) {}

  Program run() {
    for (BufferView& view : p_.outputs) declare(view);
    for (Dimension& d : p_.dimensions) {
      d.symbol = scope_.declare(d.symbol.name, scalar::Scalar::i64, "dimension", d.where);
    }
    for (BufferView& view : p_.inputs) declare(view);
    return renumbered(resolved());
  }

 private:
  void declare(BufferView& view) {
    view.symbol = scope_.declare(view.symbol.name, view.type, "buffer", view.where);
    bool shares_name = true;  // one access may be called like the buffer
    for (Access& access : view.accesses) {
      if (shares_name && access.symbol.name == view.symbol.name) {
        access.symbol = view.symbol;
        shares_name = false;
      } else {
        access.symbol = scope_.declare(access.symbol.name, view.type, "access", access.where);
      }
    }
  }

  /// The body in order, because lets are visible in what follows them only.
  Program resolved() {
    Program result = p_;
    result.body.clear();
    result = map_expressions(result, [&](const Expr& e) { return resolve(e, scope_); });
    const std::vector<std::string> outputs = output_names(p_);
    for (scalar::Assignment a : p_.body) {
      a.value = resolve(a.value, scope_);
      if (a.target.name == returned) {
        user_error("E205", a.where, "md_hom assigns its outputs instead of returning a value",
                   "write one of: " + join(outputs, ", "));
      }
      const bool is_output =
          std::find(outputs.begin(), outputs.end(), a.target.name) != outputs.end();
      a.target = is_output
                     ? scope_.find(a.target.name)->symbol
                     : scope_.declare_local(a.target.name, scalar::Undecided::name, "let", a.where);
      result.body.push_back(a);
    }
    return result;
  }

  Program p_;
  Scope scope_;
};

}  // namespace

Program resolve(const Program& p, Scope scope) { return Resolver(p, std::move(scope)).run(); }

void name_accesses(BufferView& view) {
  for (size_t n = 0; n < view.accesses.size(); ++n) {
    std::string& name = view.accesses[n].symbol.name;
    if (!name.empty()) continue;
    const bool single = view.accesses.size() == 1;
    name = single ? view.symbol.name : fmt::format("{}.{}", view.symbol.name, n + 1);
  }
}

std::vector<std::string> output_names(const Program& p) {
  std::vector<std::string> names;
  for (const BufferView& view : p.outputs) {
    for (const Access& access : view.accesses) names.push_back(access.symbol.name);
  }
  return names;
}

}  // namespace mdh::hl
