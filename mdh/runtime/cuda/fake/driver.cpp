// A CUDA driver for tests, with one device that computes nothing but what is built in here. Memory
// is that of the host. What is put into a stream happens when somebody waits for it, not before:
// who does not wait sees that nothing has happened.
//
// A module is a text: "fake", then one line per function,
//   function NAME parameters 3 registers 32 shared 0 local 0 threads 1024 width 8 does VERB
// and "variable NAME" for one that it has,
// or a library that was compiled with kernels.h, whose functions run on threads of the host.
// FAKE_CUDA_FAIL="cuInit=100 cuMemAlloc_v2=2" lets functions fail, "launch=700" launched kernels.
// What was called is kept in a journal, which tests read with fake_cuda_journal().
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "mdh/runtime/cuda/fake/objects.h"
#include "mdh/runtime/cuda/fake/verbs.h"
#include "mdh/runtime/cuda/types.h"

using namespace mdh::runtime::cuda;
using fake::attributes;
using fake::function_in;
using fake::function_of;

namespace {

std::recursive_mutex mutex;
std::string journal;
int broken = success;  // what every call returns once a kernel has gone wrong
int retained = 0;
double clock_us = 0;  // of the device: every launch takes as many microseconds as it has groups
CUctx_st the_context;
CUstream_st default_stream;
std::set<void*> allocated;
thread_local int depth = 0;  // of contexts that are current

void note(const std::string& line) { journal += line + "\n"; }

/// What FAKE_CUDA_FAIL wants of a function.
int planned(const char* name) {
  const char* plan = std::getenv("FAKE_CUDA_FAIL");
  std::istringstream words(plan == nullptr ? "" : plan);
  for (std::string word; words >> word;) {
    const size_t at = word.find('=');
    if (word.substr(0, at) == name) return std::stoi(word.substr(at + 1));
  }
  return success;
}

bool is_sticky(int status) {
  return status >= illegal_address && status <= launch_failed && status != launch_out_of_resources;
}

/// The beginning of each function that needs a context.
int entered(const char* name) {
  if (broken != success) return broken;
  if (depth == 0) return invalid_context;
  const int status = planned(name);
  if (is_sticky(status)) broken = status;
  return status;
}

CUstream_st& stream_of(CuStream stream) { return stream == nullptr ? default_stream : *stream; }

int drained(CUstream_st& stream) {
  while (!stream.waiting.empty()) {
    const std::function<int()> next = std::move(stream.waiting.front());
    stream.waiting.pop_front();
    const int status = next();
    if (status != success) return status;
  }
  return success;
}

// ---- kernels

using fake::Words;

int execute(const CUfunc_st& function, const Words& parameters, long groups, long items) {
  if (broken != success) return broken;
  broken = planned("launch");
  if (function.verb == "fault") broken = illegal_address;
  if (broken != success) return broken;
  fake::execute(function.verb, parameters, groups * items);
  clock_us += static_cast<double>(groups);
  return success;
}

using Lock = std::lock_guard<std::recursive_mutex>;

}  // namespace

