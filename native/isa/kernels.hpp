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

#include "task.hpp"

namespace rankine {

/// Memory that will be read later, which a verb fetches while it computes, evenly: every byte of x that it reads
/// fetches half a byte, or one. One core reaches the speed of memory only if it never stops asking.
struct Ahead {
  enum Rate { nothing, half, full };
  const void* at = nullptr;
  Rate rate = nothing;
};

/// One entry a column: extremes, mean, sum of squared distances from the mean, and how many cells are not zero.
struct ColumnNotes {
  double *least, *greatest, *mean, *square;
  std::int64_t* n_filled;
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
  /// Describes the columns of at least one row.
  void (*describe_columns)(const Value* x, std::size_t n_rows, std::size_t n_features, const ColumnNotes&);
};

/// The rows of a query by ascending score; everything is by position in this order. `stride` is n_features rounded up
/// to a multiple of HessianKernels::padding.
template <class Real>
struct OrderedRows {
  Real *x, *y;  // n_rows x stride
  Real* sums;   // (n_levels + 1) x the widest strip of columns
  const std::int32_t* order;
  const std::int32_t* level;
  const Real *win, *lose;   // weights
  const double* curvature;  // 2 coef times the weight of the active pairs, over all ramps
  std::size_t n_rows, stride, n_levels;
  bool adjacent;
};
struct RampWindows {
  const std::int32_t *lowest_loser, *end_winner;
  double twice_coef;
};
/// Rows that wait for their product: x and y have panel_rows x stride values.
template <class Real>
struct Panels {
  Real *x, *y;
  std::size_t n_rows, n_features, stride;
};

/// Sum over queries of X^T L X, L the Laplacian of the active pairs: y = L x, then the upper triangle of x^T y.
template <class Real>
struct HessianKernels {
  std::size_t padding, panel_rows;
  /// x = the rows in their order, centred; y = curvature * x.
  void (*centre_float32)(const float* rows, std::size_t n_features, const OrderedRows<Real>&);
  void (*centre_float64)(const double* rows, std::size_t n_features, const OrderedRows<Real>&);
  /// y -= the rows on the other side of the active pairs of a ramp, in a strip of columns (multiples of padding).
  void (*subtract_pairs)(const OrderedRows<Real>&, const RampWindows&, std::size_t from, std::size_t width);
  /// c += x^T y for the rows begin … end - 1 of a query, part of it at a later call.
  void (*add_product)(Panels<Real>&, const OrderedRows<Real>&, std::size_t begin, std::size_t end, double* c);
  void (*flush)(Panels<Real>&, double* c);
};

/// The sweeps of native/sweep.hpp over one query.
struct SweepKernels {
  /// Windows of active pairs, by a merge: keys of scores and of scores + edge, guards around them, then the merge.
  void (*window_keys)(const double* score, std::int64_t begin, std::int64_t end, double edge, std::int64_t* winner,
                      std::int64_t* loser);
  void (*guard_keys)(std::int64_t n, std::int64_t* winner, std::int64_t* loser);
  void (*merge_windows)(const std::int64_t* winner, const std::int64_t* loser, std::int64_t n, std::int64_t first,
                        std::int64_t last, std::int32_t* lowest_loser, std::int32_t* end_winner);
  /// At most `most_levels` levels: a part of a sweep, both sweeps of at most table_rows rows, or a whole product.
  void (*few_levels)(const SweepTask&, const SweepPart&, double* table);
  void (*few_levels_both)(const SweepTask& up, const SweepTask& down, double* table);
  void (*few_levels_product)(const ProductTask&, double* value, double* table);
  /// Any number of levels, at most `budget` steps of a part at a time.
  std::int64_t (*counter_doubles)(Counting, std::int64_t n_levels);
  void (*many_levels)(Counting, double* memory, const SweepTask&, const SweepPart&, SweepState&, std::int64_t budget);
};

/// One winner i with the losers begin .. end - 1 under the logistic loss; everything is added to what is there.
struct LogisticKernels {
  /// sums: value and mass; slope and curvature by position.
  void (*pairs)(const LogisticTask&, std::int64_t i, std::int64_t begin, std::int64_t end, double* sums, double* slope,
                double* curvature);
  /// out, by position: the Hessian in the scores times v.
  void (*product)(const LogisticTask&, std::int64_t i, std::int64_t begin, std::int64_t end, const double* v,
                  double* out);
  /// y, by position: minus the other side of the pairs, as HessianKernels::subtract_pairs.
  void (*rows_float32)(const LogisticTask&, std::int64_t i, std::int64_t begin, std::int64_t end, const float* x,
                       float* y, std::int64_t stride);
  void (*rows_float64)(const LogisticTask&, std::int64_t i, std::int64_t begin, std::int64_t end, const double* x,
                       double* y, std::int64_t stride);
};

struct Kernels {
  const char* name;
  /// order = the rows by ascending (score, row). Scores are finite, -0.0 equals 0.0, n < 2^30 (above, it is only slower
  /// where scores nearly tie). The scratch has sort_scratch(n) elements.
  void (*sort)(const double* score, std::size_t n, std::int32_t* order, std::int64_t* scratch);
  SweepKernels sweep;
  DenseKernels<float> float32;
  DenseKernels<double> float64;
  HessianKernels<float> single_hessian;
  HessianKernels<double> double_hessian;
  LogisticKernels logistic;
};

constexpr std::size_t sort_scratch(std::size_t n) { return 2 * n + 32; }

}  // namespace rankine
