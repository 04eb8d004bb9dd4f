// Plain CUDA: record linkage and the Mandelbrot set as one writes them by hand for a GPU. Which shape
// of blocks is best depends on sizes and device: there are a few, and the fastest one counts.
//
// Compiled without fused operations, because rounding decides: bench/plain has the loops in C.
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "sizes.h"

namespace {

char description[100];

#if defined(PROGRAM_MANDELBROT)

/// The steps that z = z z + c takes to leave the disc of radius 2, at most 1000; a thread per pixel.
__global__ void count_steps(int* out) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= H || j >= W) return;
  const double x = -2.5 + static_cast<double>(j) * (3.5 / static_cast<double>(W));
  const double y = -1.0 + static_cast<double>(i) * (2.0 / static_cast<double>(H));
  double u = 0, v = 0;
  int n = 0;
  while (u * u + v * v <= 4.0 && n < 1000) {
    const double next = u * u - v * v + x;
    v = 2.0 * u * v + y;
    u = next;
    ++n;
  }
  out[static_cast<int64_t>(i) * W + j] = n;
}

/// Pixels of a block. A warp ends with its slowest pixel, so that it may be better as a square.
struct Way {
  unsigned wide, high;
};

constexpr Way ways[] = {{32, 4}, {16, 8}, {8, 8}, {8, 16}};

void describe(const Way& way) {
  std::snprintf(description, sizeof(description), "blocks of %u x %u pixels", way.wide, way.high);
}

size_t bytes_for(const Way&) { return 0; }

cudaError_t prepare(char*, cudaStream_t) { return cudaSuccess; }

cudaError_t launch(const Way& way, void** buffers, char*, cudaStream_t stream) {
  const dim3 block(way.wide, way.high);
  const dim3 grid((W + way.wide - 1) / way.wide, (H + way.high - 1) / way.high);
  count_steps<<<grid, block, 0, stream>>>(static_cast<int*>(buffers[0]));
  return cudaGetLastError();
}

#elif defined(PROGRAM_PRL)

// For every new record the existing one with the largest weight, of several the first.
//
// Only pairs that agree in one of seven stages are weighed, and each stage asks for the birthday or
// the town, and for the surname or the forename. So a thread keeps four words of each of its new
// records in registers and compares them with those of existing records, which the block reads in
// tiles into shared memory. The few pairs that pass are looked at in full.

struct Patient {
  int32_t id, surname[3], forename[3], birth_name[3];
  int32_t birthday;  // day, month and year: 8, 8 and 16 bits
  int8_t gender;
  int32_t town;
  double u[14];  // how frequent the values of a new record are
};
static_assert(sizeof(Patient) == 168, "as the program lays it out");

struct Link {
  int32_t id;
  double weight;
  int8_t status;
};

/// The best existing record so far.
struct alignas(16) Best {
  double weight;
  int32_t id;
};

__device__ Best better(const Best& a, const Best& b) {
  return a.weight > b.weight || (a.weight == b.weight && a.id < b.id) ? a : b;
}

__device__ bool same(const int32_t* a, const int32_t* b) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

__device__ bool is_near(const Patient& a, const Patient& b) {
  const bool surname = same(a.surname, b.surname), forename = same(a.forename, b.forename);
  const bool birth_name = same(a.birth_name, b.birth_name), birthday = a.birthday == b.birthday;
  const bool year = a.birthday >> 16 == b.birthday >> 16;
  const bool town = a.town == b.town, gender = a.gender == b.gender;
  return (surname && forename && birthday) || (surname && forename && town) ||
         (surname && birthday && gender) || (forename && birthday && town) ||
         (birth_name && forename && birthday) || (birth_name && forename && town) ||
         (surname && year && gender && town);
}

__device__ double term(bool equal, double m, double u) {
  return equal ? log2(m / u) : log2((1 - m) / (1 - u));
}

__device__ double weight(const Patient& a, const Patient& b) {
  const int32_t differs = a.birthday ^ b.birthday;
  double w = 0;
  for (int k = 0; k < 3; ++k) w += term(a.surname[k] == b.surname[k], 0.975, a.u[k]);
  for (int k = 0; k < 3; ++k) w += term(a.forename[k] == b.forename[k], 0.975, a.u[3 + k]);
  for (int k = 0; k < 3; ++k) w += term(a.birth_name[k] == b.birth_name[k], 0.975, a.u[6 + k]);
  w += term((differs & 0xff) == 0, 0.99, a.u[9]);
  w += term((differs & 0xff00) == 0, 0.99, a.u[10]);
  w += term(differs >> 16 == 0, 0.99, a.u[11]);
  w += term(a.gender == b.gender, 0.999, a.u[12]);
  return w + term(a.town == b.town, 0.9, a.u[13]);
}

