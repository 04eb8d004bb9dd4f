// Where the compilers of CUDA are: installed by a package, by the toolkit, or in a wheel of Python.
#pragma once

#include <string>
#include <vector>

namespace mdh::runtime::cuda {

/// Libraries that may be NVRTC, those of newer versions first: names that the dynamic loader looks
/// up itself, then files that exist. MDH_NVRTC names the only one; there are none if it is "off".
std::vector<std::string> places_of_nvrtc();

/// The program nvcc: MDH_NVCC, else on PATH, in CUDA_HOME or CUDA_PATH, or below /usr/local. Empty
/// if there is none, or if MDH_NVCC is "off".
std::string find_nvcc();

}  // namespace mdh::runtime::cuda
