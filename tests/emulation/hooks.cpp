#include "tests/emulation/hooks.h"

#include <cstdint>
#include <cstring>

#include "tests/emulation/execution.h"

// The compiler calls the functions of the thread sanitizer, which is not linked: these are ours.
// NOLINTBEGIN(bugprone-reserved-identifier)

namespace {

using mdh::emulation::Access;
using mdh::emulation::Execution;

void touch(const void* address, size_t bytes, Access access, bool is_aligned, const void* code) {
  if (Execution* run = Execution::current()) run->access(address, bytes, access, is_aligned, code);
}

void aligned_read(const void* address, size_t bytes, const void* code) {
  touch(address, bytes, Access::read, true, code);
}
void aligned_write(const void* address, size_t bytes, const void* code) {
  touch(address, bytes, Access::write, true, code);
}
void any_read(const void* address, size_t bytes, const void* code) {
  touch(address, bytes, Access::read, false, code);
}
void any_write(const void* address, size_t bytes, const void* code) {
  touch(address, bytes, Access::write, false, code);
}

}  // namespace

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

void __tsan_read1(void* p) { aligned_read(p, 1, __builtin_return_address(0)); }
void __tsan_read2(void* p) { aligned_read(p, 2, __builtin_return_address(0)); }
void __tsan_read4(void* p) { aligned_read(p, 4, __builtin_return_address(0)); }
void __tsan_read8(void* p) { aligned_read(p, 8, __builtin_return_address(0)); }
void __tsan_read16(void* p) { aligned_read(p, 16, __builtin_return_address(0)); }
void __tsan_write1(void* p) { aligned_write(p, 1, __builtin_return_address(0)); }
void __tsan_write2(void* p) { aligned_write(p, 2, __builtin_return_address(0)); }
void __tsan_write4(void* p) { aligned_write(p, 4, __builtin_return_address(0)); }
void __tsan_write8(void* p) { aligned_write(p, 8, __builtin_return_address(0)); }
void __tsan_write16(void* p) { aligned_write(p, 16, __builtin_return_address(0)); }

void __tsan_unaligned_read2(void* p) { any_read(p, 2, __builtin_return_address(0)); }
void __tsan_unaligned_read4(void* p) { any_read(p, 4, __builtin_return_address(0)); }
void __tsan_unaligned_read8(void* p) { any_read(p, 8, __builtin_return_address(0)); }
void __tsan_unaligned_read16(void* p) { any_read(p, 16, __builtin_return_address(0)); }
void __tsan_unaligned_write2(void* p) { any_write(p, 2, __builtin_return_address(0)); }
void __tsan_unaligned_write4(void* p) { any_write(p, 4, __builtin_return_address(0)); }
void __tsan_unaligned_write8(void* p) { any_write(p, 8, __builtin_return_address(0)); }
void __tsan_unaligned_write16(void* p) { any_write(p, 16, __builtin_return_address(0)); }

void __tsan_read_range(void* p, size_t bytes) { any_read(p, bytes, __builtin_return_address(0)); }
void __tsan_write_range(void* p, size_t bytes) { any_write(p, bytes, __builtin_return_address(0)); }

void* __tsan_memcpy(void* to, const void* from, size_t bytes) {
  any_read(from, bytes, __builtin_return_address(0));
  any_write(to, bytes, __builtin_return_address(0));
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, size_t bytes) {
  any_read(from, bytes, __builtin_return_address(0));
  any_write(to, bytes, __builtin_return_address(0));
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int byte, size_t bytes) {
  any_write(to, bytes, __builtin_return_address(0));
  return std::memset(to, byte, bytes);
}

// ---- the words of languages

unsigned long mdh_emulation_item(unsigned axis) { return Execution::current()->item(axis); }
unsigned long mdh_emulation_group(unsigned axis) { return Execution::current()->group(axis); }
unsigned long mdh_emulation_items(unsigned axis) { return Execution::current()->items(axis); }
unsigned long mdh_emulation_groups(unsigned axis) { return Execution::current()->groups(axis); }
unsigned mdh_emulation_lane() { return Execution::current()->lane(); }

void mdh_emulation_barrier(int line, int fences) { Execution::current()->barrier(line, fences); }
void mdh_emulation_meet_in_warp(int line, unsigned mask) {
  Execution::current()->meet_in_warp(line, {.mask = mask});
}
uint64_t mdh_emulation_take(int line, unsigned mask, uint64_t value, int lane) {
  return Execution::current()->meet_in_warp(line, {.mask = mask, .value = value, .lane = lane});
}

void* mdh_emulation_local(const char* name, size_t bytes, size_t alignment, size_t element,
                          int line) {
  return Execution::current()->local(name, bytes, alignment, element, line,
                                     __builtin_return_address(0));
}
void* mdh_emulation_shared(long offset) {
  return Execution::current()->shared(offset, __builtin_return_address(0));
}
void* mdh_emulation_workspace(long offset) {
  return Execution::current()->workspace(offset, __builtin_return_address(0));
}
void mdh_emulation_atomic(const void* address, size_t bytes) {
  Execution::current()->atomic(address, bytes, __builtin_return_address(0));
}

void mdh_emulation_meet_members(int line) { Execution::current()->meet_members(line); }
void* mdh_emulation_of_member(const void* mine, unsigned member) {
  return Execution::current()->of_member(mine, member, __builtin_return_address(0));
}

void mdh_emulation_copy(void* to, const void* from, size_t bytes) {
  Execution::current()->copy(to, from, bytes, __builtin_return_address(0));
}
void mdh_emulation_commit() { Execution::current()->commit(); }
void mdh_emulation_wait(long left) {
  Execution::current()->wait(left, __builtin_return_address(0));
}

}  // extern "C"

// NOLINTEND(bugprone-reserved-identifier)

namespace mdh::emulation {

void keep_hooks() {}

}  // namespace mdh::emulation
