#include "mdh/hl/evaluate.h"

#include <numeric>

#include "mdh/support/text.h"

namespace mdh::hl {
namespace {

using scalar::Algebra;
using scalar::scalar_of;

std::string text_of(const Extents& extents) {
  std::vector<std::string> texts;
  for (const int64_t n : extents) texts.push_back(std::to_string(n));
  return "[" + join(texts, ", ") + "]";
}

void check_inputs(const Program& p, const std::vector<Array>& inputs) {
  if (inputs.size() != p.inputs.size()) {
    user_error("E230", {},
               fmt::format("program '{}' reads {} buffers, got {}", p.name, p.inputs.size(),
                           inputs.size()));
  }
  for (size_t b = 0; b < inputs.size(); ++b) {
    const BufferView& view = p.inputs[b];
    const Extents expected = extents(p, view);
    if (inputs[b].extents != expected) {
      user_error("E231", {},
                 fmt::format("buffer '{}' must have extents {}, got {}", view.symbol.name,
                             text_of(expected), text_of(inputs[b].extents)),
                 "extents follow from the sizes and the index functions");
    }
    if (Type(inputs[b].type) != view.type) {
      user_error("E232", {},
                 fmt::format("buffer '{}' must have type {}, got {}", view.symbol.name,
                             to_string(view.type), to_string(inputs[b].type)));
    }
  }
}

/// An access as an address in its buffer: base + Σ strides[d] · i_d.
struct FlatAccess {
  int buffer;
  Affine address;
};

std::vector<FlatAccess> flattened(const Program& p, const std::vector<BufferView>& views) {
  std::vector<FlatAccess> all;
  for (const Component& c : components(views)) {
    const BufferView& view = views[c.buffer];
    const Extents shape = extents(p, view);
    FlatAccess flat{c.buffer, {std::vector<int64_t>(p.dimensions.size(), 0), 0}};
    const std::vector<Affine> index = affine(p, view.accesses[c.access]);
    for (size_t e = 0; e < shape.size(); ++e) {
      flat.address.constant = flat.address.constant * shape[e] + index[e].constant;
      for (size_t d = 0; d < p.dimensions.size(); ++d) {
        int64_t& stride = flat.address.coefficients[d];
        stride = stride * shape[e] + index[e].coefficients[d];
      }
    }
    all.push_back(std::move(flat));
  }
  return all;
}

std::vector<std::vector<int64_t>> full_sets(const std::vector<int64_t>& counts) {
  std::vector<std::vector<int64_t>> sets;
  for (const int64_t n : counts) {
    sets.emplace_back(static_cast<size_t>(n));
    std::iota(sets.back().begin(), sets.back().end(), int64_t{0});
  }
  return sets;
}

/// Folds the points of [0, counts) + origin, in row-major order, into one result per concatenated
/// point. The contiguous case of md_hom: addresses are updated step by step instead of being looked
/// up.
class Folder {
 public:
  Folder(const Program& p, const std::vector<Array>& inputs, Algebra& algebra)
      : program_(p),
        arrays_(inputs),
        algebra_(algebra),
        accesses_(flattened(p, p.inputs)),
        inputs_(accesses_.size()),
        components_(components(p.outputs).size()),
        fresh_(components_) {}

  /// Results in row-major order of the concatenated dimensions.
  std::vector<Value> run(const std::vector<int64_t>& origin, const std::vector<int64_t>& counts) {
    std::vector<int64_t> strides(counts.size(), 0);
    int64_t results = 1;
    for (size_t d = counts.size(); d-- > 0;) {
      if (is_reduced(program_.dimensions[d])) continue;
      strides[d] = results;
      results *= counts[d];
    }
    std::vector<Value> cells(static_cast<size_t>(results) * components_);
    std::vector<uint8_t> written(static_cast<size_t>(results), 0);
    std::vector<int64_t> point = origin;
    walk(0, origin, counts, strides, point, 0, cells, written);
    return cells;
  }

 private:
  void walk(size_t d, const std::vector<int64_t>& origin, const std::vector<int64_t>& counts,
            const std::vector<int64_t>& strides, std::vector<int64_t>& point, int64_t target,
            std::vector<Value>& cells, std::vector<uint8_t>& written) {
    if (d == counts.size()) return contribute(point, target, cells, written);
    for (int64_t n = 0; n < counts[d]; ++n) {
      point[d] = origin[d] + n;
      walk(d + 1, origin, counts, strides, point, target + n * strides[d], cells, written);
    }
  }

  void contribute(const std::vector<int64_t>& point, int64_t target, std::vector<Value>& cells,
                  std::vector<uint8_t>& written) {
    for (size_t a = 0; a < accesses_.size(); ++a) {
      inputs_[a] = arrays_[accesses_[a].buffer].cells[accesses_[a].address.at(point)];
    }
    const std::span<Value> cell(cells.data() + target * static_cast<int64_t>(components_),
                                components_);
    if (written[target] == 0) {
      algebra_.f(inputs_, point, cell);
      written[target] = 1;
    } else {
      algebra_.f(inputs_, point, fresh_);
      algebra_.combine(cell, fresh_, cell);
    }
  }

