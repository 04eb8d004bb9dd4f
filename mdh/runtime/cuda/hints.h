// What errors about missing parts of CUDA advise.
#pragma once

namespace mdh::runtime::cuda {

inline constexpr const char* how_to_get_a_driver =
    "install NVIDIA's driver for your GPU (nvidia-smi shows whether it works), or use another "
    "target; MDH_LIBCUDA names a driver elsewhere, and MDH_CUDA_ARCH=sm_90 a GPU to compile for";

inline constexpr const char* how_to_see_a_device =
    "nvidia-smi lists the devices of the driver, and CUDA_VISIBLE_DEVICES may hide them; or use "
    "another target";

inline constexpr const char* how_to_get_a_compiler =
    "pip install nvidia-cuda-nvrtc-cu12, or install the CUDA toolkit; MDH_NVRTC and MDH_NVCC name "
    "files in other places";

}  // namespace mdh::runtime::cuda
