// The least that tests in C++ need: check(condition, what) ends the program with a sentence.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>

inline void check(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::exit(1);
}
inline bool near(double a, double b, double tolerance = 1e-9) {
  return std::abs(a - b) <= tolerance * (1.0 + std::abs(a) + std::abs(b));
}
