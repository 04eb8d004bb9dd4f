// How the loop evaluator joins the parts of a scanned dimension.
#pragma once

#include <optional>
#include <utility>

#include "mdh/loop/evaluation/interpretation.h"

namespace mdh::loop {

class ScanInterpretation : protected Interpretation {
 protected:
  using Interpretation::Interpretation;

  void joined(const ScanStep& s);
  void joined(const ScanFix& s);

 private:
  /// The last elements of parts, by coarse part and member.
  using Totals = std::map<std::pair<int64_t, int64_t>, Leaves>;

  int64_t parts_of(const std::vector<Symbol>& digits) const;
  void set_digits(const std::vector<Symbol>& digits, int64_t n);
  void place(const ScanShape& shape, int64_t coarse, int64_t n, int64_t fine);
  bool holds(const ScanShape& shape, int64_t coarse, int64_t n, int64_t fine);
  Leaves at(const ScanShape& shape, int64_t coarse, int64_t n, int64_t fine,
            const std::vector<Element>& elements);
  void join(const ScanStep& s, int64_t coarse, int64_t n, const std::function<Leaves()>& before);
  void prepend(const ScanShape& shape, int64_t coarse, int64_t n, int64_t fine,
               const std::vector<Element>& elements, const Leaves& left);
  void fix(const ScanFix& s, int64_t c, int64_t n, int64_t parts, const Totals& totals);
  void clear(const ScanShape& shape, std::optional<int64_t> part);
};

}  // namespace mdh::loop
