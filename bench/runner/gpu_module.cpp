#include "bench/runner/gpu_job.h"

namespace mdh::bench {
namespace {

class ModuleJob : public GpuJob {
 public:
  ModuleJob(const runtime::WorkRequest& request, const runtime::Device& device)
      : kernel_(device.load_object(module_of(request), request.library)) {}

  void run(Handles buffers) override { kernel_->run({.buffers = buffers}); }

  std::function<runtime::Lap()> stopwatch(Handles buffers, runtime::Caches caches) override {
    return kernel_->stopwatch({.buffers = buffers}, caches);
  }

 private:
  std::shared_ptr<const runtime::LoadedKernel> kernel_;
};

}  // namespace

std::unique_ptr<GpuJob> module_job(const runtime::WorkRequest& request,
                                   const runtime::Device& device) {
  return std::make_unique<ModuleJob>(request, device);
}

}  // namespace mdh::bench
