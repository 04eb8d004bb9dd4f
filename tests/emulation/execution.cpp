#include "tests/emulation/execution.h"

#include <algorithm>
#include <cstring>

#include "mdh/support/diagnostic.h"
#include "tests/emulation/crash.h"

namespace mdh::emulation {
namespace {

/// More is a loop without end. Two billion accesses take about a minute.
constexpr int64_t most_accesses = 2'000'000'000;

/// For arrays that kernels declare without telling how large they are in their launches.
constexpr size_t spare_local_bytes = size_t{1} << 20;
constexpr size_t most_local_arrays = 64;

thread_local Execution* running = nullptr;

int64_t volume(const std::array<int64_t, 3>& extents) {
  return extents[0] * extents[1] * extents[2];
}

/// Groups of a cluster.
size_t members_of(const kernel::Launch& launch) {
  return static_cast<size_t>(volume(launch.cluster));
}

size_t bytes_for(const kernel::Module& module) {
  size_t bytes = static_cast<size_t>(module.workspace());
  for (const kernel::Argument& a : module.arguments) bytes += static_cast<size_t>(a.bytes());
  kernel::for_each_written_launch(module.steps, [&](const kernel::Launch& launch, size_t) {
    bytes += members_of(launch) * (static_cast<size_t>(launch.local_bytes) + spare_local_bytes);
  });
  return bytes;
}

size_t blocks_for(const Library& library, const kernel::Module& module) {
  size_t blocks = module.arguments.size() + library.workspace_cuts(module.name).size() + 1;
  kernel::for_each_written_launch(module.steps, [&](const kernel::Launch& launch, size_t) {
    blocks += members_of(launch) *
              (most_local_arrays + library.function(launch.function).cuts.size() + 1);
  });
  return blocks;
}

/// Where a block of such elements begins. Compilers call accesses to records of 16 bytes aligned
/// although they are to half of that only.
size_t no_better_than(size_t alignment, size_t element) {
  return element % 16 == 0 ? std::max<size_t>(alignment, 16) : alignment;
}

/// Pieces of so many bytes, cut at offsets: where each begins and how long it is.
std::vector<std::pair<int64_t, int64_t>> pieces_of(int64_t bytes, std::vector<int64_t> cuts) {
  if (cuts.empty() || cuts.front() > 0) cuts.insert(cuts.begin(), 0);
  std::vector<std::pair<int64_t, int64_t>> pieces;
  for (size_t n = 0; n < cuts.size(); ++n) {
    const int64_t end = n + 1 < cuts.size() ? cuts[n + 1] : bytes;
    pieces.emplace_back(cuts[n], std::max<int64_t>(0, std::min(end, bytes) - cuts[n]));
  }
  return pieces;
}

std::array<int64_t, 3> position(int64_t flat, const std::array<int64_t, 3>& extents) {
  return {flat % extents[0], flat / extents[0] % extents[1], flat / extents[0] / extents[1]};
}

}  // namespace

Execution::Execution(const Library& library, const kernel::Module& module, const Manner& manner)
    : library_(library),
      module_(module),
      manner_(manner),
      random_(manner.seed),
      arena_(bytes_for(module), blocks_for(library, module)),
      watch_(arena_),
      copies_(arena_, watch_),
      team_(watch_, manner.order, manner.seed + 1),
      outer_(running),
      accesses_left_(most_accesses) {
  running = this;
}

Execution::~Execution() { running = outer_; }

Execution* Execution::current() { return running; }

// ---- memory

/// They are aligned as a module asks for, and no better. An output may be the same memory as an
/// input where a module allows that.
void Execution::add_buffers(std::span<void* const> buffers) {
  for (size_t n = 0; n < module_.arguments.size(); ++n) {
    const kernel::Argument& a = module_.arguments[n];
    const auto same =
        std::find(buffers.begin(), buffers.begin() + static_cast<std::ptrdiff_t>(n), buffers[n]);
    const auto first = static_cast<size_t>(same - buffers.begin());
    const bool is_alias = first < n && a.bytes() > 0;
    if (is_alias) {
      char* memory = static_cast<char*>(buffers_[first]);
      std::memcpy(memory, buffers[n], static_cast<size_t>(a.bytes()));
      for (int64_t byte = 0; byte < a.bytes(); ++byte) {
        arena_.cell(arena_.place_of(memory + byte))->flags |= Cell::is_written;
      }
      buffers_.push_back(memory);
      continue;
    }
    const Block& block =
        arena_.add(fmt::format("buffer '{}'", a.name), static_cast<size_t>(a.bytes()),
                   no_better_than(static_cast<size_t>(a.aligned_to()),
                                  static_cast<size_t>(a.bytes_per_element)),
                   std::max(1, a.bytes_per_element), a.is_output ? Use::output : Use::input,
                   a.is_output ? Content::unwritten : Content::written, 0);
    std::memcpy(arena_.at(block), buffers[n], block.bytes);
    buffers_.push_back(arena_.at(block));
  }
}

void Execution::add_workspace(const char* given) {
  for (const auto& [offset, bytes] :
       pieces_of(module_.workspace(), library_.workspace_cuts(module_.name))) {
    const Block& block =
        arena_.add(fmt::format("the workspace at {}", offset), static_cast<size_t>(bytes),
                   static_cast<size_t>(offset), 1, Use::output, Content::unwritten, manner_.poison);
    if (given != nullptr) std::memcpy(arena_.at(block), given + offset, block.bytes);
    for (int64_t at = offset; at < std::min(offset + bytes, module_.zeroed_bytes); ++at) {
      char* const byte = static_cast<char*>(arena_.at(block)) + (at - offset);
      const bool has_run = manner_.zeroed != nullptr && !manner_.zeroed->empty();
      *byte = has_run ? (*manner_.zeroed)[static_cast<size_t>(at)] : '\0';
      arena_.cell(arena_.place_of(byte))->flags |= Cell::is_written;
    }
    workspace_.emplace_back(offset, block);
  }
}

void Execution::give_back(std::span<void* const> buffers, char* workspace) const {
  if (manner_.zeroed != nullptr) leave_zeroed(*manner_.zeroed);
  for (size_t n = 0; n < module_.arguments.size(); ++n) {
    const kernel::Argument& a = module_.arguments[n];
    if (a.is_output) std::memcpy(buffers[n], buffers_[n], static_cast<size_t>(a.bytes()));
  }
  if (workspace == nullptr) return;
  for (const auto& [offset, block] : workspace_) {
    std::memcpy(workspace + offset, arena_.at(block), block.bytes);
  }
}

void Execution::leave_zeroed(std::vector<char>& bytes) const {
  bytes.assign(static_cast<size_t>(module_.zeroed_bytes), 0);
  for (const auto& [offset, block] : workspace_) {
    const int64_t end = std::min(offset + static_cast<int64_t>(block.bytes), module_.zeroed_bytes);
    if (offset < end) {
      std::memcpy(bytes.data() + offset, arena_.at(block), static_cast<size_t>(end - offset));
    }
  }
}

// ---- launches

std::optional<Finding> Execution::run(std::span<void* const> buffers, char* workspace) {
  add_buffers(buffers);
  add_workspace(workspace);
  const CrashGuard guard;
  kernel::for_each_launch(module_.steps, [&](const kernel::Launch& launch, auto indices) {
    if (!finding_) run(launch, indices);
  });
  if (!finding_) give_back(buffers, workspace);
  return finding_;
}

void Execution::begin(const kernel::Launch& launch) {
  watch_.begin_launch();
  launch_ = &launch;
  function_ = library_.function(launch.function);
  locals_.clear();
  for (size_t n = 0; n < members_of(launch); ++n) begin_member(launch, static_cast<int64_t>(n));
}

/// A launch that is repeated has the same local memory each time.
void Execution::begin_member(const kernel::Launch& launch, int64_t member) {
  const auto [found, is_new] = local_memories_.try_emplace({&launch, member});
  LocalMemory& local = found->second;
  locals_.push_back(&local);
  if (!is_new) return;
  for (const auto& [offset, bytes] : pieces_of(launch.local_bytes, function_.cuts)) {
    const Block& block =
        arena_.add(fmt::format("the local memory at {} of '{}'", offset, launch.function),
                   static_cast<size_t>(bytes), static_cast<size_t>(offset), 1, Use::local,
                   Content::unwritten, manner_.poison);
    local.dynamic.emplace_back(offset, block);
  }
}

void Execution::run(const kernel::Launch& launch, std::span<const int64_t> indices) {
  begin(launch);
  std::vector<void*> arguments = buffers_;
  arguments.push_back(arena_.at(workspace_.front().second));
  for (const int64_t index : indices) arguments.push_back(reinterpret_cast<void*>(index));
  const Order order = launch.in_order ? Order::forwards : manner_.order;
  const int64_t clusters = volume(launch.groups) / volume(launch.cluster);
  for (const int64_t cluster : ordered(clusters, order, random_)) {
    run_cluster(cluster, arguments);
    if (finding_) return;
  }
}

/// The groups of a cluster are neighbours.
void Execution::place_groups(int64_t cluster) {
  Place clusters;
  for (size_t a = 0; a < 3; ++a) clusters[a] = launch_->groups[a] / launch_->cluster[a];
  const Place first = position(cluster, clusters);
  positions_.clear();
  for (int64_t n = 0; n < volume(launch_->cluster); ++n) {
    Place place = position(n, launch_->cluster);
    for (size_t a = 0; a < 3; ++a) place[a] += first[a] * launch_->cluster[a];
    positions_.push_back(place);
  }
}

void Execution::run_cluster(int64_t cluster, const std::vector<void*>& arguments) {
  const int64_t items = volume(launch_->items);
  place_groups(cluster);
  std::vector<int64_t> groups;
  for (const Place& p : positions_) {
    groups.push_back((p[2] * launch_->groups[1] + p[1]) * launch_->groups[0] + p[0]);
  }
  watch_.begin_groups(groups, items);
  copies_.begin_groups();
  read_since_.reset();
  for (const LocalMemory* local : locals_) {
    for (const auto& [key, block] : local->arrays) arena_.forget(block, manner_.poison);
    for (const auto& [offset, block] : local->dynamic) arena_.forget(block, manner_.poison);
  }
  std::vector<void*> mine = arguments;
  auto wrong =
      team_.run(groups.size(), items, manner_.poison, [&] { function_.enter(mine.data()); });
  if (!wrong) wrong = left_too_early();
  if (!wrong) return;
  if (!finding_) finding_ = Finding{};
  finding_->text = *wrong;
  finding_->kernel = launch_->function;
}

/// A group that ends takes its memory with it.
std::optional<std::string> Execution::left_too_early() const {
  if (!read_since_) return std::nullopt;
  return fmt::format("cluster: group {} may end while others touch its memory",
                     watch_.group_of(*read_since_));
}

Execution::Place Execution::item_position() const {
  return position(watch_.item(), launch_->items);
}

// ---- what kernels ask for

void Execution::fail(std::string text, const void* code) {
  finding_ = Finding{"", "", code};
  team_.fail(std::move(text));
}

void Execution::access(const void* address, size_t bytes, Access access, bool is_aligned,
                       const void* code) {
  if (!arena_.contains(address)) {
    if (!team_.stack().contains(address)) outside(address, access, code);
    return;
  }
  if (--accesses_left_ < 0) fail("without end: a run of too many accesses", code);
  if (is_aligned && reinterpret_cast<uintptr_t>(address) % bytes != 0) {
    fail(fmt::format("misaligned: item {} of group {} accesses {} bytes at {}", watch_.item(),
                     watch_.group(), bytes, arena_.describe(arena_.place_of(address))),
         code);
  }
  if (locals_.size() > 1) touch_of_another(address, code);
  if (auto wrong = watch_.touch(static_cast<const char*>(address), bytes, access)) {
    fail(std::move(*wrong), code);
  }
}

// ---- clusters

/// Of the local memory of a group that runs.
const Block* Execution::own_piece(const void* address, size_t member) const {
  const size_t place = arena_.place_of(address);
  const auto is_in = [&](const Block& b) { return place >= b.begin && place < b.begin + b.bytes; };
  for (const auto& [offset, block] : locals_[member]->dynamic) {
    if (is_in(block)) return &block;
  }
  return nullptr;
}

void Execution::touch_of_another(const void* address, const void* code) {
  for (size_t n = 0; n < locals_.size(); ++n) {
    if (n == watch_.member() || own_piece(address, n) == nullptr) continue;
    if (!watch_.have_met()) {
      fail(fmt::format("cluster: group {} touches memory of group {}, which may not have begun",
                       watch_.group(), watch_.group_of(n)),
           code);
    }
    read_since_ = n;
  }
}

/// Nobody goes on before the last one has got here.
void Execution::meet_members(int line) {
  read_since_.reset();
  team_.meet_members(line);
}

/// Where another group of the cluster has what is here in this one.
void* Execution::of_member(const void* mine, unsigned member, const void* code) {
  const Block* piece = arena_.contains(mine) ? own_piece(mine, watch_.member()) : nullptr;
  if (piece == nullptr || member >= locals_.size()) {
    fail(fmt::format("cluster: member {} of {} has nothing there", member, locals_.size()), code);
    return nullptr;
  }
  const Pieces &here = locals_[watch_.member()]->dynamic, &there = locals_[member]->dynamic;
  const size_t inside = arena_.place_of(mine) - piece->begin;
  for (size_t n = 0; n < here.size(); ++n) {
    if (here[n].second.begin == piece->begin) return arena_.at(there[n].second) + inside;
  }
  return nullptr;
}

/// Neither memory of the run nor private memory of the item.
void Execution::outside(const void* address, Access access, const void* code) {
  if (access == Access::read && library_.contains(address)) return;  // a constant
  const std::string who = fmt::format("item {} of group {}", watch_.item(), watch_.group());
  if (const auto owner = team_.owner_of(address)) {
    return fail(fmt::format("private: {} touches private memory of item {}", who, *owner), code);
  }
  fail(fmt::format("out of bounds: {} touches {}, which is in no memory", who, address), code);
}

void Execution::atomic(const void* address, size_t bytes, const void* code) {
  if (!arena_.contains(address)) return outside(address, Access::write, code);
  if (auto wrong = watch_.touch_atomically(static_cast<const char*>(address), bytes)) {
    fail(std::move(*wrong), code);
  }
}

void* Execution::local(const char* name, size_t bytes, size_t alignment, size_t element, int line,
                       const void* code) {
  auto& arrays = locals_[watch_.member()]->arrays;
  const auto [found, is_new] = arrays.try_emplace({name, line});
  if (is_new && (arrays.size() > most_local_arrays || !arena_.has_room_for(bytes))) {
    fail(fmt::format("too much local memory: '{}' of {} bytes", name, bytes), code);
  }
  if (is_new) {
    found->second = arena_.add(fmt::format("local memory '{}'", name), bytes,
                               no_better_than(alignment, element), static_cast<int>(element),
                               Use::local, Content::unwritten, manner_.poison);
  }
  return arena_.at(found->second);
}

void* Execution::shared(int64_t offset, const void* code) {
  for (const auto& [begin, block] : locals_[watch_.member()]->dynamic) {
    if (begin == std::max<int64_t>(0, offset)) return arena_.at(block);
  }
  fail(fmt::format("local memory has no piece at {}", offset), code);
  return nullptr;
}

void* Execution::workspace(int64_t offset, const void* code) {
  for (const auto& [begin, block] : workspace_) {
    if (begin == offset) return arena_.at(block);
  }
  fail(fmt::format("the workspace has no piece at {}", offset), code);
  return nullptr;
}

void Execution::copy(void* to, const void* from, size_t bytes, const void* code) {
  const auto wrong = copies_.issue(static_cast<char*>(to), static_cast<const char*>(from), bytes);
  if (wrong) fail(*wrong, code);
}

void Execution::wait(int64_t left, const void* code) {
  if (const auto wrong = copies_.wait(left)) fail(*wrong, code);
}

}  // namespace mdh::emulation
