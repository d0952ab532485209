// A parallel loop over blocks, on plain threads: safe to fork around, no OpenMP runtime.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace rankine {

/// How many threads may work, and what to ask between blocks; `poll` throws to stop the work (Ctrl-C).
struct Workers {
  int n_threads = 1;
  std::function<void()> poll = [] {};
};

/// Calls work(block) once for each block in 0 .. n_blocks-1, in any order and on any thread: a result must be kept by
/// block and summed in the order of blocks, so that it does not depend on n_threads. The calling thread takes part and
/// polls after each of its blocks. The first exception (of the caller's thread, then of the helpers') is rethrown here.
template <class Work>
void parallel_blocks(std::size_t n_blocks, const Workers& workers, Work work) {
  const std::size_t n_threads = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(workers.n_threads, 1)), 1,
                                                        std::max<std::size_t>(n_blocks, 1));
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stopped{false};
  std::vector<std::exception_ptr> failed(n_threads);
  auto run = [&](std::size_t thread) noexcept {
    try {
      for (std::size_t b = next++; b < n_blocks && !stopped; b = next++) {
        work(b);
        if (thread == 0) workers.poll();
      }
    } catch (...) {
      failed[thread] = std::current_exception();
      stopped = true;
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (std::size_t thread = 1; thread < n_threads; ++thread) helpers.emplace_back(run, thread);
    run(0);
  }
  for (const auto& error : failed)
    if (error) std::rethrow_exception(error);
}

/// The bounds of block `b` when n things are cut into n_blocks nearly equal blocks.
inline std::pair<std::size_t, std::size_t> block_range(std::size_t n, std::size_t n_blocks, std::size_t b) {
  return {n * b / n_blocks, n * (b + 1) / n_blocks};
}

}  // namespace rankine
