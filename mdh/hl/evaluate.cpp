#include "mdh/hl/evaluate.h"

#include <numeric>
#include <optional>

#include "mdh/hl/address.h"
#include "mdh/hl/custom_operator.h"
#include "mdh/support/text.h"

namespace mdh::hl {
namespace {

using scalar::Algebra;

std::string text_of(const Extents& extents) {
  std::vector<std::string> texts;
  for (const int64_t n : extents) texts.push_back(std::to_string(n));
  return "[" + join(texts, ", ") + "]";
}

/// An access: where its elements are, and where its leaves stand in the tuple of all accesses.
struct PlacedAccess {
  Component component;
  Address address;
};

std::vector<PlacedAccess> placed(const Program& p, const std::vector<BufferView>& views) {
  std::vector<PlacedAccess> all;
  for (const Component& c : components(views)) {
    const BufferView& view = views[c.buffer];
    all.push_back({c, Address(p, view, view.accesses[c.access])});
  }
  return all;
}

void gather(const std::vector<PlacedAccess>& accesses, const std::vector<Array>& arrays,
            std::span<const int64_t> point, std::span<Value> leaves) {
  for (const PlacedAccess& access : accesses) {
    const Component& c = access.component;
    const Value* from = &arrays[c.buffer].cells[access.address(point) * c.width];
    std::copy(from, from + c.width, leaves.begin() + c.leaf);
  }
}

std::vector<std::vector<int64_t>> full_sets(const std::vector<int64_t>& counts) {
  std::vector<std::vector<int64_t>> sets;
  for (const int64_t n : counts) {
    sets.emplace_back(static_cast<size_t>(n));
    std::iota(sets.back().begin(), sets.back().end(), int64_t{0});
  }
  return sets;
}

/// The contiguous case of md_hom: folds the points of [0, counts) + origin, in row-major order,
/// into one result per point of the dimensions that are kept.
class Folder {
 public:
  Folder(const Program& p, const std::vector<Array>& inputs, Algebra& algebra,
         const Progress& progress)
      : arrays_(inputs),
        algebra_(algebra),
        progress_(progress),
        accesses_(placed(p, p.inputs)),
        inputs_(static_cast<size_t>(leaf_count(p.inputs))),
        width_(static_cast<size_t>(leaf_count(p.outputs))),
        fresh_(width_) {}

  std::vector<Value> run(const std::vector<int64_t>& origin, const std::vector<int64_t>& counts,
                         const std::vector<bool>& kept) {
    origin_ = origin;
    counts_ = counts;
    strides_.assign(counts.size(), 0);
    int64_t results = 1;
    for (size_t d = counts.size(); d-- > 0;) {
      if (!kept[d]) continue;
      strides_[d] = results;
      results *= counts[d];
    }
    cells_.assign(static_cast<size_t>(results) * width_, {});
    written_.assign(static_cast<size_t>(results), 0);
    point_ = origin;
    addresses_.clear();
    for (const PlacedAccess& access : accesses_) {
      addresses_.push_back(access.address.is_flat() ? access.address(point_) : 0);
    }
    walk(0, 0);
    return std::move(cells_);
  }

 private:
  void walk(size_t d, int64_t target) {
    if (d == counts_.size()) return contribute(target);
    for (int64_t n = 0; n < counts_[d]; ++n) {
      point_[d] = origin_[d] + n;
      walk(d + 1, target + n * strides_[d]);
      advance(d, 1);
    }
    advance(d, -counts_[d]);
  }

  /// Keeps the addresses of affine accesses up to date instead of computing them at every point.
  void advance(size_t d, int64_t steps) {
    for (size_t a = 0; a < accesses_.size(); ++a) {
      if (accesses_[a].address.is_flat()) addresses_[a] += accesses_[a].address.stride(d) * steps;
    }
  }

