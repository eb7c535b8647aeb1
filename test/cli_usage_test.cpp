// What holds for every command: exit codes, one-line errors, where results and messages go.
#include <gtest/gtest.h>

#include <filesystem>

#include <heddle/io.hpp>

#include "support/command.hpp"

namespace heddle::test {
namespace {

const std::vector<std::string> every_command{"demo",  "info",     "formats", "plan",       "multiply", "solve",
                                             "bench", "generate", "convert", "reorder",    "fetch",    "reproduce",
                                             "model", "devices",  "manual",  "completion", "predict"};

void expect_one_line_error(const Outcome& outcome, int exit_code) {
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("heddle: ")) << outcome.err;
}

TEST(Command, tells_its_version_and_lists_every_subcommand_in_its_help) {
  EXPECT_EQ(heddle_command({"--version"}).out, "heddle 0.1.0\n");
  const Outcome help = heddle_command({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const std::string& name : every_command) EXPECT_NE(help.out.find("  " + name), std::string::npos) << name;
}

TEST(Command, offers_the_global_options_in_every_subcommand) {
  for (const std::string& name : every_command) {
    const Outcome help = heddle_command({name, "--help"});
    EXPECT_EQ(help.exit_code, 0) << name;
    for (const char* option : {"--json", "--device", "--precision", "--threads", "--quiet"})
      EXPECT_NE(help.out.find(option), std::string::npos) << name << " " << option;
  }
}

TEST(Command, answers_wrong_usage_with_exit_2_and_one_line) {
  const std::vector<std::vector<std::string>> wrong{{},
                                                    {"weave"},
                                                    {"info"},
                                                    {"info", "a.mtx", "b.mtx"},
                                                    {"info", "gen:dense,rows=3", "--colour"},
                                                    {"info", "gen:nosuch"},
                                                    {"info", "gen:dense,nosuch=3"},
                                                    {"info", "gen:dense,rows=3", "--precision", "f16"},
                                                    {"info", "gen:dense,rows=3", "--threads", "-1"},
                                                    {"info", "gen:dense,rows=3", "--device", "abacus"},
                                                    {"info", "gen:dense,rows=3", "--spy-size", "0"},
                                                    {"formats", "--explain", "nosuch"},
                                                    {"generate", "dense", "--nosuch", "3"},
                                                    {"multiply", "gen:dense,rows=3", "--plan", "nosuch"},
                                                    {"multiply", "gen:dense,rows=3", "--plan", "csr lanes=5"},
                                                    {"multiply", "gen:dense,rows=3", "--plan", "csr =="},
                                                    {"multiply", "gen:dense,rows=3", "--alpha", "two"},
                                                    {"multiply", "gen:dense,rows=3", "--beta", "2"},
                                                    {"convert", "gen:dense,rows=3"},
                                                    {"convert", "gen:dense,rows=3", "matrix.jpeg"},
                                                    {"predict", "gen:dense,rows=3", "nosuch"},
                                                    {"predict", "gen:dense,rows=3", "csr lanes=5"},
                                                    {"reorder"},
                                                    {"reorder", "gen:dense,rows=3", "--by", "nosuch"}};
  for (const auto& words : wrong) {
    SCOPED_TRACE(testing::PrintToString(words));
    expect_one_line_error(heddle_command(words), 2);
  }
}

// The first word that is wrong, and what may be meant.
TEST(Command, names_the_first_unknown_word_and_suggests_another) {
  const auto says = [](const std::vector<std::string>& words, const std::string& text) {
    const Outcome outcome = heddle_command(words);
    expect_one_line_error(outcome, 2);
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
  };
  const std::string matrix = "gen:dense,rows=3";
  says({"solve", matrix, "--deivce", "cpu"}, "unknown option --deivce; did you mean '--device'?");
  says({"solve", matrix, "--devise=cpu", "--quite"}, "unknown option --devise; did you mean '--device'?");
  says({"solve", matrix, "amg", "--color", "red"}, "unexpected word 'amg'");
  says({"info", matrix, "--spy-sise", "3"}, "did you mean '--spy-size'?");
  says({"inof", matrix}, "did you mean 'info'?");
  says({"--colour", "info", matrix}, "unknown option --colour");
}

TEST(Command, takes_the_usual_words_for_help_and_version) {
  for (const char* word : {"version", "-v", "-V"}) EXPECT_EQ(heddle_command({word}).out, "heddle 0.1.0\n");
  EXPECT_EQ(heddle_command({"help"}).out, heddle_command({"--help"}).out);
  EXPECT_EQ(heddle_command({"help", "info"}).out, heddle_command({"info", "--help"}).out);
}

TEST(Command, takes_numbers_whole_or_not_at_all) {
  const std::string matrix = "gen:dense,rows=3";
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"multiply", matrix, "--alpha", ""},
                                             {"multiply", matrix, "--alpha", "1x"},
                                             {"multiply", matrix, "--threads", ""},
                                             {"solve", matrix, "--max-iterations", "9223372036854775808"},
                                             {"solve", matrix, "--max-iterations", "1.5"},
                                             {"solve", matrix, "--tolerance", ""},
                                             {"solve", matrix, "--restart", "99999999999999999999"},
                                             {"reorder", matrix, "--window", "9223372036854775808"},
                                             {"reorder", matrix, "--window", "-1"},
                                             {"plan", matrix, "--expected-multiplies", "many"}})
    expect_one_line_error(heddle_command(words), 2);
  EXPECT_EQ(heddle_command({"multiply", matrix, "--alpha", "+1e-3"}).exit_code, 0);
}

