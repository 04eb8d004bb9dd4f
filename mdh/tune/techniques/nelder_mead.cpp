// Nelder and Mead's simplex on the coordinates: reflect the worst corner, expand, contract, shrink.
#include <algorithm>
#include <cmath>

#include "mdh/tune/techniques/strategy.h"

namespace mdh::tune {

namespace {

constexpr double smallest = 0.02;  // the simplex begins elsewhere when it is smaller than this

class NelderMead : public Strategy {
 public:
  explicit NelderMead(const SearchDomain& domain) : domain_(domain) {}

  std::optional<Proposal> propose(Random& random) override {
    if (step_ == Step::fill) return fill(random);
    if (is_waiting_) return std::nullopt;
    is_waiting_ = true;
    switch (step_) {
      case Step::fill:
        break;
      case Step::reflect:
        return asked(along(1));
      case Step::expand:
        return asked(along(2));
      case Step::contract:
        return asked(along(-0.5));
    }
    return std::nullopt;
  }

  void observe(size_t ticket, double cost) override {
    if (ticket < begin_) return;
    is_waiting_ = false;
    const Corner corner{places_[ticket], cost};
    switch (step_) {
      case Step::fill:
        simplex_.push_back(corner);
        if (simplex_.size() > wanted_) start();
        return;
      case Step::reflect:
        return reflected(corner);
      case Step::expand:
        return replace(std::min(corner, reflected_));
      case Step::contract:
        if (corner < simplex_.back()) return replace(corner);
        return shrink();
    }
  }

 private:
  enum class Step { fill, reflect, expand, contract };
  struct Corner {
    std::vector<double> place;
    double cost;
    friend bool operator<(const Corner& a, const Corner& b) { return a.cost < b.cost; }
  };

  // A random corner and, one for each coordinate, those at some distance of it.
  std::optional<Proposal> fill(Random& random) {
    if (corners_.empty()) {
      corners_.push_back(domain_.coordinates(domain_.sample(random)));
      wanted_ = corners_.front().size();
      for (size_t n = 0; n < wanted_; ++n) {
        std::vector<double> place = corners_.front();
        place[n] += place[n] > 0.5 ? -0.35 : 0.35;
        corners_.push_back(std::move(place));
      }
      random.shuffle(corners_);
    }
    if (next_corner_ == corners_.size()) return std::nullopt;
    return asked(corners_[next_corner_++]);
  }

  void start() {
    std::sort(simplex_.begin(), simplex_.end());
    const double size = distance(simplex_.front().place, simplex_.back().place);
    step_ = size < smallest ? Step::fill : Step::reflect;
    if (step_ == Step::fill) {
      simplex_.clear();
      corners_.clear();
      next_corner_ = 0;
    }
    begin_ = places_.size();
  }

  void reflected(const Corner& corner) {
    reflected_ = corner;
    if (corner < simplex_.front()) {
      step_ = Step::expand;
    } else if (corner < simplex_[simplex_.size() - 2 + (simplex_.size() < 2 ? 1 : 0)]) {
      replace(corner);
    } else {
      step_ = Step::contract;
    }
  }

  void replace(const Corner& corner) {
    simplex_.back() = corner;
    start();
  }

  // All corners half way to the best are measured anew.
  void shrink() {
    corners_.clear();
    for (const Corner& corner : simplex_) {
      std::vector<double> place = corner.place;
      for (size_t n = 0; n < place.size(); ++n) {
        place[n] = (place[n] + simplex_.front().place[n]) / 2;
      }
      corners_.push_back(std::move(place));
    }
    const double size = distance(corners_.front(), corners_.back());
    simplex_.clear();
    if (size < smallest) corners_.clear();
    next_corner_ = 0;
    step_ = Step::fill;
    begin_ = places_.size();
  }

  std::vector<double> along(double factor) const {
    const std::vector<double>& worst = simplex_.back().place;
    std::vector<double> place(worst.size());
    for (size_t n = 0; n < place.size(); ++n) {
      double centre = 0;
      for (size_t k = 0; k + 1 < simplex_.size(); ++k) centre += simplex_[k].place[n];
      centre /= static_cast<double>(std::max<size_t>(1, simplex_.size() - 1));
      place[n] = std::clamp(centre + factor * (centre - worst[n]), 0.0, 1.0);
    }
    return place;
  }

  static double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (size_t n = 0; n < a.size(); ++n) most = std::max(most, std::abs(a[n] - b[n]));
    return most;
  }

  Proposal asked(std::vector<double> place) {
    Point point = domain_.nearest(place);
    places_.push_back(std::move(place));
    return {std::move(point), places_.size() - 1};
  }

  const SearchDomain& domain_;
  Step step_ = Step::fill;
  std::vector<std::vector<double>> places_, corners_;
  size_t next_corner_ = 0, wanted_ = 0, begin_ = 0;
  std::vector<Corner> simplex_;  // the best first
  Corner reflected_;
  bool is_waiting_ = false;
};

}  // namespace

std::unique_ptr<Strategy> nelder_mead(const SearchDomain& domain) {
  return std::make_unique<NelderMead>(domain);
}

}  // namespace mdh::tune
