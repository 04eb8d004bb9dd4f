#include "mdh/tune/count.h"

#include <algorithm>

namespace mdh::tune {

std::string to_string(Count count) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(count % 10));
    count /= 10;
  } while (count > 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

Count saturating_sum(Count a, Count b) { return a > count_limit - b ? count_limit : a + b; }

Count saturating_product(Count a, Count b) {
  if (a == 0 || b == 0) return 0;
  return a > count_limit / b ? count_limit : a * b;
}

Count random_below(Random& random, Count bound) {
  const Count high = random.next();
  return ((high << 64) | random.next()) % bound;
}

double random_unit(Random& random) { return static_cast<double>(random.next() >> 11) * 0x1p-53; }

}  // namespace mdh::tune
