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
