// Synthetic patients for record linkage: the registry's data are not public.
#pragma once

#include <cstdint>
#include <vector>

#include "mdh/scalar/array.h"

namespace mdh::examples {

/// A record of prl.mdh, as C lays it out.
struct Patient {
  int32_t id;
  int32_t surname[3], forename[3], birth_name[3];
  int8_t day, month;
  int16_t year;
  int8_t gender;
  int32_t town;
  double u[14];  // in new records: how frequent the record's own values are among the existing ones
};

struct PatientData {
  std::vector<Patient> fresh, existing;
  std::vector<int32_t> origin;  // index of the existing record a new one was copied from, or -1
  std::vector<int> edits;       // fields changed in the copy
};

/// Names with a Zipf-like distribution; of the new records 20 % are exact copies of existing ones,
/// 30 % copies with one to three changed fields, the rest unrelated.
PatientData make_patients(int64_t fresh, int64_t existing, uint64_t seed);

/// The same as input buffers of the program, N and E.
std::vector<scalar::Array> patient_arrays(const PatientData& data, const scalar::Type& patient);

}  // namespace mdh::examples
