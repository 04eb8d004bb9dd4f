// Particle swarm: particles drawn to the best place each has seen and to the best of all.
#include <algorithm>
#include <cmath>

#include "mdh/tune/techniques/strategy.h"

namespace mdh::tune {

namespace {

constexpr size_t particles = 16;
constexpr double inertia = 0.7, pull = 1.4;

class ParticleSwarm : public Strategy {
 public:
  explicit ParticleSwarm(const SearchDomain& domain) : domain_(domain) {}

  std::optional<Proposal> propose(Random& random) override {
    const size_t turn = next_++;
    if (swarm_.size() < particles) {
      Particle particle;
      particle.place = domain_.coordinates(domain_.sample(random));
      for (size_t n = 0; n < particle.place.size(); ++n) {
        particle.speed.push_back(0.5 * (random_unit(random) - 0.5));
      }
      particle.best_place = particle.place;
      swarm_.push_back(std::move(particle));
      return asked(swarm_.size() - 1);
    }
    move(swarm_[turn % particles], random);
    return asked(turn % particles);
  }

  void observe(size_t ticket, double cost) override {
    const auto& [particle, place] = asked_[ticket];
    if (cost < swarm_[particle].best_cost) {
      swarm_[particle].best_cost = cost;
      swarm_[particle].best_place = place;
    }
    if (cost < best_cost_) {
      best_cost_ = cost;
      best_place_ = place;
    }
  }

 private:
  struct Particle {
    std::vector<double> place, speed, best_place;
    double best_cost = std::numeric_limits<double>::infinity();
  };

  void move(Particle& particle, Random& random) const {
    for (size_t n = 0; n < particle.place.size(); ++n) {
      double& place = particle.place[n];
      double& speed = particle.speed[n];
      speed *= inertia;
      speed += pull * random_unit(random) * (particle.best_place[n] - place);
      if (!best_place_.empty()) speed += pull * random_unit(random) * (best_place_[n] - place);
      speed = std::clamp(speed, -0.5, 0.5);
      place = std::clamp(place + speed, 0.0, 1.0);
    }
  }

  Proposal asked(size_t particle) {
    asked_.emplace_back(particle, swarm_[particle].place);
    return {domain_.nearest(swarm_[particle].place), asked_.size() - 1};
  }

  const SearchDomain& domain_;
  std::vector<Particle> swarm_;
  std::vector<std::pair<size_t, std::vector<double>>> asked_;
  std::vector<double> best_place_;
  double best_cost_ = std::numeric_limits<double>::infinity();
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> particle_swarm(const SearchDomain& domain) {
  return std::make_unique<ParticleSwarm>(domain);
}

}  // namespace mdh::tune
