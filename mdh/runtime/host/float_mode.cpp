#include "mdh/runtime/host/float_mode.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace mdh::runtime::host {
namespace {

#if defined(__x86_64__)

// MXCSR: the lowest six bits say what has happened, all others how to compute.
constexpr unsigned happened = 0x3f, usual = 0x1f80;

uint64_t mode() { return _mm_getcsr() & ~happened; }
void set_mode(uint64_t wanted) {
  _mm_setcsr(static_cast<unsigned>(wanted) | (_mm_getcsr() & happened));
}

#elif defined(__aarch64__)

constexpr uint64_t usual = 0;

uint64_t mode() {
  uint64_t bits = 0;
  asm volatile("mrs %0, fpcr" : "=r"(bits));
  return bits;
}
void set_mode(uint64_t wanted) { asm volatile("msr fpcr, %0" : : "r"(wanted)); }

#else

constexpr uint64_t usual = 0;

uint64_t mode() { return usual; }
void set_mode(uint64_t) {}

#endif

}  // namespace

UsualFloatMode::UsualFloatMode() : before_(mode()) {
  if (before_ != usual) set_mode(usual);
}

UsualFloatMode::~UsualFloatMode() {
  if (mode() != before_) set_mode(before_);
}

}  // namespace mdh::runtime::host
