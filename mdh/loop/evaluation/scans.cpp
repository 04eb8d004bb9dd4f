#include "mdh/loop/evaluation/scans.h"

#include <algorithm>

namespace mdh::loop {

/// Parts [0, p) and p become one scan: every element is preceded by the last one of the other side
/// before it. Descending, because elements need what others were before.
void ScanInterpretation::joined(const ScanStep& s) {
  const int64_t part = index_.at(s.shape.digit.name);
  if (part == 0) return;
  over(s.shape.lines, 0, [&] {
    for (int64_t c = parts_of(s.shape.coarse); c-- > 0;) {
      const auto last_before = [&](int64_t coarse, int64_t n) {
        return at(s.shape, coarse, n, parts_of(s.shape.fine) - 1, s.elements);
      };
      join(s, c, part, [&] { return last_before(c, part - 1); });
      if (c == 0) continue;
      for (int64_t n = 0; n < part; ++n) join(s, c, n, [&] { return last_before(c - 1, part); });
    }
  });
  clear(s.shape, part);
}

void ScanInterpretation::joined(const ScanFix& s) {
  const Digit& digit = find_digit(program_, s.shape.digit);
  Totals totals;
  over(s.shape.lines, 0, [&] {
    totals.clear();
    const int64_t last = parts_of(s.shape.fine) - 1, rows = parts_of(s.shape.coarse);
    for (int64_t c = 0; c < rows; ++c) {
      for (int64_t n = 0; n < digit.parts; ++n) {
        if (holds(s.shape, c, n, last)) totals[{c, n}] = at(s.shape, c, n, last, s.elements);
      }
    }
    for (int64_t c = 0; c < rows; ++c) {
      for (int64_t n = 0; n < digit.parts; ++n) fix(s, c, n, digit.parts, totals);
    }
  });
  clear(s.shape, std::nullopt);
}

int64_t ScanInterpretation::parts_of(const std::vector<Symbol>& digits) const {
  int64_t product = 1;
  for (const Symbol& digit : digits) product *= find_digit(program_, digit).parts;
  return product;
}

void ScanInterpretation::set_digits(const std::vector<Symbol>& digits, int64_t n) {
  for (auto d = digits.rbegin(); d != digits.rend(); ++d) {
    const int64_t parts = find_digit(program_, *d).parts;
    index_[d->name] = n % parts;
    n /= parts;
  }
}

void ScanInterpretation::place(const ScanShape& shape, int64_t coarse, int64_t n, int64_t fine) {
  set_digits(shape.coarse, coarse);
  set_digits(shape.fine, fine);
  index_[shape.digit.name] = n;
}

bool ScanInterpretation::holds(const ScanShape& shape, int64_t coarse, int64_t n, int64_t fine) {
  place(shape, coarse, n, fine);
  const Digit& digit = find_digit(program_, shape.digit);
  int64_t index = 0;
  for (const Digit& d : program_.digits) {
    const bool fixed = std::any_of(enclosing_.begin(), enclosing_.end(),
                                   [&](const Digit* e) { return e->var == d.var; });
    const auto in = [&](const std::vector<Symbol>& digits) {
      return std::find(digits.begin(), digits.end(), d.var) != digits.end();
    };
    if (d.dimension != digit.dimension) continue;
    if (fixed || d.var == shape.digit || in(shape.coarse) || in(shape.fine)) {
      index += index_.at(d.var.name) * d.step;
    }
  }
  return index < program_.dimensions[digit.dimension].size;
}

Leaves ScanInterpretation::at(const ScanShape& shape, int64_t coarse, int64_t n, int64_t fine,
                              const std::vector<Element>& elements) {
  place(shape, coarse, n, fine);
  return load(elements);
}

/// before() ⊕ every element of a part in a coarse row.
void ScanInterpretation::join(const ScanStep& s, int64_t coarse, int64_t n,
                              const std::function<Leaves()>& before) {
  for (int64_t f = parts_of(s.shape.fine); f-- > 0;) {
    if (!holds(s.shape, coarse, n, f)) continue;
    const Leaves left = before();
    prepend(s.shape, coarse, n, f, s.elements, left);
  }
}

void ScanInterpretation::prepend(const ScanShape& shape, int64_t coarse, int64_t n, int64_t fine,
                                 const std::vector<Element>& elements, const Leaves& left) {
  const Leaves right = at(shape, coarse, n, fine, elements);
  Leaves sum(right.size());
  algebra_.combine(left, right, sum);
  store(elements, sum);
}

void ScanInterpretation::fix(const ScanFix& s, int64_t c, int64_t n, int64_t parts,
                             const Totals& totals) {
  std::optional<Leaves> offset;
  const auto add = [&](int64_t row, int64_t member) {
    const auto found = totals.find({row, member});
    if (found == totals.end()) return;
    Leaves sum(found->second.size());
    if (offset) algebra_.combine(*offset, found->second, sum);
    offset = offset ? sum : found->second;
  };
  for (int64_t m = 0; m < n; ++m) add(c, m);
  for (int64_t m = n + 1; m < parts && c > 0; ++m) add(c - 1, m);
  if (!offset) return;
  for (int64_t f = 0; f < parts_of(s.shape.fine); ++f) {
    if (holds(s.shape, c, n, f)) prepend(s.shape, c, n, f, s.elements, *offset);
  }
}

/// The digits inside of the loop have no value any more; the loop's own has its old one.
void ScanInterpretation::clear(const ScanShape& shape, std::optional<int64_t> part) {
  for (const auto* digits : {&shape.coarse, &shape.fine}) {
    for (const Symbol& digit : *digits) index_.erase(digit.name);
  }
  index_.erase(shape.digit.name);
  if (part) index_[shape.digit.name] = *part;
}

}  // namespace mdh::loop
