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

Array Array::undefined(Type type, Extents extents) {
  const auto count = static_cast<size_t>(volume(extents));
  const auto width = static_cast<size_t>(width_of(type));
  return {std::move(type), std::move(extents), std::vector<Value>(count * width),
          std::vector<uint8_t>(count, 0)};
}

void copy_to_memory(const Array& array, void* memory) {
  const std::vector<Leaf> leaves = leaves_of(array.type);
  const int bytes = bytes_of(array.type);
  for (int64_t n = 0; n < array.size(); ++n) {
    if (array.defined[n] == 0) continue;
    char* element = static_cast<char*>(memory) + n * bytes;
    const Value* cells = &array.cells[n * static_cast<int64_t>(leaves.size())];
    for (const Leaf& leaf : leaves) store(leaf.type, element + leaf.offset, *cells++);
  }
}

Array copy_from_memory(const Type& type, const Extents& extents, const void* memory) {
  Array array = Array::undefined(type, extents);
  const std::vector<Leaf> leaves = leaves_of(type);
  const int bytes = bytes_of(type);
  Value* cell = array.cells.data();
  for (int64_t n = 0; n < array.size(); ++n) {
    const char* element = static_cast<const char*>(memory) + n * bytes;
    for (const Leaf& leaf : leaves) *cell++ = load(leaf.type, element + leaf.offset);
    array.defined[n] = 1;
  }
  return array;
}

}  // namespace mdh::scalar
