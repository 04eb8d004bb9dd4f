#include "examples/prl/prl.h"

#include <cmath>

#include "examples/catalogue.h"
#include "examples/prl/data.h"
#include "examples/prl/program.h"

namespace mdh::examples {
namespace {

bool same(const int32_t (&a)[3], const int32_t (&b)[3]) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

bool blocked(const Patient& a, const Patient& b) {
  const bool surname = same(a.surname, b.surname), forename = same(a.forename, b.forename),
             birth_name = same(a.birth_name, b.birth_name), town = a.town == b.town,
             gender = a.gender == b.gender,
             birthday = a.day == b.day && a.month == b.month && a.year == b.year;
  const bool stages[7] = {surname && forename && birthday,
                          surname && forename && town,
                          surname && birthday && gender,
                          forename && birthday && town,
                          birth_name && forename && birthday,
                          birth_name && forename && town,
                          surname && a.year == b.year && gender && town};
  for (const bool stage : stages) {
    if (stage) return true;
  }
  return false;
}

double term(bool equal, double m, double u) {
  return equal ? std::log2(m / u) : std::log2((1 - m) / (1 - u));
}

double weight(const Patient& a, const Patient& b) {
  double w = 0;
  for (int k = 0; k < 3; ++k) w += term(a.surname[k] == b.surname[k], 0.975, a.u[k]);
  for (int k = 0; k < 3; ++k) w += term(a.forename[k] == b.forename[k], 0.975, a.u[3 + k]);
  for (int k = 0; k < 3; ++k) w += term(a.birth_name[k] == b.birth_name[k], 0.975, a.u[6 + k]);
  w += term(a.day == b.day, 0.99, a.u[9]);
  w += term(a.month == b.month, 0.99, a.u[10]);
  w += term(a.year == b.year, 0.99, a.u[11]);
  w += term(a.gender == b.gender, 0.999, a.u[12]);
  return w + term(a.town == b.town, 0.9, a.u[13]);
}

}  // namespace

Link best_partner(const Patient& a, const Patient* existing, int64_t count) {
  Link best{};
  for (int64_t j = 0; j < count; ++j) {
    const bool near = blocked(a, existing[j]);
    const double w = near ? weight(a, existing[j]) : 0;
    const int8_t status = !near || w < 15 ? 0 : w > 45 ? 2 : 1;
    // In ascending order of j a tie keeps the smaller index.
    if (j == 0 || w > best.weight) best = {static_cast<int32_t>(j), w, status};
  }
  return best;
}

namespace {

void plain_prl(const Instance& at, std::span<void* const> buffers) {
  auto* M = static_cast<Link*>(buffers[0]);
  const auto *N = static_cast<const Patient*>(buffers[1]),
             *E = static_cast<const Patient*>(buffers[2]);
  for (int64_t i = 0; i < at.sizes[0]; ++i) {
    const Link best = best_partner(N[i], E, at.sizes[1]);
    M[i].id = best.id;
    M[i].weight = best.weight;
    M[i].status = best.status;
  }
}

void plain_multi(const Instance& at, std::span<void* const> buffers) {
  auto* id = static_cast<int32_t*>(buffers[0]);
  auto* weights = static_cast<double*>(buffers[1]);
  auto* status = static_cast<int8_t*>(buffers[2]);
  const auto *N = static_cast<const Patient*>(buffers[3]),
             *E = static_cast<const Patient*>(buffers[4]);
  for (int64_t i = 0; i < at.sizes[0]; ++i) {
    const Link best = best_partner(N[i], E, at.sizes[1]);
    id[i] = best.id;
    weights[i] = best.weight;
    status[i] = best.status;
  }
}

std::vector<scalar::Array> inputs(const Instance& at, const hl::Program& p, uint64_t seed) {
  return patient_arrays(make_patients(at.sizes[0], at.sizes[1], seed), p.inputs.front().type);
}

std::map<std::string, std::vector<int64_t>> paper_sizes() {
  std::map<std::string, std::vector<int64_t>> sizes;
  for (int k = 15; k <= 20; ++k) {
    const std::string number = k == 15 ? "" : std::to_string(k - 14);
    sizes["paper" + number] = {int64_t{1} << k, int64_t{1} << k};
  }
  return sizes;
}

}  // namespace

Entry prl_entry() {
  return {.name = "prl",
          .summary = "record linkage: the best partner of every new record (reconstruction)",
          .types = {scalar::Scalar::f64},
          .sizes = paper_sizes(),
          .build = [](const Instance& at) { return prl_program(at.sizes[0], at.sizes[1]); },
          .plain = plain_prl,
          .inputs = inputs};
}

Entry prl_multi_entry() {
  return {.name = "prl_multi",
          .summary = "record linkage with three outputs and one operator on all of them",
          .types = {scalar::Scalar::f64},
          .sizes = paper_sizes(),
          .build = [](const Instance& at) { return prl_multi_program(at.sizes[0], at.sizes[1]); },
          .plain = plain_multi,
          .inputs = inputs};
}

}  // namespace mdh::examples
