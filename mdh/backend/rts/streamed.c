// Waits for stores of stream.c: they are ordered with nothing else, not even with what other threads wait for.

static inline void mdh_streamed(void) {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}
