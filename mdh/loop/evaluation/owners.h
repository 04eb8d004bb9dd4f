// Who gets the shares of a Deal: the evaluator's cores.
#pragma once

#include <map>
#include <string>

#include "mdh/loop/evaluation/memory.h"
#include "mdh/loop/program.h"

namespace mdh::loop {

/// Cores are numbered as they get their first share.
class Owners {
 public:
  explicit Owners(int64_t warp) : warp_(warp) {}

  /// The moment at which a share begins: by whom it is run.
  void begin(const Deal& deal, int64_t share, Moment& now);

 private:
  int32_t owner_of(const Deal& deal, int64_t share);
  int32_t number_of(const std::string& identity);
  int64_t warp_of(const Deal& deal, int64_t share);

  int64_t warp_;  // cores of one
  std::map<std::string, int32_t> numbers_;
  int64_t dealt_ = 0;  // shares that were dealt dynamically so far
  int64_t cores_ = 1;  // of the member of the grid that is being run
};

}  // namespace mdh::loop
