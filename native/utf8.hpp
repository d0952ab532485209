// Characters of UTF-8.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankine {

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

/// Whether a text is UTF-8 without NUL: only such texts stay different as strings of NumPy.
inline bool is_utf8(std::string_view text) {
  for (const char* s = text.data(); s < text.data() + text.size();) {
    const char* const begin = s;
    const std::uint32_t c = next_character(s, text.data() + text.size());
    if (c == 0 || (c == 0xFFFD && s == begin + 1)) return false;
  }
  return true;
}

}  // namespace rankine
