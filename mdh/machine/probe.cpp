#include "mdh/machine/probe.h"
namespace mdh::machine {
Probe probe_host(const std::string&) { return {}; }
}  // namespace mdh::machine
