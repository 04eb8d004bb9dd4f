#include "mdh/scalar/array.h"

#include "mdh/support/diagnostic.h"

namespace mdh::scalar {

int64_t volume(const Extents& extents) {
  int64_t product = 1;
  for (const int64_t n : extents) product *= n;
  return product;
}

int64_t address(const Extents& extents, std::span<const int64_t> index) {
  internal_check(extents.size() == index.size(), "a {}-d buffer is indexed with {} numbers",
                 extents.size(), index.size());
  int64_t flat = 0;
  for (size_t d = 0; d < extents.size(); ++d) {
    internal_check(index[d] >= 0 && index[d] < extents[d], "index {} is outside of [0, {})",
                   index[d], extents[d]);
    flat = flat * extents[d] + index[d];
  }
  return flat;
}

Array Array::undefined(Scalar type, Extents extents) {
  const auto count = static_cast<size_t>(volume(extents));
  return {type, std::move(extents), std::vector<Value>(count), std::vector<uint8_t>(count, 0)};
}

void copy_to_memory(const Array& array, void* memory) {
  const int bytes = bytes_of(array.type);
  for (int64_t n = 0; n < array.size(); ++n) {
    if (array.defined[n] != 0)
      store(array.type, static_cast<char*>(memory) + n * bytes, array.cells[n]);
  }
}

Array copy_from_memory(Scalar type, const Extents& extents, const void* memory) {
  Array array = Array::undefined(type, extents);
  const int bytes = bytes_of(type);
  for (int64_t n = 0; n < array.size(); ++n) {
    array.cells[n] = load(type, static_cast<const char*>(memory) + n * bytes);
    array.defined[n] = 1;
  }
  return array;
}

}  // namespace mdh::scalar
