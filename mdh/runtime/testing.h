// For tests: environment variables and programs that live as long as an object does, and kernels
// written by hand.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "mdh/kernel/module.h"
#include "mdh/support/files.h"

namespace mdh::runtime {

/// Sets an environment variable, or removes it, and puts the old value back at the end.
class ScopedEnvironment {
 public:
  ScopedEnvironment(std::string name, const std::optional<std::string>& value)
      : name_(std::move(name)) {
    if (const char* old = std::getenv(name_.c_str())) old_ = old;
    set(value);
  }
  ~ScopedEnvironment() { set(old_); }
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

 private:
  void set(const std::optional<std::string>& value) const {
    if (value) {
      setenv(name_.c_str(), value->c_str(), 1);
    } else {
      unsetenv(name_.c_str());
    }
  }

  std::string name_;
  std::optional<std::string> old_;
};

/// An executable shell script in a folder of its own.
class Script {
 public:
  explicit Script(const std::string& body, const std::string& name = "script")
      : path_((folder_.path() / name).string()) {
    write_file(path_, "#!/bin/sh\n" + body + "\n");
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  const std::string& path() const { return path_; }
  std::string folder() const { return folder_.path().string(); }

 private:
  TemporaryDirectory folder_;
  std::string path_;
};

/// A C compiler that first changes the source by a sed command: the way to a kernel that computes
/// something else than it should.
inline Script sabotaged_compiler(const std::string& sed) {
  return Script("for word; do case \"$word\" in *.c) sed -i '" + sed +
                "' \"$word\";; esac; done\nexec cc \"$@\"");
}

/// A module whose only buffer is an output of `count` long integers. `body` is C and sees them as
/// out, and the workspace and threads under their names.
inline kernel::Module module_of(const std::string& name, const std::string& body,
                                int64_t count = 1) {
  kernel::Module module{.language = "c", .name = name};
  module.source = fmt::format(
      "void {}(void **buffers, char *workspace, long threads) {{ long *out = buffers[0];\n{} }}",
      name, body);
  module.steps = {{kernel::Launch{name}}};
  module.arguments = {{"out", "i64", 8, {count}, true}};
  return module;
}

}  // namespace mdh::runtime
