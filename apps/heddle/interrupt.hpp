// Ctrl-C and `kill` while results are being gathered: a wish to stop soon, with what there is. The second one ends the
// process at once.
#pragma once

namespace heddle {

class Interruptible {
 public:
  Interruptible();
  ~Interruptible();  // the signals mean again what they meant before
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  static int signal();  // the number of the one that came, or 0
  struct Stop {};
  static void stop_if_asked();  // throws Stop
};

}  // namespace heddle
