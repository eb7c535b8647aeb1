// Memory of one device: the only owner of arrays in this library. Elements are trivially copyable and not initialised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <heddle/device.hpp>
#include <heddle/export.hpp>

namespace HEDDLE_PUBLIC heddle {

namespace memory {
// Throws Error(unavailable) when the device has not enough; `bytes` = 0 gives null.
std::shared_ptr<void> allocate(Device device, std::size_t bytes);
void copy(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes);
// count * size with an overflow check: Error(unavailable) "too large" instead of a small allocation.
std::size_t array_bytes(std::int64_t count, std::size_t size);
}  // namespace memory

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::int64_t size, Device device = {})
      : owner_(memory::allocate(device, memory::array_bytes(size, sizeof(T)))),
        data_(static_cast<T*>(owner_.get())),
        size_(size),
        device_(device) {}
  Buffer(std::initializer_list<T> values) : Buffer(copy_of({values.begin(), values.size()})) {}

  Buffer(const Buffer& other) : Buffer(other.to(other.device_)) {}
  Buffer& operator=(const Buffer& other) { return *this = Buffer(other); }
  Buffer(Buffer&& other) noexcept
      : owner_(std::move(other.owner_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        device_(other.device_) {}
  Buffer& operator=(Buffer&& other) noexcept {
    owner_ = std::move(other.owner_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    device_ = other.device_;
    return *this;
  }

  // A copy of host memory, on `device`.
  static Buffer copy_of(std::span<const T> values, Device device = {}) {
    Buffer made(static_cast<std::int64_t>(values.size()), device);
    memory::copy(made.data_, device, values.data(), Device::cpu(), values.size_bytes());
    return made;
  }
  // Memory of `device` that `owner` keeps alive (a mapped file, an array of another library); without an owner it is
  // borrowed and must outlive the buffer.
  static Buffer adopt(std::shared_ptr<void> owner, T* data, std::int64_t size, Device device = {}) {
    Buffer made;
    made.owner_ = std::move(owner);
    made.data_ = data;
    made.size_ = size;
    made.device_ = device;
    return made;
  }
  static Buffer borrow(std::span<const T> values, Device device = {}) {
    return adopt(nullptr, const_cast<T*>(values.data()), static_cast<std::int64_t>(values.size()), device);
  }

  Buffer to(Device device) const {
    Buffer made(size_, device);
    memory::copy(made.data_, device, data_, device_, bytes());
    return made;
  }
  // This buffer itself when it already owns its memory on `device`, else a copy there.
  Buffer owned_on(Device device) && {
    const bool owns = owner_ != nullptr || size_ == 0;
    return owns && device == device_ ? std::move(*this) : to(device);
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::int64_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(size_) * sizeof(T); }
  Device device() const noexcept { return device_; }

  // Host memory only.
  T& operator[](std::int64_t i) noexcept { return data_[i]; }
  const T& operator[](std::int64_t i) const noexcept { return data_[i]; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }
  std::span<const T> span() const noexcept { return {data_, static_cast<std::size_t>(size_)}; }
  std::span<T> span() noexcept { return {data_, static_cast<std::size_t>(size_)}; }
  operator std::span<const T>() const noexcept { return span(); }
  operator std::span<T>() noexcept { return span(); }

 private:
  std::shared_ptr<void> owner_;
  T* data_ = nullptr;
  std::int64_t size_ = 0;
  Device device_;
};

}  // namespace heddle