  const Program& program_;
  const std::vector<Array>& arrays_;
  Algebra& algebra_;
  std::vector<FlatAccess> accesses_;
  std::vector<Value> inputs_;
  size_t components_;
  std::vector<Value> fresh_;
};

[[noreturn]] void clash(const Program& p, const BufferView& view, const Affine& address,
                        std::span<const int64_t> point) {
  std::vector<std::string> texts;
  for (size_t d = 0; d < point.size(); ++d) {
    texts.push_back(fmt::format("{} = {}", p.dimensions[d].symbol.name, point[d]));
  }
  user_error(
      "E233", view.where,
      fmt::format("element {} of output '{}' is written with different values, the second "
                  "time at {}",
                  address.at(point), view.symbol.name, join(texts, ", ")),
      "an output index function must not map two points with different results to one element");
}

}  // namespace

scalar::ScalarAlgebra algebra_of(const Program& p, scalar::Precision precision) {
  return {scalar_function(p), combine_function(p), precision};
}

std::vector<Array> evaluate(const Program& p, const std::vector<Array>& inputs, Algebra& algebra) {
  check_inputs(p, inputs);
  const std::vector<int64_t> origin(p.dimensions.size(), 0);
  return out_view(p, {full_sets(result_sizes(p)), static_cast<int>(components(p.outputs).size()),
                      Folder(p, inputs, algebra).run(origin, sizes(p))});
}

std::vector<Array> evaluate(const Program& p, const std::vector<Array>& inputs) {
  scalar::ScalarAlgebra algebra = algebra_of(p);
  return evaluate(p, inputs, algebra);
}

std::vector<Value> evaluate_at(const Program& p, const std::vector<Array>& inputs, Algebra& algebra,
                               std::span<const int64_t> result_point) {
  const std::vector<int64_t> origin(result_point.begin(), result_point.end());
  std::vector<int64_t> counts = sizes(p);
  for (size_t d = 0; d < counts.size(); ++d) {
    if (!is_reduced(p.dimensions[d])) counts[d] = 1;
  }
  return Folder(p, inputs, algebra).run(origin, counts);
}

Mda inp_view(const Program& p, const std::vector<Array>& inputs) {
  check_inputs(p, inputs);
  const std::vector<FlatAccess> accesses = flattened(p, p.inputs);
  return make_mda(full_sets(sizes(p)), static_cast<int>(accesses.size()),
                  [&](auto point, auto cells) {
                    for (size_t a = 0; a < accesses.size(); ++a) {
                      cells[a] = inputs[accesses[a].buffer].cells[accesses[a].address.at(point)];
                    }
                  });
}

Mda singleton(const Program& p, Algebra& algebra, std::span<const Value> inputs,
              std::span<const int64_t> point) {
  std::vector<std::vector<int64_t>> sets;
  for (size_t d = 0; d < point.size(); ++d) {
    sets.push_back({is_reduced(p.dimensions[d]) ? 0 : point[d]});
  }
  return make_mda(std::move(sets), static_cast<int>(components(p.outputs).size()),
                  [&](auto, auto cells) { algebra.f(inputs, point, cells); });
}

Mda combined(const Program& p, Algebra& algebra, int d, const Mda& left, const Mda& right) {
  return is_reduced(p.dimensions[d]) ? combined(left, right, algebra)
                                     : concatenated(left, right, d);
}

Mda md_hom(const Program& p, Algebra& algebra, const Mda& input) {
  std::vector<int64_t> point(input.sets.size());
  const std::function<Mda(size_t)> fold = [&](size_t d) {
    if (d == point.size()) return singleton(p, algebra, cells_at(input, point), point);
    std::optional<Mda> result;
    for (const int64_t i : input.sets[d]) {
      point[d] = i;
      Mda next = fold(d + 1);
      result = result ? combined(p, algebra, static_cast<int>(d), *result, next) : std::move(next);
    }
    internal_check(result.has_value(), "md_hom of an empty MDA has no value");
    return *result;
  };
  return fold(0);
}

std::vector<Array> out_view(const Program& p, const Mda& result) {
  std::vector<Array> outputs;
  for (const BufferView& view : p.outputs) {
    outputs.push_back(Array::undefined(scalar_of(view.type), extents(p, view)));
  }
  const std::vector<FlatAccess> accesses = flattened(p, p.outputs);
  make_mda(result.sets, 0, [&](auto point, auto) {
    const auto values = cells_at(result, point);
    for (size_t c = 0; c < accesses.size(); ++c) {
      Array& array = outputs[accesses[c].buffer];
      const int64_t at = accesses[c].address.at(point);
      const bool clashes = array.defined[at] != 0 && array.cells[at] != values[c];
      if (clashes) clash(p, p.outputs[accesses[c].buffer], accesses[c].address, point);
      array.cells[at] = values[c];
      array.defined[at] = 1;
    }
  });
  return outputs;
}

}  // namespace mdh::hl
