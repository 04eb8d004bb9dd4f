#include "mdh/runtime/opencl/memory.h"

#include <algorithm>

#include "mdh/runtime/opencl/handles.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::opencl {
namespace {

constexpr int64_t least_bytes = 64;

void check_number(std::span<void* const> buffers, const std::vector<kernel::Argument>& arguments) {
  internal_check(buffers.size() == arguments.size(), "{} buffers for {} arguments", buffers.size(),
                 arguments.size());
}

/// Copies block: afterwards the host's memory may go away.
void write(const Context::Handles& on, cl_mem to, const void* from, int64_t bytes) {
  if (bytes == 0) return;
  check(on.api.enqueue_write_buffer(on.queue.get(), to, CL_TRUE, 0, static_cast<size_t>(bytes),
                                    from, 0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
}

void read(const Context::Handles& on, cl_mem from, void* to, int64_t bytes) {
  if (bytes == 0) return;
  check(on.api.enqueue_read_buffer(on.queue.get(), from, CL_TRUE, 0, static_cast<size_t>(bytes), to,
                                   0, nullptr, nullptr),
        "clEnqueueReadBuffer");
}

class OwnBuffer : public DeviceMemory {
 public:
  OwnBuffer(Context context, int64_t bytes, const std::string& what)
      : DeviceMemory(bytes),
        context_(std::move(context)),
        buffer_(opencl::allocate(context_.handles(), bytes, what)) {}

  void* handle() const override { return buffer_.get(); }
  void upload(const void* from) const override {
    write(context_.handles(), buffer_.get(), from, bytes());
  }
  void download(void* to) const override { read(context_.handles(), buffer_.get(), to, bytes()); }

 private:
  Context context_;
  Owned<cl_mem> buffer_;
};

}  // namespace

std::shared_ptr<const DeviceMemory> allocate(const Context& context, int64_t bytes,
                                             const std::string& what) {
  return std::make_shared<OwnBuffer>(context, bytes, what);
}

Owned<cl_mem> allocate(const Context::Handles& on, int64_t bytes, const std::string& what) {
  if (bytes > on.device.max_allocation_bytes) {
    missing("E616",
            fmt::format("{} has {} bytes; a buffer of {} ({}) has at most {}", what, bytes,
                        on.device.name, on.device.platform, on.device.max_allocation_bytes),
            "use a smaller size, or another device");
  }
  cl_int status = CL_SUCCESS;
  cl_mem memory =
      on.api.create_buffer(on.context.get(), CL_MEM_READ_WRITE,
                           static_cast<size_t>(std::max(bytes, least_bytes)), nullptr, &status);
  return owned(memory, on.api.release_mem_object, status, "clCreateBuffer");
}

Memory::Memory(Context context, std::vector<kernel::Argument> arguments)
    : context_(std::move(context)), arguments_(std::move(arguments)) {
  auto buffers = std::make_shared<Buffers>();
  for (const kernel::Argument& argument : arguments_) {
    buffers->all.push_back(allocate(context_.handles(), argument.bytes(),
                                    fmt::format("the buffer '{}'", argument.name)));
  }
  buffers_ = std::move(buffers);
}

void Memory::upload(std::span<void* const> buffers) const {
  check_number(buffers, arguments_);
  const Context::Handles& on = context_.handles();
  for (size_t n = 0; n < buffers.size(); ++n) {
    write(on, buffers_->all[n].get(), buffers[n], arguments_[n].bytes());
  }
}

void Memory::download(std::span<void* const> buffers) const {
  check_number(buffers, arguments_);
  const Context::Handles& on = context_.handles();
  for (size_t n = 0; n < buffers.size(); ++n) {
    if (!arguments_[n].is_output) continue;
    read(on, buffers_->all[n].get(), buffers[n], arguments_[n].bytes());
  }
}

}  // namespace mdh::runtime::opencl
