#include "mdh/runtime/cuda/kernel.h"

#include "mdh/runtime/alignment.h"
#include "mdh/runtime/cuda/functions.h"
#include "mdh/runtime/cuda/memory.h"
#include "mdh/runtime/cuda/moment.h"
#include "mdh/runtime/cuda/stopwatch.h"
#include "mdh/runtime/pool.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"

namespace mdh::runtime::cuda {
namespace {

/// What an allocation of a caller's surely has, and the widest access needs.
constexpr int64_t workspace_alignment = 16;

/// What belongs to one call at a time.
struct Session {
  std::shared_ptr<const DeviceMemory> workspace;  // none if it has no bytes
  std::shared_ptr<const Moment> start, end;

  void* workspace_handle() const { return workspace ? workspace->handle() : nullptr; }
};

Session session_of(const kernel::Module& module, const std::shared_ptr<const Context>& context) {
  Session session{nullptr, std::make_shared<const Moment>(context),
                  std::make_shared<const Moment>(context)};
  if (module.workspace() > 0) {
    session.workspace =
        allocate(context, module.workspace(), fmt::format("the workspace of '{}'", module.name));
    poison(*context, *session.workspace);
    const Current here(*context);
    make_zero(*context, session.workspace_handle(), module.zeroed_bytes, context->stream());
  }
  return session;
}

/// The buffers of a call in the memory of the device.
struct BuffersThere {
  std::vector<std::shared_ptr<const DeviceMemory>> all;
  std::vector<void*> handles;

  /// Outputs are copied as well: a kernel may leave elements as they were.
  BuffersThere(const kernel::Module& module, std::span<void* const> here,
               const std::shared_ptr<const Context>& context) {
    internal_check(here.size() == module.arguments.size(), "{} buffers for {} arguments",
                   here.size(), module.arguments.size());
    for (size_t n = 0; n < here.size(); ++n) {
      const kernel::Argument& argument = module.arguments[n];
      all.push_back(
          allocate(context, argument.bytes(), fmt::format("the buffer '{}'", argument.name)));
      all.back()->upload(here[n]);
      handles.push_back(all.back()->handle());
    }
  }

  void download_outputs(const kernel::Module& module, std::span<void* const> here) const {
    for (size_t n = 0; n < here.size(); ++n) {
      if (module.arguments[n].is_output) all[n]->download(here[n]);
    }
  }
};

class CudaKernel : public LoadedKernel {
 public:
  CudaKernel(const kernel::Module& module, Object object, std::shared_ptr<const Context> context)
      : module_(module),
        object_(std::move(object)),
        context_(std::move(context)),
        functions_(module_, read_file(object_.path), context_),
        sessions_([this] { return session_of(module_, context_); }) {}

  const kernel::Module& module() const override { return module_; }

  void run(const RunOn& on) const override {
    check_run(on);
    const Current here(*context_);
    if (on.stream != nullptr) {
      zero_lent(on, static_cast<CuStream>(on.stream));
      return launch_all(on, on.workspace, static_cast<CuStream>(on.stream));
    }
    const Pool<Session>::Loan session(sessions_);
    zero_lent(on, context_->stream());
    launch_all(on, workspace_of(on, *session), context_->stream());
    context_->wait();
  }

  /// From before the first launch until the last one is done, by events in the stream.
  double timed_run(const RunOn& on) const override {
    internal_check(on.stream == nullptr, "no time is known of a run in a stream");
    check_run(on);
    const Current here(*context_);
    const Pool<Session>::Loan session(sessions_);
    zero_lent(on, context_->stream());
    session->start->record();
    launch_all(on, workspace_of(on, *session), context_->stream());
    session->end->record();
    context_->wait();
    return session->end->microseconds_since(*session->start);
  }

  void call(std::span<void* const> buffers, int) const override {
    const BuffersThere there(module_, buffers, context_);
    run({.buffers = there.handles});
    there.download_outputs(module_, buffers);
  }

  std::function<Lap()> stopwatch(const RunOn& on, Caches caches) const override {
    internal_check(on.stream == nullptr, "no time is known of a run in a stream");
    check_run(on);
    // One call follows the other, so that they can share a workspace.
    const auto session = std::make_shared<Pool<Session>::Loan>(sessions_);
    const std::vector<void*> buffers(on.buffers.begin(), on.buffers.end());
    void* const workspace = workspace_of(on, **session);
    const Current here(*context_);
    zero_lent(on, context_->stream());
    return cuda::stopwatch(
        context_,
        [this, session, buffers, workspace](CuStream stream) {
          launch_all({.buffers = buffers}, workspace, stream);
        },
        caches);
  }

  Timing time(std::span<void* const> buffers, int, const TimingLimits& limits) const override {
    const BuffersThere there(module_, buffers, context_);
    return measure_laps(stopwatch({.buffers = there.handles}, limits.caches), limits);
  }

  std::vector<Resources> resources() const override { return functions_.resources(); }

  std::string file() const override { return object_.path; }

 private:
  static void* workspace_of(const RunOn& on, const Session& session) {
    return on.workspace == nullptr ? session.workspace_handle() : on.workspace;
  }

  /// Nobody knows what a workspace of the caller's holds.
  void zero_lent(const RunOn& on, CuStream stream) const {
    if (on.workspace != nullptr) make_zero(*context_, on.workspace, module_.zeroed_bytes, stream);
  }

  void check_run(const RunOn& on) const {
    internal_check(on.buffers.size() == module_.arguments.size(), "{} buffers for {} arguments",
                   on.buffers.size(), module_.arguments.size());
    // What is lent here comes back before a run in a stream has ended.
    internal_check(on.stream == nullptr || on.workspace != nullptr || module_.workspace() == 0,
                   "a run in a stream needs a workspace of its own");
    require_aligned(module_.arguments, on.buffers);
    kernel::Argument workspace{.name = "workspace"};
    workspace.alignment = workspace_alignment;
    require_aligned({&workspace, 1}, {&on.workspace, 1});
  }

  /// Each launch waits for the one before it: a stream is in order.
  void launch_all(const RunOn& on, void* workspace, CuStream stream) const {
    std::vector<void*> pointers(on.buffers.begin(), on.buffers.end());
    pointers.push_back(workspace);
    kernel::for_each_launch(module_.steps, [&](const kernel::Launch& launch, auto indices) {
      std::vector<void*> parameters;  // the address of each
      for (void*& pointer : pointers) parameters.push_back(&pointer);
      for (const int64_t& index : indices) parameters.push_back(const_cast<int64_t*>(&index));
      functions_.launch(launch, parameters.data(), stream);
    });
  }

  kernel::Module module_;
  Object object_;
  std::shared_ptr<const Context> context_;
  Functions functions_;
  mutable Pool<Session> sessions_;
};

}  // namespace

std::shared_ptr<const LoadedKernel> load_kernel(const kernel::Module& module, const Object& object,
                                                std::shared_ptr<const Context> context) {
  return std::make_shared<CudaKernel>(module, object, std::move(context));
}

}  // namespace mdh::runtime::cuda
