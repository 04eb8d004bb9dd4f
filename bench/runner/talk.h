// What every process of a candidate says to its parent: lines over a socket, one answer for each.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "mdh/support/text.h"

namespace mdh::bench {

constexpr int socket_of_parent = 3, memory_of_parent = 4;

inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Threads of a pool spin for a while before they sleep. Waits until the process has used less than
/// a tenth of a core for a while, at most two seconds. Some systems count the time of running
/// threads every hundredth of a second only, so one look does not tell.
inline void come_to_rest() {
  constexpr double nap = 0.002;
  constexpr int most_naps = 1000, quiet_naps = 12;
  for (int n = 0, quiet = 0; n < most_naps && quiet < quiet_naps; ++n) {
    const double before = cpu_seconds();
    std::this_thread::sleep_for(std::chrono::duration<double>(nap));
    quiet = cpu_seconds() - before < nap / 10 ? quiet + 1 : 0;
  }
}

inline void answer(const std::string& text) {
  come_to_rest();
  const std::string line = text + "\n";
  send(socket_of_parent, line.data(), line.size(), MSG_NOSIGNAL);
}

/// One line without its end; false if the parent is gone.
inline bool receive(std::string& line) {
  line.clear();
  char letter = 0;
  while (recv(socket_of_parent, &letter, 1, 0) == 1) {
    if (letter == '\n') return true;
    line += letter;
  }
  return false;
}

/// "o4096,i8192": outputs and inputs with their bytes.
inline std::vector<int64_t> bytes_of(const std::string& text, std::vector<bool>& is_output) {
  std::vector<int64_t> bytes;
  for (const std::string& word : split(text, ',')) {
    is_output.push_back(word[0] == 'o');
    bytes.push_back(std::atoll(word.c_str() + 1));
  }
  return bytes;
}

/// False, with a word to the user, if it is somebody else.
inline bool is_started_by_mdh(int count, int expected, const char* program) {
  int type = 0;
  socklen_t size = sizeof(type);
  const bool has_socket = getsockopt(socket_of_parent, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
  if (count == expected && has_socket) return true;
  std::fprintf(stderr, "%s is started by 'mdh bench'\n", program);
  return false;
}

}  // namespace mdh::bench
