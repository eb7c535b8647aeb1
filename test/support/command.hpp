// Runs the real command heddle (its path is in HEDDLE_COMMAND) and tells what came out.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace heddle::test {

struct Outcome {
  int exit_code = -1;  // 128 + number for a process ended by a signal
  std::string out, err;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

struct Surroundings {
  std::vector<std::pair<std::string, std::string>> environment = {};  // set on top of ours; an empty value unsets
  bool terminal = false;         // stdout and stderr are one terminal; everything it shows is in Outcome::out
  bool reads_output = true;      // false: the reading end of stdout is closed before the command starts
  std::string stdout_path = {};  // stdout is this file instead
  long memory_limit = 0;         // bytes of address space; 0: no limit
};

Outcome run_program(const std::vector<std::string>& words, const Surroundings& around = {});
Outcome heddle_command(std::vector<std::string> words, const Surroundings& around = {});

// The command's words for `sh -c`, with what follows: redirections, other programs.
Outcome heddle_in_shell(const std::string& words_and_redirections, const Surroundings& around = {});

// A command that is still running, to be sent signals. stdout and stderr are one terminal, or nothing.
class RunningCommand {
 public:
  explicit RunningCommand(std::vector<std::string> words, bool ignores_hangup = false);
  ~RunningCommand();
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;

  void wait_for(const std::string& shown);  // until the terminal has shown this text, or the command has ended
  void send(int signal_number) const;
  int exit_code();  // waits for the end; 128 + number for a process ended by a signal
  const std::string& shown() const { return shown_; }

 private:
  bool read_more();

  int process_ = -1, terminal_ = -1;
  std::string shown_;
};

// A new empty folder, removed with everything in it at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const std::string& name, const std::string& content) const;  // gives its path

 private:
  std::string folder_;
};

std::string content_of(const std::string& path);
bool exists(const std::string& path);
int lines_in(const std::string& text);

}  // namespace heddle::test
