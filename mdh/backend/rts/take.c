// Hands out the parts of all loops that are dealt as they are taken, one after the other. The parts of a loop are
// numbered behind those of the loops before it, which are the same on all threads. A thread leaves a loop only when
// all numbers below its end are taken, and takes none beyond it. So a thread that is ahead of others never gets, or
// loses, a part of a loop that it is not in.

static inline long mdh_take(long *taken, long end) {
  long next = __atomic_load_n(taken, __ATOMIC_RELAXED);
  while (next < end && !__atomic_compare_exchange_n(taken, &next, next + 1, 0, __ATOMIC_RELAXED,
                                                    __ATOMIC_RELAXED)) {
  }
  return next;
}
