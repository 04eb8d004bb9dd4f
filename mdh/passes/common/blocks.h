// Pieces of loop programs that several passes write.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "mdh/loop/program.h"

namespace mdh::passes {

void append(loop::Block& block, const loop::Block& more);

/// One statement per value.
loop::Block loads(const std::vector<Symbol>& values, const std::vector<loop::Element>& from);
loop::Block stores(const std::vector<loop::Element>& to, const std::vector<Symbol>& values);

/// The elements with other values for some names in their indices.
std::vector<loop::Element> replaced(
    std::vector<loop::Element> elements,
    const std::function<std::optional<loop::Expr>(const Symbol&)>& value);

/// The elements with every dimension as the sum of its digits.
std::vector<loop::Element> in_digits(const loop::Program& p, std::vector<loop::Element> elements,
                                     const std::vector<loop::Digit>& digits);

}  // namespace mdh::passes
