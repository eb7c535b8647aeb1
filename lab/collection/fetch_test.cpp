// The collection: its index, downloads that break, archives that are not what they should be.
#include "collection/fetch.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include <heddle/error.hpp>

#include "collection/archive.hpp"
#include "collection/market_file.hpp"
#include "collection/places.hpp"
#include "io/gzip.hpp"
#include "support/command.hpp"
#include "support/web_server.hpp"

namespace heddle::collection {
namespace {

using test::ScratchFolder;
using test::tar_end;
using test::tar_member;
using test::WebServer;

const std::string small_market =
    "%%MatrixMarket matrix coordinate real symmetric\n% kept\n3 3 4\n1 1 2\n2 1 -1\n2 2 2\n3 3 0\n";
const Entry small_entry{"Group", "small", 3, 3, 5, false, false};

std::string packed(const std::string& text) {
  const auto bytes = io::deflate_member(text);
  return {bytes.begin(), bytes.end()};
}

std::string archive_of(const std::string& market) {
  return packed(tar_member("small/", "", '5') + tar_member("small/small.mtx", market) +
                tar_member("small/small_b.mtx", "%%MatrixMarket matrix array real general\n1 1\n7\n") + tar_end());
}

ErrorKind kind_of_failure(const std::function<void()>& call, std::string* what = nullptr) {
  try {
    call();
  } catch (const Error& error) {
    if (what) *what = error.what();
    return error.kind();
  }
  return ErrorKind{};
}

DownloadOptions quick() { return {.attempts = 4, .pause = 0.001, .patience = 1}; }

TEST(CollectionIndex, knows_the_papers_matrices_as_printed) {
  EXPECT_GT(entries().size(), 2800u);
  const Entry& pwtk = entry("pwtk");
  EXPECT_EQ(pwtk.label(), "Boeing/pwtk");
  EXPECT_EQ(pwtk.rows, 217918);
  EXPECT_EQ(pwtk.nnz, 11634424);  // with the zeros it stores, as paper 1 prints it
  EXPECT_TRUE(pwtk.definite);
  EXPECT_EQ(entry("Mittelmann/rail4284").cols, 1096894);
  EXPECT_TRUE(entry("conf5_4-8x8-05").complex);
  EXPECT_EQ(entry("fd18").rows, 16428);
}

TEST(CollectionIndex, says_what_it_does_not_know_and_asks_which_one_is_meant) {
  std::string what;
  EXPECT_EQ(kind_of_failure([] { entry("pwtkk"); }, &what), ErrorKind::usage);
  EXPECT_NE(what.find("did you mean 'pwtk'?"), std::string::npos) << what;
  EXPECT_EQ(kind_of_failure([] { entry("barth4"); }, &what), ErrorKind::usage);
  EXPECT_NE(what.find("Nasa/barth4"), std::string::npos) << what;
  EXPECT_EQ(find("barth4"), nullptr);
  EXPECT_EQ(entry("Nasa/barth4").name, "barth4");
}

TEST(CollectionIndex, has_sets_for_paper_3_and_for_the_solves_of_paper_2) {
  const auto list = corpus();
  ASSERT_EQ(list.size(), 1598u);
  std::int64_t most_rows = 0, most_entries = 0;
  for (const Entry* one : list) {
    EXPECT_EQ(one->rows, one->cols);
    EXPECT_FALSE(one->complex);
    most_rows = std::max(most_rows, one->rows);
    most_entries = std::max(most_entries, one->nnz);
  }
  EXPECT_EQ(most_rows, 2063494);  // both as paper 3 prints them
  EXPECT_EQ(most_entries, 52672325);
  EXPECT_GT(large_definite().size(), 50u);
  for (const Entry* one : large_definite()) EXPECT_TRUE(one->definite && one->rows > 100000) << one->label();
}

TEST(CollectionIndex, refuses_a_line_that_is_none) {
  EXPECT_EQ(parse_index("# text\nA/b 3 4 x5 c p\n").front().cols, 5);
  for (const char* line : {"A/b 3", "A/b 3 x", "A/b 3 4 q", "A/b 0 4", "A/b 3 4 x"})
    EXPECT_EQ(kind_of_failure([&] { parse_index(line); }), ErrorKind::internal) << line;
}

TEST(MarketFile, reads_the_real_parts_of_a_complex_matrix_and_its_pattern) {
  const ScratchFolder folder;
  const std::string path = folder.write("a.mtx",
                                        "%%MatrixMarket matrix coordinate Complex hermitian\n% two\n\n2 2 2\n"
                                        "1 1 0.5 0\n  2 1 0 -3 \n");
  const MarketFile file = read_market_file(path);
  EXPECT_TRUE(file.complex);
  ASSERT_EQ(file.A.nnz(), 3);
  EXPECT_EQ(file.A.val[0], 0.5);
  EXPECT_EQ(file.A.val[1], 0);  // imaginary alone: still an entry
  EXPECT_FALSE(read_market_file(folder.write("b.mtx", small_market)).complex);
  std::string what;
  const std::string bad =
      folder.write("c.mtx", "%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 1 0\n5 1 1 0\n");
  EXPECT_EQ(kind_of_failure([&] { read_market_file(bad); }, &what), ErrorKind::input);
  EXPECT_NE(what.find("c.mtx:4"), std::string::npos) << what;
}

TEST(Places, find_matrices_in_a_folder_and_in_folders_of_their_own) {
  const ScratchFolder folder;
  for (const char* file : {"a.mtx", "a.hdl", "b.mtx.gz", "notes.txt"}) folder.write(file, "");
  for (const char* name : {"c", "empty"}) std::filesystem::create_directories(folder.path(name));
  for (const char* file : {"c/c.mtx", "c/c_b.mtx", "empty/other.mtx"}) folder.write(file, "");
  EXPECT_EQ(names_in(folder.path("")), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(file_in(folder.path("."), "a"), folder.path("./a.hdl")) << "the form that loads without parsing";
  EXPECT_EQ(file_in(folder.path("."), "c"), folder.path("./c/c.mtx"));
  EXPECT_EQ(file_in(folder.path("."), "empty"), "");
}

class Archive : public testing::Test {
 protected:
  std::string unpacked(const std::string& bytes) {
    const std::string path = folder.write("small.tar.gz", bytes);
    std::filesystem::create_directories(folder.path("out"));
    std::string what;
    const ErrorKind kind = kind_of_failure([&] { unpack(path, "small", folder.path("out"), {}); }, &what);
    return kind == ErrorKind{} ? "" : what;
  }
  ScratchFolder folder;
};

TEST_F(Archive, unpacks_the_files_of_the_matrix_and_nothing_else) {
  const std::string bytes =
      packed(tar_member("small/../evil.mtx", "1") + tar_member("/small/b.mtx", "2") +
             tar_member("small/sub/c.mtx", "3") + tar_member("small/link.mtx", "", '2') +
             tar_member("small/run.sh", "4") + tar_member("./small/small.mtx", small_market) + tar_end());
  EXPECT_EQ(unpacked(bytes), "");
  EXPECT_EQ(test::content_of(folder.path("out/small.mtx")), small_market);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path("out")), {}), 1);
  EXPECT_FALSE(test::exists(folder.path("evil.mtx")));
}

