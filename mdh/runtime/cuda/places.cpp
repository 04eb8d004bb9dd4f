#include "mdh/runtime/cuda/places.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "mdh/runtime/process.h"

namespace mdh::runtime::cuda {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The folders in a folder whose names begin in a certain way, the largest name first: of several
/// versions the newest.
std::vector<fs::path> folders_in(const fs::path& folder, const std::string& beginning) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().filename().string().starts_with(beginning)) found.push_back(entry.path());
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

/// Where the toolkit is installed: what the user says comes first.
std::vector<fs::path> toolkits() {
  std::vector<fs::path> found;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string named = variable(name); !named.empty()) found.emplace_back(named);
  }
  for (const fs::path& folder : folders_in("/usr/local", "cuda")) found.push_back(folder);
  return found;
}

/// Folders in which Python keeps packages. Looked for by name: starting Python takes longer than
/// compiling a kernel.
std::vector<fs::path> python_packages() {
  std::vector<fs::path> libraries;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const std::string named = variable(name); !named.empty()) {
      libraries.push_back(fs::path(named) / "lib");
    }
  }
  if (const std::string home = variable("HOME"); !home.empty()) {
    libraries.push_back(fs::path(home) / ".local/lib");
  }
  libraries.insert(libraries.end(), {"/usr/local/lib", "/usr/lib"});
  std::vector<fs::path> found;
  for (const fs::path& library : libraries) {
    for (const fs::path& python : folders_in(library, "python3")) {
      for (const char* kind : {"site-packages", "dist-packages"}) found.push_back(python / kind);
    }
  }
  return found;
}

/// Folders that may hold the library, existing or not.
std::vector<fs::path> library_folders() {
  std::vector<fs::path> all;
  for (const fs::path& toolkit : toolkits()) {
    for (const char* place : {"lib64", "lib"}) all.push_back(toolkit / place);
  }
  if (const std::string conda = variable("CONDA_PREFIX"); !conda.empty()) {
    all.push_back(fs::path(conda) / "lib");
  }
  for (const fs::path& packages : python_packages()) {
    for (const char* place : {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"}) {
      all.push_back(packages / place);
    }
  }
  return all;
}

}  // namespace

std::vector<std::string> places_of_nvrtc() {
  const std::string named = variable("MDH_NVRTC");
  if (named == "off") return {};
  if (!named.empty()) return {named};
  const std::vector<fs::path> folders = library_folders();
  std::vector<std::string> places;
  // The last name is that of a package for developers, of whatever version.
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}) {
    places.emplace_back(name);
    for (const fs::path& folder : folders) {
      std::error_code failure;
      if (fs::exists(folder / name, failure)) places.push_back((folder / name).string());
    }
  }
  return places;
}

std::string find_nvcc() {
  const std::string named = variable("MDH_NVCC");
  if (named == "off") return {};
  if (!named.empty()) return find_program(named);
  if (const std::string found = find_program("nvcc"); !found.empty()) return found;
  for (const fs::path& toolkit : toolkits()) {
    const std::string found = find_program((toolkit / "bin/nvcc").string());
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace mdh::runtime::cuda
