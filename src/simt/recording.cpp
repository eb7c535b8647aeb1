#include <heddle/recording.hpp>

#include <optional>
#include <utility>

#include "core/check.hpp"
#include "core/gpu.hpp"

namespace heddle {

struct Recording::Impl {
  Device device;
  std::function<void(Stream)> work;  // where there is no graph of it
  std::optional<gpu::Recording> graph;
};

Recording::Recording(Device device, std::function<void(Stream)> work) : impl_(std::make_unique<Impl>()) {
  check(work != nullptr, ErrorKind::usage, "there is no work to be recorded");
  impl_->device = device;
  if (device.host_memory()) {
    impl_->work = std::move(work);
    return;
  }
  const gpu::Current current(device);
  impl_->graph.emplace(work);
}
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;
Recording::~Recording() = default;

void Recording::run(Stream stream) const {
  if (!impl_) fail(ErrorKind::usage, {"Recording", "use the one it was moved to"}, "the recording was moved from");
  if (!impl_->graph) return impl_->work(stream);
  const gpu::Current current(impl_->device);
  impl_->graph->queue(stream);
}

}  // namespace heddle
