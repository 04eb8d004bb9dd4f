#include "mdh/loop/keywords.h"

#include <array>

namespace mdh::loop {
namespace {

constexpr std::array<const char*, 5> hows = {"sequential", "grid", "cores", "unrolled", "lanes"};
constexpr std::array<const char*, 3> roles = {"output", "input", "temporary"};
constexpr std::array<const char*, 3> kinds = {"kept", "reduced", "scanned"};
constexpr std::array<const char*, 3> axes = {"x", "y", "z"};
constexpr std::array<const char*, 5> edges = {"auto", "clamp", "pad", "mask", "overlap"};
constexpr std::array<const char*, 4> scopes = {"all", "group", "core", "registers"};
constexpr std::array<const char*, 4> teams = {"grid", "cores", "all", "warp"};
constexpr std::array<const char*, 3> dealings = {"block", "cyclic", "dynamic"};
constexpr std::array<const char*, 7> meetings = {"in_order",  "tree",   "exchange", "last",
                                                 "look_back", "atomic", "cluster"};
constexpr std::array<const char*, 3> transports = {"plain", "registers", "async"};

template <class Enum, size_t count>
std::optional<Enum> find(const std::array<const char*, count>& words, std::string_view word) {
  for (size_t n = 0; n < count; ++n) {
    if (word == words[n]) return static_cast<Enum>(n);
  }
  return std::nullopt;
}

}  // namespace

std::string word(How how) { return hows[static_cast<size_t>(how)]; }
std::string word(Role role) { return roles[static_cast<size_t>(role)]; }
std::string word(Kind kind) { return kinds[static_cast<size_t>(kind)]; }
std::string word(Edge edge) { return edges[static_cast<size_t>(edge)]; }
std::string word(Team team) { return teams[static_cast<size_t>(team)]; }
std::string word(Scope scope) { return scopes[static_cast<size_t>(scope)]; }
std::string word(Dealing dealing) { return dealings[static_cast<size_t>(dealing)]; }
std::string word(Transport transport) { return transports[static_cast<size_t>(transport)]; }
std::string word(Meeting how) { return meetings[static_cast<size_t>(how)]; }
std::optional<How> find_how(std::string_view word) { return find<How>(hows, word); }
std::optional<Role> find_role(std::string_view word) { return find<Role>(roles, word); }
std::optional<Kind> find_kind(std::string_view word) { return find<Kind>(kinds, word); }
std::optional<int> find_axis(std::string_view word) { return find<int>(axes, word); }
std::optional<Edge> find_edge(std::string_view word) { return find<Edge>(edges, word); }
std::optional<Team> find_team(std::string_view word) { return find<Team>(teams, word); }
std::optional<Scope> find_scope(std::string_view word) { return find<Scope>(scopes, word); }
std::optional<Meeting> find_meeting(std::string_view word) { return find<Meeting>(meetings, word); }
std::optional<Dealing> find_dealing(std::string_view word) { return find<Dealing>(dealings, word); }

std::optional<Transport> find_transport(std::string_view word) {
  return find<Transport>(transports, word);
}

}  // namespace mdh::loop