extern "C" {

// ---- for tests

const char* fake_cuda_journal() {
  const Lock lock(mutex);
  static std::string kept;
  kept = journal;
  journal.clear();
  return kept.c_str();
}

void fake_cuda_mend() {
  const Lock lock(mutex);
  broken = success;
}

int fake_cuda_allocations() {
  const Lock lock(mutex);
  return static_cast<int>(allocated.size());
}

int fake_cuda_retained() { return retained; }
int fake_cuda_depth() { return depth; }

CuStream fake_cuda_stream() { return new CUstream_st; }

// ---- devices

int cuInit(unsigned) { return planned("cuInit"); }

int cuDriverGetVersion(int* version) {
  *version = 13000;
  return success;
}

int cuDeviceGetCount(int* count) {
  const char* number = std::getenv("FAKE_CUDA_DEVICES");
  *count = number == nullptr ? 1 : std::atoi(number);
  return planned("cuDeviceGetCount");
}

int cuDeviceGet(CuDevice* device, int ordinal) {
  *device = 40 + ordinal;  // no number that a caller might make up
  return success;
}

int cuDeviceGetName(char* name, int length, CuDevice) {
  std::snprintf(name, static_cast<size_t>(length), "Fake GPU");
  return success;
}

int cuDeviceTotalMem_v2(size_t* bytes, CuDevice) {
  *bytes = size_t{8} << 30;
  return success;
}

/// The first device is closed if FAKE_CUDA_PROHIBITED is set.
int cuDeviceGetAttribute(int* value, int attribute, CuDevice device) {
  if (attribute == compute_mode) {
    *value = device == 40 && std::getenv("FAKE_CUDA_PROHIBITED") != nullptr ? 2 : 0;
    return success;
  }
  const auto known = attributes().find(attribute);
  if (known == attributes().end()) return invalid_value;
  *value = known->second;
  return success;
}

// ---- contexts

int cuDevicePrimaryCtxRetain(CuContext* context, CuDevice) {
  const Lock lock(mutex);
  const int status = planned("cuDevicePrimaryCtxRetain");
  if (status != success) return status;
  ++retained;
  *context = &the_context;
  return success;
}

int cuDevicePrimaryCtxRelease_v2(CuDevice) {
  const Lock lock(mutex);
  --retained;
  return success;
}

int cuCtxPushCurrent_v2(CuContext context) {
  if (context != &the_context) return invalid_context;
  ++depth;
  return success;
}

int cuCtxPopCurrent_v2(CuContext* context) {
  if (depth == 0) return invalid_context;
  --depth;
  *context = &the_context;
  return success;
}

// ---- modules

int cuModuleLoadDataEx(CuModule* module, const void* image, unsigned count, int* options,
                       void** values) {
  const Lock lock(mutex);
  if (const int status = entered("cuModuleLoadDataEx"); status != success) return status;
  const std::string text = static_cast<const char*>(image);
  if (text.starts_with("ptx")) {
    const bool has_log = count == 2 && options[0] == jit_error_log_buffer &&
                         options[1] == jit_error_log_buffer_size_bytes;
    if (has_log) {
      std::snprintf(static_cast<char*>(values[0]), reinterpret_cast<size_t>(values[1]),
                    "ptxas fatal   : unresolved extern function");
    }
    return invalid_ptx;
  }
  if (text.starts_with("\x7f"
                       "ELF")) {
    void* library = fake::library_in(image);
    if (library == nullptr) return no_binary_for_gpu;
    *module = new CUmod_st{.functions = {}, .library = library};
    return success;
  }
  if (!text.starts_with("fake\n")) return no_binary_for_gpu;
  *module = new CUmod_st;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string variable = "variable ";
    if (line.starts_with(variable)) (*module)->variables.insert(line.substr(variable.size()));
    if (!line.starts_with("function ")) continue;
    CUfunc_st function = function_in(line);
    (*module)->functions[function.name] = std::move(function);
  }
  return success;
}

int cuModuleUnload(CuModule module) {
  delete module;
  return success;
}

int cuModuleGetFunction(CuFunction* function, CuModule module, const char* name) {
  void* code = module->library == nullptr ? nullptr : dlsym(module->library, name);
  if (code != nullptr) module->functions.emplace(name, function_of(module->library, name, code));
  const auto found = module->functions.find(name);
  if (found == module->functions.end()) return not_found;
  *function = &found->second;
  return success;
}

/// A text has the variables that its lines "variable NAME" name.
int cuModuleGetGlobal_v2(CuPointer* pointer, size_t* bytes, CuModule module, const char* name) {
  if (!module->variables.contains(name)) return not_found;
  *pointer = reinterpret_cast<CuPointer>(module);
  *bytes = sizeof(int);
  return success;
}

int cuFuncGetAttribute(int* value, int attribute, CuFunction function) {
  const std::map<int, const char*> names = {{function_max_threads_per_block, "threads"},
                                            {function_shared_size_bytes, "shared"},
                                            {function_local_size_bytes, "local"},
                                            {function_num_regs, "registers"}};
  const auto name = names.find(attribute);
  if (name == names.end()) return invalid_value;
  *value = function->numbers[name->second];
  return success;
}

