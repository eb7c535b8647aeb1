// SIGINT, SIGTERM and SIGHUP: what stays, what is written, and the exit code.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "support/command.hpp"

namespace heddle::test {
namespace {

constexpr int numbers[] = {SIGINT, SIGTERM, SIGHUP};

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

// Until a temporary file of some size is there.
void wait_for_writing(const std::string& folder) {
  for (int i = 0; i < 5000; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().string().ends_with(".tmp") && entry.file_size() > 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// So large that writing it takes a second.
const std::vector<std::string> long_writing{"convert", "gen:random,rows=400k,per_row=16"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Interrupted, while_it_writes_leaves_the_old_file_and_no_temporary_one) {
  for (const int number : numbers) {
    const ScratchFolder folder;
    folder.write("a.mtx", "old");
    RunningCommand command(with(long_writing, {folder.path("a.mtx")}));
    wait_for_writing(folder.path(""));
    command.send(number);
    EXPECT_EQ(command.exit_code(), 128 + number);
    EXPECT_EQ(content_of(folder.path("a.mtx")), "old");
    EXPECT_EQ(files_in(folder.path("")), std::vector<std::string>{"a.mtx"});
  }
}

TEST(Interrupted, a_hangup_that_was_ignored_before_stays_ignored) {
  const ScratchFolder folder;
  RunningCommand command(with(long_writing, {folder.path("a.mtx")}), true);
  wait_for_writing(folder.path(""));
  command.send(SIGHUP);
  EXPECT_EQ(command.exit_code(), 0);
  EXPECT_EQ(files_in(folder.path("")), std::vector<std::string>{"a.mtx"});
}

TEST(Interrupted, solve_writes_the_x_it_has) {
  for (const int number : numbers) {
    const ScratchFolder folder;
    const std::string x = folder.path("x.txt"), json = folder.path("out.json"), plot = folder.path("plot.svg");
    RunningCommand command({"solve", "gen:stencil2d5,n=600", "--device", "cpu", "--threads", "1", "--plan", "csr",
                            "--tolerance", "1e-300", "--out", x, "--history", plot, "--json=" + json});
    command.wait_for("iteration ");
    command.send(number);
    EXPECT_EQ(command.exit_code(), 128 + number) << command.shown();
    const auto document = nlohmann::json::parse(content_of(json));
    EXPECT_EQ(document["status"], "stopped");
    EXPECT_EQ(document["interrupted"], true);
    EXPECT_GT(document["iterations"], 0);
    EXPECT_EQ(lines_in(content_of(x)), 600 * 600);
    EXPECT_TRUE(content_of(plot).ends_with("</svg>\n"));
    EXPECT_EQ(files_in(folder.path("")).size(), 3u);
  }
}

TEST(Interrupted, plan_decides_by_what_was_tried) {
  const ScratchFolder folder;
  const std::string json = folder.path("out.json"), plan = folder.path("plan.txt");
  RunningCommand command({"plan", "gen:stencil2d5,n=700", "--device", "cpu", "--effort", "exhaustive", "--no-cache",
                          "--save", plan, "--json=" + json});
  command.wait_for("trying plans");
  command.send(SIGINT);
  EXPECT_EQ(command.exit_code(), 128 + SIGINT) << command.shown();
  const auto document = nlohmann::json::parse(content_of(json));
  EXPECT_EQ(document["interrupted"], true);
  EXPECT_LT(document["measured"].size(), document["candidates"].size());
  EXPECT_EQ(content_of(plan), document["plan"].get<std::string>() + "\n");
}

TEST(Interrupted, a_second_signal_ends_at_once_what_would_stop_soon) {
  const ScratchFolder folder;
  const std::string pipe = folder.path("pipe.mtx");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int keep_open = open(pipe.c_str(), O_RDWR);  // the reader waits for ever
  RunningCommand command({"bench", "--device", "cpu", "--seconds", "0.001", "--formats", "csr", "--peers", "none",
                          "gen:stencil2d5,n=8", pipe});
  command.wait_for("chosen:");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  command.send(SIGTERM);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  command.send(SIGINT);
  EXPECT_EQ(command.exit_code(), 128 + SIGINT);
  close(keep_open);
}

}  // namespace
}  // namespace heddle::test
