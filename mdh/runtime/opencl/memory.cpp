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

}  // namespace

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

// Copies block: afterwards the host's memory may go away.
void Memory::upload(std::span<void* const> buffers) const {
  check_number(buffers, arguments_);
  const Context::Handles& on = context_.handles();
  for (size_t n = 0; n < buffers.size(); ++n) {
    const auto bytes = static_cast<size_t>(arguments_[n].bytes());
    if (bytes == 0) continue;
    check(on.api.enqueue_write_buffer(on.queue.get(), buffers_->all[n].get(), CL_TRUE, 0, bytes,
                                      buffers[n], 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
  }
}

void Memory::download(std::span<void* const> buffers) const {
  check_number(buffers, arguments_);
  const Context::Handles& on = context_.handles();
  for (size_t n = 0; n < buffers.size(); ++n) {
    const auto bytes = static_cast<size_t>(arguments_[n].bytes());
    if (bytes == 0 || !arguments_[n].is_output) continue;
    check(on.api.enqueue_read_buffer(on.queue.get(), buffers_->all[n].get(), CL_TRUE, 0, bytes,
                                     buffers[n], 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
  }
}

}  // namespace mdh::runtime::opencl
