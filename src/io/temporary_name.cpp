#include "io/temporary_name.hpp"

#include <unistd.h>

#include <atomic>
#include <utility>

namespace heddle::io {

namespace {

constexpr int most = 64;  // files written at the same time
std::atomic<std::string*> names[most];
static_assert(std::atomic<std::string*>::is_always_lock_free);

int enter(std::string* name) {
  for (int place = 0; place < most; ++place) {
    std::string* expected = nullptr;
    if (names[place].compare_exchange_strong(expected, name)) return place;
  }
  return -1;
}

}  // namespace

TemporaryName::TemporaryName(std::string name)
    : name_(std::make_unique<std::string>(std::move(name))), place_(enter(name_.get())) {}

TemporaryName::TemporaryName(TemporaryName&& other) noexcept
    : name_(std::move(other.name_)), place_(std::exchange(other.place_, -1)) {}

TemporaryName& TemporaryName::operator=(TemporaryName&& other) noexcept {
  forget();
  name_ = std::move(other.name_);
  place_ = std::exchange(other.place_, -1);
  return *this;
}

// The pointer belongs to the one that takes it out of the list. A handler that took it reads the text until the process
// ends, so the text is left alone then.
void TemporaryName::forget() noexcept {
  const bool taken = place_ >= 0 && names[place_].exchange(nullptr) == nullptr;
  if (taken) static_cast<void>(name_.release());
  name_.reset();
  place_ = -1;
}

void remove_temporary_files() noexcept {
  for (std::atomic<std::string*>& name : names)
    if (const std::string* taken = name.exchange(nullptr)) ::unlink(taken->c_str());
}

}  // namespace heddle::io
