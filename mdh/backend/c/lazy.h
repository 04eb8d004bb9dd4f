// How much a function is once all that it calls stands in its place, and truth that is computed
// only where it decides.
#pragma once

#include <cstdint>
#include <string>

#include "mdh/backend/c/type.h"
#include "mdh/scalar/function.h"

namespace mdh::backend {

/// Nodes of an expression or a function, those of the functions that it calls included each time.
/// Counting ends at the limit: functions that call the one before them twice are endless.
int64_t inlined_size(const scalar::Expr& e, int64_t limit);
int64_t inlined_size(const scalar::Function& f, int64_t limit);

/// It, or a function that it calls. Ask of what is small only: all calls are followed.
bool runs_a_loop(const scalar::Expr& e);

/// How the definition of a function in C begins that computes this. Compilers decide by the text of
/// a function whether it is worth a call; what is small with all that it calls never is. Only GNU C
/// has a word for it.
std::string linkage(Dialect dialect, const scalar::Expr& e);

/// The same, for one that is called in so many places.
std::string linkage(Dialect dialect, const scalar::Function& f, int64_t calls = 1);

/// The same function, where truth that is only used to decide - by && || ! and as the condition of
/// a choice - is written into its uses, as long as it is small. A condition that is known after its
/// first half then costs no second half; expressions have no effects, so that leaving them out, and
/// compilers that compute equal ones once, change nothing.
scalar::Function with_lazy_truth(const scalar::Function& f);

/// The same function, where a long condition is asked for only where what it needs (necessary.h) holds:
/// where threads run in lockstep, one that asks is waited for by all of its warp.
scalar::Function with_needs_first(const scalar::Function& f);

}  // namespace mdh::backend
