// The rows of a query in the order of their scores.
//
// A score and its row are packed into one 64-bit key: the high bits are the score, rewritten so that integers compare
// as the scores do, and the low bits are the row. So whole pairs are sorted by comparing single numbers. Quicksort cuts
// the keys at a pivot, a register at a time, until a sorting network can take over (network.hpp). The row displaced the
// low bits of the score, so rows whose scores agree in all higher bits may be out of order at last: these runs are
// rare and short, and insertion repairs them. A long run (scores that differ by rounding only) is sorted once more,
// with its low bits as keys.
#pragma once
#include "network.hpp"

namespace rankine::RANKINE_ISA {

/// Moves the keys below the pivot to the front and the others, in order, behind them; returns how many are below.
/// `side` has room for n + W keys.
inline std::size_t partition(Key* keys, std::size_t n, Key pivot, Key* side) {
  std::size_t low = 0, high = 0, i = 0;
  const auto take = [&](Key key) {  // both are written, one place advances: no branch to guess wrong
    keys[low] = key;
    side[high] = key;
    low += key < pivot;
    high += key >= pivot;
  };
#if defined(__AVX512F__)
  const __m512i cut = _mm512_set1_epi64(pivot);
  for (; i + W <= n; i += W) {
    const __m512i k = _mm512_loadu_si512(keys + i);
    const __mmask8 below = _mm512_cmplt_epi64_mask(k, cut);
    const auto n_below = static_cast<std::size_t>(__builtin_popcount(below));
    _mm512_storeu_si512(keys + low, _mm512_maskz_compress_epi64(below, k));
    _mm512_storeu_si512(side + high, _mm512_maskz_compress_epi64(static_cast<__mmask8>(~below), k));
    low += n_below;
    high += W - n_below;
  }
#elif defined(__AVX2__)
  // Lane pairs of 32 bits, by the mask of the lanes that are wanted: these first.
  static constexpr std::int32_t first[16][8] = {
      {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
      {4, 5, 0, 1, 2, 3, 6, 7}, {0, 1, 4, 5, 2, 3, 6, 7}, {2, 3, 4, 5, 0, 1, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
      {6, 7, 0, 1, 2, 3, 4, 5}, {0, 1, 6, 7, 2, 3, 4, 5}, {2, 3, 6, 7, 0, 1, 4, 5}, {0, 1, 2, 3, 6, 7, 4, 5},
      {4, 5, 6, 7, 0, 1, 2, 3}, {0, 1, 4, 5, 6, 7, 2, 3}, {2, 3, 4, 5, 6, 7, 0, 1}, {0, 1, 2, 3, 4, 5, 6, 7}};
  const __m256i cut = _mm256_set1_epi64x(pivot);
  for (; i + W <= n; i += W) {
    const auto k = load_as<__m256i>(keys + i);
    const auto below = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(cut, k))));
    const auto n_below = static_cast<std::size_t>(__builtin_popcount(below));
    store(keys + low, _mm256_permutevar8x32_epi32(k, load_as<__m256i>(first[below])));
    store(side + high, _mm256_permutevar8x32_epi32(k, load_as<__m256i>(first[15 - below])));
    low += n_below;
    high += W - n_below;
  }
#endif
  for (; i < n; ++i) take(keys[i]);
  __builtin_memcpy(keys + low, side, high * sizeof(Key));
  return low;
}

/// Heap sort: never quick, never slow. Only for keys on which quicksort's pivots keep failing.
inline void heap_sort(Key* keys, std::size_t n) {
  const auto sink = [&](std::size_t at, std::size_t end) {
    const Key key = keys[at];
    for (std::size_t child; (child = 2 * at + 1) < end; at = child) {
      child += child + 1 < end && keys[child + 1] > keys[child];
      if (keys[child] <= key) break;
      keys[at] = keys[child];
    }
    keys[at] = key;
  };
  for (std::size_t i = n / 2; i-- > 0;) sink(i, n);
  for (std::size_t end = n; end-- > 1;) {
    const Key greatest = keys[0];
    keys[0] = keys[end];
    keys[end] = greatest;
    sink(0, end);
  }
}

