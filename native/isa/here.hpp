// Verbs of sparse rows gain nothing from wide registers: they are compiled where they are used.
#pragma once
#ifndef RANKINE_ISA
#define RANKINE_ISA isa
#endif

namespace rankine::RANKINE_ISA {}
namespace rankine {
namespace here = RANKINE_ISA;
}
