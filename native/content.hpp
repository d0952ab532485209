// Looks at whole arrays: the first value that is not finite, and a fingerprint that tells data sets apart.
#pragma once
#include <bit>
#include <cstring>

#include "parallel.hpp"
#include "rows.hpp"

namespace rankine {

/// The position of the first NaN or infinity, or -1.
template <class Value>
Offset first_not_finite(std::span<const Value> values, const Workers& workers) {
  constexpr std::size_t block = 1 << 16;
  const std::size_t n_blocks = (values.size() + block - 1) / block;
  std::vector<Offset> found(n_blocks, -1);
  parallel_blocks(n_blocks, workers, [&](std::size_t b) {
    const auto part = values.subspan(b * block, std::min(block, values.size() - b * block));
    // An exponent of ones plus one carries into the sign: integers, so that many go at a time, and one test a block.
    using Bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits ones = std::bit_cast<Bits>(std::numeric_limits<Value>::infinity()), one = ones & (~ones + 1);
    Bits carries = 0;
    for (const Value x : part) carries |= (std::bit_cast<Bits>(x) & ones) + one;
    if (carries >> (8 * sizeof(Value) - 1) == 0) return;
    for (std::size_t i = 0; i < part.size() && found[b] < 0; ++i)
      if (!std::isfinite(part[i])) found[b] = static_cast<Offset>(b * block + i);
  });
  for (const Offset at : found)
    if (at >= 0) return at;
  return -1;
}

/// A 64-bit fingerprint of bytes: eight multiplicative lanes a block, blocks folded in order. Not cryptographic: it
/// tells apart data sets that differ by accident, at memory speed.
inline std::uint64_t fingerprint(std::span<const std::byte> bytes, std::uint64_t seed, const Workers& workers) {
  constexpr std::uint64_t prime = 0x9E3779B97F4A7C15ull;
  constexpr std::size_t block = 1 << 20;
  auto mix = [](std::uint64_t h, std::uint64_t x) { return std::rotl((h ^ x) * prime, 29); };
  const std::size_t n_blocks = (bytes.size() + block - 1) / block;
  std::vector<std::uint64_t> part(n_blocks);
  parallel_blocks(n_blocks, workers, [&](std::size_t b) {
    const std::byte* at = bytes.data() + b * block;
    const std::size_t size = std::min(block, bytes.size() - b * block);
    std::uint64_t lane[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    std::size_t i = 0;
    for (; i + 64 <= size; i += 64)
      for (std::size_t k = 0; k < 8; ++k) {
        std::uint64_t x;
        std::memcpy(&x, at + i + 8 * k, 8);
        lane[k] = mix(lane[k], x);
      }
    std::uint64_t h = size;
    for (; i < size; ++i) h = mix(h, static_cast<std::uint64_t>(at[i]));
    for (const std::uint64_t x : lane) h = mix(h, x);
    part[b] = h;
  });
  std::uint64_t h = mix(seed, bytes.size());
  for (const std::uint64_t x : part) h = mix(h, x);
  return h ^ (h >> 32);
}

}  // namespace rankine
