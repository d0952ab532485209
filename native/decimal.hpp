// Numbers in text, read exactly: the value is the double that is nearest to the decimal, as Python's float() gives it.
//
// Most decimals in data files are short. A significand below 2^53 and a power of ten up to 10^22 are both exact as
// doubles, so one multiplication or division rounds once and correctly (Clinger, 1990). All others go to from_chars.
#pragma once
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>
#if !defined(__cpp_lib_to_chars)  // libc++ before LLVM 20
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>
#endif

namespace rankine {

/// What stands at a place where a number is expected.
enum class Decimal { number, missing, too_large, none };

/// Whether text may end here: a blank, the end of the line, or a comment.
inline bool is_end(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '#'; }

inline unsigned digit(char c) { return static_cast<unsigned char>(c) - unsigned{'0'}; }

/// Compares without case; `text` is in lower case and ends before a '\n' can.
inline bool begins_with(const char* s, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(s[i]) | 0x20) != static_cast<unsigned char>(text[i])) return false;
  return true;
}

/// The eight digits at s, or false. Eight bytes at s must be readable.
inline bool eight_digits(const char* s, std::uint64_t& value) {
  std::uint64_t v;
  std::memcpy(&v, s, 8);
  const std::uint64_t t = v - 0x3030303030303030u;
  if ((((v + 0x4646464646464646u) | t) & 0x8080808080808080u) != 0) return false;
  // Pairs, then fours, then all eight: each multiplication joins neighbours.
  const std::uint64_t pairs = t * 10 + (t >> 8);
  value = ((pairs & 0x000000FF000000FFu) * 0x000F424000000064u +
           ((pairs >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >>
          32;
  return true;
}

/// Whether the decimal at [s, end) is smaller than one: how a value that is out of range is out of it.
inline bool is_small(const char* s, const char* end) {
  std::ptrdiff_t whole = 0, zeros = 0, exponent = 0;
  bool point = false, started = false, down = false;
  for (; s < end && (*s | 0x20) != 'e'; ++s) {
    if (*s == '.') point = true;
    if (digit(*s) > 9) continue;
    started = started || *s != '0';
    if (started && !point) ++whole;
    if (!started && point) ++zeros;
  }
  for (; s < end; ++s) {
    down = down || *s == '-';
    if (digit(*s) < 10 && exponent < 1'000'000'000) exponent = exponent * 10 + static_cast<std::ptrdiff_t>(digit(*s));
  }
  return whole - zeros + (down ? -exponent : exponent) <= 0;
}

/// Any decimal, slowly: [s, end) is what the fast path found to be one.
inline Decimal slow_decimal(const char* s, const char* end, double& value) {
#if defined(__cpp_lib_to_chars)
  const auto [stop, error] = std::from_chars(s + (*s == '+'), end, value);
  const bool out_of_range = error == std::errc::result_out_of_range;
#else
  errno = 0;
  value = std::strtod(std::string(s, end).c_str(), nullptr);
  const bool out_of_range = errno == ERANGE && (value == 0.0 || std::isinf(value));
#endif
  if (!out_of_range) return Decimal::number;
  if (!is_small(s, end)) return Decimal::too_large;
  value = *s == '-' ? -0.0 : 0.0;
  return Decimal::number;
}

/// Reads a number at s and moves s behind it. A '\n' must follow somewhere, and eight readable bytes behind that.
/// `missing` is what stands for an unknown value: NULL, nan, inf, and numbers of 1.797e308 or more in size.
inline Decimal read_decimal(const char*& s, double& value) {
  static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char* const begin = s;
  const char* p = s;
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const char* const first = p;
  std::uint64_t significand = 0;
  for (unsigned d; (d = digit(*p)) < 10; ++p) significand = significand * 10 + d;
  std::ptrdiff_t n_digits = p - first;
  int exponent = 0;
  if (*p == '.') {
    const char* const fraction = ++p;
    for (std::uint64_t eight; p - fraction < 16 && eight_digits(p, eight); p += 8)
      significand = significand * 100'000'000 + eight;
    for (unsigned d; (d = digit(*p)) < 10; ++p) significand = significand * 10 + d;
    exponent = static_cast<int>(-(p - fraction));
    n_digits += p - fraction;
  }
  if (n_digits == 0) {
    for (const std::string_view word : {"null", "nan", "infinity", "inf"})
      if (begins_with(first, word) && is_end(first[word.size()])) {
        s = first + word.size();
        return Decimal::missing;
      }
    return Decimal::none;
  }
  if ((*p | 0x20) == 'e') {
    const char* q = p + 1;
    const bool down = *q == '-';
    if (down || *q == '+') ++q;
    int written = 0;
    const char* const digits = q;
    for (unsigned d; (d = digit(*q)) < 10; ++q)
      written = written < 100'000 ? written * 10 + static_cast<int>(d) : written;
    if (q > digits) {
      exponent += down ? -written : written;
      p = q;
    }
  }
  if (!is_end(*p)) return Decimal::none;
  s = p;
  if (n_digits <= 19 && significand <= (std::uint64_t{1} << 53) && exponent >= -22 && exponent <= 22) {
    value = static_cast<double>(significand);
    value = exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
    if (negative) value = -value;
    return Decimal::number;
  }
  const Decimal found = slow_decimal(begin, p, value);
  return found == Decimal::number && (value >= 1.797e308 || value <= -1.797e308) ? Decimal::missing : found;
}

}  // namespace rankine