/// Rarely called: inlined for every new record of a thread, it would only cost registers.
__device__ __noinline__ void consider(const Patient* fresh, int i, const Patient* existing, int j,
                                      Best& best) {
  if (is_near(fresh[i], existing[j])) best = better({weight(fresh[i], existing[j]), j}, best);
}

/// What pairs are sorted out by.
struct alignas(16) Key {
  int32_t birthday, town, surname, forename;
};

__device__ Key key_of(const Patient& p) {
  return {p.birthday, p.town, p.surname[0], p.forename[0]};
}

__device__ bool may_be_near(const Key& a, const Key& b) {
  if (a.birthday != b.birthday && a.town != b.town) return false;
  return a.surname == b.surname || a.forename == b.forename;
}

/// Pairs that are not near weigh 0. They were left out: the first of them counts where nothing
/// weighs more.
__device__ void finish(Link& out, const Patient& fresh, const Patient* existing, Best best) {
  for (int32_t j = 0; best.weight <= 0 && j < NE; ++j) {
    if (is_near(fresh, existing[j])) continue;
    best = better(best, {0, j});
    break;
  }
  out.id = best.id;
  out.weight = best.weight;
  out.status = best.weight < 15 ? 0 : best.weight > 45 ? 2 : 1;
}

constexpr int threads = 256;                         // of a block, and records of a tile
constexpr int tiles = (NE + threads - 1) / threads;  // of existing records
constexpr int most_arrivals = NN / 32 + 1;           // blocks side by side have at least 32 records
constexpr size_t arrivals_bytes = (sizeof(unsigned) * most_arrivals + 15) / 16 * 16;

/// The best of all threads that have the same threadIdx.x, for the first one of them.
__device__ Best best_of_column(Best mine) {
  __shared__ Best all[threads];
  const int at = threadIdx.y * blockDim.x + threadIdx.x;
  __syncthreads();  // all may be in use for the record before
  all[at] = mine;
  __syncthreads();
  if (threadIdx.y > 0) return mine;
  for (int n = at + blockDim.x; n < threads; n += blockDim.x) mine = better(mine, all[n]);
  return mine;
}

/// Whether all other blocks of the same new records have stored their parts before. The counter is
/// 0 again then.
__device__ bool is_last_block(unsigned* arrivals) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    is_last = atomicInc(&arrivals[blockIdx.x], gridDim.y - 1) == gridDim.y - 1;
  }
  __syncthreads();
  __threadfence();
  return is_last;
}

/// Looks through the tiles of a block for the new records of a thread: `first`, the one `along`
/// records behind it, and so on. The tiles are dealt to the rows of the block, so that all threads
/// of a warp compare with the same existing record.
template <int along, int each>
__device__ void look_through(const Patient* fresh, int first, const Patient* existing, int tile,
                             int end, Best (&best)[each]) {
  __shared__ Key shared[threads];
  const auto record_of = [first](int r) { return min(first + r * along, NN - 1); };
  const int thread = threadIdx.y * along + threadIdx.x;
  Key keys[each];
#pragma unroll
  for (int r = 0; r < each; ++r) keys[r] = key_of(fresh[record_of(r)]);
  for (; tile < end; ++tile) {
    __syncthreads();
    shared[thread] = key_of(existing[min(tile * threads + thread, NE - 1)]);
    __syncthreads();
#pragma unroll 4
    for (int n = 0; n < along; ++n) {
      const int at = n * (threads / along) + threadIdx.y;
      const Key key = shared[at];
#pragma unroll
      for (int r = 0; r < each; ++r) {
        if (!may_be_near(keys[r], key)) continue;
        const int j = min(tile * threads + at, NE - 1);  // the last one again does no harm
        consider(fresh, record_of(r), existing, j, best[r]);
      }
    }
  }
}

