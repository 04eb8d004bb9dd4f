#include "mdh/runtime/cuda/graph.h"

namespace mdh::runtime::cuda {
namespace {

/// A stream in which commands are captured, besides the one in which other threads may be at work.
class CaptureStream {
 public:
  explicit CaptureStream(const Context& context) : context_(context) {
    context_.check(context_.api.stream_create(&stream_, stream_non_blocking), "cuStreamCreate");
  }
  ~CaptureStream() { context_.api.stream_destroy(stream_); }
  CaptureStream(const CaptureStream&) = delete;
  CaptureStream& operator=(const CaptureStream&) = delete;

  /// Null if the driver refuses.
  CuGraph captured(const std::function<void(CuStream)>& commands) const {
    const DriverApi& api = context_.api;
    if (api.stream_begin_capture(stream_, capture_relaxed) != success) return nullptr;
    CuGraph graph = nullptr;
    try {
      commands(stream_);
    } catch (...) {
      if (api.stream_end_capture(stream_, &graph) == success) api.graph_destroy(graph);
      throw;
    }
    return api.stream_end_capture(stream_, &graph) == success ? graph : nullptr;
  }

 private:
  const Context& context_;
  CuStream stream_ = nullptr;
};

}  // namespace

std::unique_ptr<const Graph> Graph::of(std::shared_ptr<const Context> context,
                                       const std::function<void(CuStream)>& commands) {
  const DriverApi& api = context->api;
  if (!has_graphs(api)) return nullptr;
  const Current here(*context);
  CuGraph graph = CaptureStream(*context).captured(commands);
  if (graph == nullptr) return nullptr;
  CuGraphExec exec = nullptr;
  const bool is_ready = api.graph_instantiate(&exec, graph, 0) == success;
  api.graph_destroy(graph);
  return is_ready ? std::make_unique<const Graph>(std::move(context), exec) : nullptr;
}

Graph::Graph(std::shared_ptr<const Context> context, CuGraphExec exec)
    : context_(std::move(context)), exec_(exec) {}

Graph::~Graph() {
  CuContext ignored = nullptr;
  if (context_->api.ctx_push_current(context_->handle()) != success) return;
  context_->api.graph_exec_destroy(exec_);
  context_->api.ctx_pop_current(&ignored);
}

void Graph::launch() const {
  context_->check(context_->api.graph_launch(exec_, context_->stream()), "cuGraphLaunch");
}

}  // namespace mdh::runtime::cuda
