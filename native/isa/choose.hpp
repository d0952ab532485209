// Which instruction set the kernels use: the widest that the CPU has, or what RANKINE_ISA in the environment says.
#pragma once
#include <vector>

#include "kernels.hpp"

namespace rankine {

/// The kernels of this process. Chosen at the first call, which throws when RANKINE_ISA names no set of this machine.
const Kernels& kernels();

/// The sets that this machine can run, narrowest first.
std::vector<const Kernels*> runnable_kernels();

}  // namespace rankine
