#include "mdh/search/search_space.h"

#include "mdh/passes/lower/lower.h"
#include "mdh/search/space/context.h"
#include "mdh/support/diagnostic.h"

namespace mdh::search {

using space::SpaceContext;

struct SearchSpace::Parts {
  machine::Machine machine;
  hl::Program program;
  SpaceContext context;
  tune::Space space;

  Parts(const hl::Program& p, const machine::Machine& m, SpaceOptions options)
      : machine(m),
        program(p),
        context(space::space_context(program, machine, std::move(options))),
        space(made(context)) {}

  static tune::Space made(const SpaceContext& context) {
    std::vector<tune::Parameter> parameters;
    space::add_levels(context, parameters);
    space::add_places(context, parameters);
    space::add_code(context, parameters);
    space::add_phases(context, parameters);
    space::lock(context, parameters);
    return tune::Space(std::move(parameters), {.max_nodes = 20'000});
  }
};

SearchSpace::SearchSpace(const hl::Program& program, const machine::Machine& machine,
                         SpaceOptions options)
    : parts_(std::make_unique<Parts>(program, machine, std::move(options))) {
  if (parts_->space.empty()) {
    user_error("E881", {}, "no configuration has all that is locked",
               "give fewer --lock, or other values");
  }
}

SearchSpace::~SearchSpace() = default;

const hl::Program& SearchSpace::program() const { return parts_->program; }

const tune::Space& SearchSpace::parameters() const { return parts_->space; }

ll::Config SearchSpace::config(const tune::Point& point) const {
  ll::Config config;
  config.program = parts_->program.name;
  config.machine = parts_->machine.name;
  space::decode_levels(parts_->context, point, config);
  space::decode_phases(parts_->context, point, config);
  space::decode_places(parts_->context, point, config);
  space::decode_code(parts_->context, point, config);
  return config;
}

const hl::Program& SearchSpace::fused(const tune::Point& point) const {
  return parts_->context.variant(point.label("fuse")).program;
}

bool is_valid(const hl::Program& program, const machine::Machine& machine,
              const ll::Config& config) {
  try {
    passes::lower(program, machine, config);
    return true;
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::internal) throw about(config, e);
    return false;
  }
}

bool SearchSpace::is_valid(const tune::Point& point) const {
  return search::is_valid(parts_->program, parts_->machine, config(point));
}

std::optional<tune::Point> SearchSpace::point(const ll::Config& config) const {
  space::NamedValues values;
  space::encode_levels(parts_->context, config, values);
  space::encode_places(parts_->context, config, values);
  space::encode_code(parts_->context, config, values);
  space::encode_phases(parts_->context, config, values);
  return parts_->space.point(values);
}

std::optional<tune::Point> SearchSpace::nearest_to(const ll::Config& config) const {
  if (const auto exact = point(config); exact && is_valid(*exact)) return exact;
  space::NamedValues values;
  space::encode_levels(parts_->context, config, values);
  space::encode_places(parts_->context, config, values);
  space::encode_code(parts_->context, config, values);
  space::encode_phases(parts_->context, config, values);
  const tune::Point point = parts_->space.repair(values);
  return is_valid(point) ? std::optional(point) : std::nullopt;
}

tune::Point SearchSpace::at(tune::Count index) const { return parts_->space.at(index); }

bool SearchSpace::contains(const tune::Point& point) const {
  return parts_->space.contains(point) && is_valid(point);
}

tune::Point SearchSpace::sample(Random& random) const {
  while (true) {
    const tune::Point point = parts_->space.sample(random);
    if (is_valid(point)) return point;
  }
}

std::vector<tune::Point> SearchSpace::neighbours(const tune::Point& point) const {
  std::vector<tune::Point> valid;
  for (const tune::Point& near : parts_->space.neighbours(point)) {
    if (is_valid(near)) valid.push_back(near);
  }
  return valid;
}

tune::Point SearchSpace::mutate(const tune::Point& point, Random& random) const {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const tune::Point near = parts_->space.mutate(point, random);
    if (is_valid(near)) return near;
  }
  return sample(random);
}

std::vector<double> SearchSpace::coordinates(const tune::Point& point) const {
  return parts_->space.coordinates(point);
}

tune::Point SearchSpace::nearest(std::span<const double> coordinates) const {
  const tune::Point point = parts_->space.nearest(coordinates);
  if (is_valid(point)) return point;
  Random random(1);
  return mutate(point, random);
}

std::vector<double> SearchSpace::features(const tune::Point& point) const {
  return parts_->space.features(point);
}

}  // namespace mdh::search
