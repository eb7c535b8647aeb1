// heddle fetch: a matrix of the index, from a server on the loopback.
#include <gtest/gtest.h>

#include <heddle/io.hpp>

#include "io/gzip.hpp"
#include "support/command.hpp"
#include "support/web_server.hpp"

namespace heddle::test {
namespace {

// HB/can_24: 24 rows, 160 entries. This one has a full diagonal and a band that makes up the rest.
std::string market_of_can_24() {
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n24 24 92\n";
  int left = 68;
  for (int row = 1; row <= 24; ++row) text += fmt::format("{} {} 1\n", row, row);
  for (int gap = 1; left > 0; ++gap)
    for (int row = gap + 1; row <= 24 && left > 0; ++row, --left) text += fmt::format("{} {} -1\n", row, row - gap);
  return text;
}

std::string archive() {
  const auto bytes = io::deflate_member(tar_member("can_24/can_24.mtx", market_of_can_24()) + tar_end());
  return {bytes.begin(), bytes.end()};
}

TEST(FetchCommand, brings_a_matrix_that_other_commands_read) {
  const ScratchFolder folder;
  WebServer server;
  server.put("/HB/can_24.tar.gz", {.content = archive(), .cut = 50, .cuts = 1});
  const std::vector<std::string> words{"fetch",          "can_24",   "HB/can_24",  "--into",
                                       folder.path("m"), "--server", server.url(), "--json"};
  const Outcome fetched = heddle_command(words);
  if (fetched.err.find("libcurl") != std::string::npos) GTEST_SKIP() << fetched.err;
  ASSERT_EQ(fetched.exit_code, 0) << fetched.err;
  const auto document = fetched.json();
  ASSERT_EQ(document["matrices"].size(), 1u);
  EXPECT_EQ(document["matrices"][0]["status"], "fetched");
  EXPECT_EQ(document["matrices"][0]["bytes"], archive().size());
  EXPECT_EQ(document["matrices"][0]["path"], folder.path("m/can_24/can_24.mtx"));
  EXPECT_EQ(heddle_command({"info", folder.path("m/can_24/can_24.mtx"), "--json"}).json()["matrix"]["nnz"], 160);
  EXPECT_EQ(heddle_command(words).json()["matrices"][0]["status"], "there");
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST(FetchCommand, goes_on_after_a_matrix_that_the_server_does_not_have) {
  const ScratchFolder folder;
  WebServer server;
  server.put("/HB/can_24.tar.gz", {.content = archive()});
  const Outcome outcome =
      heddle_command({"fetch", "can_62", "can_24", "--into", folder.path("m"), "--server", server.url()});
  if (outcome.err.find("libcurl") != std::string::npos) GTEST_SKIP() << outcome.err;
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
  EXPECT_NE(outcome.err.find("can_62.tar.gz: the server has no such file"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("1 of 2 matrices are in"), std::string::npos) << outcome.out;
  EXPECT_TRUE(exists(folder.path("m/can_24/can_24.mtx")));
}

TEST(FetchCommand, ends_where_no_server_answers_and_says_so_without_libcurl) {
  const ScratchFolder folder;
  const Outcome outcome =
      heddle_command({"fetch", "can_24", "can_62", "--into", folder.path("m"), "--server", "http://127.0.0.1:1"});
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
  const bool says = outcome.err.find("the download failed") != std::string::npos ||
                    outcome.err.find("this build of heddle has no libcurl") != std::string::npos;
  EXPECT_TRUE(says) << outcome.err;
}

TEST(FetchCommand, needs_no_network_for_archives_and_lists) {
  const ScratchFolder folder;
  folder.write("can_24.tar.gz", archive());
  const Outcome taken =
      heddle_command({"fetch", "can_24", "--into", folder.path("."), "--server", "http://127.0.0.1:1"});
  EXPECT_EQ(taken.exit_code, 0) << taken.err;
  EXPECT_TRUE(exists(folder.path("can_24/can_24.mtx")));
  const auto papers = heddle_command({"fetch", "papers", "--list", "--json"}).json();
  EXPECT_EQ(papers["absent"], (nlohmann::json{"e20r4000", "wbp128", "dense2", "wbp256"}));
  EXPECT_EQ(papers["matrices"].size(), 24u);
  EXPECT_EQ(heddle_command({"fetch", "corpus", "--list", "--json"}).json()["matrices"].size(), 1598u);
  EXPECT_NE(heddle_command({"fetch", "spd", "--list"}).out.find("Boeing/pwtk"), std::string::npos);
}

TEST(FetchCommand, refuses_names_that_are_none) {
  for (const auto& [word, said] : {std::pair("pwtkk", "did you mean 'pwtk'?"), {"barth4", "Nasa/barth4"}}) {
    const Outcome outcome = heddle_command({"fetch", word});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace heddle::test
