// CUB: reductions, prefix sums and histograms of the whole device.
//
// A histogram counts whole numbers from -128 to 127, and each bin looks up its own one; the looking
// up is counted. Sum and product of the same numbers are found in one pass over them.
#include <cub/cub.cuh>

#include <cstdio>

#include "sizes.h"

namespace {

char description[100];

#if defined(PROGRAM_HISTO)

constexpr int lowest = -128, levels = 256;

__global__ void look_up(int* out, const int* bins, const int* counts) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < B) out[n] = counts[bins[n] - lowest];
}

cudaError_t call(void** buffers, void* temporary, size_t& bytes, int* counts, cudaStream_t stream) {
  auto* out = static_cast<int*>(buffers[0]);
  const auto *elements = static_cast<const int*>(buffers[1]),
             *bins = static_cast<const int*>(buffers[2]);
  const cudaError_t status = cub::DeviceHistogram::HistogramEven(
      temporary, bytes, elements, counts, levels + 1, lowest, lowest + levels, E, stream);
  if (temporary == nullptr || status != cudaSuccess) return status;
  look_up<<<(B + 255) / 256, 256, 0, stream>>>(out, bins, counts);
  return cudaGetLastError();
}

#elif defined(PROGRAM_SCAN)

cudaError_t call(void** buffers, void* temporary, size_t& bytes, int*, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveSum(temporary, bytes, static_cast<const float*>(buffers[1]),
                                       static_cast<float*>(buffers[0]), N, stream);
}

#elif defined(PROGRAM_REDUCE)

cudaError_t call(void** buffers, void* temporary, size_t& bytes, int*, cudaStream_t stream) {
  return cub::DeviceReduce::Sum(temporary, bytes, static_cast<const float*>(buffers[1]),
                                static_cast<float*>(buffers[0]), N, stream);
}

#elif defined(PROGRAM_REDUCE_MAX)

cudaError_t call(void** buffers, void* temporary, size_t& bytes, int*, cudaStream_t stream) {
  return cub::DeviceReduce::Max(temporary, bytes, static_cast<const float*>(buffers[1]),
                                static_cast<float*>(buffers[0]), N, stream);
}

#elif defined(PROGRAM_REDUCE2)

struct Both {
  float sum, product;
};

struct OfOne {
  __host__ __device__ Both operator()(float number) const { return {number, number}; }
};

struct Combined {
  __host__ __device__ Both operator()(const Both& a, const Both& b) const {
    return {a.sum + b.sum, a.product * b.product};
  }
};

/// Where CUB stores the result: its two numbers belong into two buffers.
struct TwoBuffers {
  float *sum, *product;

  __host__ __device__ const TwoBuffers& operator*() const { return *this; }

  __host__ __device__ const TwoBuffers& operator=(const Both& both) const {
    *sum = both.sum;
    *product = both.product;
    return *this;
  }
};

cudaError_t call(void** buffers, void* temporary, size_t& bytes, int*, cudaStream_t stream) {
  const TwoBuffers out{static_cast<float*>(buffers[0]), static_cast<float*>(buffers[1])};
  return cub::DeviceReduce::TransformReduce(temporary, bytes, static_cast<const float*>(buffers[2]),
                                            out, N, Combined(), OfOne(), Both{0, 1}, stream);
}

#endif

constexpr size_t counts_bytes = 4096;  // of a histogram, before what CUB needs

size_t temporary_bytes() {
  void* none[3] = {};
  size_t bytes = 0;
  call(none, nullptr, bytes, nullptr, nullptr);
  return bytes;
}

}  // namespace

extern "C" {

const char* open_peer(long) {
  std::snprintf(description, sizeof(description), "CUB %d.%d.%d", CUB_VERSION / 100000,
                CUB_VERSION / 100 % 1000, CUB_VERSION % 100);
  return nullptr;
}

const char* about() { return description; }

long workspace_bytes() { return static_cast<long>(counts_bytes + temporary_bytes()); }

int run(void** buffers, char* workspace, void* stream) {
  static size_t bytes = temporary_bytes();
  return call(buffers, workspace + counts_bytes, bytes, reinterpret_cast<int*>(workspace),
              static_cast<cudaStream_t>(stream));
}
}
