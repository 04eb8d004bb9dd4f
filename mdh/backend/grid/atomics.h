// How members of a grid combine into one element at the same time.
#pragma once

#include <string>
#include <vector>

#include "mdh/backend/c/expr.h"
#include "mdh/loop/program.h"

namespace mdh::backend {

/// Memory that is all 0 is empty in each of them.
enum class AtomicForm {
  native,  // the device combines, and 0 is the neutral element
  word,    // one small result: its bits and a bit that says that it is there, compared and swapped
  alone,   // whoever changes the state of an element has its results to itself
};

/// Of all atomic buffers of a program: its operator and its results decide.
AtomicForm atomic_form(const loop::Program& p);

/// The type of an element of an atomic buffer.
std::string atomic_type(const loop::Program& p, ExprPrinter& expressions, const loop::Buffer& b);
int64_t atomic_bytes(const loop::Program& p, const loop::Buffer& b);

/// One combination, as it is printed.
struct AtomicText {
  std::vector<std::string> elements;  // of all results
  std::vector<std::string> values;    // what is combined with them, or the names of what is taken
  std::string state;                  // an element, in the third form
};

std::string combined_atomically(const loop::Program& p, ExprPrinter& expressions,
                                const AtomicText& text);
std::string taken_atomically(const loop::Program& p, ExprPrinter& expressions,
                             const AtomicText& text);

}  // namespace mdh::backend
