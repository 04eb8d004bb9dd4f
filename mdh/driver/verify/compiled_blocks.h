// Rows of the definition by compiled plain loops, block after block.
#pragma once

#include "mdh/driver/verify/definition.h"

namespace mdh::driver {

/// Millions of rows do not fit into caches. So every core computes a few thousand, gives them away
/// and goes on. Threads of OpenMP are not used for that: they wait for work actively, on the cores
/// that `take` needs.
class CompiledBlocks {
 public:
  struct By {
    const runtime::LoadedKernel& kernel;
    int threads;
  };
  CompiledBlocks(const hl::Program& views, const Meaning& meaning, const By& by,
                 const Points& points);

  /// What contributes lies in [begin, end) of every dimension that is reduced or scanned.
  void run(const std::vector<int64_t>& begins, const std::vector<int64_t>& ends,
           std::span<void* const> inputs, const TakeRows& take, const Share& share) const;

 private:
  struct Call;

  bool is_scanned() const;
  int64_t points_per_block() const;
  int64_t terms_per_point() const;
  void in_any_order(const Call& call) const;
  void in_order(const Call& call) const;
  void compute(const Call& call, int64_t first, int64_t count, int threads,
               scalar::Value* rows) const;

  const hl::Program& views_;
  By by_;
  const Points& points_;
  std::vector<int64_t> counts_;
  size_t width_;
};

}  // namespace mdh::driver
