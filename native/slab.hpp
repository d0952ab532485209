// One piece of memory that is cut into arrays, aligned to lines of the cache: registers that straddle two lines cost
// twice.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

namespace rankine {

/// One piece of memory, cut into arrays that are not initialised.
class Slab {
 public:
  /// Makes room for n_bytes and starts cutting anew; each array needs at most 64 bytes more than its values.
  void reset(std::size_t n_bytes) {
    if (n_bytes > size_) {
      memory_.reset();
      memory_ = std::make_unique_for_overwrite<std::byte[]>(n_bytes);
      size_ = n_bytes;
    }
    used_ = 0;
  }
  template <class T>
  std::span<T> cut(std::size_t n) {
    void* at = memory_.get() + used_;
    std::size_t space = size_ - used_;
    std::align(64, n * sizeof(T), at, space);
    used_ = size_ - space + n * sizeof(T);
    return {static_cast<T*>(at), n};
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_ = 0, used_ = 0;
};

}  // namespace rankine
