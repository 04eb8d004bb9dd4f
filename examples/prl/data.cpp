#include "examples/prl/data.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "mdh/support/random.h"

namespace mdh::examples {
namespace {

constexpr int32_t surnames = 100000, forenames = 5000, towns = 396;

double unit(Random& random) { return static_cast<double>(random.next() >> 11) * 0x1p-53; }

/// Rank r with a probability of about 1 / r.
int32_t zipf(int32_t count, Random& random) {
  return static_cast<int32_t>(std::pow(static_cast<double>(count), unit(random)));
}

/// One name; a second and a third one are rare, and absent ones are 0.
void draw_name(int32_t (&name)[3], int32_t count, Random& random) {
  name[0] = zipf(count, random);
  name[1] = unit(random) < 0.05 ? zipf(count, random) : 0;
  name[2] = unit(random) < 0.005 ? zipf(count, random) : 0;
}

Patient draw_patient(int32_t id, Random& random) {
  Patient p{};
  p.id = id;
  draw_name(p.surname, surnames, random);
  draw_name(p.forename, forenames, random);
  draw_name(p.birth_name, surnames, random);
  if (unit(random) < 0.7) std::copy_n(p.surname, 3, p.birth_name);
  p.day = static_cast<int8_t>(random.between(1, 31));
  p.month = static_cast<int8_t>(random.between(1, 12));
  p.year = static_cast<int16_t>(random.between(1920, 2019));
  p.gender = static_cast<int8_t>(random.between(0, 1));
  p.town = static_cast<int32_t>(random.between(1, towns));
  return p;
}

void edit(Patient& p, Random& random) {
  switch (random.between(0, 4)) {
    case 0:
      p.surname[0] = zipf(surnames, random);
      return;
    case 1:
      p.forename[0] = zipf(forenames, random);
      return;
    case 2:
      p.day = static_cast<int8_t>(random.between(1, 31));
      return;
    case 3:
      p.year = static_cast<int16_t>(random.between(1920, 2019));
      return;
    default:
      p.town = static_cast<int32_t>(random.between(1, towns));
  }
}

/// The 14 values that are compared.
std::vector<int32_t> values_of(const Patient& p) {
  std::vector<int32_t> values;
  for (const auto* name : {&p.surname, &p.forename, &p.birth_name}) {
    values.insert(values.end(), std::begin(*name), std::end(*name));
  }
  values.insert(values.end(), {p.day, p.month, p.year, p.gender, p.town});
  return values;
}

/// Relative frequencies among the existing records, clamped; a default for values they lack.
void add_frequencies(std::vector<Patient>& fresh, const std::vector<Patient>& existing) {
  constexpr double defaults[14] = {1e-4, 1e-4, 1e-4,     1e-4,     1e-4,      1e-4,    1e-4,
                                   1e-4, 1e-4, 1.0 / 31, 1.0 / 12, 1.0 / 100, 1.0 / 2, 1.0 / 396};
  std::vector<std::map<int32_t, int64_t>> counts(14);
  for (const Patient& p : existing) {
    const std::vector<int32_t> values = values_of(p);
    for (size_t n = 0; n < 14; ++n) ++counts[n][values[n]];
  }
  for (Patient& p : fresh) {
    const std::vector<int32_t> values = values_of(p);
    for (size_t n = 0; n < 14; ++n) {
      const auto found = counts[n].find(values[n]);
      const double share = found == counts[n].end() ? defaults[n]
                                                    : static_cast<double>(found->second) /
                                                          static_cast<double>(existing.size());
      p.u[n] = std::clamp(share, 0x1p-20, 0.9);
    }
  }
}

}  // namespace

PatientData make_patients(int64_t fresh, int64_t existing, uint64_t seed) {
  Random random(seed);
  PatientData data;
  for (int64_t n = 0; n < existing; ++n) {
    data.existing.push_back(draw_patient(static_cast<int32_t>(n), random));
  }
  for (int64_t n = 0; n < fresh; ++n) {
    const double kind = unit(random);
    const int64_t origin = random.between(0, existing - 1);
    const bool copied = kind < 0.5;
    Patient p = copied ? data.existing[origin] : draw_patient(0, random);
    p.id = static_cast<int32_t>(n);
    const auto edits = copied && kind >= 0.2 ? static_cast<int>(random.between(1, 3)) : 0;
    for (int e = 0; e < edits; ++e) edit(p, random);
    data.fresh.push_back(p);
    data.origin.push_back(copied ? static_cast<int32_t>(origin) : -1);
    data.edits.push_back(edits);
  }
  add_frequencies(data.fresh, data.existing);
  return data;
}

std::vector<scalar::Array> patient_arrays(const PatientData& data, const scalar::Type& patient) {
  const auto array = [&](const std::vector<Patient>& patients) {
    return scalar::copy_from_memory(patient, {static_cast<int64_t>(patients.size())},
                                    patients.data());
  };
  return {array(data.fresh), array(data.existing)};
}

}  // namespace mdh::examples
