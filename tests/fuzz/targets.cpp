#include "tests/fuzz/targets.h"

#include <algorithm>
#include <stdexcept>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"
#include "mdh/ll/config.h"
#include "mdh/ll/parse.h"
#include "mdh/ll/print.h"
#include "mdh/loop/parse.h"
#include "mdh/loop/print.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/passes/pipeline.h"
#include "mdh/passes/plan/plan.h"

namespace mdh::fuzz {
namespace {

/// What is printed must be read back, as the same thing.
template <class Thing, class Reader>
void round_trip(const Thing& thing, Reader&& read) {
  const std::string text = print(thing);
  try {
    const Thing again = read(text);
    if (again == thing) return;
    throw std::logic_error("printed and read again it is another one:\n" + text + print(again));
  } catch (const Error& e) {
    throw std::logic_error("what was printed is refused: " + std::string(e.what()) + "\n" + text);
  }
}

void high_level(std::string_view text) {
  const auto read = [](const std::string& printed) { return hl::parse(printed); };
  const hl::Program p = hl::parse(text);
  round_trip(p, read);
  if (hl::is_concrete(p)) return;  // and so it is verified
  hl::Bindings types;
  for (const hl::Parameter& parameter : p.parameters) {
    if (parameter.kind == hl::Parameter::Kind::type) {
      types.types.emplace(parameter.symbol.name, scalar::Scalar::f32);
    }
  }
  hl::print(hl::bind(p, types));
  round_trip(hl::instantiate(p, {}), read);
}

void low_level(std::string_view text) {
  round_trip(ll::parse(text), [](const std::string& printed) { return ll::parse(printed); });
}

void loops(std::string_view text) {
  round_trip(loop::parse(text), [](const std::string& printed) { return loop::parse(printed); });
}

/// A configuration is believed once it is validated: then everything below has to get along with
/// it.
void configuration(std::string_view text) {
  static const hl::Program matvec = hl::parse(
      "mdh 1 program matvec = out_view( w: i64 = [i] )"
      " * md_hom( i: 7 by cc, k: 13 by pw(add) ) { w = M * v; }"
      " * inp_view( M: i64 = [i, k]; v: i64 = [k] )");
  const ll::Config config = ll::parse_config(text);
  round_trip(config, [](const std::string& printed) { return ll::parse_config(printed); });
  const machine::Machine& machine = machine::find_machine(config.machine);
  const ll::Program lowered = passes::lower(matvec, machine, config);
  round_trip(lowered, [](const std::string& printed) { return ll::parse(printed); });
  const loop::Program planned = passes::plan(lowered, machine);
  const auto read = [](const std::string& printed) { return loop::parse(printed); };
  round_trip(planned, read);
  for (const passes::Teams teams : {passes::Teams::one, passes::Teams::nested}) {
    round_trip(passes::run_pipeline(planned, {.teams = teams}), read);
  }
}

template <void (*read)(std::string_view)>
void believing_refusals(std::string_view text) {
  try {
    read(text);
  } catch (const Error& e) {
    const DiagnosticKind kind = e.diagnostic().kind;
    if (kind != DiagnosticKind::user && kind != DiagnosticKind::unsupported) throw;
  }
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {
      {"hl", believing_refusals<high_level>},
      {"ll", believing_refusals<low_level>},
      {"loop", believing_refusals<loops>},
      {"config", believing_refusals<configuration>},
  };
  return all;
}

const Target& find_target(std::string_view name) {
  const auto found = std::find_if(targets().begin(), targets().end(),
                                  [&](const Target& t) { return t.name == name; });
  if (found == targets().end()) throw std::logic_error("no target " + std::string(name));
  return *found;
}

}  // namespace mdh::fuzz
