// Until a table of kernels picks an instruction set at run time, kernels are compiled where they are used.
#pragma once
#ifndef RANKINE_ISA
#define RANKINE_ISA isa
#endif

namespace rankine::RANKINE_ISA {}
namespace rankine {
namespace kernels = RANKINE_ISA;
}
