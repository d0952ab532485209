// Sorting networks: up to 16 registers of keys are sorted without a branch.
//
// A network is a fixed list of "put the lesser here and the greater there", which one minimum and one maximum do for W
// lanes at a time. First the registers are sorted against each other, so that every lane holds a sorted run (Batcher's
// network). Then runs of neighbouring lanes are merged, 2, 4, … W lanes at a time: a run beside a reversed run is
// bitonic, and comparing at halving distances sorts it (the bitonic merge). Only distances that cross lanes need
// shuffles; most comparisons are between whole registers.
//
// Keys are 64-bit integers in [2^52, 2^62 + 2^52). Read as doubles these are positive, normal and in the same order, so
// that the minimum and maximum of doubles, which every instruction set has, serve for integers too.
#pragma once
#include "lanes.hpp"

namespace rankine::RANKINE_ISA {

using Key = std::int64_t;
constexpr Key least_key = Key{1} << 52;
constexpr Key above_keys = 0x7FE0000000000000;  // pads blocks

[[gnu::always_inline]] inline Lanes lesser(Lanes a, Lanes b) {
#if defined(__AVX512F__)
  return _mm512_maskz_min_pd(0xFF, a, b);  // the unmasked one warns under GCC 12
#elif defined(__AVX2__)
  return _mm256_min_pd(a, b);
#elif defined(__SSE2__)
  return _mm_min_pd(a, b);
#else
  return a < b ? a : b;
#endif
}
[[gnu::always_inline]] inline Lanes greater(Lanes a, Lanes b) {
#if defined(__AVX512F__)
  return _mm512_maskz_max_pd(0xFF, a, b);
#elif defined(__AVX2__)
  return _mm256_max_pd(a, b);
#elif defined(__SSE2__)
  return _mm_max_pd(a, b);
#else
  return a > b ? a : b;
#endif
}

/// Shuffles. Lane l of the result is lane Rule::from(l) of a, or from(l) - W of b.
template <int... L>
struct LaneList {
  template <class Rule>
  [[gnu::always_inline]] static inline Lanes shuffle(Lanes a, Lanes b) {
    return __builtin_shufflevector(a, b, Rule::from(L)...);
  }
};
template <int N, int... L>
struct FirstLanes : FirstLanes<N - 1, N - 1, L...> {};
template <int... L>
struct FirstLanes<0, L...> {
  using type = LaneList<L...>;
};
template <class Rule>
[[gnu::always_inline]] inline Lanes shuffle(Lanes a, Lanes b) {
  return FirstLanes<W>::type::template shuffle<Rule>(a, b);
}
template <int X>  // lane l ^ X: neighbours swapped for 1, groups of four mirrored for 3, …
struct Flipped {
  static constexpr int from(int l) { return l ^ X; }
};
template <int D>  // a where bit D of the lane is clear, b where it is set
struct Picked {
  static constexpr int from(int l) { return l & D ? W + l : l; }
};
template <int D>  // the clear lanes of a, and beside them those of b
struct JoinedLow {
  static constexpr int from(int l) { return l & D ? W + l - D : l; }
};
template <int D>  // the same for the set lanes
struct JoinedHigh {
  static constexpr int from(int l) { return l & D ? W + l : l + D; }
};

/// The comparisons (low[i], high[i]) of Batcher's odd-even merge sort of N = 2^k things.
template <int N>
struct Batcher {
  int n = 0, low[N * N / 2] = {}, high[N * N / 2] = {};
  constexpr Batcher() {
    for (int p = 1; p < N; p *= 2)
      for (int k = p; k >= 1; k /= 2)
        for (int j = k % p; j + k < N; j += 2 * k)
          for (int i = 0; i < k && i + j + k < N; ++i)
            if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) {
              low[n] = i + j;
              high[n++] = i + j + k;
            }
  }
};

/// N registers of keys: key i of the order is at last in lane i / N of register i % N.
template <int N>
struct Block {
  Lanes at[N];

