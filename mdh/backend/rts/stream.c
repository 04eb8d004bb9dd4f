// Stores that need no line in a cache. Only x86 has them. Those of AArch64 (stnp) are a mere hint, which was
// measured not to pay, and cost an instruction where vectors are not in pairs.
// 
// Such stores have to be aligned. Rows of the user need not be, so that it is asked each time; the answer is
// nearly always the same and thus predicted. Returns whether it has stored.

#if defined(__x86_64__)
#if defined(__clang__)
#define mdh_stream_as(type, gcc, to, from) \
  __builtin_nontemporal_store(*(const type *)(from), (type *)(to))
#else
#define mdh_stream_as(type, gcc, to, from) gcc((float *)(to), *(const type *)(from))
#endif
typedef float mdh_piece16 __attribute__((vector_size(16), may_alias));
#if defined(__AVX__)
typedef float mdh_piece32 __attribute__((vector_size(32), may_alias));
#endif
#if defined(__AVX512F__)
typedef float mdh_piece64 __attribute__((vector_size(64), may_alias));
#define mdh_piece_most 64
#elif defined(__AVX__)
#define mdh_piece_most 32
#else
#define mdh_piece_most 16
#endif
static inline __attribute__((always_inline)) int mdh_stream(char *to, const char *from, long bytes) {
  const long piece = bytes < mdh_piece_most ? bytes : mdh_piece_most;
  if ((unsigned long)to % piece != 0) return 0;
  for (long n = 0; n < bytes; n += piece) {
#if defined(__AVX512F__)
    if (piece == 64) mdh_stream_as(mdh_piece64, __builtin_ia32_movntps512, to + n, from + n);
#endif
#if defined(__AVX__)
    if (piece == 32) mdh_stream_as(mdh_piece32, __builtin_ia32_movntps256, to + n, from + n);
#endif
    if (piece == 16) mdh_stream_as(mdh_piece16, __builtin_ia32_movntps, to + n, from + n);
  }
  return 1;
}
#else
static inline int mdh_stream(char *to, const char *from, long bytes) {
  (void)to, (void)from, (void)bytes;
  return 0;
}
#endif
