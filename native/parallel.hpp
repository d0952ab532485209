// A parallel loop over blocks, on plain threads: safe to fork around, no OpenMP runtime.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace rankine {

/// How many threads may work, and what to ask now and then; `poll` throws to stop the work (Ctrl-C).
struct Workers {
  int n_threads = 1;
  std::function<void()> poll = [] {};
};

/// What a long block calls now and then: on the calling thread it polls, on a helper it stops when the others did.
class Pulse {
 public:
  Pulse(const Workers& workers, const std::atomic<bool>& stopped, bool is_caller)
      : workers_(workers), stopped_(stopped), is_caller_(is_caller) {}
  struct Stopped {};
  void operator()() const {
    if (is_caller_) workers_.poll();
    if (stopped_) throw Stopped{};
  }

 private:
  const Workers& workers_;
  const std::atomic<bool>& stopped_;
  bool is_caller_;
};

/// Calls work(block, pulse) once for each block in 0 .. n_blocks-1, in any order and on any thread: a result must be
/// kept by block and summed in the order of blocks, so that it does not depend on n_threads. The calling thread takes
/// part and polls. The first exception (of the caller's thread, then of the helpers') is rethrown here.
template <class Work>
void parallel_blocks(std::size_t n_blocks, const Workers& workers, Work work) {
  const std::size_t n_threads = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(workers.n_threads, 1)), 1,
                                                        std::max<std::size_t>(n_blocks, 1));
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stopped{false};
  std::vector<std::exception_ptr> failed(n_threads);
  auto guarded = [&](std::size_t thread, auto task) noexcept {
    try {
      task();
    } catch (const Pulse::Stopped&) {  // another thread knows why
    } catch (...) {
      failed[thread] = std::current_exception();
      stopped = true;
    }
  };
  auto run = [&](std::size_t thread) noexcept {
    guarded(thread, [&] {
      const Pulse pulse(workers, stopped, thread == 0);
      for (std::size_t b = next++; b < n_blocks; b = next++) {
        pulse();
        if constexpr (std::is_invocable_v<Work&, std::size_t, const Pulse&>)
          work(b, pulse);
        else
          work(b);
      }
      pulse();
    });
  };
  std::mutex mutex;
  std::condition_variable done;
  std::size_t n_running = 0;
  std::vector<std::jthread> helpers;
  for (std::size_t thread = 1; thread < n_threads; ++thread) {
    const std::lock_guard lock(mutex);
    try {
      helpers.emplace_back([&, thread] {
        run(thread);
        const std::lock_guard finished(mutex);
        --n_running;
        done.notify_one();
      });
      ++n_running;
    } catch (const std::system_error&) {  // no more threads are to be had: those that run share the work
      break;
    }
  }
  run(0);
  for (std::unique_lock lock(mutex); n_running > 0;) {
    if (done.wait_for(lock, std::chrono::milliseconds(50)) == std::cv_status::no_timeout) continue;
    lock.unlock();
    if (!stopped) guarded(0, [&] { workers.poll(); });
    lock.lock();
  }
  helpers.clear();
  for (const auto& error : failed)
    if (error) std::rethrow_exception(error);
}

/// The bounds of block `b` when n things are cut into n_blocks nearly equal blocks.
inline std::pair<std::size_t, std::size_t> block_range(std::size_t n, std::size_t n_blocks, std::size_t b) {
  return {n * b / n_blocks, n * (b + 1) / n_blocks};
}

}  // namespace rankine
