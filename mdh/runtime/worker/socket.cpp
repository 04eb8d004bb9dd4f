// Messages and descriptors over a socket; declared in message.h.
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>

#include "mdh/runtime/worker/message.h"

namespace mdh::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Room for the one descriptor that a message may carry.
union Control {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

msghdr header_of(iovec& text) {
  msghdr header{};
  header.msg_iov = &text;
  header.msg_iovlen = 1;
  return header;
}

/// Waits until there is something to read; false when the time is over.
bool is_readable(int socket, double seconds) {
  const auto begin = Clock::now();
  double left = seconds;
  while (true) {
    pollfd waiting{socket, POLLIN, 0};
    const double turn = seconds < 0 ? 3600 : std::clamp(left, 0.0, 3600.0);
    if (poll(&waiting, 1, static_cast<int>(std::ceil(turn * 1e3))) > 0) return true;
    left = seconds - std::chrono::duration<double>(Clock::now() - begin).count();
    if (seconds >= 0 && left <= 0) return false;
  }
}

int descriptor_in(msghdr& header) {
  const cmsghdr* control = CMSG_FIRSTHDR(&header);
  if (control == nullptr || control->cmsg_type != SCM_RIGHTS) return -1;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(control), sizeof(int));
  return descriptor;
}

}  // namespace

bool send_message(int socket, const std::string& text, int descriptor) {
  iovec content{const_cast<char*>(text.data()), text.size()};
  msghdr header = header_of(content);
  Control control{};
  if (descriptor >= 0) {
    header.msg_control = control.bytes;
    header.msg_controllen = sizeof(control.bytes);
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &descriptor, sizeof(int));
  }
  while (true) {
    const ssize_t count = sendmsg(socket, &header, MSG_NOSIGNAL);
    if (count >= 0 || errno != EINTR) return count == static_cast<ssize_t>(text.size());
  }
}

Receipt receive_message(int socket, double seconds, std::string& text, int& descriptor) {
  descriptor = -1;
  if (!is_readable(socket, seconds)) return Receipt::timeout;
  // The first look tells how long the message is.
  ssize_t length = -1;
  while ((length = recv(socket, nullptr, 0, MSG_PEEK | MSG_TRUNC)) < 0 && errno == EINTR) {
  }
  if (length <= 0) return Receipt::closed;
  text.resize(static_cast<size_t>(length));
  iovec content{text.data(), text.size()};
  msghdr header = header_of(content);
  Control control{};
  header.msg_control = control.bytes;
  header.msg_controllen = sizeof(control.bytes);
  if (recvmsg(socket, &header, MSG_CMSG_CLOEXEC) != length) return Receipt::closed;
  descriptor = descriptor_in(header);
  return Receipt::message;
}

}  // namespace mdh::runtime
