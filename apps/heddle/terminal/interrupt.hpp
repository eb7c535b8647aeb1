// SIGINT (Ctrl-C), SIGTERM and SIGHUP, in every subcommand.
//
//                              the first signal                                    a second one
//   inside an Interruptible    asks the command to stop soon, with what there is   ends the process
//   elsewhere                  ends the process
//
// Either way the exit code is 128 + number, no temporary file stays, and no half line on the terminal. A signal that
// was ignored when the process began (nohup, a job in the background) stays ignored.
#pragma once

namespace heddle {

void handle_signals();  // once, before anything is written

class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  static int signal() noexcept;  // the number of the one that came, or 0
  struct Stop {};
  static void stop_if_asked();  // throws Stop
};

}  // namespace heddle
