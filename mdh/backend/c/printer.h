// The body of a concrete loop program in C; what a share, a barrier and a temporary are is left to
// the target.
#pragma once

#include <map>
#include <set>
#include <string>

#include "mdh/backend/c/expr.h"
#include "mdh/backend/c/lanes.h"
#include "mdh/loop/program.h"

namespace mdh::backend {

class CPrinter {
 public:
  /// Indices and counters are of a type that holds them all.
  CPrinter(const loop::Program& p, Dialect dialect, scalar::Scalar index = scalar::Scalar::i64);
  virtual ~CPrinter() = default;
  CPrinter(const CPrinter&) = delete;
  CPrinter& operator=(const CPrinter&) = delete;

  std::string block(const loop::Block& block);
  std::string helpers() const { return expressions_.helpers(); }

  /// Temporaries in registers that are arrays wherever they are used: an index is not known when
  /// code is printed.
  std::vector<std::string> arrays() const;

 protected:
  virtual std::string deal(const loop::Deal& s) = 0;
  virtual std::string barrier(const loop::Barrier& s) = 0;
  virtual std::string alloc(const loop::Buffer& b) = 0;

  /// The number of an element in its buffer, as it is written.
  virtual std::string address(const loop::Element& e) {
    return expressions_.print_index(address_of(program_, e));
  }

  /// Where the elements begin that this one is among.
  virtual std::string beginning(const loop::Element& e) { return c_name(e.buffer.name); }

  // Copies may land as soon as they are issued; then there is nothing to wait for.
  virtual std::string async_copy(const loop::AsyncCopy& s);
  virtual std::string commit() { return ""; }
  virtual std::string wait(int64_t) { return ""; }

  // Neighbours at once: only where a pass has made such statements.
  virtual std::string wide_load(const loop::WideLoad&) { unprintable("a wide load"); }
  virtual std::string wide_store(const loop::WideStore&) { unprintable("a wide store"); }

  // Statements of grids.
  virtual std::string exchange(const loop::Exchange&) { unprintable("an exchange"); }
  virtual std::string last(const loop::Last&) { unprintable("the last member of a grid"); }
  virtual std::string atomic_combine(const loop::AtomicCombine&) { unprintable("an atomic"); }
  virtual std::string atomic_take(const loop::AtomicTake&) { unprintable("an atomic"); }
  virtual std::string follow(const loop::Follow&) { unprintable("members of a grid in order"); }

  virtual std::string meet(const loop::Meet&) { unprintable("members of a grid that meet"); }

  [[noreturn]] static void unprintable(const char* what);

  const loop::Program& program() const { return program_; }
  ExprPrinter& expressions() { return expressions_; }

  std::string element(const loop::Element& e);
  std::string value(const Symbol& symbol) const;
  std::vector<std::string> values(const std::vector<Symbol>& symbols) const;

  /// "L1.i, side by side in registers"
  static std::string comment(const std::string& level, loop::How how);

  /// The value of each counter of a flattened one, the last one fastest.
  std::string unflattened(const std::vector<loop::Counter>& counters,
                          const std::string& flat) const;

  /// The type of counters and indices.
  std::string index() const { return expressions_.index_type(); }

  /// Which instance of a temporary this is: mixed radix of the digits it is per.
  std::string instance(const loop::Buffer& b) const;

 private:
  std::string statement(const loop::Stmt& s);
  int64_t times_written(const loop::For& s) const;
  std::string goes_on(const loop::For& s) const;

  // One for every kind of statement: what is forgotten here does not compile.
  std::string print(const loop::For& s);
  std::string print(const loop::Lanes& s);
  std::string print(const loop::If& s);
  std::string print(const loop::Let& s);
  std::string print(const loop::Load& s);
  std::string print(const loop::Store& s);
  std::string print(const loop::Apply& s);
  std::string print(const loop::Combine& s);
  std::string print(const loop::WideLoad& s) { return wide_load(s); }
  std::string print(const loop::WideStore& s) { return wide_store(s); }
  std::string print(const loop::AsyncCopy& s) { return async_copy(s); }
  std::string print(const loop::Prefetch& s);
  std::string print(const loop::Opaque& s);
  std::string print(const loop::Transpose& s);
  std::string print(const loop::Deal& s) { return deal(s); }
  std::string print(const loop::Exchange& s) { return exchange(s); }
  std::string print(const loop::Last& s) { return last(s); }
  std::string print(const loop::Follow& s) { return follow(s); }
  std::string print(const loop::Meet& s) { return meet(s); }
  std::string print(const loop::AtomicCombine& s) { return atomic_combine(s); }
  std::string print(const loop::AtomicTake& s) { return atomic_take(s); }
  std::string print(const loop::Barrier& s) { return barrier(s); }
  std::string print(const loop::Commit&) { return commit(); }
  std::string print(const loop::Wait& s) { return wait(s.keep); }
  static std::string print(const loop::Alloc&) { unprintable("an allocation"); }
  static std::string print(const loop::Loop&) { unprintable("a structured loop"); }
  static std::string print(const loop::Copy&) { unprintable("a structured copy"); }
  static std::string print(const loop::Accumulate&) { unprintable("a structured sum"); }
  static std::string print(const loop::WriteUp&) { unprintable("a structured result"); }
  static std::string print(const loop::TeamCombine&) { unprintable("a structured combination"); }
  static std::string print(const loop::ScanStep&) { unprintable("a structured scan"); }
  static std::string print(const loop::ScanFix&) { unprintable("a structured scan"); }
  std::string begins(const loop::Buffer& b, const loop::Block& rest);
  std::string declared(const Registers& registers, const loop::Buffer& b);
  std::string element_by_element(const loop::Transpose& s);
  bool refers(const loop::Load& s, const loop::Block& rest) const;
  std::string reference(const loop::Load& s);
  std::string places_of_results(const loop::Apply& s, const loop::Block& rest);

  const loop::Program& program_;
  const DialectFacts& facts_;
  ExprPrinter expressions_;
  RegisterMap registers_;
  std::set<std::string> as_variables_, as_arrays_;  // temporaries in registers, somewhere
  std::set<std::string> taken_;                     // names that variables must not have
  std::set<std::string> referred_;                  // names of pointers to values
  std::map<std::string, std::string> places_;       // pointers to elements that are stored next
};

/// Buffers that the statements mention, in the order of declaration.
std::vector<loop::Buffer> mentioned(const loop::Program& p, const loop::Block& block);

}  // namespace mdh::backend
