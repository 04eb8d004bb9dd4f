// A small value that threads combine into with compare and swap: its bits and a bit that says that it is there. Empty
// words are 0.

static __device__ inline unsigned long long mdh_to_word(const void *value, unsigned bytes) {
  unsigned bits = 0;
  memcpy(&bits, value, bytes);
  return 1ull << 32 | bits;
}

static __device__ inline void mdh_from_word(unsigned long long word, void *value, unsigned bytes) {
  const unsigned bits = (unsigned)word;
  memcpy(value, &bits, bytes);
}
