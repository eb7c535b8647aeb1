// What kernels find out for the host. On a GPU they write it into memory of the host: what is left to do is to wait,
// where a copy would be a call of the driver and a job of its own behind the kernels.
#pragma once

#include <span>

#include <heddle/buffer.hpp>

namespace heddle::device {

// A little memory of the host that the kernels of a GPU reach, for the time of a question; there are several.
class AnswerWindow {
 public:
  static constexpr std::int64_t bytes = 64 << 10;

  AnswerWindow(Device device, std::int64_t wanted);
  AnswerWindow(const AnswerWindow&) = delete;
  AnswerWindow& operator=(const AnswerWindow&) = delete;
  ~AnswerWindow();

  unsigned char* data() const;  // null: it is too small, all of them are taken, or there is none

 private:
  struct Kept;
  static Kept* kept(int ordinal);

  Kept* kept_ = nullptr;
};

// For kernels that need not follow what is queued on the default stream, nor on each other's; reading their answers
// waits for them.
enum class Side { first, second };
Stream side_stream(Device device, Side side = Side::first);
void wait_for_answers(Device device, Stream stream);
void await_quietly(Device device, Stream stream) noexcept;  // whatever comes of it

// Where a question is queued. `overlaps`: it may overlap the kernel before it, a question too, which lets it start
// (simt::Launch); each of them ends after the one before it.
struct Queue {
  Stream stream = {};
  bool overlaps = false;
};

// Kernels only write them, those of one stream.
template <class T>
class Answers {
 public:
  Answers(std::int64_t count, Device device, Stream stream = {})
      : count_(count),
        device_(device),
        stream_(stream),
        window_(device, static_cast<std::int64_t>(memory::array_bytes(count, sizeof(T)))),
        memory_(window_.data() ? 0 : count, device) {}

  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;
  // Not read, since other answers decided or something failed: kernels may still write into the window, which others
  // get now, perhaps on another stream.
  ~Answers() {
    if (!heard_ && count_ > 0 && window_.data() != nullptr) await_quietly(device_, stream_);
  }

  T* there() { return window_.data() ? reinterpret_cast<T*>(window_.data()) : memory_.data(); }
  // Waits for everything that was queued.
  std::span<const T> here() {
    heard_ = true;
    if (count_ == 0) return {};
    if (window_.data() != nullptr || stream_.handle != nullptr) wait_for_answers(device_, stream_);
    if (window_.data() != nullptr) return {there(), static_cast<std::size_t>(count_)};
    copy_ = memory_.to(Device::cpu());
    return copy_;
  }

 private:
  std::int64_t count_;
  Device device_;
  Stream stream_;
  bool heard_ = false;
  AnswerWindow window_;
  Buffer<T> memory_, copy_;  // where there is no window
};

}  // namespace heddle::device
