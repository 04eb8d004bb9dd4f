// Every point, in the order of their numbers.
#include "mdh/support/diagnostic.h"
#include "mdh/tune/techniques/strategy.h"

namespace mdh::tune {

namespace {

class Exhaustive : public Technique {
 public:
  Exhaustive(const SearchDomain& domain, Count size) : domain_(domain), size_(size) {}

  std::vector<Point> ask(size_t count) override {
    std::vector<Point> points;
    for (; points.size() < count && next_ < size_; ++next_) {
      Point point = domain_.at(next_);
      if (!told_.has(point.key())) points.push_back(std::move(point));
    }
    return points;
  }

  void tell(const Point& point, const Outcome&) override { told_.add(point.key()); }

 private:
  const SearchDomain& domain_;
  Count size_, next_ = 0;
  Seen told_;
};

}  // namespace

std::unique_ptr<Technique> exhaustive(const SearchDomain& domain, const TechniqueOptions&) {
  const std::optional<Count> size = domain.size();
  if (!size) {
    unsupported("E721", {}, "exhaustive search of a space that is too large to be counted",
                "choose another technique");
  }
  return std::make_unique<Exhaustive>(domain, *size);
}

}  // namespace mdh::tune
