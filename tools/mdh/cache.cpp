#include <cstdio>

#include "mdh/driver/executable.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {
namespace {

std::string counted(const runtime::CacheUse& use) {
  return fmt::format("{} {}, {} {}", use.files, use.files == 1 ? "file" : "files", use.bytes,
                     use.bytes == 1 ? "byte" : "bytes");
}

}  // namespace

int cache() {
  const runtime::Cache cache = runtime::Cache::of_user();
  if (!cache.enabled()) {
    fmt::print("off (MDH_CACHE names a folder)\n");
    return 0;
  }
  fmt::print("folder: {}\nholds: {}\nlimit: {} bytes\n", cache.folder().string(),
             counted(cache.use()), cache.limit());
  return 0;
}

int clear_cache() {
  fmt::print("removed: {}\n", counted(runtime::Cache::of_user().clear()));
  return 0;
}

}  // namespace mdh::tool
