// Eigen as its users write it. Products run on all threads, the rest of Eigen on one; many small
// products run side by side.
#include <omp.h>
#include <stdio.h>

#include <Eigen/Core>

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXf;

#include "sizes.h"

static auto matrix(void* data, long rows, long columns) {
  return Eigen::Map<Matrix>(static_cast<float*>(data), rows, columns);
}

static auto vector(void* data, long size) {
  return Eigen::Map<Vector>(static_cast<float*>(data), size);
}

extern "C" const char* open_peer(long threads) {
  Eigen::setNbThreads(threads);
  return nullptr;
}

extern "C" const char* about() {
  static char text[100];
  snprintf(text, sizeof(text), "Eigen %d.%d.%d, %s", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
           EIGEN_MINOR_VERSION, Eigen::SimdInstructionSetsInUse());
  return text;
}

extern "C" void run(void** buffers, char*, long threads) {
#if defined(PROGRAM_DOT)
  *static_cast<float*>(buffers[0]) = vector(buffers[1], K).dot(vector(buffers[2], K));
#elif defined(PROGRAM_MATVEC)
  vector(buffers[0], I).noalias() = matrix(buffers[1], I, K) * vector(buffers[2], K);
#elif defined(PROGRAM_MATMUL) && I == 1
  vector(buffers[0], J).noalias() = matrix(buffers[2], K, J).transpose() * vector(buffers[1], K);
#elif defined(PROGRAM_MATMUL)
  matrix(buffers[0], I, J).noalias() = matrix(buffers[1], I, K) * matrix(buffers[2], K, J);
#elif defined(PROGRAM_MATMUL_T)
  matrix(buffers[0], J, I).noalias() = matrix(buffers[2], J, K) * matrix(buffers[1], K, I);
#elif defined(PROGRAM_BMATMUL)
#pragma omp parallel for num_threads(threads)
  for (long b = 0; b < NB; ++b) {
    const auto at = [&](int n, long size) { return static_cast<float*>(buffers[n]) + b * size; };
    matrix(at(0, I * J), I, J).noalias() = matrix(at(1, I * K), I, K) * matrix(at(2, K * J), K, J);
  }
#endif
}