int cuFuncSetAttribute(CuFunction function, int attribute, int value) {
  const Lock lock(mutex);
  if (attribute != function_max_dynamic_shared_size_bytes) return invalid_value;
  note("set " + function->name + " dynamic shared bytes " + std::to_string(value));
  function->dynamic_limit = value;
  return success;
}

int cuFuncGetParamInfo(CuFunction function, size_t index, size_t* offset, size_t* bytes) {
  const Lock lock(mutex);
  int& known = function->numbers["parameters"];
  if (function->code.library != nullptr) known = std::max(known, static_cast<int>(index) + 1);
  if (index >= static_cast<size_t>(known)) {
    note("cuFuncGetParamInfo fails");
    return invalid_value;
  }
  *bytes = static_cast<size_t>(function->numbers["width"]);
  *offset = *bytes * index;
  return success;
}

int cuLaunchKernel(CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   CuStream stream, void** parameters, void**) {
  const Lock lock(mutex);
  if (const int status = entered("cuLaunchKernel"); status != success) return status;
  if (static_cast<int>(shared_bytes) > function->dynamic_limit) return invalid_value;
  std::ostringstream line;
  line << "launch " << function->name << " grid " << grid_x << "," << grid_y << "," << grid_z
       << " block " << block_x << "," << block_y << "," << block_z << " shared " << shared_bytes;
  note(line.str());
  Words words;
  for (int n = 0; n < function->numbers["parameters"]; ++n) {
    words.push_back(*static_cast<unsigned long long*>(parameters[n]));
  }
  const long groups = long{grid_x} * grid_y * grid_z, items = long{block_x} * block_y * block_z;
  const fake::Axes grid{grid_x, grid_y, grid_z}, block{block_x, block_y, block_z};
  stream_of(stream).waiting.push_back([=, copy = *function] {
    const int status = execute(copy, words, groups, items);
    if (status != success || copy.code.library == nullptr) return status;
    return broken = fake::run_library(copy.code, words, grid, block);
  });
  return success;
}

/// As any other launch: what waits in a stream happens in order.
int cuLaunchKernelEx(const LaunchConfig* config, CuFunction function, void** parameters,
                     void** extra) {
  const Lock lock(mutex);
  if (const int status = entered("cuLaunchKernelEx"); status != success) return status;
  for (unsigned n = 0; n < config->attribute_count; ++n) {
    const LaunchAttribute& attribute = config->attributes[n];
    if (attribute.id != launch_waits_by_itself) return invalid_value;
    if (attribute.value.allowed != 0) note("waits " + function->name);
  }
  const auto &grid = config->grid, &block = config->block;
  return cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                        config->shared_bytes, config->stream, parameters, extra);
}

// ---- memory

int cuMemAlloc_v2(CuPointer* pointer, size_t bytes) {
  const Lock lock(mutex);
  if (const int status = entered("cuMemAlloc_v2"); status != success) return status;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (memory == nullptr) return out_of_memory;
  allocated.insert(memory);
  *pointer = reinterpret_cast<CuPointer>(memory);
  return success;
}

int cuMemFree_v2(CuPointer pointer) {
  const Lock lock(mutex);
  void* memory = reinterpret_cast<void*>(pointer);
  if (depth == 0) return invalid_context;
  if (allocated.erase(memory) == 0) return invalid_value;
  std::free(memory);
  return success;
}

int cuMemcpyHtoDAsync_v2(CuPointer to, const void* from, size_t bytes, CuStream stream) {
  const Lock lock(mutex);
  if (const int status = entered("cuMemcpyHtoDAsync_v2"); status != success) return status;
  stream_of(stream).waiting.push_back([=] {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return int{success};
  });
  return success;
}

