#include "mdh/driver/arguments.h"

#include "mdh/support/cores.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::driver {
namespace {

void check(const kernel::Argument& wanted, const CallArgument& given) {
  if (!given.type.empty() && given.type != wanted.type) {
    user_error("E831", {},
               fmt::format("buffer '{}' holds {}, but the program needs {}", wanted.name,
                           given.type, wanted.type),
               "convert the data, or instantiate the program with another type");
  }
  if (given.bytes == wanted.bytes()) return;
  std::vector<std::string> extents;
  for (const int64_t n : wanted.extents) extents.push_back(std::to_string(n));
  user_error("E832", {},
             fmt::format("buffer '{}' has {} bytes, but {}[{}] needs {}", wanted.name, given.bytes,
                         wanted.type, join(extents, ", "), wanted.bytes()),
             "extents follow from the sizes and the index functions of the program");
}

}  // namespace

CallArgument raw_buffer(void* data, int64_t bytes) { return {"", data, bytes}; }

void call(const Executable& executable, const std::vector<CallArgument>& buffers, int threads) {
  const std::vector<kernel::Argument>& wanted = executable.module().arguments;
  if (buffers.size() != wanted.size()) {
    std::vector<std::string> names;
    for (const kernel::Argument& argument : wanted) names.push_back(argument.name);
    user_error("E830", {},
               fmt::format("the program has {} buffers, got {}", wanted.size(), buffers.size()),
               "pass, in this order: " + join(names, ", "));
  }
  std::vector<void*> pointers;
  for (size_t n = 0; n < buffers.size(); ++n) {
    check(wanted[n], buffers[n]);
    pointers.push_back(buffers[n].data);
  }
  executable(pointers, threads > 0 ? threads : available_cores());
}

}  // namespace mdh::driver
