// One register of doubles, `Lanes`, as wide as the instruction set allows: 8 lanes for AVX-512, 4 for AVX2, 2 for SSE2
// and NEON. These are the vector extensions of GCC and Clang, so + and * and comparisons work lane by lane and one
// source serves every set. Shuffles have their indices in the type, because the machine wants constants.
#pragma once
#include <cstddef>
#include <cstdint>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace rankine::RANKINE_ISA {

#if defined(__AVX512F__)
constexpr int W = 8;
#elif defined(__AVX2__)
constexpr int W = 4;
#else
constexpr int W = 2;
#endif
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int n_registers = 32;
#else
constexpr int n_registers = 16;
#endif

template <class T, int N>
struct VectorOf {
  typedef T type __attribute__((vector_size(sizeof(T) * N)));
};
template <class T, int N>
using Vector = typename VectorOf<T, N>::type;
using Lanes = Vector<double, W>;
using Bits = Vector<std::int64_t, W>;

/// Loads and stores at any address.
template <class V, class T>
[[gnu::always_inline]] inline V load_as(const T* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof(V));
  return v;
}
template <class V, class T>
[[gnu::always_inline]] inline void store(T* to, V v) {
  __builtin_memcpy(to, &v, sizeof(V));
}

/// W values as doubles.
[[gnu::always_inline]] inline Lanes load(const double* from) { return load_as<Lanes>(from); }
[[gnu::always_inline]] inline Lanes load(const float* from) {
#if defined(__AVX512F__)  // GCC 12 makes four instructions of the generic conversion
  return _mm512_maskz_cvtps_pd(0xFF, _mm256_loadu_ps(from));
#elif defined(__AVX2__)
  return _mm256_cvtps_pd(_mm_loadu_ps(from));
#elif defined(__SSE2__)
  return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
#else
  return __builtin_convertvector((load_as<Vector<float, W> >(from)), Lanes);
#endif
}
[[gnu::always_inline]] inline Lanes all(double x) { return x - Lanes{}; }

/// The lanes summed pairwise: always in the same order.
[[gnu::always_inline]] inline double total(Lanes v) {
#if defined(__AVX512F__)
  const auto four = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
  const auto two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
#elif defined(__AVX2__)
  const auto two = __builtin_shufflevector(v, v, 0, 1) + __builtin_shufflevector(v, v, 2, 3);
#else
  const auto two = v;
#endif
  return two[0] + two[1];
}

/// A number known at compile time that may be used as an index.
template <int I>
struct At {
  constexpr operator int() const { return I; }
};
/// act(At<0>), …, act(At<N-1>), written out: arrays that are indexed so live in registers.
template <int N, int I = 0, class Act>
[[gnu::always_inline]] inline void unrolled(Act act) {
  if constexpr (I < N) {
    act(At<I>{});
    unrolled<N, I + 1>(act);
  }
}

}  // namespace rankine::RANKINE_ISA
