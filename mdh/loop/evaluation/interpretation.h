// What the evaluator knows while it runs a loop program: memory, indices, values, and who runs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mdh/loop/evaluation/in_flight.h"
#include "mdh/loop/evaluation/memory.h"
#include "mdh/loop/program.h"
#include "mdh/scalar/algebra.h"

namespace mdh::loop {

using Leaves = std::vector<scalar::Value>;

class Interpretation {
 protected:
  Interpretation(const Program& p, const std::vector<scalar::Array>& inputs,
                 scalar::Algebra& algebra);

  std::vector<scalar::Array> outputs();

  // ---- digits

  /// Parts of a level that are not empty below the enclosing digits: always the first ones.
  int64_t trip(const Digit& d) const;

  /// Dimensions have the value their digits give them.
  std::vector<int64_t> set_dimensions();

  /// All points of some digits that hold points.
  void over(const std::vector<Symbol>& digits, size_t depth, const std::function<void()>& visit);

  void set_counters(const std::vector<Counter>& counters, int64_t n);

  // ---- memory

  Leaves load(const std::vector<Element>& elements);
  Leaves load_if_defined(const Element& element);  // nothing otherwise
  void undefine(const Element& element);
  void store(const std::vector<Element>& elements, const Leaves& leaves);
  void store(const Element& e, const Leaves& leaves) { store(std::vector<Element>{e}, leaves); }
  void update(const Target& target, const Leaves& fresh);
  bool is_atomic(const Element& e) const { return find_buffer(program_, e.buffer).atomic; }
  void combine_atomically(const std::vector<Element>& to, const Leaves& fresh);
  Leaves take(const std::vector<Element>& from);  // they are empty then
  void expect_taken(const Buffer& buffer);        // nothing is left that nobody would take
  void copy(const std::vector<Counter>& axes, const Element& to, const Element& from,
            const std::vector<Expr>& within);

  /// What is moved at once.
  std::vector<Element> neighbours(const Element& e, int64_t width);
  Place place_of(const Element& e) { return {&instance(memory_.at(e.buffer.name)), index_of(e)}; }

  // ---- values

  int result_width() const;
  int64_t integer(const Expr& e) const;
  Leaves values(const std::vector<Symbol>& names) const;
  void define(const std::vector<Symbol>& names, const Leaves& leaves);

  const Program& program_;
  scalar::Algebra& algebra_;
  std::map<std::string, Instances> memory_;
  std::map<std::string, int64_t> index_;
  std::map<std::string, Leaves> values_;
  std::vector<const Digit*> enclosing_;
  Moment now_;

 private:
  int64_t base(int dimension) const;
  Memory& instance(Instances& all);
  std::vector<int64_t> index_of(const Element& e) const;
};

}  // namespace mdh::loop