TEST_F(Archive, refuses_what_is_cut_damaged_or_another_matrix) {
  const std::string good = archive_of(small_market);
  EXPECT_EQ(unpacked(good), "");
  EXPECT_NE(unpacked(good.substr(0, good.size() / 2)).find("cut off"), std::string::npos);
  EXPECT_NE(unpacked(good.substr(0, good.size() - 3)).find("cut off"), std::string::npos);
  std::string flipped = good;
  flipped[flipped.size() - 6] ^= 1;  // the check sum
  EXPECT_NE(unpacked(flipped).find("damaged"), std::string::npos);
  EXPECT_NE(unpacked("<html>no such page</html>").find("damaged"), std::string::npos);
  EXPECT_NE(unpacked(packed(std::string(2048, 'x'))).find("no tar archive"), std::string::npos);
  EXPECT_NE(unpacked(packed(tar_member("other/other.mtx", small_market) + tar_end())).find("no small/small.mtx"),
            std::string::npos);
}

class Fetch : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_download()) GTEST_SKIP() << "built without libcurl";
  }
  Fetched from_server() {
    return fetch(small_entry, {.folder = folder.path("into"), .server = server.url("/MM"), .download = quick()});
  }
  void put(WebServer::Page page) { server.put("/MM/Group/small.tar.gz", std::move(page)); }
  std::vector<std::string> files_in(const std::string& place) const {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(folder.path(place)))
      names.push_back(file.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  ScratchFolder folder;
  WebServer server;
  const std::string archive = archive_of(small_market);
};