int cuMemcpyDtoHAsync_v2(void* to, CuPointer from, size_t bytes, CuStream stream) {
  const Lock lock(mutex);
  if (const int status = entered("cuMemcpyDtoHAsync_v2"); status != success) return status;
  stream_of(stream).waiting.push_back([=] {
    std::memcpy(to, reinterpret_cast<void*>(from), bytes);
    return int{success};
  });
  return success;
}

int cuMemsetD8Async(CuPointer to, unsigned char value, size_t count, CuStream stream) {
  const Lock lock(mutex);
  if (const int status = entered("cuMemsetD8Async"); status != success) return status;
  note("memset of " + std::to_string(count) + " bytes");
  stream_of(stream).waiting.push_back([=] {
    std::memset(reinterpret_cast<void*>(to), value, count);
    return int{success};
  });
  return success;
}

// ---- streams and events

int cuStreamCreate(CuStream* stream, unsigned flags) {
  const Lock lock(mutex);
  if (const int status = entered("cuStreamCreate"); status != success) return status;
  if (flags != stream_non_blocking) return invalid_value;
  *stream = new CUstream_st;
  return success;
}

int cuStreamDestroy_v2(CuStream stream) {
  delete stream;
  return success;
}

int cuStreamSynchronize(CuStream stream) {
  const Lock lock(mutex);
  if (const int status = entered("cuStreamSynchronize"); status != success) return status;
  return drained(stream_of(stream));
}

int cuEventCreate(CuEvent* event, unsigned flags) {
  if (flags != event_default) return invalid_value;  // others may have no time
  *event = new CUevent_st;
  return success;
}

int cuEventDestroy_v2(CuEvent event) {
  delete event;
  return success;
}

int cuEventRecord(CuEvent event, CuStream stream) {
  const Lock lock(mutex);
  if (const int status = entered("cuEventRecord"); status != success) return status;
  stream_of(stream).waiting.push_back([event] {
    event->microseconds = clock_us;
    return int{success};
  });
  return success;
}

// ---- graphs

int cuStreamBeginCapture_v2(CuStream stream, int mode) {
  const Lock lock(mutex);
  if (const int status = entered("cuStreamBeginCapture_v2"); status != success) return status;
  if (mode != capture_relaxed || stream == nullptr || stream->is_captured) return invalid_value;
  stream->is_captured = true;
  return success;
}

int cuStreamEndCapture(CuStream stream, CuGraph* graph) {
  const Lock lock(mutex);
  if (!stream->is_captured) return invalid_value;
  note("captured " + std::to_string(stream->waiting.size()) + " commands");
  *graph = new CUgraph_st{std::move(stream->waiting)};
  stream->waiting.clear();
  stream->is_captured = false;
  return success;
}

/// Only of a stream that is captured.
int cuEventRecordWithFlags(CuEvent event, CuStream stream, unsigned flags) {
  if (flags != event_record_external || !stream->is_captured) return invalid_value;
  return cuEventRecord(event, stream);
}

int cuGraphInstantiateWithFlags(CuGraphExec* exec, CuGraph graph, unsigned long long) {
  const Lock lock(mutex);
  if (const int status = entered("cuGraphInstantiateWithFlags"); status != success) return status;
  *exec = new CUgraphExec_st{graph->commands};
  return success;
}

int cuGraphLaunch(CuGraphExec exec, CuStream stream) {
  const Lock lock(mutex);
  if (const int status = entered("cuGraphLaunch"); status != success) return status;
  note("launch of a graph");
  Commands& waiting = stream_of(stream).waiting;
  waiting.insert(waiting.end(), exec->commands.begin(), exec->commands.end());
  return success;
}

int cuGraphExecDestroy(CuGraphExec exec) {
  delete exec;
  return success;
}

int cuGraphDestroy(CuGraph graph) {
  delete graph;
  return success;
}

int cuEventSynchronize(CuEvent) { return success; }

int cuEventElapsedTime(float* milliseconds, CuEvent start, CuEvent end) {
  const Lock lock(mutex);
  if (start->microseconds < 0 || end->microseconds < 0) return 600;  // not ready
  *milliseconds = static_cast<float>((end->microseconds - start->microseconds) / 1000);
  return success;
}

}  // extern "C"
