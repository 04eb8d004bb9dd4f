// A moment in the stream of a context, by the clock of the device.
#pragma once

#include <memory>

#include "mdh/runtime/cuda/context.h"

namespace mdh::runtime::cuda {

class Moment {
 public:
  explicit Moment(std::shared_ptr<const Context> context);
  ~Moment();
  Moment(const Moment&) = delete;
  Moment& operator=(const Moment&) = delete;

  /// Now is when all that was put into the stream before is done.
  void record() const;

  /// The same whenever a graph runs that is being captured in another stream.
  void record_in_graph(CuStream stream) const;

  double microseconds_since(const Moment& start) const;

 private:
  std::shared_ptr<const Context> context_;
  CuEvent event_ = nullptr;
};

}  // namespace mdh::runtime::cuda
