// Names in configurations, as the machine and the program know them.
#pragma once

#include <optional>
#include <string>

#include "mdh/ll/config.h"
#include "mdh/ll/program.h"

namespace mdh::ll {

/// The configuration with other names of layers and regions replaced by their own.
Config with_machine_names(const Config& config, const machine::Machine& machine);

/// The levels in the order of a phase: its own order, then what only the common one names.
std::vector<LevelName> order_of(const Config& config, const std::string& phase);

/// Position of a dimension of the program; nothing if it has none of this name.
std::optional<int> find_dimension(const hl::Program& program, const std::string& name);

/// The buffer of this name; nothing if there is none.
std::optional<size_t> find_buffer(const std::vector<hl::BufferView>& buffers,
                                  const std::string& name);

/// The dimension of the program that alone walks along a dimension of the buffer, in all accesses;
/// nothing for constants, halos (p + r), and what is not affine.
std::optional<int> walking_dimension(const hl::Program& program, const hl::BufferView& buffer,
                                     size_t axis);

/// The buffer dimension (1-based) that a layout names: by its position, or by the only dimension of
/// the program that walks along it. Nothing if there is none, or several.
std::optional<int> find_axis(const hl::Program& program, const hl::BufferView& buffer,
                             const std::string& name);

/// The layout that a configuration writes; nothing if it names what the buffer does not have.
std::optional<Layout> layout_of(const hl::Program& program, const hl::BufferView& buffer,
                                const std::vector<LayoutAxis>& axes);

/// The name of one of its axes in a configuration: the dimension that alone walks along it, or its
/// position.
LayoutAxis layout_axis(const hl::Program& program, const hl::BufferView& buffer, const Axis& axis);

/// The layout of the user's buffers: 1, 2, ..., row by row.
Layout row_major(const hl::BufferView& buffer);

/// The layers of the machine by significance: the given ones, then those that they leave out.
std::vector<std::string> all_layers(const std::vector<std::string>& given,
                                    const machine::Machine& machine);

/// Data are copied between these places: into another layout, or into a region that is explicit. A
/// cache keeps what it likes, so that its region alone is a hint.
bool is_copy(const Place& from, const Place& to, const machine::Machine& machine);

/// Where the user's buffer lies.
Place user_place(const hl::BufferView& buffer, const machine::Machine& machine);

}  // namespace mdh::ll
