// Plans of small configurations for the tests of this folder; nothing else includes it.
#pragma once

#include "mdh/passes/common/test_programs.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/passes/plan/plan.h"

namespace mdh::passes {

inline loop::Program plan_of(const std::string& program, const std::string& entries,
                             const std::string& machine) {
  const machine::Machine& m = machine::find_machine(machine);
  const ll::Config c = config(entries);
  loop::Program p = plan(lower(computation(program), m, c), m);
  loop::verify(p);
  EXPECT_TRUE(loop::is_structured(p));
  return p;
}

/// Digits, temporaries and the body; what the computation says itself is left out.
inline std::string planned(const std::string& program, const std::string& entries,
                           const std::string& machine = "artificial") {
  std::string text = loop::print(plan_of(program, entries, machine)), result;
  const size_t body = text.find("body {");
  for (const std::string& line : split(text.substr(0, body), '\n')) {
    const bool ours = line.rfind("digit ", 0) == 0 || line.rfind("buffer temporary", 0) == 0;
    if (ours) result += line + "\n";
  }
  return result + text.substr(body);
}

inline std::string planned_body(const std::string& program, const std::string& entries,
                                const std::string& machine = "artificial") {
  const std::string text = planned(program, entries, machine);
  return text.substr(text.find("body {"));
}

inline std::string matvec_program(int64_t rows, int64_t columns) {
  return fmt::format(
      "matvec = out_view( w: f32 = [i] ) * md_hom( i: {} by cc, k: {} by pw(add) )"
      " {{ w = M * v; }} * inp_view( M: f32 = [i, k]; v: f32 = [k] )",
      rows, columns);
}

/// y = the sum of all x.
inline std::string pw_program(const std::string& dimensions, const std::string& access) {
  return "p = out_view( y: i64 = [] ) * md_hom( " + dimensions +
         " ) { y = x; } * inp_view( x: i64 = " + access + " )";
}

}  // namespace mdh::passes
