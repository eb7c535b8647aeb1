#include "support/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace heddle::test {

namespace {

// What the parent reads and what the child writes to.
struct Channel {
  int ours = -1, theirs = -1;
};

Channel make_pipe() {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  return {ends[0], ends[1]};
}

Channel make_terminal() {
  const int ours = posix_openpt(O_RDWR | O_NOCTTY);
  if (ours < 0 || grantpt(ours) != 0 || unlockpt(ours) != 0) throw std::runtime_error("no terminal");
  return {ours, open(ptsname(ours), O_RDWR | O_NOCTTY)};
}

void set_environment(const Surroundings& around) {
  unsetenv("HEDDLE_DEVICE");  // main.cpp has set it
  for (const auto& [name, value] : around.environment)
    value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
}

[[noreturn]] void become(const std::vector<std::string>& words, const Surroundings& around, int out, int err) {
  set_environment(around);
  if (around.memory_limit > 0) {
    const rlimit limit{static_cast<rlim_t>(around.memory_limit), static_cast<rlim_t>(around.memory_limit)};
    setrlimit(RLIMIT_AS, &limit);
  }
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(around.stdout_path.empty() ? out : open(around.stdout_path.c_str(), O_WRONLY), STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (int fd = 3; fd < 64; ++fd) close(fd);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(127);
}

// Both streams at once, so that neither can fill up and block the child.
void collect(pollfd* streams, std::string* texts, int count) {
  int open_streams = count;
  while (open_streams > 0 && poll(streams, static_cast<nfds_t>(count), -1) > 0)
    for (int i = 0; i < count; ++i) {
      if (streams[i].fd < 0 || streams[i].revents == 0) continue;
      char bytes[4096];
      const ssize_t got = read(streams[i].fd, bytes, sizeof bytes);
      if (got > 0) {
        texts[i].append(bytes, static_cast<std::size_t>(got));
      } else {
        close(streams[i].fd);
        streams[i].fd = -1;
        --open_streams;
      }
    }
}

}  // namespace

Outcome run_program(const std::vector<std::string>& words, const Surroundings& around) {
  const Channel out = around.terminal ? make_terminal() : make_pipe();
  const Channel err = around.terminal ? Channel{-1, dup(out.theirs)} : make_pipe();
  if (!around.reads_output) close(out.ours);
  const pid_t child = fork();
  if (child == 0) become(words, around, out.theirs, err.theirs);
  close(out.theirs);
  close(err.theirs);
  Outcome outcome;
  std::string texts[2];
  pollfd streams[2] = {{err.ours, POLLIN, 0}, {out.ours, POLLIN, 0}};
  if (around.terminal)
    collect(streams + 1, texts + 1, 1);
  else
    collect(streams, texts, around.reads_output ? 2 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.err = std::move(texts[0]);
  outcome.out = std::move(texts[1]);
  return outcome;
}

Outcome heddle_command(std::vector<std::string> words, const Surroundings& around) {
  const char* path = std::getenv("HEDDLE_COMMAND");
  if (path == nullptr) throw std::runtime_error("HEDDLE_COMMAND is not set: it names the command to test");
  words.insert(words.begin(), path);
  return run_program(words, around);
}

Outcome heddle_in_shell(const std::string& words_and_redirections, const Surroundings& around) {
  return run_program({"sh", "-c", "exec \"$HEDDLE_COMMAND\" " + words_and_redirections}, around);
}

RunningCommand::RunningCommand(std::vector<std::string> words, bool ignores_hangup) {
  words.insert(words.begin(), std::getenv("HEDDLE_COMMAND"));
  const Channel both = make_terminal();
  terminal_ = both.ours;
  process_ = fork();
  if (process_ == 0) {
    if (ignores_hangup) signal(SIGHUP, SIG_IGN);
    become(words, {.environment = {{"TERM", "xterm"}}}, both.theirs, dup(both.theirs));
  }
  close(both.theirs);
}

RunningCommand::~RunningCommand() {
  if (process_ > 0) {
    send(SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close(terminal_);
}

bool RunningCommand::read_more() {
  char bytes[4096];
  const ssize_t got = read(terminal_, bytes, sizeof bytes);
  if (got > 0) shown_.append(bytes, static_cast<std::size_t>(got));
  return got > 0;
}

void RunningCommand::wait_for(const std::string& shown) {
  while (shown_.find(shown) == std::string::npos && read_more()) continue;
}

void RunningCommand::send(int signal_number) const { kill(process_, signal_number); }

int RunningCommand::exit_code() {
  while (read_more()) continue;
  int status = 0;
  waitpid(std::exchange(process_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

ScratchFolder::ScratchFolder() {
  std::string name = std::filesystem::temp_directory_path() / "heddle_test_XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder");
  folder_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string ScratchFolder::write(const std::string& name, const std::string& content) const {
  std::ofstream(path(name), std::ios::binary) << content;
  return path(name);
}

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool exists(const std::string& path) { return std::filesystem::exists(path); }

int lines_in(const std::string& text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

}  // namespace heddle::test
