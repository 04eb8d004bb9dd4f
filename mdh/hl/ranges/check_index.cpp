#include "mdh/hl/ranges/check_index.h"

#include <algorithm>
#include <limits>

#include "mdh/hl/address.h"
#include "mdh/hl/ranges/interval.h"
#include "mdh/scalar/print.h"
#include "mdh/scalar/tape/tape.h"

namespace mdh::hl {
namespace {

using Box = std::vector<Range>;

std::vector<int64_t> lowest_point(std::span<const Range> box) {
  std::vector<int64_t> point;
  for (const Range& range : box) point.push_back(range.least);
  return point;
}

/// One index function and its errors.
class Check {
 public:
  Check(const Program& p, const CheckedIndex& what, int64_t extent,
        const std::vector<int64_t>& over, CheckBudget& budget)
      : p_(p),
        what_(what),
        extent_(extent),
        budget_(budget),
        is_affine_(find_affine(p, what.index)) {
    for (const int64_t n : over) all_.push_back({0, n - 1});
  }

  void run() {
    const auto f = IntervalFunction::of(p_, what_.index);
    if (!f) return each_point();
    // A dimension that is not mentioned has any index.
    for (size_t d = 0; d < all_.size(); ++d) {
      if (!f->mentioned()[d]) all_[d].greatest = 0;
    }
    if (is_fine(*f, all_)) return;
    corners(*f);
    halves(*f);
  }

 private:
  bool is_inside(const Interval& i) const {
    return is_affine_ || (i.least >= 0 && i.greatest < extent_);
  }

  bool is_fine(const IntervalFunction& f, std::span<const Range> box) {
    pay(f.nodes());
    const Interval i = f(box);
    return i.trouble == Trouble::none && is_inside(i);
  }

  /// Functions that grow leave their buffer in a corner, which is quicker to look at than to find.
  void corners(const IntervalFunction& f) {
    constexpr size_t most = 10;
    std::vector<size_t> wide;
    for (size_t d = 0; d < all_.size() && wide.size() < most; ++d) {
      if (all_[d].greatest > 0) wide.push_back(d);
    }
    for (size_t corner = 0; corner < size_t{1} << wide.size(); ++corner) {
      Box box(all_.size());
      for (size_t n = 0; n < wide.size(); ++n) {
        const int64_t end = (corner >> n & 1) != 0 ? all_[wide[n]].greatest : 0;
        box[wide[n]] = {end, end};
      }
      if (!is_fine(f, box)) wrong(f(box), lowest_point(box));
    }
  }

  /// Depth first, lower halves first. The stack has the boxes that are still to be shown, one range
  /// per dimension each.
  void halves(const IntervalFunction& f) {
    const size_t rank = all_.size();
    std::vector<Range> stack = all_;
    Box box(rank);
    while (!stack.empty()) {
      std::copy(stack.end() - static_cast<long>(rank), stack.end(), box.begin());
      stack.resize(stack.size() - rank);
      if (is_fine(f, box)) continue;
      Range& widest = *std::max_element(box.begin(), box.end(), [](const Range& a, const Range& b) {
        return a.greatest - a.least < b.greatest - b.least;
      });
      if (widest.least == widest.greatest) wrong(f(box), lowest_point(box));
      const Range both = widest;
      const int64_t middle = both.least + (both.greatest - both.least) / 2;
      widest = {middle + 1, both.greatest};
      stack.insert(stack.end(), box.begin(), box.end());
      widest = {both.least, middle};
      stack.insert(stack.end(), box.begin(), box.end());
    }
  }

  /// Functions with floats, loops or calls are interpreted at every point.
  void each_point() {
    scalar::Function f{"index", {}, {{scalar::local("index"), what_.index, {}}}, {}};
    for (size_t d = 0; d < all_.size(); ++d) {
      f.parameters.push_back({p_.dimensions[d].symbol, scalar::Scalar::i64});
      if (!mentions(what_.index, p_.dimensions[d].symbol)) all_[d].greatest = 0;
    }
    const scalar::Tape tape(f, scalar::Precision::declared, scalar::ByZero::is_error);
    std::vector<scalar::Value> arguments, scratch;
    for (std::vector<int64_t> point = lowest_point(all_);;) {
      arguments.clear();
      for (const int64_t i : point) arguments.push_back(scalar::Value::integer(i));
      const int64_t at = interpreted(tape, arguments, scratch, point);
      if (!is_inside({at, at})) wrong({at, at}, point);
      if (!advance(point)) return;
    }
  }

  int64_t interpreted(const scalar::Tape& tape, std::span<const scalar::Value> arguments,
                      std::vector<scalar::Value>& scratch, std::span<const int64_t> point) {
    scalar::Value value;
    try {
      constexpr int64_t most_steps = 1'000'000;
      pay(4 + tape.run(arguments, {&value, 1}, scratch, most_steps));
    } catch (const Error& error) {
      Diagnostic d = error.diagnostic();
      if (!d.where.known()) d.where = what_.index.where();
      if (d.code != "E237") d.notes.push_back("at " + point_text(p_, point));
      throw Error(d);
    }
    return value.as_integer();
  }

  /// The next point, row-major; none behind the last one.
  bool advance(std::vector<int64_t>& point) const {
    for (size_t d = point.size(); d-- > 0;) {
      if (point[d] < all_[d].greatest) {
        ++point[d];
        return true;
      }
      point[d] = 0;
    }
    return false;
  }

  void pay(int64_t work) {
    budget_.left -= work;
    if (budget_.left >= 0) return;
    unsupported("E237", what_.index.where(),
                fmt::format("{}, '{}', which could not be shown to stay inside of [0, {})", name(),
                            scalar::print(what_.index), extent_),
                fmt::format("bound it: min(max(..., 0), {}), or use smaller sizes", extent_ - 1));
  }

  [[noreturn]] void wrong(const Interval& i, std::span<const int64_t> point) const {
    const std::string at = point_text(p_, point);
    if (i.trouble == Trouble::zero_divisor) {
      user_error("E130", what_.index.where(), fmt::format("{} divides by zero at {}", name(), at),
                 "guard the divisor: if d == 0 then ... else x / d");
    }
    if (i.trouble == Trouble::overflow) {
      user_error("E236", what_.index.where(),
                 fmt::format("{} exceeds 64 bits on its way at {}", name(), at),
                 "use smaller factors; a shift is by 0 to 63");
    }
    user_error("E235", what_.index.where(),
               fmt::format("{} is {} at {}, outside of [0, {})", name(), i.least, at, extent_),
               "correct the index function, or declare a larger extent");
  }

  std::string name() const {
    return fmt::format("index {} of buffer '{}'", what_.number + 1, what_.view.symbol.name);
  }

  const Program& p_;
  const CheckedIndex& what_;
  int64_t extent_;
  CheckBudget& budget_;
  bool is_affine_;
  Box all_;
};

}  // namespace

void check_index(const Program& p, const CheckedIndex& what, int64_t extent,
                 const std::vector<int64_t>& over, CheckBudget& budget) {
  Check(p, what, extent, over, budget).run();
}

}  // namespace mdh::hl