  template <int I, int J>
  [[gnu::always_inline]] inline void compare() {
    const Lanes low = lesser(at[I], at[J]);
    at[J] = greater(at[I], at[J]);
    at[I] = low;
  }
  [[gnu::always_inline]] inline void sort_lanes() {
    constexpr Batcher<N> steps;
    unrolled<steps.n>([&](auto i) __attribute__((always_inline)) { compare<steps.low[i], steps.high[i]>(); });
  }
  /// Compares lanes at distance D, D / 2, … 1 and then registers at N / 2, … 1.
  template <int D>
  [[gnu::always_inline]] inline void merge_lanes() {
    if constexpr (D > 0) {
      unrolled<N>([&](auto i) __attribute__((always_inline)) {
        const Lanes other = shuffle<Flipped<D>>(at[i], at[i]);
        at[i] = shuffle<Picked<D>>(lesser(at[i], other), greater(at[i], other));
      });
      merge_lanes<D / 2>();
    }
  }
  template <int D>
  [[gnu::always_inline]] inline void merge_registers() {
    if constexpr (D > 0) {
      unrolled<N>([&](auto i) __attribute__((always_inline)) {
        if constexpr ((i & D) == 0) compare<i, i + D>();
      });
      merge_registers<D / 2>();
    }
  }
  /// Merges runs of G / 2 lanes to runs of G lanes, up to G = W.
  template <int G>
  [[gnu::always_inline]] inline void merge_runs() {
    if constexpr (G <= W) {
      unrolled<N / 2>([&](auto i) __attribute__((always_inline)) {
        const Lanes a = at[i], b = shuffle<Flipped<G - 1>>(at[N - 1 - i], at[N - 1 - i]);
        const Lanes low = lesser(a, b), high = greater(a, b), mirrored = shuffle<Picked<G / 2>>(high, low);
        at[i] = shuffle<Picked<G / 2>>(low, high);
        at[N - 1 - i] = shuffle<Flipped<G - 1>>(mirrored, mirrored);
      });
      merge_lanes<G / 4>();
      merge_registers<N / 2>();
      merge_runs<2 * G>();
    }
  }
  /// Transposes squares of W registers: register t of a square then holds W keys that follow each other.
  template <int D>
  [[gnu::always_inline]] inline void transpose() {
    if constexpr (D > 0) {
      unrolled<N>([&](auto i) __attribute__((always_inline)) {
        if constexpr ((i & D) == 0) {
          const Lanes a = at[i], b = at[i + D];
          at[i] = shuffle<JoinedLow<D>>(a, b);
          at[i + D] = shuffle<JoinedHigh<D>>(a, b);
        }
      });
      transpose<D / 2>();
    }
  }

  /// Sorts n <= N * W keys.
  static void sort(Key* keys, std::size_t n) {
    Block block;
    Key buffer[N * W];
    const std::size_t whole = n / W;
    unrolled<N>([&](auto i) __attribute__((always_inline)) {
      if (static_cast<std::size_t>(i) < whole) {
        block.at[i] = load_as<Lanes>(keys + i * W);
      } else {
        for (int l = 0; l < W; ++l) {
          const std::size_t k = static_cast<std::size_t>(i) * W + static_cast<std::size_t>(l);
          buffer[l] = k < n ? keys[k] : above_keys;
        }
        block.at[i] = load_as<Lanes>(buffer);
      }
    });
    block.sort_lanes();
    block.template merge_runs<2>();
    if constexpr (N >= W) {
      block.template transpose<W / 2>();
      unrolled<N>([&](auto i) __attribute__((always_inline)) { store(buffer + (i % W) * N + i / W * W, block.at[i]); });
    } else {
      unrolled<N>([&](auto i) __attribute__((always_inline)) {
        Key lane[W];
        store(lane, block.at[i]);
        for (int l = 0; l < W; ++l) buffer[l * N + i] = lane[l];
      });
    }
    __builtin_memcpy(keys, buffer, n * sizeof(Key));
  }
};

/// The most keys that one block holds.
constexpr int largest_block = 16 * W;

/// Sorts n <= largest_block keys.
inline void sort_block(Key* keys, std::size_t n) {
  if (n <= 1) return;
  if (n <= 2 * W)
    Block<2>::sort(keys, n);
  else if (n <= 4 * W)
    Block<4>::sort(keys, n);
  else if (n <= 8 * W)
    Block<8>::sort(keys, n);
  else
    Block<16>::sort(keys, n);
}

}  // namespace rankine::RANKINE_ISA
