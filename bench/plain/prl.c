// Record linkage: for every new record the existing one with the largest weight, of several the
// first. Only pairs that agree in one of seven stages are weighed; u holds how frequent the values
// of a new record are.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "sizes.h"

typedef struct {
  int32_t id, surname[3], forename[3], birth_name[3];
  int8_t day, month;
  int16_t year;
  int8_t gender;
  int32_t town;
  double u[14];
} Patient;

typedef struct {
  int32_t id;
  double weight;
  int8_t status;
} Link;

static bool same(const int32_t *a, const int32_t *b) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static bool is_blocked(const Patient *a, const Patient *b) {
  const bool surname = same(a->surname, b->surname), forename = same(a->forename, b->forename);
  const bool birth_name = same(a->birth_name, b->birth_name);
  const bool birthday = a->day == b->day && a->month == b->month && a->year == b->year;
  const bool town = a->town == b->town, gender = a->gender == b->gender;
  return (surname && forename && birthday) || (surname && forename && town) ||
         (surname && birthday && gender) || (forename && birthday && town) ||
         (birth_name && forename && birthday) || (birth_name && forename && town) ||
         (surname && a->year == b->year && gender && town);
}

static double term(bool equal, double m, double u) {
  return equal ? log2(m / u) : log2((1 - m) / (1 - u));
}

static double weight(const Patient *a, const Patient *b) {
  double w = 0;
  for (int k = 0; k < 3; ++k) w += term(a->surname[k] == b->surname[k], 0.975, a->u[k]);
  for (int k = 0; k < 3; ++k) w += term(a->forename[k] == b->forename[k], 0.975, a->u[3 + k]);
  for (int k = 0; k < 3; ++k) w += term(a->birth_name[k] == b->birth_name[k], 0.975, a->u[6 + k]);
  w += term(a->day == b->day, 0.99, a->u[9]);
  w += term(a->month == b->month, 0.99, a->u[10]);
  w += term(a->year == b->year, 0.99, a->u[11]);
  w += term(a->gender == b->gender, 0.999, a->u[12]);
  return w + term(a->town == b->town, 0.9, a->u[13]);
}

void run(void **buffers, char *workspace, long threads) {
  Link *restrict out = buffers[0];
  const Patient *restrict new = buffers[1], *restrict existing = buffers[2];
#pragma omp parallel for num_threads(threads)
  for (long i = 0; i < NN; ++i) {
    Link best = {0, 0, 0};
    for (long j = 0; j < NE; ++j) {
      const bool near = is_blocked(&new[i], &existing[j]);
      const double w = near ? weight(&new[i], &existing[j]) : 0;
      if (j > 0 && !(w > best.weight)) continue;
      best = (Link){j, w, !near || w < 15 ? 0 : w > 45 ? 2 : 1};
    }
    out[i].id = best.id;
    out[i].weight = best.weight;
    out[i].status = best.status;
  }
}
