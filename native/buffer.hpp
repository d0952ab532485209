// A growable array of plain values that is not initialised and that the system grows in place: a large block is
// remapped, not copied, and pages that were never written take no memory. What std::vector lacks for data that is
// larger than the caches.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace rankine {

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

  void clear() { size_ = 0; }
  void reserve(std::size_t n) {
    if (n > capacity_) allocate(std::max(n, capacity_ + capacity_ / 2));
  }
  /// New elements are not initialised.
  void resize(std::size_t n) {
    reserve(n);
    size_ = n;
  }
  void push_back(T value) {
    if (size_ == capacity_) reserve(size_ + 16);
    data_[size_++] = value;
  }
  void append(const T* from, std::size_t n) {
    reserve(size_ + n);
    std::copy_n(from, n, data_ + size_);
    size_ += n;
  }
  /// For whoever wrote up to `n` elements behind a `reserve`.
  void set_size(std::size_t n) { size_ = n; }
  /// Hands the memory over, to be given back with std::free; never a null pointer.
  T* release() {
    allocate(std::max<std::size_t>(size_, 1));
    size_ = capacity_ = 0;
    return std::exchange(data_, nullptr);
  }

 private:
  void allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_alloc();
    void* grown = std::realloc(static_cast<void*>(data_), n * sizeof(T));
    if (grown == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(grown);
    capacity_ = n;
  }
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace rankine
