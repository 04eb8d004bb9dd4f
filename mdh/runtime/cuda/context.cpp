#include "mdh/runtime/cuda/context.h"

#include <map>
#include <mutex>
#include <utility>

#include "mdh/runtime/cuda/hints.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::cuda {

std::shared_ptr<const Context> Context::of(const Device& device) {
  static std::mutex mutex;
  static std::map<std::pair<const DriverApi*, int>, std::weak_ptr<const Context>> opened;
  const DriverApi& api = driver();
  if (!device.is_there) {
    missing("E642",
            fmt::format("there is no CUDA device: {} is only named by MDH_CUDA_ARCH, to build for",
                        to_string(device.arch)),
            how_to_get_a_driver);
  }
  const std::lock_guard<std::mutex> lock(mutex);
  auto& known = opened[{&api, device.ordinal}];
  std::shared_ptr<const Context> context = known.lock();
  if (!context) known = context = std::make_shared<const Context>(api, device);
  return context;
}

Context::Context(const DriverApi& driver_api, Device of_device)
    : api(driver_api), device(std::move(of_device)) {
  check(api.device_get(&id_, device.ordinal), "cuDeviceGet");
  check(api.device_primary_ctx_retain(&context_, id_), "cuDevicePrimaryCtxRetain");
  try {
    const Current here(*this);
    // It does not wait for what others put into the default stream, nor do they wait for it.
    check(api.stream_create(&stream_, stream_non_blocking), "cuStreamCreate");
  } catch (...) {
    api.device_primary_ctx_release(id_);
    throw;
  }
}

/// Failures say nothing new here: a context that is lost frees nothing.
Context::~Context() {
  CuContext ignored = nullptr;
  if (api.ctx_push_current(context_) == success) {
    api.stream_destroy(stream_);
    api.ctx_pop_current(&ignored);
  }
  api.device_primary_ctx_release(id_);
}

void Context::check(CuResult status, const char* call) const {
  if (breaks_context(status)) is_lost_ = true;
  cuda::check(status, call);
}

Current::Current(const Context& context) : api_(context.api) {
  context.check(api_.ctx_push_current(context.handle()), "cuCtxPushCurrent");
}

Current::~Current() {
  CuContext ignored = nullptr;
  api_.ctx_pop_current(&ignored);
}

}  // namespace mdh::runtime::cuda
