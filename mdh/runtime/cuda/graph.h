// A graph: commands that were captured once and are put into a stream all at once. Between two of
// them passes less time than a host needs to launch them one by one.
#pragma once

#include <functional>
#include <memory>

#include "mdh/runtime/cuda/context.h"

namespace mdh::runtime::cuda {

class Graph {
 public:
  /// What `commands` puts into the stream that it is given; none of it runs. Nothing where the
  /// driver is too old for it or refuses.
  static std::unique_ptr<const Graph> of(std::shared_ptr<const Context> context,
                                         const std::function<void(CuStream)>& commands);

  Graph(std::shared_ptr<const Context> context, CuGraphExec exec);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Into the stream of the context.
  void launch() const;

 private:
  std::shared_ptr<const Context> context_;
  CuGraphExec exec_;
};

}  // namespace mdh::runtime::cuda
