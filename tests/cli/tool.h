// The command line as its users meet it: a process with two output streams and an exit code.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "mdh/support/files.h"

namespace mdh::test {

struct Outcome {
  int exit = -1;  // 128 + signal if killed
  std::string out;
  std::string err;
};

/// A program that runs while the test does something else; killed with the object.
class Started {
 public:
  /// In the group of the test, or in one of its own, as a shell starts it: Ctrl-C is for a group.
  enum class Group { same, own };
  explicit Started(const std::vector<std::string>& words, Group group = Group::own);
  ~Started();
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  pid_t process() const { return process_; }

  /// Waits for its end, once.
  Outcome wait();

 private:
  TemporaryDirectory scratch_;
  std::string name_;
  pid_t process_ = 0;  // 0: it is over
};

/// Runs a program; the first word is its path.
Outcome run_command(const std::vector<std::string>& words);

/// Runs mdh with these arguments.
Outcome mdh(const std::vector<std::string>& words);

/// The arguments of a command line written in one text, separated by single blanks.
Outcome mdh(const std::string& line);

/// Everything about an outcome, for the message of a failed test.
std::string describe(const Outcome& outcome);

bool contains(const std::string& text, const std::string& part);

}  // namespace mdh::test
