// heddle bench on a list of matrices: going on where a run ended, stopping it, and what it writes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "support/command.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const std::string one = "gen:stencil2d5,n=8", two = "gen:random,rows=60,cols=40,per_row=3";
const std::string small_file = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n2 2 6\n";

std::vector<std::string> bench_words(std::vector<std::string> words) {
  words.insert(words.begin(), {"bench", "--device", "cpu", "--seconds", "0.001", "--formats", "csr;coo"});
  return words;
}

Outcome bench(const std::vector<std::string>& words) { return heddle_command(bench_words(words)); }

std::vector<Json> lines_of(const std::string& path) {
  std::vector<Json> lines;
  std::istringstream text(content_of(path));
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

void write_lines(const std::string& path, const std::vector<Json>& lines) {
  std::ofstream file(path, std::ios::binary);
  for (const Json& line : lines) {  // "format" comes first in the file, as heddle writes it
    Json rest = line;
    rest.erase("format");
    file << R"({"format":"heddle bench results",)" << rest.dump().substr(1) << '\n';
  }
}

std::vector<bool> resumed(const Outcome& outcome) {
  std::vector<bool> found;
  const Json document = outcome.json();
  for (const Json& matrix : document["matrices"]) found.push_back(matrix["resumed"]);
  return found;
}

using Flags = std::vector<bool>;

// Without the share of the bandwidth, which is measured anew where it was taken on a busy machine.
nlohmann::json measured(const Outcome& outcome, std::size_t matrix) {
  nlohmann::json results = outcome.json()["matrices"][matrix]["results"];
  for (nlohmann::json& result : results) result.erase("roofline");
  return results;
}

TEST(BenchResume, takes_over_what_was_measured_and_measures_the_rest) {
  const ScratchFolder folder;
  const std::string file = folder.path("results.jsonl");
  const Outcome first = bench({one, "--resume", file, "--json"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(lines_of(file).size(), 1u);
  const Outcome second = bench({two, one, "--resume", file, "--json"});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(resumed(second), (Flags{false, true}));
  EXPECT_EQ(measured(second, 1), measured(first, 0));
  EXPECT_EQ(lines_of(file).size(), 2u);
  EXPECT_EQ(resumed(bench({one, two, "--resume", file, "--json"})), (Flags{true, true}));
}

TEST(BenchResume, keeps_the_two_precisions_apart) {
  const ScratchFolder folder;
  const std::string file = folder.path("results.jsonl");
  EXPECT_EQ(resumed(bench({one, "--resume", file, "--json"})), Flags{false});
  EXPECT_EQ(resumed(bench({one, "--resume", file, "--precision", "f32", "--json"})), Flags{false});
  EXPECT_EQ(resumed(bench({one, "--resume", file, "--precision", "f32", "--json"})), Flags{true});
  // In one run with double, float is rounded from it: not the same as read.
  EXPECT_EQ(resumed(bench({one, "--resume", file, "--precision", "both", "--json"})), (Flags{true, false}));
  EXPECT_EQ(resumed(bench({one, "--resume", file, "--precision", "both", "--json"})), (Flags{true, true}));
}

TEST(BenchResume, never_mixes_settings) {
  const ScratchFolder folder;
  const std::string file = folder.path("results.jsonl");
  bench({one, "--resume", file});
  const std::vector<std::vector<std::string>> others{{"--seconds", "0.002", "--formats", "csr;coo"},
                                                     {"--seconds", "0.001", "--formats", "csr;sell"},
                                                     {"--seconds", "0.001", "--formats", "csr;coo", "--peers", "none"},
                                                     {"--seconds", "0.001", "--formats", "csr;coo", "--threads", "3"}};
  for (std::vector<std::string> words : others) {
    words.insert(words.begin(), {"bench", one, "--device", "cpu", "--resume", file, "--json"});
    const Outcome outcome = heddle_command(words);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(resumed(outcome), Flags{false}) << words.back();
    EXPECT_NE(outcome.err.find("left alone"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(lines_of(file).size(), 1 + others.size());
}

TEST(BenchResume, never_mixes_machines_versions_or_builds) {
  for (const char* key : {"machine", "heddle", "build", "device"}) {
    const ScratchFolder folder;
    const std::string file = folder.path("results.jsonl");
    bench({one, "--resume", file});
    std::vector<Json> lines = lines_of(file);
    ASSERT_FALSE(lines[0]["run"][key].get<std::string>().empty()) << key;
    lines[0]["run"][key] = "of another run";
    lines[0]["matrix"]["results"][0]["seconds"] = 1e9;
    write_lines(file, lines);
    const Outcome outcome = bench({one, "--resume", file, "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(resumed(outcome), Flags{false}) << key;
    EXPECT_LT(outcome.json()["matrices"][0]["results"][0]["seconds"], 1e6);
    EXPECT_NE(outcome.err.find("1 of another machine, version, build or with other settings, left alone"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(lines_of(file)[0], lines[0]) << "what others measured stays in the file";
    EXPECT_EQ(lines_of(file).size(), 2u);
  }
}

TEST(BenchResume, measures_a_file_again_that_has_changed) {
  const ScratchFolder folder;
  const std::string file = folder.path("results.jsonl"), matrix = folder.write("a.mtx", small_file);
  EXPECT_EQ(resumed(bench({matrix, "--resume", file, "--json"})), Flags{false});
  EXPECT_EQ(resumed(bench({matrix, "--resume", file, "--json"})), Flags{true});
  folder.write("a.mtx", small_file + " ");
  EXPECT_EQ(resumed(bench({matrix, "--resume", file, "--json"})), Flags{false});
  const std::string derived = "gen:laplacian,shift=1,of=" + matrix;
  EXPECT_EQ(resumed(bench({derived, "--resume", file, "--json"})), Flags{false});
  folder.write("a.mtx", small_file + "  ");
  EXPECT_EQ(resumed(bench({derived, "--resume", file, "--json"})), Flags{false});
  EXPECT_EQ(resumed(bench({derived, "--resume", file, "--json"})), Flags{true});
}

TEST(BenchResume, drops_a_last_line_that_was_cut_short_wherever_that_was) {
  const ScratchFolder folder;
  const std::string file = folder.path("results.jsonl");
  bench({one, two, "--resume", file});
  const std::string whole = content_of(file);
  const std::size_t second = whole.find('\n') + 1;
  for (const std::size_t kept : {second + 1, second + 50, whole.size() - 1}) {
    folder.write("results.jsonl", whole.substr(0, kept));
    EXPECT_EQ(resumed(bench({one, two, "--resume", file, "--json"})), (Flags{true, false})) << kept;
    EXPECT_EQ(lines_of(file).size(), 2u) << kept;
  }
  folder.write("results.jsonl", whole.substr(0, 20));
  EXPECT_EQ(resumed(bench({one, "--resume", file, "--json"})), Flags{false});
  EXPECT_EQ(lines_of(file).size(), 1u);
}

TEST(BenchResume, passes_over_damaged_lines_and_says_so) {
  const ScratchFolder folder;
  const std::string file = folder.path("results.jsonl");
  bench({one, two, "--resume", file});
  std::string text = content_of(file);
  text[text.find('\n') + 60] = '\1';
  folder.write("results.jsonl", text + "{}\n");
  const Outcome outcome = bench({one, two, "--resume", file, "--json"});
  EXPECT_EQ(resumed(outcome), (Flags{true, false})) << outcome.err;
  EXPECT_NE(outcome.err.find("2 damaged lines"), std::string::npos) << outcome.err;
}

// Whatever a line holds: it is measured again, and nothing falls over it.
TEST(BenchResume, measures_again_what_a_line_does_not_tell_as_it_should) {
  const ScratchFolder folder;
  const std::string file = folder.path("results.jsonl");
  bench({one, two, "--resume", file});
  const std::vector<Json> whole = lines_of(file);
  ASSERT_EQ(whole.size(), 2u);
  std::vector<std::function<void(Json&)>> odd;
  for (const char* key : {"name", "source", "precision", "class", "chosen", "results", "regret", "complete"}) {
    odd.push_back([=](Json& matrix) { matrix.erase(key); });
    odd.push_back([=](Json& matrix) { matrix[key] = Json{{"a", 1}}; });
    odd.push_back([=](Json& matrix) { matrix[key] = Json::array({1, "b"}); });
  }
  for (const char* key : {"name", "chosen", "precision"}) odd.push_back([=](Json& matrix) { matrix[key] = nullptr; });
  for (const char* key : {"plan", "peer", "seconds", "status", "gbps", "spread"}) {
    odd.push_back([=](Json& matrix) { matrix["results"][0].erase(key); });
    odd.push_back([=](Json& matrix) { matrix["results"][0][key] = Json::array(); });
  }
  for (const auto& spoil : odd) {
    std::vector<Json> lines = whole;
    spoil(lines[0]["matrix"]);
    write_lines(file, lines);
    const Outcome outcome = bench({one, two, "--resume", file, "--json=" + folder.path("out.json"), "--html",
                                   folder.path("out.html"), "--csv", folder.path("out.csv")});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err << lines[0]["matrix"];
    EXPECT_NE(outcome.err.find("1 damaged lines"), std::string::npos) << outcome.err << lines[0]["matrix"];
  }
  std::string deep = R"({"format":"heddle bench results","run":{},"identity":)";
  deep += std::string(200000, '[') + std::string(200000, ']') + R"(,"matrix":)" + whole[0]["matrix"].dump() + "}\n";
  folder.write("results.jsonl", deep);
  EXPECT_EQ(bench({one, "--resume", file}).exit_code, 0);
}

TEST(BenchResume, leaves_a_file_that_is_something_else_alone) {
  const ScratchFolder folder;
  const std::string file = folder.write("a.mtx", small_file);
  const Outcome outcome = bench({one, "--resume", file});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("no results of heddle bench"), std::string::npos) << outcome.err;
  EXPECT_EQ(content_of(file), small_file);
  EXPECT_EQ(bench({one, "--resume", folder.path("no/such/folder")}).exit_code, 2);
  EXPECT_EQ(bench({one, "--resume", "/dev/null"}).exit_code, 2);
}

TEST(BenchResume, refuses_a_file_that_another_run_is_writing) {
  const ScratchFolder folder;
  const std::string file = folder.write("results.jsonl", "");
  const int other = open(file.c_str(), O_RDWR);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  const Outcome outcome = bench({one, "--resume", file});
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_NE(outcome.err.find("in use by another run"), std::string::npos) << outcome.err;
  close(other);
}

TEST(BenchResume, tries_a_matrix_again_that_failed) {
  const ScratchFolder folder;
  const std::string file = folder.path("results.jsonl"), matrix = folder.path("late.mtx");
  EXPECT_EQ(bench({matrix, one, "--resume", file, "--json"}).exit_code, 3);
  EXPECT_EQ(lines_of(file).size(), 1u);
  folder.write("late.mtx", small_file);
  EXPECT_EQ(resumed(bench({matrix, one, "--resume", file, "--json"})), (Flags{false, true}));
}

// Runs `words`; as soon as the command opens the pipe `path` to read a matrix from it, sends it `number`.
int stopped_at_pipe(std::vector<std::string> words, const std::string& path, int number) {
  mkfifo(path.c_str(), 0600);
  words.insert(words.begin(), std::getenv("HEDDLE_COMMAND"));
  const pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  const int pipe = open(path.c_str(), O_WRONLY);  // returns when the other end is opened
  kill(child, number);
  const ssize_t put = write(pipe, small_file.data(), small_file.size());
  close(pipe);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(put, static_cast<ssize_t>(small_file.size()));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(BenchInterrupted, keeps_what_was_measured_in_every_file_and_goes_on_later) {
  signal(SIGPIPE, SIG_IGN);
  for (const int number : {SIGINT, SIGTERM}) {
    const ScratchFolder folder;
    const std::string file = folder.path("results.jsonl"), json = folder.path("out.json"), csv = folder.path("out.csv"),
                      html = folder.path("out.html"), pipe = folder.path("pipe.mtx");
    const int exit_code = stopped_at_pipe(bench_words({one, pipe, two, "--peers", "none", "--quiet", "--resume", file,
                                                       "--json=" + json, "--csv", csv, "--html", html}),
                                          pipe, number);
    EXPECT_EQ(exit_code, 128 + number);
    const Json document = Json::parse(content_of(json));
    EXPECT_TRUE(document["interrupted"]);
    ASSERT_GE(document["matrices"].size(), 1u);
    EXPECT_LE(document["matrices"].size(), 2u) << "the matrix after the signal was measured";
    EXPECT_TRUE(document["matrices"][0]["complete"]);
    EXPECT_EQ(document["matrices"][0]["results"].size(), 2u);
    EXPECT_NE(document["matrices"].back()["complete"], document["matrices"].size() == 2);
    EXPECT_GE(lines_in(content_of(csv)), 3);
    EXPECT_TRUE(content_of(html).ends_with("</html>\n"));
    EXPECT_EQ(lines_of(file).size(), 1u);
    EXPECT_EQ(resumed(bench({one, two, "--peers", "none", "--resume", file, "--json"})), (Flags{true, false}));
  }
}

TEST(BenchOutput, both_precisions_are_two_entries_of_one_matrix) {
  const Outcome outcome = bench({one, "--precision", "both", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json matrices = outcome.json()["matrices"];
  ASSERT_EQ(matrices.size(), 2u);
  for (const int i : {0, 1}) {
    const char* precision = i == 0 ? "f64" : "f32";
    EXPECT_EQ(matrices[i]["precision"], precision);
    EXPECT_EQ(matrices[i]["name"], "stencil2d5,n=8");
    for (const Json& result : matrices[i]["results"]) {
      EXPECT_EQ(result["precision"], precision);
      EXPECT_EQ(result["status"], "ok");
    }
  }
  EXPECT_EQ(heddle_command({"info", one, "--precision", "both"}).exit_code, 2);
}

TEST(BenchOutput, tells_class_row_lengths_regret_and_when_a_build_pays) {
  const Json document = bench({one, "--formats", "auto", "--json"}).json();
  EXPECT_FALSE(document["interrupted"]);
  EXPECT_EQ(document["settings"]["seconds"], 0.001);
  EXPECT_EQ(document["machine"]["fingerprint"].get<std::string>().size(), 16u);
  const Json& matrix = document["matrices"][0];
  EXPECT_EQ(matrix["class"], "diagonals");
  EXPECT_EQ(matrix["rows_len"]["max"], 5);
  EXPECT_GE(matrix["regret"], 0);
  EXPECT_GT(matrix["planning_seconds"], 0);
  EXPECT_FALSE(matrix.contains("spy"));
  for (const Json& result : matrix["results"]) {
    if (result["plan"].is_null() || !result["plan"].get<std::string>().starts_with("csr ")) continue;
    EXPECT_TRUE(result["break_even_csr"] == 0 || result["break_even_csr"].is_null()) << result;
  }
}

TEST(BenchOutput, comma_separated_values_have_as_many_fields_as_titles) {
  const ScratchFolder folder;
  const std::string path = folder.path("out.csv"), matrix = folder.write("a,\"b.mtx", small_file);
  ASSERT_EQ(bench({matrix, "--csv", path}).exit_code, 0);
  std::istringstream text(content_of(path));
  std::string titles, line;
  std::getline(text, titles);
  EXPECT_TRUE(titles.ends_with(",break_even_csr,break_even_peer,class,chosen,joules,watts,call_seconds")) << titles;
  const auto commas = std::count(titles.begin(), titles.end(), ',');
  std::getline(text, line);
  EXPECT_TRUE(line.starts_with("\"a,\"\"b\",2,2,2,csr lanes=")) << line;
  EXPECT_EQ(std::count(line.begin(), line.end(), ','), commas + 1) << line;
}

TEST(BenchOutput, the_report_keeps_hostile_names_inside_its_data) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path("x<"));
  const std::string matrix = folder.write("x</script><b>.mtx", small_file), html = folder.path("out.html");
  ASSERT_EQ(bench({matrix, "--html", html, "--precision", "both"}).exit_code, 0);
  const std::string page = content_of(html);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_NE(page.find("x\\u003c/script>\\u003cb>.mtx"), std::string::npos);
  EXPECT_EQ(page.find("\"spy\":{"), page.rfind("\"spy\":{")) << "one picture serves both precisions";
  EXPECT_NE(page.find("\"spy\":{"), std::string::npos);
}

TEST(BenchOutput, files_that_cannot_be_written_are_refused_before_anything_is_measured) {
  const ScratchFolder folder;
  const std::string file = folder.path("results.jsonl");
  for (const char* option : {"--html", "--csv"})
    EXPECT_EQ(bench({one, option, folder.path("no/such/folder"), "--resume", file}).exit_code, 2) << option;
  EXPECT_FALSE(exists(file));
}

TEST(BenchOutput, a_terminal_shows_how_much_time_is_left) {
  const Outcome outcome = heddle_command(
      {"bench", one, two, "--device", "cpu", "--seconds", "0.05", "--formats", "csr;coo;sell;ell", "--peers", "none"},
      {.environment = {{"TERM", "xterm"}, {"LC_ALL", "C.UTF-8"}}, .terminal = true});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find(" s left"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace heddle::test