/// Sorts distinct keys in [least_key, above_keys). `side` has room for n + W keys.
inline void sort_keys(Key* keys, std::size_t n, Key* side, int depth) {
  constexpr std::size_t n_samples = 4 * W;
  while (n > largest_block) {
    if (depth-- == 0) return heap_sort(keys, n);
    Key sample[n_samples];
    for (std::size_t i = 0; i < n_samples; ++i) sample[i] = keys[i * (n / n_samples) + (i * 7) % (n / n_samples)];
    sort_block(sample, n_samples);
    const std::size_t low = partition(keys, n, sample[n_samples / 2], side);
    sort_keys(keys, low, side, depth);
    keys += low;
    n -= low;
  }
  sort_block(keys, n);
}
inline void sort_keys(Key* keys, std::size_t n, Key* side) {
  sort_keys(keys, n, side, 2 * (64 - __builtin_clzll(n | 1)));
}

/// An integer that compares as the score does. Adding zero makes -0.0 into 0.0.
inline std::uint64_t ordered(double score) {
  const double s = score + 0.0;
  std::uint64_t bits;
  __builtin_memcpy(&bits, &s, sizeof s);
  return bits ^ ((0 - (bits >> 63)) | std::uint64_t{1} << 63);
}

/// Orders a run of n rows whose scores agree but for their low bits, given by ascending row.
inline void order_run(const double* score, std::int32_t* order, std::size_t n, int row_bits, Key* keys, Key* side) {
  const std::size_t patience = 8 * n + 64;
  std::size_t n_moves = 0;
  for (std::size_t i = 1; i < n; ++i) {
    const std::int32_t row = order[i];
    std::size_t at = i;
    for (; at > 0 && score[order[at - 1]] > score[row]; --at, ++n_moves) order[at] = order[at - 1];
    order[at] = row;
    if (n_moves > patience && row_bits <= 30) break;
  }
  if (n_moves <= patience || row_bits > 30) return;
  const std::uint64_t low = (std::uint64_t{4} << row_bits) - 1;
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = static_cast<Key>((ordered(score[order[i]]) & low) << row_bits | static_cast<std::uint64_t>(order[i])) +
              least_key;
  sort_keys(keys, n, side);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::int32_t>(keys[i] & ((Key{1} << row_bits) - 1));
}

inline void sort(const double* score, std::size_t n, std::int32_t* order, std::int64_t* scratch) {
  if (n == 0) return;
  Key* keys = scratch;
  Key* side = scratch + n + 16;
  const int row_bits = n == 1 ? 0 : 64 - __builtin_clzll(n - 1);
  const std::uint64_t row_mask = (std::uint64_t{1} << row_bits) - 1;
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = static_cast<Key>(((ordered(score[i]) >> 2) & ~row_mask) | i) + least_key;
  sort_keys(keys, n, side);
  bool close = false;
  order[0] = static_cast<std::int32_t>(static_cast<std::uint64_t>(keys[0]) & row_mask);
  for (std::size_t p = 1; p < n; ++p) {
    order[p] = static_cast<std::int32_t>(static_cast<std::uint64_t>(keys[p]) & row_mask);
    close |= ((keys[p] ^ keys[p - 1]) >> row_bits) == 0;
  }
  if (!close) return;
  for (std::size_t begin = 0, end; begin < n; begin = end) {
    for (end = begin + 1; end < n && ((keys[end] ^ keys[begin]) >> row_bits) == 0;) ++end;
    if (end - begin > 1) order_run(score, order + begin, end - begin, row_bits, keys + begin, side);
  }
}

}  // namespace rankine::RANKINE_ISA
