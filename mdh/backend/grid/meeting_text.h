// How kernels print statements in which items of a group, or members of a grid, meet.
#pragma once

#include <string>
#include <vector>

#include "mdh/backend/c/printer.h"
#include "mdh/backend/grid/atomics.h"
#include "mdh/backend/grid/axes.h"
#include "mdh/backend/grid/storage.h"
#include "mdh/backend/grid/words.h"

namespace mdh::backend {

/// Of arrays that are cut from one: what the widest access needs.
constexpr int64_t shared_alignment = 16;

class MeetingPrinter : public CPrinter {
 public:
  MeetingPrinter(const loop::Program& p, const GridStorage& storage, const GridWords& words);

 protected:
  /// Who would take from an item that is not there takes from itself, or from another one.
  std::string exchange(const loop::Exchange& s) override;
  /// Who arrives last goes on; the others are done.
  std::string last(const loop::Last& s) override;
  std::string atomic_combine(const loop::AtomicCombine& s) override;
  std::string atomic_take(const loop::AtomicTake& s) override;
  /// The next member of the grid, in the order in which groups begin.
  /// Members that follow each other have the numbers in whose order they begin, and are counted.
  std::string numbered(const loop::Deal& s);
  std::string counted() const;  // where a member has how many were counted before it
  std::string follow(const loop::Follow& s) override;
  std::string meet(const loop::Meet& s) override;
  /// What another member of a cluster keeps is in its memory.
  std::string beginning(const loop::Element& e) override;

  /// What nobody else can see lies where a thread keeps its variables: it may begin anywhere.
  bool is_private(const loop::Element& e) const;
  bool is_in(const loop::Buffer& b, Space space) const;

  const GridStorage& storage_;
  const GridWords& words_;
  // Of the kernel that is being printed:
  Items items_;
  const loop::Deal* grid_ = nullptr;
  const Followers* followers_ = nullptr;
  int64_t counted_at_ = 0;  // in the memory of the group: blocks that have begun before
  int64_t local_bytes_ = 0;

 private:
  /// Numbers at once, records word by word.
  template <class Take>
  std::string taken(const loop::Exchange& s, const Take& take);
  AtomicText atomic_text(const std::vector<loop::Element>& elements,
                         const std::vector<std::string>& values);
  /// What this member has to tell, for its number.
  std::string telling(const loop::Follow& s, const Told& told);
  /// What another member has told.
  std::string hearing(const loop::Follow& s, const Told& told);
  std::string told_by(const loop::Follow& s, const Told& told, size_t n, const char* member);
};

}  // namespace mdh::backend
