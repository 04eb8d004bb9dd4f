// Words of the text form that stand for enumerators.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mdh/loop/program.h"

namespace mdh::loop {

std::string word(How how);
std::string word(Role role);
std::string word(Edge edge);
std::string word(Kind kind);
std::string word(Team team);
std::string word(Scope scope);
std::string word(Dealing dealing);
std::string word(Transport transport);
std::string word(Meeting how);
std::optional<How> find_how(std::string_view word);
std::optional<Role> find_role(std::string_view word);
std::optional<Edge> find_edge(std::string_view word);
std::optional<int> find_axis(std::string_view word);
std::optional<Kind> find_kind(std::string_view word);
std::optional<Team> find_team(std::string_view word);
std::optional<Scope> find_scope(std::string_view word);
std::optional<Dealing> find_dealing(std::string_view word);
std::optional<Transport> find_transport(std::string_view word);
std::optional<Meeting> find_meeting(std::string_view word);

}  // namespace mdh::loop
