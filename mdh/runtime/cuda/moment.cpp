#include "mdh/runtime/cuda/moment.h"

namespace mdh::runtime::cuda {

Moment::Moment(std::shared_ptr<const Context> context) : context_(std::move(context)) {
  const Current here(*context_);
  context_->check(context_->api.event_create(&event_, event_default), "cuEventCreate");
}

Moment::~Moment() {
  CuContext ignored = nullptr;
  if (context_->api.ctx_push_current(context_->handle()) != success) return;
  context_->api.event_destroy(event_);
  context_->api.ctx_pop_current(&ignored);
}

void Moment::record() const {
  context_->check(context_->api.event_record(event_, context_->stream()), "cuEventRecord");
}

void Moment::record_in_graph(CuStream stream) const {
  context_->check(context_->api.event_record_with_flags(event_, stream, event_record_external),
                  "cuEventRecordWithFlags");
}

double Moment::microseconds_since(const Moment& start) const {
  float milliseconds = 0;
  context_->check(context_->api.event_elapsed_time(&milliseconds, start.event_, event_),
                  "cuEventElapsedTime");
  return 1000.0 * milliseconds;
}

}  // namespace mdh::runtime::cuda