TEST_F(Fetch, brings_a_matrix_with_its_right_hand_side_and_leaves_nothing_else) {
  put({.content = archive});
  const Fetched fetched = from_server();
  EXPECT_EQ(fetched.bytes, static_cast<std::int64_t>(archive.size()));
  EXPECT_EQ(test::content_of(fetched.path), small_market);
  EXPECT_EQ(files_in("into"), std::vector<std::string>{"small"});
  EXPECT_EQ(files_in("into/small"), (std::vector<std::string>{"small.mtx", "small_b.mtx"}));
  EXPECT_TRUE(from_server().was_there);
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(Fetch, goes_on_where_the_connection_broke) {
  put({.content = archive, .cut = 40, .cuts = 2});
  EXPECT_EQ(from_server().bytes, static_cast<std::int64_t>(archive.size()));
  const std::string name = "GET /MM/Group/small.tar.gz";
  EXPECT_EQ(server.requests(), (std::vector<std::string>{name, name + " bytes=40-", name + " bytes=80-"}));
}

TEST_F(Fetch, goes_on_after_a_silence) {
  put({.content = archive, .cut = 40, .cuts = 1, .stalls = true});
  EXPECT_EQ(from_server().bytes, static_cast<std::int64_t>(archive.size()));
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST_F(Fetch, goes_on_with_what_an_earlier_run_left) {
  put({.content = archive});
  folder.write("into.tmp", "");
  std::filesystem::create_directories(folder.path("into"));
  folder.write("into/small.tar.gz.part", archive.substr(0, 100));
  EXPECT_EQ(from_server().bytes, static_cast<std::int64_t>(archive.size()) - 100);
  EXPECT_EQ(server.requests().front(), "GET /MM/Group/small.tar.gz bytes=100-");
}

TEST_F(Fetch, knows_when_an_earlier_run_had_received_everything) {
  put({.content = archive});
  std::filesystem::create_directories(folder.path("into"));
  folder.write("into/small.tar.gz.part", archive);
  EXPECT_EQ(from_server().bytes, 0);
}

TEST_F(Fetch, begins_anew_where_the_server_has_no_ranges_or_a_shorter_file) {
  std::filesystem::create_directories(folder.path("into"));
  folder.write("into/small.tar.gz.part", archive.substr(0, 100));
  put({.content = archive, .ranges = false});
  EXPECT_EQ(test::content_of(from_server().path), small_market);
  std::filesystem::remove_all(folder.path("into/small"));
  folder.write("into/small.tar.gz.part", archive + "and more");
  put({.content = archive});
  EXPECT_EQ(test::content_of(from_server().path), small_market);
}

TEST_F(Fetch, waits_for_a_busy_server_and_follows_a_redirection) {
  server.put("/elsewhere", {.content = archive, .status = 503, .statuses = 2});
  put({.content = {}, .moved_to = server.url("/elsewhere")});
  EXPECT_EQ(test::content_of(from_server().path), small_market);
  EXPECT_EQ(server.requests().size(), 6u);
}

TEST_F(Fetch, gives_up_after_its_attempts_and_keeps_what_came) {
  put({.content = archive, .cut = 10, .cuts = 100});
  EXPECT_EQ(kind_of_failure([&] { from_server(); }), ErrorKind::unavailable);
  EXPECT_EQ(server.requests().size(), 4u);
  EXPECT_EQ(test::content_of(folder.path("into/small.tar.gz.part")), archive.substr(0, 40));
}

TEST_F(Fetch, says_what_the_server_does_not_have_and_that_there_is_none) {
  std::string what;
  EXPECT_EQ(kind_of_failure([&] { from_server(); }, &what), ErrorKind::input);
  EXPECT_NE(what.find("the server has no such file"), std::string::npos) << what;
  EXPECT_EQ(kind_of_failure([&] {
              fetch(small_entry, {.folder = folder.path("into"), .server = "http://127.0.0.1:1", .download = quick()});
            }),
            ErrorKind::unavailable);
  EXPECT_EQ(kind_of_failure([&] {
              fetch(small_entry,
                    {.folder = folder.path("into"), .server = "file://" + folder.path(""), .download = quick()});
            }),
            ErrorKind::unavailable);
}

TEST_F(Fetch, keeps_nothing_of_a_matrix_that_the_index_does_not_know_so) {
  put({.content = archive_of("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 2\n")});
  std::string what;
  EXPECT_EQ(kind_of_failure([&] { from_server(); }, &what), ErrorKind::input);
  EXPECT_NE(what.find("3 x 3 with 1 entries, but Group/small is 3 x 3 with 5 entries"), std::string::npos) << what;
  EXPECT_EQ(files_in("into"), std::vector<std::string>{});
}

TEST_F(Fetch, stops_when_its_progress_says_so_and_goes_on_later) {
  struct Stop {};
  put({.content = archive});
  FetchOptions options{.folder = folder.path("into"), .server = server.url("/MM"), .download = quick()};
  options.download.progress = [](double) { throw Stop(); };
  EXPECT_THROW(fetch(small_entry, options), Stop);
  EXPECT_FALSE(test::exists(folder.path("into/small")));
  EXPECT_EQ(test::content_of(from_server().path), small_market);
}

TEST(FetchOffline, takes_an_archive_that_lies_in_the_folder_and_leaves_a_bad_one_alone) {
  const ScratchFolder folder;
  const FetchOptions options{.folder = folder.path(""), .server = "http://127.0.0.1:1", .download = quick()};
  folder.write("small.tar.gz", "no archive");
  EXPECT_EQ(kind_of_failure([&] { fetch(small_entry, options); }), ErrorKind::input);
  EXPECT_TRUE(test::exists(folder.path("small.tar.gz")));
  folder.write("small.tar.gz", archive_of(small_market));
  const Fetched fetched = fetch(small_entry, options);
  EXPECT_EQ(fetched.bytes, 0);
  EXPECT_EQ(test::content_of(fetched.path), small_market);
  EXPECT_FALSE(test::exists(folder.path("small.tar.gz")));
}

}  // namespace
}  // namespace heddle::collection
