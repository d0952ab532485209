// How rows and positions are counted.
#pragma once
#include <cstddef>
#include <cstdint>

namespace rankine {

using Index = std::int32_t;   // a feature, or a row within its query
using Offset = std::int64_t;  // a position in an array of rows or of values

}  // namespace rankine
