// Several sizes of a program, one after the other: those of a file.
//
//   # the shapes of our network
//   I=1024, K=4096
//   512,512
//   paper
#pragma once

#include <string>
#include <vector>

#include "tools/mdh/verbs.h"

namespace mdh::tool {

/// A line of a file of sizes, in the form of --size.
struct SizesLine {
  int line = 0;
  std::string size;
};

/// What stands in the file, without comments. An empty one, or one with the same line twice, is a
/// user error.
std::vector<SizesLine> read_sizes(const std::string& file);

/// A request for each of them, all of which are right: a mistake is a user error with its line.
std::vector<Request> requests_for(const Request& request, const std::string& file);

/// Searches for all of them. What one finds is where the next begins, and the budget is for each.
int tune_sizes(const Request& request, const TuneVerbOptions& verb);

}  // namespace mdh::tool
