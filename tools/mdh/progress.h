// Progress on stderr: a bar on a terminal, plain lines elsewhere, nothing if quiet.
#pragma once

#include <string>

namespace mdh::tool {

class Progress {
 public:
  /// `steps`: how many calls of step() there will be.
  Progress(int steps, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(const std::string& what);

 private:
  int steps_;
  int done_ = 0;
  bool quiet_;
  bool terminal_;
};

}  // namespace mdh::tool
