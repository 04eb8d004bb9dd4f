// Pattern search (Torczon): steps along the axes around the best place, halved when none helps.
#include <algorithm>
#include <cmath>

#include "mdh/tune/techniques/strategy.h"

namespace mdh::tune {

namespace {

constexpr double first_step = 0.5;
constexpr double last_step = 0.04;

class PatternSearch : public Strategy {
 public:
  explicit PatternSearch(const SearchDomain& domain) : domain_(domain) {}

  std::optional<Proposal> propose(Random& random) override {
    if (!has_centre_) {
      if (is_waiting_) return std::nullopt;
      is_waiting_ = true;
      return asked(domain_.coordinates(domain_.sample(random)));
    }
    if (polls_.empty()) {
      if (open_ > 0) return std::nullopt;
      if (!prepare_polls(random)) return propose(random);
    }
    ++open_;
    std::vector<double> place = std::move(polls_.back());
    polls_.pop_back();
    return asked(std::move(place));
  }

  void observe(size_t ticket, double cost) override {
    if (ticket < begin_) return;
    if (has_centre_) --open_;
    if (has_centre_ && !(cost < cost_)) return;
    if (!has_centre_ && std::isinf(cost)) {
      is_waiting_ = false;
      return;
    }
    centre_ = places_[ticket];
    cost_ = cost;
    has_centre_ = true;
    has_moved_ = true;
    is_waiting_ = false;
    begin_ = places_.size();  // what is still open belongs to the old centre
    open_ = 0;
    polls_.clear();
  }

 private:
  Proposal asked(std::vector<double> place) {
    Point point = domain_.nearest(place);
    places_.push_back(std::move(place));
    return {std::move(point), places_.size() - 1};
  }

  // False if the steps have become too small: then the search begins elsewhere.
  bool prepare_polls(Random& random) {
    if (!has_moved_) step_ /= 2;
    has_moved_ = false;
    if (step_ < last_step) {
      has_centre_ = false;
      step_ = first_step;
      begin_ = places_.size();
      return false;
    }
    for (size_t n = 0; n < centre_.size(); ++n) {
      for (double direction : {-1.0, 1.0}) {
        std::vector<double> place = centre_;
        place[n] = std::clamp(place[n] + direction * step_, 0.0, 1.0);
        if (place != centre_) polls_.push_back(std::move(place));
      }
    }
    random.shuffle(polls_);
    if (!polls_.empty()) return true;
    has_centre_ = false;
    return false;
  }

  const SearchDomain& domain_;
  std::vector<std::vector<double>> places_, polls_;
  std::vector<double> centre_;
  double cost_ = 0, step_ = first_step;
  bool has_centre_ = false, has_moved_ = true, is_waiting_ = false;
  size_t begin_ = 0, open_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> pattern_search(const SearchDomain& domain) {
  return std::make_unique<PatternSearch>(domain);
}

}  // namespace mdh::tune
