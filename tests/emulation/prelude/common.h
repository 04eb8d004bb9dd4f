// What the words of all languages are made of: functions of the emulation (hooks.cpp).
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
unsigned long mdh_emulation_item(unsigned axis);
unsigned long mdh_emulation_group(unsigned axis);
unsigned long mdh_emulation_items(unsigned axis);
unsigned long mdh_emulation_groups(unsigned axis);
unsigned mdh_emulation_lane(void);
void mdh_emulation_barrier(int line, int fences);
void mdh_emulation_meet_in_warp(int line, unsigned mask);
unsigned long mdh_emulation_take(int line, unsigned mask, unsigned long value, int lane);
void* mdh_emulation_local(const char* name, unsigned long bytes, unsigned long alignment,
                          unsigned long element, int line);
void* mdh_emulation_shared(long offset);
void* mdh_emulation_workspace(long offset);
void mdh_emulation_atomic(const void* address, unsigned long bytes);
void mdh_emulation_copy(void* to, const void* from, unsigned long bytes);
void mdh_emulation_commit(void);
void mdh_emulation_meet_members(int line);
void* mdh_emulation_of_member(const void* mine, unsigned member);
void mdh_emulation_wait(long left);
#ifdef __cplusplus
}
#endif

// Mathematics is that of the definition: in double, and rounded by who stores it.
#define sqrt(x) __builtin_sqrt(x)
#define exp(x) __builtin_exp(x)
#define exp2(x) __builtin_exp2(x)
#define log(x) __builtin_log(x)
#define log2(x) __builtin_log2(x)
#define log10(x) __builtin_log10(x)
#define sin(x) __builtin_sin(x)
#define cos(x) __builtin_cos(x)
#define tan(x) __builtin_tan(x)
#define tanh(x) __builtin_tanh(x)
#define floor(x) __builtin_floor(x)
#define ceil(x) __builtin_ceil(x)
#define fabs(x) __builtin_fabs(x)
#define pow(x, y) __builtin_pow(x, y)
#define atan2(x, y) __builtin_atan2(x, y)
#define fmin(x, y) __builtin_fmin(x, y)
#define fmax(x, y) __builtin_fmax(x, y)

// Asynchronous copies: printed helpers are guarded by these names, and thus left out.
#define mdh_copy_async_defined
#define mdh_copy_async_4(to, from) mdh_emulation_copy(to, from, 4)
#define mdh_copy_async_8(to, from) mdh_emulation_copy(to, from, 8)
#define mdh_copy_async_16(to, from) mdh_emulation_copy(to, from, 16)
#define mdh_copy_commit() mdh_emulation_commit()
#define mdh_copy_wait(left) mdh_emulation_wait(left)
