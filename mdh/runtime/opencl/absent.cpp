// Takes the place of everything that needs the headers of OpenCL where they were not there when mdh
// was built.
#include "mdh/runtime/opencl/device.h"
#include "mdh/runtime/opencl/kernel.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::opencl {
namespace {

[[noreturn]] void absent() {
  missing("E610", "mdh was built without OpenCL",
          "apt-get install opencl-c-headers, and build mdh again");
}

}  // namespace

std::vector<Device> devices() { absent(); }

struct Context::Handles {};
Context::Context(const Device&) { absent(); }
const Device& Context::device() const { absent(); }

std::shared_ptr<const DeviceMemory> allocate(const Context&, int64_t, const std::string&) {
  absent();
}

struct Memory::Buffers {};
Memory::Memory(Context context, std::vector<kernel::Argument> arguments)
    : context_(std::move(context)), arguments_(std::move(arguments)) {
  absent();
}
void Memory::upload(std::span<void* const>) const { absent(); }
void Memory::download(std::span<void* const>) const { absent(); }

struct Kernel::State {};
void Kernel::operator()(std::span<void* const>) const { absent(); }
RunTime Kernel::run(const Memory&, int) const { absent(); }
RunTime Kernel::run(const RunOn&, int) const { absent(); }
const kernel::Module& Kernel::module() const { absent(); }
const Context& Kernel::context() const { absent(); }
std::vector<Resources> Kernel::resources() const { absent(); }
std::vector<Kernel> load(std::span<const kernel::Module>, const Context&) { absent(); }

}  // namespace mdh::runtime::opencl
