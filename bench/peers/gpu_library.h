// For peers on GPUs: a library of CUDA that is opened at run time. Neither its headers nor a link to
// it are needed.
#include <dlfcn.h>
#include <glob.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

char description[400];

/// The first library that can be opened: by its names, then in the folders of the toolkit.
void* opened(const std::vector<std::string>& names) {
  std::vector<std::string> patterns = names;
  std::vector<std::string> folders = {"/usr/local/cuda/lib64", "/usr/local/cuda/targets/*/lib",
                                      "/usr/local/cuda-*/lib64", "/usr/local/cuda-*/targets/*/lib"};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable)) folders.push_back(std::string(home) + "/lib64");
  }
  for (const std::string& folder : folders) {
    for (const std::string& name : names) patterns.push_back(folder + "/" + name);
  }
  for (const std::string& pattern : patterns) {
    if (void* library = dlopen(pattern.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    glob_t found{};
    if (glob(pattern.c_str(), 0, nullptr, &found) != 0) continue;
    for (size_t n = 0; n < found.gl_pathc; ++n) {
      if (void* library = dlopen(found.gl_pathv[n], RTLD_NOW | RTLD_LOCAL)) return library;
    }
    globfree(&found);
  }
  return nullptr;
}

/// Finds functions, and remembers the first one that is missing.
struct Symbols {
  void* library = nullptr;
  std::string missing = {};

  template <class F>
  void operator()(F& place, const char* name) {
    place = reinterpret_cast<F>(dlsym(library, name));
    if (place == nullptr && missing.empty()) missing = name;
  }
};

template <class... T>
const char* complaint(const char* format, T... values) {
  std::snprintf(description, sizeof(description), format, values...);
  return description;
}

}  // namespace