  void contribute(int64_t target) {
    for (size_t a = 0; a < accesses_.size(); ++a) {
      const Component& c = accesses_[a].component;
      const Address& address = accesses_[a].address;
      const int64_t at = address.is_flat() ? addresses_[a] : address(point_);
      const Value* from = &arrays_[c.buffer].cells[at * c.width];
      std::copy(from, from + c.width, inputs_.begin() + c.leaf);
    }
    const std::span<Value> cell(cells_.data() + target * static_cast<int64_t>(width_), width_);
    if (written_[target] == 0) {
      algebra_.f(inputs_, point_, cell);
      written_[target] = 1;
    } else {
      algebra_.f(inputs_, point_, fresh_);
      algebra_.combine(cell, fresh_, cell);
    }
    constexpr int64_t report_every = int64_t{1} << 12;
    if (++done_ % report_every == 0 && progress_) {
      progress_(static_cast<double>(done_) / static_cast<double>(scalar::volume(counts_)));
    }
  }

  const std::vector<Array>& arrays_;
  Algebra& algebra_;
  const Progress& progress_;
  std::vector<PlacedAccess> accesses_;
  std::vector<Value> inputs_;
  size_t width_;
  std::vector<Value> fresh_;
  std::vector<int64_t> origin_, counts_, strides_, point_, addresses_;
  std::vector<Value> cells_;
  std::vector<uint8_t> written_;
  int64_t done_ = 0;
};

/// Inclusive scan along one dimension, in place. Because all scans and reductions share one
/// associative and commutative ⊕, they may be carried out one after the other.
void scan_along(size_t d, const std::vector<int64_t>& sizes, size_t width, Algebra& algebra,
                std::vector<Value>& cells) {
  int64_t inner = static_cast<int64_t>(width);
  for (size_t e = d + 1; e < sizes.size(); ++e) inner *= sizes[e];
  const auto total = static_cast<int64_t>(cells.size());
  const auto step = static_cast<int64_t>(width);
  for (int64_t at = 0; at < total; at += step) {
    if (at / inner % sizes[d] == 0) continue;
    const std::span<Value> here(&cells[at], width), before(&cells[at - inner], width);
    algebra.combine(before, here, here);
  }
}

std::optional<CustomOperator> custom_operator(const Program& p, int d) {
  const CombineOperator& op = p.dimensions[d].combine;
  if (op.shape != Shape::custom) return std::nullopt;
  return CustomOperator(p, definition_of(p, op));
}

Mda combined(const Program& p, Algebra& algebra, int d, const Mda& left, const Mda& right,
             const std::optional<CustomOperator>& custom) {
  switch (p.dimensions[d].combine.shape) {
    case Shape::concatenate:
      return concatenated(left, right, d);
    case Shape::pointwise:
      return combined(left, right, algebra);
    case Shape::scan:
      return scanned(left, right, d, algebra);
    case Shape::custom:
      return (*custom)(left, right, d, algebra);
  }
  return left;
}

[[noreturn]] void clash(const Program& p, const BufferView& view, int64_t element,
                        std::span<const int64_t> point) {
  user_error(
      "E233", view.where,
      fmt::format("element {} of output '{}' is written with different values, the second "
                  "time at {}",
                  element, view.symbol.name, point_text(p, point)),
      "an output index function must not map two points with different results to one element");
}

}  // namespace

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
    if (inputs[b].type != view.type) {
      user_error("E232", {},
                 fmt::format("buffer '{}' must have type {}, got {}", view.symbol.name,
                             to_string(view.type), to_string(inputs[b].type)));
    }
  }
}

scalar::ScalarAlgebra algebra_of(const Program& p, scalar::Precision precision) {
  return {scalar_function(p), combine_function(p), precision};
}

std::vector<Array> evaluate(const Program& p, const std::vector<Array>& inputs, Algebra& algebra,
                            const Progress& progress) {
  check_inputs(p, inputs);
  if (has_custom_operator(p)) return out_view(p, md_hom(p, algebra, inp_view(p, inputs)));
  const std::vector<int64_t> origin(p.dimensions.size(), 0), counts = result_sizes(p);
  std::vector<bool> kept;
  for (const Dimension& d : p.dimensions) kept.push_back(!is_reduced(d));
  std::vector<Value> cells = Folder(p, inputs, algebra, progress).run(origin, sizes(p), kept);
  const int width = leaf_count(p.outputs);
  for (size_t d = 0; d < counts.size(); ++d) {
    if (p.dimensions[d].combine.shape != Shape::scan) continue;
    scan_along(d, counts, static_cast<size_t>(width), algebra, cells);
  }
  return out_view(p, {full_sets(counts), width, std::move(cells)});
}