TEST(Command, refuses_a_number_of_threads_that_is_none_in_the_environment) {
  for (const char* threads : {"abc", "2x", "-1", "99999999999"}) {
    const Outcome outcome =
        heddle_command({"info", "gen:dense,rows=3"}, {.environment = {{"HEDDLE_THREADS", threads}}});
    expect_one_line_error(outcome, 2);
    EXPECT_NE(outcome.err.find(std::string("HEDDLE_THREADS=") + threads), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(heddle_command({"info", "gen:dense,rows=3"}, {.environment = {{"HEDDLE_THREADS", "2"}}}).exit_code, 0);
}

TEST(Command, names_the_known_commands_when_one_is_unknown) {
  const Outcome outcome = heddle_command({"weave"});
  EXPECT_NE(outcome.err.find("weave: no such command"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("multiply"), std::string::npos) << outcome.err;
}

TEST(Command, answers_bad_input_with_exit_3_and_the_place) {
  const ScratchFolder folder;
  const std::string bad = folder.write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1.0\n");
  const Outcome wrong_line = heddle_command({"info", bad});
  expect_one_line_error(wrong_line, 3);
  EXPECT_NE(wrong_line.err.find(bad + ":3"), std::string::npos) << wrong_line.err;
  const Outcome missing = heddle_command({"multiply", folder.path("missing.mtx")});
  expect_one_line_error(missing, 3);
  EXPECT_NE(missing.err.find("missing.mtx"), std::string::npos) << missing.err;
}

TEST(Command, keeps_an_error_on_one_line_whatever_the_file_is_called) {
  expect_one_line_error(heddle_command({"info", "/no/such\nfile\t.mtx"}), 3);
}

TEST(Command, answers_a_missing_gpu_with_exit_5) {
  if (heddle_command({"devices", "--json"}).json()["gpu_absence"].is_null()) GTEST_SKIP() << "there is a GPU here";
  for (const char* name : {"devices", "formats"}) expect_one_line_error(heddle_command({name, "--device", "gpu"}), 5);
}

TEST(Command, answers_a_matrix_beyond_all_memory_with_exit_5) {
  expect_one_line_error(heddle_command({"multiply", "gen:dense,rows=1000000", "--device", "cpu"}), 5);
}

TEST(Command, answers_too_little_memory_with_exit_5) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs more address space than this test leaves";
#endif
  Surroundings around;
  around.memory_limit = 512L << 20;
  const Outcome outcome =
      heddle_command({"multiply", "gen:dense,rows=20000", "--device", "cpu", "--threads", "1"}, around);
  expect_one_line_error(outcome, 5);
}

TEST(Command, puts_the_error_into_the_json_document_too) {
  const Outcome outcome = heddle_command({"info", "missing.mtx", "--json"});
  expect_one_line_error(outcome, 3);
  const auto document = outcome.json();
  EXPECT_EQ(document["heddle"], "0.1.0");
  EXPECT_EQ(document["command"], "info");
  EXPECT_TRUE(document["device"].contains("kind") && document["device"].contains("name"));
  EXPECT_EQ(document["error"]["kind"], "input");
  EXPECT_FALSE(document["error"]["message"].get<std::string>().empty());
  EXPECT_FALSE(document["error"]["hint"].get<std::string>().empty());
  EXPECT_NE(document["error"]["where"].get<std::string>().find("missing.mtx"), std::string::npos);
}

TEST(Command, puts_a_usage_error_into_the_json_document_too) {
  const auto document = heddle_command({"info", "--json", "--nosuch"}).json();
  EXPECT_EQ(document["error"]["kind"], "usage");
  EXPECT_EQ(document["command"], "info");
}

TEST(Json, goes_to_a_file_when_one_is_named_and_results_stay_on_stdout) {
  const ScratchFolder folder;
  for (const bool joined : {false, true}) {
    const std::string file = folder.path(joined ? "joined" : "apart.json");
    const std::vector<std::string> named =
        joined ? std::vector{"--json=" + file} : std::vector<std::string>{"--json", file};
    std::vector<std::string> words{"formats"};
    words.insert(words.end(), named.begin(), named.end());
    const Outcome outcome = heddle_command(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("csr"), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(content_of(file))["command"], "formats");
  }
}

TEST(Json, does_not_take_a_matrix_after_it_for_its_file) {
  const ScratchFolder folder;
  const std::string matrix = folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
  const Outcome outcome = heddle_command({"info", "--json", matrix});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["matrix"]["nnz"], 1);
  EXPECT_EQ(heddle_command({"info", "--json", "gen:dense,rows=3"}).json()["matrix"]["nnz"], 9);
}

TEST(Json, in_a_folder_that_does_not_exist_is_an_error) {
  expect_one_line_error(heddle_command({"formats", "--json=/no/such/folder/a.json"}), 2);
}

TEST(Json, is_alone_on_stdout_and_messages_are_on_stderr) {
  const Outcome outcome = heddle_command({"generate", "dense", "--rows", "4", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["matrix"]["nnz"], 16);
  EXPECT_NE(outcome.err.find("nothing was written"), std::string::npos);
  EXPECT_EQ(heddle_command({"generate", "dense", "--rows", "4", "--json", "--quiet"}).err, "");
}

TEST(Terminal, gets_colours_unless_NO_COLOR_is_set_and_a_pipe_gets_none) {
  Surroundings around{.environment = {{"TERM", "xterm"}, {"NO_COLOR", ""}}, .terminal = true};
  EXPECT_NE(heddle_command({"formats"}, around).out.find("\033["), std::string::npos);
  around.environment[1].second = "1";
  EXPECT_EQ(heddle_command({"formats"}, around).out.find("\033["), std::string::npos);
  around = {.environment = {{"TERM", "xterm"}, {"NO_COLOR", ""}}};
  EXPECT_EQ(heddle_command({"formats"}, around).out.find("\033["), std::string::npos);
}

TEST(Terminal, without_utf8_gets_plain_ascii) {
  const Surroundings plain{.environment = {{"LC_ALL", "C"}}};
  const Outcome outcome = heddle_command({"info", "gen:arrow,rows=50"}, plain);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const unsigned char c : outcome.out) ASSERT_LT(c, 128) << outcome.out;
  const Surroundings rich{.environment = {{"LC_ALL", "C.UTF-8"}}};
  EXPECT_NE(heddle_command({"info", "gen:arrow,rows=50"}, rich).out.find("┌"), std::string::npos);
}

// The file is large enough to be read for longer than the bar waits before it shows.
TEST(Progress, is_shown_on_a_terminal_and_not_in_a_pipe_nor_when_quiet) {
  const ScratchFolder folder;
  const std::string file = folder.path("large.mtx");
  ASSERT_EQ(heddle_command({"generate", "random", "rows=40000", "per_row=12", "--out", file}).exit_code, 0);
  const std::vector<std::string> words{"convert", file, folder.path("large.mtx.gz"), "--threads", "1"};
  EXPECT_EQ(heddle_command(words).err, "");
  Surroundings around{.environment = {{"TERM", "xterm"}}, .terminal = true};
  EXPECT_NE(heddle_command(words, around).out.find(" %\033[K"), std::string::npos);
  auto quiet = words;
  quiet.push_back("--quiet");
  EXPECT_EQ(heddle_command(quiet, around).out.find(" %\033[K"), std::string::npos);
}

TEST(Output, to_a_closed_pipe_ends_without_a_word) {
  Surroundings around;
  around.reads_output = false;
  EXPECT_EQ(heddle_command({"formats"}, around).err, "");
}

TEST(Output, to_a_full_disk_is_an_error) {
  Surroundings around;
  around.stdout_path = "/dev/full";
  expect_one_line_error(heddle_command({"formats"}, around), 5);
  expect_one_line_error(heddle_command({"formats", "--json"}, around), 5);
}

// Where messages cannot be written the exit codes are the same, and nothing is lost.
TEST(Messages, that_cannot_be_written_change_nothing) {
  const ScratchFolder folder;
  const std::string y = folder.write("y.txt", "1\n2\n3\n"), out = folder.path("out.mtx");
  for (const char* closed : {" 2>/dev/full", " 2>&-"}) {
    const auto code = [&](const std::string& words) { return heddle_in_shell(words + closed).exit_code; };
    EXPECT_EQ(code("info missing"), 3) << closed;
    EXPECT_EQ(code("info --nosuch"), 2) << closed;
    EXPECT_EQ(code("multiply gen:dense,rows=3 --y " + y + " --out " + out), 0) << closed;
    EXPECT_TRUE(content_of(out).starts_with("%%MatrixMarket matrix array real general\n3 1\n")) << closed;
    EXPECT_EQ(code("generate arrow rows=9"), 0) << closed;
    EXPECT_EQ(code("solve gen:stencil2d5,n=30 --max-iterations 2"), 4) << closed;
    std::filesystem::remove(out);
  }
  EXPECT_EQ(heddle_in_shell("--help >/dev/full").exit_code, 5);
}

TEST(Messages, come_behind_the_results_that_were_printed_before_them) {
  const std::string both = heddle_in_shell("solve gen:stencil2d5,n=30 --max-iterations 2 2>&1").out;
  EXPECT_LT(both.find("stencil2d5,n=30: "), both.find("heddle: ")) << both;
}

// The name of a matrix is a text of its file.
TEST(Output, holds_no_control_characters_of_files) {
  const ScratchFolder folder;
  const std::string evil = folder.path("evil.hdl"), name =
                                                        "a\033]0;title\007\r\nb\xc2\x9b"
                                                        "31m\x9b\x7f ü";
  write_matrix(evil, make_csr<double>(1, 1, Buffer<Offset>{0, 1}, Buffer<Index>{0}, Buffer<double>{1}), {},
               FileFacts{name, "real\033[2J", "general\n"});
  const Surroundings colours{.environment = {{"TERM", "xterm"}, {"NO_COLOR", ""}, {"LC_ALL", "C.UTF-8"}},
                             .terminal = true};
  for (const std::string command : {"info", "plan", "formats", "multiply", "solve", "bench"})
    for (const bool terminal : {false, true}) {
      const Outcome outcome = heddle_command({command, evil, "--device", "cpu"}, terminal ? colours : Surroundings{});
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      EXPECT_NE(outcome.out.find("a?]0;title???b??31m?? ü"), std::string::npos) << outcome.out;
      EXPECT_EQ(outcome.out.find('\007'), std::string::npos) << command;
      if (!terminal) {
        EXPECT_EQ(outcome.out.find('\033'), std::string::npos) << command;
      }
    }
}

}  // namespace
}  // namespace heddle::test
