#include "mdh/driver/verify/input_reader.h"

namespace mdh::driver {

InputReader::InputReader(const hl::Program& views, std::span<void* const> inputs) {
  for (const hl::Component& c : hl::components(views.inputs)) {
    const hl::BufferView& view = views.inputs[c.buffer];
    places_.push_back({static_cast<const char*>(inputs[c.buffer]),
                       hl::Address(views, view, view.accesses[c.access]),
                       scalar::bytes_of(view.type), leaves_of(view.type)});
  }
}

void InputReader::operator()(std::span<const int64_t> point,
                             std::span<scalar::Value> leaves) const {
  size_t next = 0;
  for (const Place& place : places_) {
    const char* element = place.memory + place.address(point) * place.bytes;
    for (const scalar::Leaf& leaf : place.leaves) {
      leaves[next++] = scalar::load(leaf.type, element + leaf.offset);
    }
  }
}

}  // namespace mdh::driver
