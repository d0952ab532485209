// Memory that is written before it is read, so that nobody zeroes it first; aligned for the widest vectors.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace rankine {

template <class T>
class Room {
 public:
  Room() = default;
  explicit Room(std::size_t size) { room(size); }

  /// Room for n elements at least; what was there may be lost.
  std::span<T> room(std::size_t n) {
    if (n > size_) {
      constexpr std::size_t line = 64 / sizeof(T);
      held_.reset();  // before the next is made, so that only one is held at a time
      held_ = std::make_unique_for_overwrite<T[]>(n + line);
      const auto past = reinterpret_cast<std::uintptr_t>(held_.get()) % 64;
      begin_ = held_.get() + (past == 0 ? 0 : (64 - past) / sizeof(T));
      size_ = n;
    }
    return {begin_, n};
  }
  std::span<T> all() { return {begin_, size_}; }
  std::span<const T> all() const { return {begin_, size_}; }
  T* data() { return begin_; }
  T& operator[](std::size_t i) { return begin_[i]; }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<T[]> held_;
  T* begin_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace rankine
