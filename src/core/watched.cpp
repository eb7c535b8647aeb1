#include <heddle/foreign.hpp>

#include "core/watch.hpp"

namespace heddle {

void watched(const KeepGoing& keep_going, std::string_view stage, const std::function<void()>& work) {
  const Watch watch(keep_going);
  if (keep_going) Watch::enter(stage);  // that of a watch around it knows better what is being done
  work();
}

}  // namespace heddle
