// The kernels that exist once per instruction set, as a table of function pointers.
//
// One wheel runs on every CPU: native/isa/*.hpp is compiled for SSE2, for AVX2 and for AVX-512 (on other machines
// once), each time into a namespace of its own, and choose.cpp picks a table when the module is loaded. The trap that
// this avoids: an inline function that two sets share, a std:: template for example, is kept once by the linker,
// perhaps in its AVX-512 form, and then crashes older machines. So the headers here call nothing that is not in their
// namespace, and take raw pointers; a test looks through the object files.
#pragma once
#include <cstddef>
#include <cstdint>

namespace rankine {

/// Memory that will be read later, which a verb fetches while it computes, evenly: every byte of x that it reads
/// fetches half a byte, or one. One core reaches the speed of memory only if it never stops asking.
struct Ahead {
  enum Rate { nothing, half, full };
  const void* at = nullptr;
  Rate rate = nothing;
};

/// Verbs of blocks of dense rows: n_rows rows of n_features values, one after the other, not padded.
template <class Value>
struct DenseKernels {
  /// out = X w. Equal rows have equal scores wherever they are in the block.
  void (*scores)(const Value* x, std::size_t n_rows, std::size_t n_features, const double* w, double* out, Ahead);
  /// sum += X^T scale. Rows whose scale is 0 are not read.
  void (*add_rows)(const Value* x, std::size_t n_rows, std::size_t n_features, const double* scale, double* sum, Ahead);
  /// sum_j += the sum over rows of scale_i x_ij^2.
  void (*add_squares)(const Value* x, std::size_t n_rows, std::size_t n_features, const double* scale, double* sum);
};

struct Kernels {
  const char* name;
  /// order = the rows by ascending (score, row). Scores are finite, -0.0 equals 0.0, n < 2^30 (above, it is only slower
  /// where scores nearly tie). The scratch has sort_scratch(n) elements.
  void (*sort)(const double* score, std::size_t n, std::int32_t* order, std::int64_t* scratch);
  DenseKernels<float> float32;
  DenseKernels<double> float64;
};

constexpr std::size_t sort_scratch(std::size_t n) { return 2 * n + 32; }

}  // namespace rankine
