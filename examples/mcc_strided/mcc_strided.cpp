#include "examples/catalogue.h"
#include "examples/mcc/mcc.h"
#include "examples/plain.h"

namespace mdh::examples {
namespace {

constexpr Stride both{2, 2};

}  // namespace

Entry mcc_strided_entry() {
  return {.name = "mcc_strided",
          .summary = "multi-channel convolution with strides, images NHWC",
          .types = usual_types(),
          // ResNet-50 (whose images are declared 230 wide, one more than it reads), then
          // MobileNet, training and inference
          .sizes = {{"paper", {16, 112, 112, 64, 7, 7, 3}},
                    {"paper2", {1, 112, 112, 64, 7, 7, 3}},
                    {"paper3", {16, 112, 112, 32, 3, 3, 3}},
                    {"paper4", {1, 112, 112, 32, 3, 3, 3}}},
          .build = [](const Instance& at) { return mcc_program("mcc_strided", at, both); },
          .plain = [](const Instance& at,
                      std::span<void* const> buffers) { plain_mcc(at, buffers, both); }};
}

}  // namespace mdh::examples
