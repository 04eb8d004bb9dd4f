// What the fake driver keeps to itself: its objects, functions that are read from lines of text, and
// what it says about its device.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "mdh/runtime/cuda/fake/library.h"
#include "mdh/runtime/cuda/types.h"

struct CUctx_st {};
struct CUfunc_st {
  std::string name, verb;
  std::map<std::string, int> numbers;
  int dynamic_limit = 48 * 1024;
  mdh::runtime::cuda::fake::Code code = {};  // none: the verb says what it does
};
struct CUmod_st {
  std::map<std::string, CUfunc_st> functions;
  std::set<std::string> variables = {};
  void* library = nullptr;
};
struct CUevent_st {
  double microseconds = -1;
};
using Commands = std::deque<std::function<int()>>;
struct CUstream_st {
  Commands waiting;
  bool is_captured = false;
};
struct CUgraph_st {
  Commands commands;
};
struct CUgraphExec_st {
  Commands commands;
};

namespace mdh::runtime::cuda::fake {

/// How many parameters there are is known when somebody asks about them.
inline CUfunc_st function_of(void* library, const char* name, void* code) {
  CUfunc_st function{.name = name, .verb = "library", .numbers = {}};
  function.numbers = {{"parameters", 0}, {"registers", 32}, {"shared", 0},
                      {"local", 0},      {"threads", 1024}, {"width", 8}};
  function.code = {code, library};
  return function;
}

inline CUfunc_st function_in(const std::string& line) {
  std::istringstream words(line);
  CUfunc_st function;
  std::string word;
  words >> word >> function.name;
  for (std::string key; words >> key;) {
    if (key == "does") {
      words >> function.verb;
    } else {
      words >> function.numbers[key];
    }
  }
  return function;
}

inline const std::map<int, int>& attributes() {
  static const std::map<int, int> known = {{max_threads_per_block, 1024},
                                           {max_block_dim_x, 1024},
                                           {max_block_dim_y, 1024},
                                           {max_block_dim_z, 64},
                                           {max_grid_dim_x, 2147483647},
                                           {max_grid_dim_y, 65535},
                                           {max_grid_dim_z, 65535},
                                           {max_shared_memory_per_block, 49152},
                                           {warp_size, 32},
                                           {pci_bus, 250},
                                           {pci_device, 0},
                                           {pci_domain, 0},
                                           {max_registers_per_block, 65536},
                                           {clock_rate, 1980000},
                                           {multiprocessor_count, 132},
                                           {memory_clock_rate, 3201000},
                                           {global_memory_bus_width, 6144},
                                           {l2_cache_size, 62914560},
                                           {compute_capability_major, 9},
                                           {compute_capability_minor, 0},
                                           {max_registers_per_multiprocessor, 65536},
                                           {max_shared_memory_per_block_optin, 232448}};
  return known;
}

}  // namespace mdh::runtime::cuda::fake
