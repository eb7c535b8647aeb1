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
