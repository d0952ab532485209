#include "choose.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace rankine {

#if defined(__x86_64__)
namespace sse2 {
extern const Kernels table;
}
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
std::vector<const Kernels*> runnable_kernels() {
  std::vector<const Kernels*> found{&sse2::table};
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return found;
  found.push_back(&avx2::table);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    found.push_back(&avx512::table);
  return found;
}
#else
namespace baseline {
extern const Kernels table;
}
std::vector<const Kernels*> runnable_kernels() { return {&baseline::table}; }
#endif

namespace {

const Kernels* choose() {
  const auto found = runnable_kernels();
  const char* asked = std::getenv("RANKINE_ISA");
  if (asked == nullptr || *asked == '\0') return found.back();
  std::string names;
  for (const Kernels* k : found) {
    if (std::string(k->name) == asked) return k;
    names += (names.empty() ? "" : ", ") + std::string(k->name);
  }
  throw std::runtime_error("RANKINE_ISA is '" + std::string(asked) + "', but this machine has: " + names);
}

}  // namespace

const Kernels& kernels() {
  static const Kernels* const chosen = choose();
  return *chosen;
}

}  // namespace rankine
