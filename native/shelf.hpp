// Memory that is used again: a shelf lends things and takes them back when their lease ends.
// A fresh array of a megabyte is cleared page by page by the system when it is first touched, which takes longer than
// the kernels that fill it. So points and threads borrow what they need from a shelf that the queries keep.
#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace rankine {

template <class T>
class Shelf {
 public:
  /// A thing from the shelf, or a new one; it goes back at the end. The shelf must live longer.
  class Lease {
   public:
    explicit Lease(Shelf& shelf) : shelf_(&shelf), thing_(shelf.take()) {}
    Lease(Lease&& other) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (thing_) shelf_->put(std::move(thing_));
    }
    T& operator*() const { return *thing_; }
    T* operator->() const { return thing_.get(); }

   private:
    Shelf* shelf_;
    std::unique_ptr<T> thing_;
  };

 private:
  std::unique_ptr<T> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<T>();
    auto thing = std::move(free_.back());
    free_.pop_back();
    return thing;
  }
  void put(std::unique_ptr<T> thing) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      free_.push_back(std::move(thing));
    } catch (...) {  // no memory for the list: the thing is freed
    }
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

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
