// Work that is queued again and again: many products, or products and kernels of your own, by one call of the driver.
#pragma once

#include <functional>
#include <memory>

#include <heddle/device.hpp>
#include <heddle/export.hpp>

namespace HEDDLE_PUBLIC heddle {

// On a GPU a CUDA graph of all that `work` queues on the stream it is given: products whose vectors lie on the device,
// update_values from there, kernels and copies of your own. `work` is called once, by the constructor; addresses and
// numbers are those of that call, and operators and vectors must outlive the recording. Elsewhere `run` calls `work`.
class Recording {
 public:
  Recording(Device device, std::function<void(Stream)> work);
  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;
  ~Recording();

  void run(Stream stream = {}) const;  // queued; several at once are the caller's business

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle
