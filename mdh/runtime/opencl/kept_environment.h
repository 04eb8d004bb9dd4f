// The environment as it was, although a loader has changed it.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>

namespace mdh::runtime::opencl {

/// Some loaders cut what getenv() gives them into pieces, in place: OCL_ICD_FILENAMES then names one
/// driver, and processes that are started later see that one only. What is there when the object
/// begins is there again when it ends.
class KeptEnvironment {
 public:
  KeptEnvironment() {
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
      const std::string text = *entry;
      const size_t at = text.find('=');
      // The first of several is the one that getenv() finds.
      if (at != std::string::npos && at > 0)
        values_.emplace(text.substr(0, at), text.substr(at + 1));
    }
  }
  ~KeptEnvironment() {
    for (const auto& [name, value] : values_) {
      const char* now = std::getenv(name.c_str());
      if (now == nullptr || value != now) setenv(name.c_str(), value.c_str(), 1);
    }
  }
  KeptEnvironment(const KeptEnvironment&) = delete;
  KeptEnvironment& operator=(const KeptEnvironment&) = delete;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace mdh::runtime::opencl
