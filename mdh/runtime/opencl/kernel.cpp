#include "mdh/runtime/opencl/kernel.h"

#include <chrono>
#include <map>

#include "mdh/runtime/opencl/functions.h"
#include "mdh/runtime/opencl/launcher.h"
#include "mdh/runtime/opencl/limits.h"
#include "mdh/runtime/opencl/program.h"
#include "mdh/runtime/pool.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::opencl {

/// What belongs to one call at a time: the arguments of an OpenCL function are a part of it.
struct Session {
  Functions functions;
  Owned<cl_mem> workspace;
};

namespace {

/// New memory is often zero by chance. Kernels must not rely on that, so that tests should not be
/// able to, either.
void poison(const Context::Handles& on, cl_mem memory, int64_t bytes) {
  if (bytes == 0) return;
  const std::vector<unsigned char> pattern(static_cast<size_t>(bytes), 0xDB);
  check(on.api.enqueue_write_buffer(on.queue.get(), memory, CL_TRUE, 0, pattern.size(),
                                    pattern.data(), 0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
}

Session session_of(const kernel::Module& module, cl_program program, const Context& context) {
  const Context::Handles& on = context.handles();
  Session session{
      functions_of(module, program, on),
      allocate(on, module.workspace_bytes, fmt::format("the workspace of '{}'", module.name))};
  poison(on, session.workspace.get(), module.workspace_bytes);
  return session;
}

void set_buffer(const Context::Handles& on, cl_kernel function, size_t index, cl_mem buffer) {
  check(on.api.set_kernel_arg(function, static_cast<cl_uint>(index), sizeof(cl_mem), &buffer),
        "clSetKernelArg");
}

}  // namespace

struct Kernel::State {
  State(const kernel::Module& of, const Context& on, std::shared_ptr<const Owned<cl_program>> from)
      : module(of), context(on), sessions([this, program = std::move(from)] {
          return session_of(module, program->get(), context);
        }) {}

  kernel::Module module;
  Context context;
  Pool<Session> sessions;
};

const kernel::Module& Kernel::module() const { return state_->module; }

const Context& Kernel::context() const { return state_->context; }

std::vector<Resources> Kernel::resources() const {
  const Pool<Session>::Loan session(state_->sessions);
  std::vector<Resources> all;
  for (const auto& [name, function] : session->functions) {
    const FunctionNeeds needs = needs_of(function.get(), state_->context.handles());
    all.push_back({.function = name,
                   .local_bytes = needs.local_bytes,
                   .items_per_group = needs.max_work_group_size});
  }
  return all;
}

void Kernel::operator()(std::span<void* const> buffers) const {
  const Memory memory(state_->context, state_->module.arguments);
  memory.upload(buffers);
  run(memory);
  memory.download(buffers);
}

RunTime Kernel::run(const Memory& memory, int calls) const {
  internal_check(&memory.context().handles() == &state_->context.handles(),
                 "memory of another context");
  std::vector<void*> handles;
  for (const auto& buffer : memory.buffers().all) handles.push_back(buffer.get());
  return run(RunOn{.buffers = handles}, calls);
}

RunTime Kernel::run(const RunOn& how, int calls) const {
  const Context::Handles& on = state_->context.handles();
  const kernel::Module& module = state_->module;
  internal_check(how.buffers.size() == module.arguments.size(), "{} buffers for {} arguments",
                 how.buffers.size(), module.arguments.size());
  // What is lent here comes back before a run in a stream has ended.
  internal_check(how.stream == nullptr || how.workspace != nullptr || module.workspace() == 0,
                 "a run in a stream needs a workspace of its own");
  const Pool<Session>::Loan session(state_->sessions);
  const auto workspace =
      how.workspace == nullptr ? session->workspace.get() : static_cast<cl_mem>(how.workspace);
  for (const auto& [name, function] : session->functions) {
    for (size_t n = 0; n < how.buffers.size(); ++n) {
      set_buffer(on, function.get(), n, static_cast<cl_mem>(how.buffers[n]));
    }
    set_buffer(on, function.get(), how.buffers.size(), workspace);
  }
  Launcher launcher(on, how.buffers.size() + 1, static_cast<cl_command_queue>(how.stream));
  const auto start = std::chrono::steady_clock::now();
  for (int n = 0; n < calls; ++n) {
    launcher.watch(n == 0 || n == calls - 1);
    kernel::for_each_launch(module.steps, [&](const kernel::Launch& launch, auto indices) {
      launcher.launch(session->functions.at(launch.function).get(), launch, indices);
    });
  }
  RunTime time = launcher.finish();
  time.wall_us =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  return time;
}

std::vector<Kernel> load(std::span<const kernel::Module> modules, const Context& context) {
  const Context::Handles& on = context.handles();
  for (const kernel::Module& module : modules) {
    check_types(module, on.device);
    check_local_memory(module, on.device);
  }
  if (modules.empty()) return {};
  const auto program = std::make_shared<const Owned<cl_program>>(build(modules, on));
  std::vector<Kernel> kernels;
  for (const kernel::Module& module : modules) {
    kernels.push_back(Kernel(std::make_shared<Kernel::State>(module, context, program)));
  }
  return kernels;
}

}  // namespace mdh::runtime::opencl
