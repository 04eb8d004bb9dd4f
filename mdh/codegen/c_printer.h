// The body of a concrete loop program in C; what a dealt part and a barrier are is left to the
// target.
#pragma once

#include <map>
#include <string>

#include "mdh/codegen/c_expr.h"
#include "mdh/loop/program.h"

namespace mdh::codegen {

class CPrinter {
 public:
  explicit CPrinter(const loop::Program& p);
  virtual ~CPrinter() = default;
  CPrinter(const CPrinter&) = delete;
  CPrinter& operator=(const CPrinter&) = delete;

  std::string block(const loop::Block& block);
  std::string helpers() const { return expressions_.helpers(); }

 protected:
  virtual std::string deal(const loop::Deal& s) = 0;
  virtual std::string barrier() = 0;

  const loop::Program& program() const { return program_; }

 private:
  std::string statement(const loop::Stmt& s);
  std::string for_loop(const loop::For& s);
  std::string choice(const loop::If& s);
  std::string apply(const loop::Apply& s);
  std::string combine(const loop::Combine& s);
  std::string call(const scalar::Function& f, const std::vector<scalar::Expr>& arguments,
                   const std::vector<Symbol>& results);
  std::string define(const Symbol& value, scalar::Scalar type, const std::string& text);
  std::string element(const loop::Element& e);
  scalar::Expr value(const Symbol& symbol) const;

  const loop::Program& program_;
  ExprPrinter expressions_;
  std::map<std::string, scalar::Scalar> types_;  // of values
};

}  // namespace mdh::codegen
