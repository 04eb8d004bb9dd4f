// Programs on given data, with and without lanes, compiled in every way that `mdh run` knows and
// compared with their definition bit for bit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/kernel/module.h"
#include "mdh/runtime/device.h"
#include "mdh/runtime/opencl/context.h"
#include "mdh/scalar/array.h"
#include "mdh/tuning/compiler_choice.h"

namespace mdh::test {

struct Sample {
  hl::Program program;
  std::vector<scalar::Array> inputs;
  int64_t lanes = 0;  // of the last dimension; 0: none
};

std::vector<scalar::Scalar> all_scalar_types();

/// Numbers of other types are computed one by one.
bool has_lanes(scalar::Scalar type);

/// Parts on two cores in every dimension, and border tiles.
kernel::Module module_of(const Sample& sample, const std::string& target);

/// What is not the definition's: nothing but the signs and payloads of NaN may differ.
std::string difference(const Sample& sample, const std::vector<scalar::Array>& found);

/// The usual compiler as it is called for a kernel that asks for nothing, and all those that tuned
/// kernels ask for.
std::vector<tuning::CompilerChoice> all_compilers();

/// One text per sample, empty where it is right; all are one translation unit.
std::vector<std::string> differences_in_c(const std::vector<Sample>& samples,
                                          const tuning::CompilerChoice& choice);

/// The same on a device that takes what is printed for the target.
std::vector<std::string> differences_on(const runtime::Device& device,
                                        const std::vector<Sample>& samples,
                                        const std::string& target);

/// The device of tests, if there is one.
std::optional<runtime::opencl::Context> opencl_context();

/// `before` is put in front of the printed source.
std::string difference_in_opencl(const Sample& sample, const runtime::opencl::Context& context,
                                 const std::string& before = "");

}  // namespace mdh::test
