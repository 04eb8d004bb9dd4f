#include "mdh/runtime/cuda/memory.h"

#include <algorithm>

#include "mdh/support/diagnostic.h"

namespace mdh::runtime::cuda {
namespace {

constexpr int64_t least_bytes = 256;

CuPointer pointer_of(const void* handle) { return reinterpret_cast<CuPointer>(handle); }

class DeviceBuffer : public DeviceMemory {
 public:
  DeviceBuffer(std::shared_ptr<const Context> context, int64_t bytes)
      : DeviceMemory(bytes), context_(std::move(context)) {
    const Current here(*context_);
    context_->check(
        context_->api.mem_alloc(&pointer_, static_cast<size_t>(std::max(bytes, least_bytes))),
        "cuMemAlloc");
  }

  ~DeviceBuffer() override {
    CuContext ignored = nullptr;
    if (context_->api.ctx_push_current(context_->handle()) != success) return;
    context_->api.mem_free(pointer_);
    context_->api.ctx_pop_current(&ignored);
  }

  void* handle() const override { return reinterpret_cast<void*>(pointer_); }

  /// In the stream in which kernels run, and waited for: afterwards the host's memory may go away.
  void upload(const void* from) const override {
    if (bytes() == 0) return;
    const Current here(*context_);
    context_->check(context_->api.memcpy_htod_async(pointer_, from, static_cast<size_t>(bytes()),
                                                    context_->stream()),
                    "cuMemcpyHtoDAsync");
    context_->wait();
  }

  void download(void* to) const override {
    if (bytes() == 0) return;
    const Current here(*context_);
    context_->check(context_->api.memcpy_dtoh_async(to, pointer_, static_cast<size_t>(bytes()),
                                                    context_->stream()),
                    "cuMemcpyDtoHAsync");
    context_->wait();
  }

  void download_part(int64_t offset, int64_t bytes, void* to) const override {
    if (bytes == 0) return;
    const Current here(*context_);
    context_->check(context_->api.memcpy_dtoh_async(to, pointer_ + static_cast<CuPointer>(offset),
                                                    static_cast<size_t>(bytes), context_->stream()),
                    "cuMemcpyDtoHAsync");
    context_->wait();
  }

  void fill(int byte) const override {
    if (bytes() == 0) return;
    const Current here(*context_);
    context_->check(context_->api.memset_d8_async(pointer_, static_cast<unsigned char>(byte),
                                                  static_cast<size_t>(bytes()), context_->stream()),
                    "cuMemsetD8Async");
    context_->wait();
  }

 private:
  std::shared_ptr<const Context> context_;
  CuPointer pointer_ = 0;
};

}  // namespace

std::shared_ptr<const DeviceMemory> allocate(std::shared_ptr<const Context> context, int64_t bytes,
                                             const std::string& what) {
  const Device& device = context->device;
  if (bytes > device.memory_bytes) {
    missing(
        "E616",
        fmt::format("{} has {} bytes; {} has {}", what, bytes, device.name, device.memory_bytes),
        "use a smaller size, or another device");
  }
  return std::make_shared<DeviceBuffer>(std::move(context), bytes);
}

void poison(const Context& context, const DeviceMemory& memory) {
  if (memory.bytes() == 0) return;
  const Current here(context);
  context.check(context.api.memset_d8_async(pointer_of(memory.handle()), 0xDB,
                                            static_cast<size_t>(memory.bytes()), context.stream()),
                "cuMemsetD8Async");
  context.wait();
}

void make_zero(const Context& context, void* memory, int64_t bytes, CuStream stream) {
  if (bytes == 0) return;
  context.check(
      context.api.memset_d8_async(pointer_of(memory), 0, static_cast<size_t>(bytes), stream),
      "cuMemsetD8Async");
}

}  // namespace mdh::runtime::cuda
