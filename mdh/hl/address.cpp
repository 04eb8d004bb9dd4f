#include "mdh/hl/address.h"

#include "mdh/support/text.h"

namespace mdh::hl {

Address::Address(const Program& p, const BufferView& view, const Access& access)
    : flat_{std::vector<int64_t>(p.dimensions.size(), 0), 0},
      extents_(extents(p, view)),
      program_(p),
      view_(view) {
  const std::vector<int64_t> over = sizes_of_accesses(p, view);
  scalar::Function f{"index", {}, {}, {}};
  for (const Dimension& d : p.dimensions) f.parameters.push_back({d.symbol, scalar::Scalar::i64});
  bool all_affine = true;
  for (size_t e = 0; e < access.index.size(); ++e) {
    f.results = {{scalar::local("index"), access.index[e], {}}};
    index_.emplace_back(f, scalar::Precision::declared, scalar::ByZero::is_error);
    const auto form = find_affine(p, access.index[e]);
    all_affine = all_affine && form;
    if (!form) continue;
    flat_.constant = flat_.constant * extents_[e] + form->constant;
    for (size_t d = 0; d < p.dimensions.size(); ++d) {
      if (over[d] == 1) continue;  // always at 0, so that its coefficient may be any number
      flat_.coefficients[d] = flat_.coefficients[d] * extents_[e] + form->coefficients[d];
    }
  }
  if (all_affine) index_.clear();
}

int64_t Address::looked_up(std::span<const int64_t> point) const {
  std::vector<scalar::Value> arguments;
  for (const int64_t i : point) arguments.push_back(scalar::Value::integer(i));
  int64_t address = 0;
  for (size_t e = 0; e < index_.size(); ++e) {
    scalar::Value index;
    index_[e].run(arguments, {&index, 1});
    const int64_t at = index.as_integer();
    if (at < 0 || at >= extents_[e]) {
      user_error("E235", view_.where,
                 fmt::format("index {} of buffer '{}' is {} at {}, outside of [0, {})", e + 1,
                             view_.symbol.name, at, point_text(program_, point), extents_[e]),
                 "correct the index function, or declare a larger extent");
    }
    address = address * extents_[e] + at;
  }
  return address;
}

std::string point_text(const Program& p, std::span<const int64_t> point) {
  std::vector<std::string> texts;
  for (size_t d = 0; d < point.size(); ++d) {
    texts.push_back(fmt::format("{} = {}", p.dimensions[d].symbol.name, point[d]));
  }
  return texts.empty() ? "the only point" : join(texts, ", ");
}

}  // namespace mdh::hl
