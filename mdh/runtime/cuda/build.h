// From CUDA sources to cubins on disk: several at once, within a time limit, and not twice.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/runtime/build.h"
#include "mdh/runtime/cuda/compiler.h"
#include "mdh/runtime/cuda/device.h"

namespace mdh::runtime::cuda {

/// One outcome per module, in order. Each is compiled by itself, in a process of its own: NVRTC
/// cannot be interrupted in any other way, and sources may define the same names. Needs no GPU.
/// Modules that ask for more than the device has fail (E615) without a compiler; a missing compiler
/// is an error for all.
///
/// Without the program mdh-worker, NVRTC runs in this process, one module after the other and
/// without a limit of time.
std::vector<Built> build_modules(std::span<const kernel::Module> modules, const Device& device,
                                 const BuildLimits& limits);

/// The same of modules that all have to be there; those for checks are compiled together where they
/// can be. Or what stands against it: kernel::Refused with
/// the log and the lines it talks about, user errors for launches that ask for too much (E615) and
/// for flags that are refused (E605), "missing" for a compiler that takes too long (E607).
std::vector<Object> build_all(std::span<const kernel::Module> modules, const Device& device,
                              Purpose purpose, const BuildLimits& limits = {});

/// What the functions of modules need, as the compiler and their launches tell it: a GPU is not
/// needed. Compiles each time, those that are compiled alike as one source. kernel::Refused if a
/// source is.
std::vector<std::vector<Resources>> compiled_needs(std::span<const kernel::Module> modules,
                                                   const Device& device);

}  // namespace mdh::runtime::cuda
