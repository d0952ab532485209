// Ids in text as arrays: whole numbers where all of them are, else characters as NumPy keeps them.
#pragma once
#include <optional>

#include "letor.hpp"

namespace rankine {

/// The numbers, if every text is a whole number as one would print it: "7" is, "007" and "+7" are not.
inline std::optional<Buffer<std::int64_t>> whole_numbers(const Texts& texts) {
  Buffer<std::int64_t> out;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::string_view s = texts[i];
    const bool negative = s.starts_with('-');
    if (negative) s.remove_prefix(1);
    if (s.empty() || s.size() > 18 || (s[0] == '0' && (s.size() > 1 || negative))) return std::nullopt;
    std::int64_t value = 0;
    for (const char c : s) {
      if (digit(c) > 9) return std::nullopt;
      value = value * 10 + static_cast<std::int64_t>(digit(c));
    }
    out.push_back(negative ? -value : value);
  }
  return out;
}

/// Reads one character of UTF-8 and moves s behind it; what is not UTF-8 becomes U+FFFD.
inline std::uint32_t next_character(const char*& s, const char* end) {
  const auto byte = [&](std::ptrdiff_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(s[k])); };
  const std::uint32_t lead = byte(0);
  const std::ptrdiff_t n = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
  std::uint32_t c = n < 2 ? lead : lead & (0x7Fu >> n);
  bool right = n > 0 && end - s >= n;
  for (std::ptrdiff_t k = 1; right && k < n; ++k) {
    right = byte(k) >> 6 == 2;
    c = c << 6 | (byte(k) & 0x3F);
  }
  static constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  right = right && c >= least[n] && c < 0x110000 && c >> 11 != 0x1B;
  s += right ? n : 1;
  return right ? c : 0xFFFD;
}

/// The characters of texts, each text filled up with zeros to the width of the longest: NumPy's "U".
struct Characters {
  Buffer<std::uint32_t> code;
  std::size_t width = 1;
};
inline Characters characters(const Texts& texts) {
  Characters out;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string_view s = texts[i];
    std::size_t n = 0;
    for (const char* p = s.data(); p < s.data() + s.size(); ++n) next_character(p, s.data() + s.size());
    out.width = std::max(out.width, n);
  }
  out.code.resize(texts.size() * out.width);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string_view s = texts[i];
    std::uint32_t* at = out.code.data() + i * out.width;
    for (const char* p = s.data(); p < s.data() + s.size();) *at++ = next_character(p, s.data() + s.size());
    std::fill(at, out.code.data() + (i + 1) * out.width, 0);
  }
  return out;
}

/// Whether texts of one width would take many times the memory of the texts themselves.
inline bool is_uneven(const Texts& texts) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) longest = std::max(longest, texts[i].size());
  return longest > 64 && longest * texts.size() > 16 * (texts.text.size() + texts.size());
}

}  // namespace rankine
