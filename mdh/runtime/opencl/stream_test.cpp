// Runs in a queue that the caller has made.

#include "mdh/runtime/opencl/handles.h"
#include "mdh/runtime/opencl/testing.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::opencl::stream_test {
namespace {

/// out[n] = n + what is in the workspace.
kernel::Module adding() {
  kernel::Module module =
      module_of({output("out", "i64", 8, {8})},
                "__kernel void add(__global long *out, __global char *workspace) {\n"
                "  out[get_global_id(0)] = get_global_id(0) + *(__global long *)workspace;\n}\n",
                {{kernel::Launch{"add", {2, 1, 1}, {4, 1, 1}}}});
  module.workspace_bytes = 8;
  return module;
}

class Streams : public OpenCl {
 protected:
  /// In order, and without profiling, as the user of a library makes it.
  static Owned<cl_command_queue> queue() {
    const Context::Handles& on = context().handles();
    cl_int status = CL_SUCCESS;
    cl_command_queue made = on.api.create_command_queue(on.context.get(), on.id, 0, &status);
    return owned(made, on.api.release_command_queue, status, "clCreateCommandQueue");
  }
};

TEST_F(Streams, a_run_waits_for_what_was_put_there_before) {
  const Context::Handles& on = context().handles();
  const Kernel kernel = load_one(adding());
  const auto out = opencl::allocate(context(), 64, "out"),
             workspace = opencl::allocate(context(), 8, "workspace");
  const Owned<cl_command_queue> stream = queue();
  void* const buffers[] = {out->handle()};
  for (const long add : {100L, 200L}) {
    check(on.api.enqueue_write_buffer(stream.get(), static_cast<cl_mem>(workspace->handle()),
                                      CL_TRUE, 0, 8, &add, 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
    kernel.run({.buffers = buffers, .workspace = workspace->handle(), .stream = stream.get()});
    std::vector<long> result(8);
    check(on.api.enqueue_read_buffer(stream.get(), static_cast<cl_mem>(out->handle()), CL_TRUE, 0,
                                     64, result.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    EXPECT_EQ(result.at(7), 7 + add);
  }
}

TEST_F(Streams, a_run_there_needs_a_workspace_of_its_own) {
  const Kernel kernel = load_one(adding());
  const auto out = opencl::allocate(context(), 64, "out");
  const Owned<cl_command_queue> stream = queue();
  void* const buffers[] = {out->handle()};
  EXPECT_EQ(diagnostic_of([&] { kernel.run({.buffers = buffers, .stream = stream.get()}); }).kind,
            DiagnosticKind::internal);
}

}  // namespace
}  // namespace mdh::runtime::opencl::stream_test