std::vector<Array> evaluate(const Program& p, const std::vector<Array>& inputs) {
  scalar::ScalarAlgebra algebra = algebra_of(p);
  return evaluate(p, inputs, algebra);
}

std::vector<Value> evaluate_at(const Program& p, const std::vector<Array>& inputs, Algebra& algebra,
                               std::span<const int64_t> result_point) {
  internal_check(!has_custom_operator(p), "custom operators have no single elements");
  std::vector<int64_t> origin(result_point.begin(), result_point.end()), counts = sizes(p);
  for (size_t d = 0; d < counts.size(); ++d) {
    const Shape shape = p.dimensions[d].combine.shape;
    if (shape == Shape::concatenate) counts[d] = 1;
    // An element of a scan is the reduction of everything up to it.
    if (shape == Shape::scan) counts[d] = origin[d] + 1;
    if (shape != Shape::concatenate) origin[d] = 0;
  }
  const std::vector<bool> none(counts.size(), false);
  return Folder(p, inputs, algebra, {}).run(origin, counts, none);
}

Mda inp_view(const Program& p, const std::vector<Array>& inputs) {
  check_inputs(p, inputs);
  const std::vector<PlacedAccess> accesses = placed(p, p.inputs);
  return make_mda(full_sets(sizes(p)), leaf_count(p.inputs),
                  [&](auto point, auto cells) { gather(accesses, inputs, point, cells); });
}

Mda singleton(const Program& p, Algebra& algebra, std::span<const Value> inputs,
              std::span<const int64_t> point) {
  std::vector<std::vector<int64_t>> sets;
  for (size_t d = 0; d < point.size(); ++d) {
    sets.push_back({is_reduced(p.dimensions[d]) ? 0 : point[d]});
  }
  return make_mda(std::move(sets), leaf_count(p.outputs),
                  [&](auto, auto cells) { algebra.f(inputs, point, cells); });
}

Mda combined(const Program& p, Algebra& algebra, int d, const Mda& left, const Mda& right) {
  return combined(p, algebra, d, left, right, custom_operator(p, d));
}

Mda md_hom(const Program& p, Algebra& algebra, const Mda& input) {
  std::vector<int64_t> point(input.sets.size());
  std::vector<std::optional<CustomOperator>> custom;
  for (size_t d = 0; d < point.size(); ++d) {
    custom.push_back(custom_operator(p, static_cast<int>(d)));
  }
  const std::function<Mda(size_t)> fold = [&](size_t d) {
    if (d == point.size()) return singleton(p, algebra, cells_at(input, point), point);
    std::optional<Mda> result;
    for (const int64_t i : input.sets[d]) {
      point[d] = i;
      Mda next = fold(d + 1);
      result = result ? combined(p, algebra, static_cast<int>(d), *result, next, custom[d])
                      : std::move(next);
    }
    internal_check(result.has_value(), "md_hom of an empty MDA has no value");
    return *result;
  };
  return fold(0);
}

std::vector<Array> out_view(const Program& p, const Mda& result) {
  std::vector<Array> outputs;
  for (const BufferView& view : p.outputs) {
    outputs.push_back(Array::undefined(view.type, extents(p, view)));
  }
  const std::vector<PlacedAccess> accesses = placed(p, p.outputs);
  make_mda(result.sets, 0, [&](auto point, auto) {
    const auto values = cells_at(result, point);
    for (const PlacedAccess& access : accesses) {
      const Component& c = access.component;
      Array& array = outputs[c.buffer];
      const int64_t at = access.address(point);
      Value* cells = &array.cells[at * c.width];
      const bool same = std::equal(cells, cells + c.width, values.begin() + c.leaf);
      if (array.defined[at] != 0 && !same) clash(p, p.outputs[c.buffer], at, point);
      std::copy_n(values.begin() + c.leaf, c.width, cells);
      array.defined[at] = 1;
    }
  });
  return outputs;
}

}  // namespace mdh::hl
