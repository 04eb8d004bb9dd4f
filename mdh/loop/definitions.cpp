#include "mdh/loop/definitions.h"

#include <algorithm>

namespace mdh::loop {
namespace {

class Collector {
 public:
  void type(const Type& t) {
    const scalar::Record* record = t.record();
    if (record && !has(result_.records, record->name)) result_.records.push_back(*record);
  }

  void function(const scalar::Function& f) {
    for (const auto& parameter : f.parameters) type(parameter.type);
    for (const auto* assignments : {&f.locals, &f.results}) {
      for (const auto& a : *assignments) expression(a.value);
    }
  }

  Definitions take() { return std::move(result_); }

 private:
  template <class T>
  static bool has(const std::vector<T>& all, const std::string& name) {
    return std::any_of(all.begin(), all.end(), [&](const T& x) { return x.name == name; });
  }

  void expression(const Expr& e) {
    type(e.type());
    scalar::for_each_child(e, [&](const Expr& child) { expression(child); });
    const auto* call = e.as<scalar::Call>();
    if (!call || !call->callee || has(result_.functions, call->name)) return;
    function(*call->callee);
    result_.functions.push_back(*call->callee);
    result_.functions.back().name = call->name;  // operators of the user are called by their own
  }

  Definitions result_;
};

}  // namespace

Definitions definitions_of(const Program& p) {
  Collector found;
  for (const Buffer& b : p.buffers) found.type(b.type);
  found.function(p.f);
  found.function(p.combine);
  return found.take();
}

}  // namespace mdh::loop