/// A block has along * each new records and a slice of the existing ones. The block that is last
/// combines the slices.
template <int along, int each, int resident>
__global__ void __launch_bounds__(threads, resident)
    link_records(Link* out, const Patient* __restrict__ fresh, const Patient* __restrict__ existing,
                 unsigned* arrivals, Best* parts) {
  constexpr int records = along * each;
  const int first = blockIdx.x * records, slice = blockIdx.y, slices = gridDim.y;
  Best best[each];
  for (int r = 0; r < each; ++r) best[r] = {-INFINITY, INT32_MAX};
  look_through<along>(fresh, first + threadIdx.x, existing, tiles * slice / slices,
                      tiles * (slice + 1) / slices, best);
  for (int r = 0; r < each; ++r) {
    const Best joined = best_of_column(best[r]);
    const int i = first + r * along + threadIdx.x;
    if (threadIdx.y > 0 || i >= NN) continue;
    if (slices > 1) parts[static_cast<int64_t>(slice) * NN + i] = joined;
    if (slices == 1) finish(out[i], fresh[i], existing, joined);
  }
  if (slices == 1 || !is_last_block(arrivals)) return;
  const int thread = threadIdx.y * along + threadIdx.x;
  for (int i = first + thread; i < min(first + records, NN); i += threads) {
    Best joined = parts[i];
    for (int64_t s = 1; s < slices; ++s) joined = better(joined, parts[s * NN + i]);
    finish(out[i], fresh[i], existing, joined);
  }
}

struct Way {
  void (*kernel)(Link*, const Patient*, const Patient*, unsigned*, Best*);
  int along, each, resident;
};

template <int along, int each, int resident>
constexpr Way way_of() {
  return {link_records<along, each, resident>, along, each, resident};
}

constexpr Way ways[] = {way_of<32, 1, 4>(),  way_of<64, 1, 4>(),  way_of<64, 2, 4>(),
                        way_of<128, 2, 3>(), way_of<128, 2, 4>(), way_of<128, 4, 2>(),
                        way_of<128, 4, 4>(), way_of<256, 4, 2>(), way_of<256, 4, 4>()};

/// Eight blocks for each multiprocessor, if there are as many tiles.
dim3 grid_of(const Way& way) {
  int device = 0, multiprocessors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  const int records = way.along * way.each, blocks = (NN + records - 1) / records;
  const int wanted = (8 * multiprocessors + blocks - 1) / blocks;
  return dim3(blocks, wanted < tiles ? wanted : tiles);
}

void describe(const Way& way) {
  const dim3 grid = grid_of(way);
  std::snprintf(description, sizeof(description),
                "%u x %u blocks of %d x %d threads, %d new records each, %d blocks at a time",
                grid.x, grid.y, way.along, threads / way.along, way.each, way.resident);
}

size_t bytes_for(const Way& way) { return arrivals_bytes + sizeof(Best) * NN * grid_of(way).y; }

cudaError_t prepare(char* workspace, cudaStream_t stream) {
  return cudaMemsetAsync(workspace, 0, arrivals_bytes, stream);
}

cudaError_t launch(const Way& way, void** buffers, char* workspace, cudaStream_t stream) {
  way.kernel<<<grid_of(way), dim3(way.along, threads / way.along), 0, stream>>>(
      static_cast<Link*>(buffers[0]), static_cast<const Patient*>(buffers[1]),
      static_cast<const Patient*>(buffers[2]), reinterpret_cast<unsigned*>(workspace),
      reinterpret_cast<Best*>(workspace + arrivals_bytes));
  return cudaGetLastError();
}

#endif

constexpr long count = sizeof(ways) / sizeof(ways[0]);
long chosen = 0;

}  // namespace

extern "C" {

const char* about() {
  static char text[50];
  std::snprintf(text, sizeof(text), "CUDA %d.%d", CUDART_VERSION / 1000, CUDART_VERSION / 10 % 100);
  return text;
}

long workspace_bytes() {
  size_t most = 0;
  for (const Way& way : ways) most = bytes_for(way) > most ? bytes_for(way) : most;
  return static_cast<long>(most);
}

const char* load_peer(void**, char* workspace, void* stream) {
  const cudaError_t status = prepare(workspace, static_cast<cudaStream_t>(stream));
  return status == cudaSuccess ? nullptr : cudaGetErrorString(status);
}

long count_ways() { return count; }

const char* choose_way(long n) {
  chosen = n;
  describe(ways[n]);
  return description;
}

int run(void** buffers, char* workspace, void* stream) {
  return launch(ways[chosen], buffers, workspace, static_cast<cudaStream_t>(stream));
}
}
