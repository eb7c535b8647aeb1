// Reading and writing real files: every kind of file there is, and every fault a disk can have.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <random>
#include <thread>

#include "core/system.hpp"
#include "io/atomic_file.hpp"
#include "io/file_table.hpp"
#include "io/gzip.hpp"
#include "support/io_text.hpp"

namespace heddle::io {
namespace {

const std::string small_file = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 4\n2 1 5\n";
const std::string small_shown = "2x2 1,1=4 2,1=5";

std::string gzip(std::string_view text) {
  const Vector<char> packed = deflate_member(text);
  return {packed.begin(), packed.end()};
}

// Random bit patterns, so that every exponent, subnormals, infinities and NaN occur.
Csr<double> any_values(int count) {
  std::mt19937_64 random(3);
  Csr<double> A{1, count, Buffer<Offset>{0, count}, Buffer<Index>(count), Buffer<double>(count)};
  for (int i = 0; i < count; ++i) {
    A.col[i] = i;
    A.val[i] = std::bit_cast<double>(random());
    if (std::isnan(A.val[i])) A.val[i] = NAN;
  }
  return A;
}

TEST(Files, round_trip_every_value_bit_for_bit) {
  const ScratchFolder folder;
  const Csr<double> A = any_values(100000);
  for (const char* name : {"a.mtx", "a.mtx.gz", "a.hdl"}) {
    write_matrix(folder / name, A);
    EXPECT_TRUE(identical(read_matrix<double>(folder / name), A)) << name;
  }
  const Csr<float> B = convert<float>(A.view());
  write_matrix(folder / "b.mtx", B);
  EXPECT_TRUE(identical(read_matrix<float>(folder / "b.mtx"), B));
}

TEST(Files, round_trip_vectors) {
  const ScratchFolder folder;
  const Csr<double> A = any_values(50000);
  for (const char* name : {"x.mtx", "x.mtx.gz"}) {
    write_vector<double>(folder / name, A.val);
    const Buffer<double> x = read_vector<double>(folder / name);
    ASSERT_EQ(x.size(), A.nnz());
    EXPECT_EQ(std::memcmp(x.data(), A.val.data(), x.bytes()), 0) << name;
  }
  write_vector<double>(folder / "empty.mtx", std::span<const double>());
  EXPECT_EQ(read_vector<double>(folder / "empty.mtx").size(), 0);
}

TEST(Files, write_a_vector_by_its_suffix) {
  const ScratchFolder folder;
  const Csr<double> A = any_values(3000);
  for (const char* name : {"x.txt", "x.csv", "x.csv.gz", "x.npy"}) {
    write_vector<double>(folder / name, A.val);
    const Buffer<double> x = read_vector<double>(folder / name);
    ASSERT_EQ(x.size(), A.nnz()) << name;
    EXPECT_EQ(std::memcmp(x.data(), A.val.data(), x.bytes()), 0) << name;
  }
  write_vector<double>(folder / "x.csv", Buffer<double>{1, 2.5});
  EXPECT_EQ(load(folder / "x.csv"), "1\n2.5\n");
}

// As numpy.save writes it.
std::string npy(const std::string& type, const std::string& shape, std::string_view numbers) {
  std::string words = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  words.resize(117, ' ');
  return std::string("\x93NUMPY\x01\0\x76\0", 10) + words + "\n" + std::string(numbers);
}

TEST(Npy, is_read_in_every_type_and_shape_of_a_vector) {
  const ScratchFolder folder;
  const auto bytes = [](auto... numbers) {
    std::string all;
    (all.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
    return all;
  };
  const auto read = [&](const std::string& content) {
    save(folder / "b.npy", content);
    return read_vector<double>(folder / "b.npy");
  };
  for (const char* shape : {"(3,)", "(3, 1)", "(1, 3)"}) {
    EXPECT_EQ(read(npy("<f8", shape, bytes(1.0, 2.0, 3.0)))[2], 3.0) << shape;
    EXPECT_EQ(read(npy("<f4", shape, bytes(1.f, 2.f, 3.f)))[2], 3.0) << shape;
    EXPECT_EQ(read(npy("<i8", shape, bytes(std::int64_t{1}, std::int64_t{2}, std::int64_t{3})))[2], 3.0) << shape;
    EXPECT_EQ(read(npy("<i4", shape, bytes(1, 2, 3)))[2], 3.0) << shape;
  }
  for (const std::string& bad : {npy("<f8", "(2, 2)", bytes(1.0, 2.0, 3.0, 4.0)), npy("<c16", "(1,)", bytes(1.0, 2.0)),
                                 npy(">f8", "(1,)", bytes(1.0)), npy("<f8", "(9223372036854775807,)", ""),
                                 npy("<f8", "(2,)", bytes(1.0)), npy("<f8", "(1,)", bytes(1.0)).substr(0, 40),
                                 std::string("\x93NUMPY"), npy("<f8", "(99999999999999999999,)", "")})
    EXPECT_EQ(error_of([&] { read(bad); }).kind(), ErrorKind::input) << bad;
}

TEST(Files, say_what_a_foreign_file_is) {
  const ScratchFolder folder;
  std::string tar = "a/a.mtx" + std::string(512, '\0');
  tar.replace(257, 5, "ustar");
  const auto hint = [&](const std::string& name, const std::string& content) {
    save(folder / name, content);
    return error_of([&] { read_matrix<double>(folder / name); }).hint();
  };
  EXPECT_NE(hint("a.tar.gz", gzip(tar)).find("tar xf"), std::string::npos);
  EXPECT_NE(hint("a.npz", "PK\x03\x04 and so on").find(".npz"), std::string::npos);
  EXPECT_NE(hint("a.mat", "MATLAB 5.0 MAT-file").find("loadmat"), std::string::npos);
  EXPECT_NE(hint("a.rb", "a title  |a key").find("Rutherford"), std::string::npos);
  EXPECT_NE(hint("a.npy", npy("<f8", "(1,)", "12345678")).find("NumPy"), std::string::npos);
  save(folder / "cant.mtx", small_file);
  EXPECT_NE(error_of([&] { read_matrix<double>(folder / "cant"); }).hint().find("cant.mtx"), std::string::npos);
}

TEST(Files, a_symmetric_matrix_is_written_as_its_lower_triangle) {
  const ScratchFolder folder;
  const std::string symmetric =
      "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4\n2 1 -1\n3 2 -1\n3 3 0\n";
  save(folder / "a.mtx", symmetric);
  FileFacts facts;
  Csr<double> A = read_matrix<double>(folder / "a.mtx", &facts);
  write_matrix(folder / "b.mtx", A, {}, facts);
  EXPECT_EQ(load(folder / "b.mtx"), symmetric);
  EXPECT_TRUE(identical(read_matrix<double>(folder / "b.mtx"), A));
  A.val[1] = std::nextafter(-1.0, 0.0);  // of row 1: its mirror image has another last bit
  write_matrix(folder / "b.mtx", A, {}, facts);
  EXPECT_NE(load(folder / "b.mtx").find("general"), std::string::npos);
  EXPECT_TRUE(identical(read_matrix<double>(folder / "b.mtx"), A));
}

TEST(Files, arrays_that_are_no_matrix_are_not_written) {
  const ScratchFolder folder;
  Csr<double> A = any_values(4);
  A.val = Buffer<double>(2);
  EXPECT_EQ(error_of([&] { write_matrix(folder / "a.mtx", A); }).kind(), ErrorKind::input);
  A = any_values(4);
  A.col[3] = 99;
  EXPECT_EQ(error_of([&] { write_matrix(folder / "a.mtx", A); }).kind(), ErrorKind::input);
  EXPECT_EQ(folder.files(), 0u);
}

TEST(Files, content_decides_and_not_the_suffix) {
  const ScratchFolder folder;
  save(folder / "packed.mtx", gzip(small_file));
  FileFacts facts;
  EXPECT_EQ(show(read_matrix<double>(folder / "packed.mtx", &facts)), small_shown);
  EXPECT_EQ(facts.name, "packed");
  save(folder / "plain.gz", small_file);
  EXPECT_EQ(show(read_matrix<double>(folder / "plain.gz")), small_shown);
  save(folder / "foreign.mtx", "a,b,c\n1,2,3\n");
  const Error error = error_of([&] { read_matrix<double>(folder / "foreign.mtx"); });
  EXPECT_EQ(error.kind(), ErrorKind::input);
  EXPECT_FALSE(error.hint().empty());
}

TEST(Files, reads_concatenated_gzip_members_and_zero_padding) {
  const ScratchFolder folder;
  save(folder / "a.gz",
       gzip(small_file.substr(0, 30)) + gzip("") + gzip(small_file.substr(30)) + std::string(512, '\0'));
  EXPECT_EQ(show(read_matrix<double>(folder / "a.gz")), small_shown);
}

TEST(Files, refuses_gzip_that_is_cut_off_or_damaged_at_any_byte) {
  const ScratchFolder folder;
  const std::string packed = gzip(small_file);
  for (std::size_t length = 2; length < packed.size(); ++length) {
    save(folder / "a.gz", packed.substr(0, length));
    ASSERT_EQ(error_of([&] { read_matrix<double>(folder / "a.gz"); }).kind(), ErrorKind::input) << length;
  }
  std::size_t refused = 0;
  for (std::size_t at = 10; at < packed.size(); ++at) {  // behind the header, which has bytes without meaning
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    save(folder / "a.gz", damaged);
    std::string shown = small_shown;  // a flipped bit may be one of the few that pad the last byte
    const Error error = error_of([&] { shown = show(read_matrix<double>(folder / "a.gz")); });
    ASSERT_TRUE(error.kind() == ErrorKind::input || shown == small_shown) << at;
    refused += error.kind() == ErrorKind::input;
  }
  EXPECT_GE(refused, packed.size() - 12);
}

TEST(Files, says_clearly_what_cannot_be_read) {
  const ScratchFolder folder;
  save(folder / "empty", "");
  for (const std::string& path : {folder / "missing", folder / ".", folder / "empty", std::string("/dev/null")}) {
    const Error error = error_of([&] { read_matrix<double>(path); });
    EXPECT_EQ(error.kind(), ErrorKind::input) << path;
    EXPECT_TRUE(error.where().starts_with(path)) << error.what();
  }
  if (::geteuid() == 0) return;  // root reads everything
  save(folder / "secret", small_file);
  ::chmod((folder / "secret").c_str(), 0);
  EXPECT_EQ(error_of([&] { read_matrix<double>(folder / "secret"); }).kind(), ErrorKind::input);
}

TEST(Files, reads_from_a_pipe) {
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const std::string& content : {small_file, gzip(small_file)}) {
    std::thread writer([&] { save(folder / "pipe", content); });
    EXPECT_EQ(show(read_matrix<double>(folder / "pipe")), small_shown);
    writer.join();
  }
}

// ---- faults ------------------------------------------------------------------------------------------------------

class WithTable : public testing::Test {
 protected:
  ~WithTable() override { file_table() = before_; }

 private:
  FileTable before_ = file_table();
};
using Faults = WithTable;

std::atomic<int> calls_left{0};
int failing_errno = EIO;
bool fails_now() {
  if (calls_left-- != 0) return false;
  errno = failing_errno;
  return true;
}

TEST_F(Faults, short_reads_and_interrupts_change_nothing) {
  const ScratchFolder folder;
  save(folder / "a.mtx", small_file);
  save(folder / "a.gz", gzip(small_file));
  file_table().pread = [](int file, void* to, std::size_t bytes, off_t at) -> ssize_t {
    static int turn = 0;
    if (++turn % 3 == 0) return errno = EINTR, -1;
    return ::pread(file, to, std::min<std::size_t>(bytes, static_cast<std::size_t>(turn % 5 + 1)), at);
  };
  EXPECT_EQ(show(read_matrix<double>(folder / "a.mtx")), small_shown);
  EXPECT_EQ(show(read_matrix<double>(folder / "a.gz")), small_shown);
}

TEST_F(Faults, a_failing_read_is_an_error_whichever_it_is) {
  const ScratchFolder folder;
  save(folder / "a.mtx", small_file);
  file_table().pread = [](int file, void* to, std::size_t bytes, off_t at) -> ssize_t {
    return fails_now() ? -1 : ::pread(file, to, bytes, at);
  };
  int failed = 0;
  for (int k = 0;; ++k) {
    calls_left = k;
    const Error error = error_of([&] { read_matrix<double>(folder / "a.mtx", nullptr, {.threads = 1}); });
    if (error.kind() == ErrorKind::internal) break;  // fewer than k reads: it succeeded
    EXPECT_EQ(error.kind(), ErrorKind::input);
    ++failed;
  }
  EXPECT_GT(failed, 4);
}

TEST_F(Faults, a_file_that_shrinks_while_it_is_read_is_an_error) {
  const ScratchFolder folder;
  save(folder / "a.mtx", small_file);
  static std::string path;
  path = folder / "a.mtx";
  file_table().pread = [](int file, void* to, std::size_t bytes, off_t at) -> ssize_t {
    if (calls_left-- == 0 && ::truncate(path.c_str(), 20) != 0) return -1;
    return ::pread(file, to, bytes, at);
  };
  calls_left = 3;
  const Error error = error_of([&] { read_matrix<double>(path); });
  EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
}

std::string calls;  // of the system, a letter each

TEST_F(Faults, a_file_is_flushed_to_disk_before_it_gets_its_name) {
  const ScratchFolder folder;
  calls.clear();
  file_table().fsync = [](int file) { return calls += 'f', ::fsync(file); };
  file_table().rename = [](const char* from, const char* to) { return calls += 'r', ::rename(from, to); };
  write_matrix(folder / "a.mtx", parse("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n"));
  EXPECT_EQ(calls.substr(0, 2), "fr");
}

TEST_F(Faults, a_failing_write_fsync_or_rename_leaves_the_old_file_and_nothing_else) {
  const ScratchFolder folder;
  const Csr<double> A = any_values(100);
  file_table().write = [](int file, const void* from, std::size_t bytes) -> ssize_t {
    return fails_now() ? -1 : ::write(file, from, std::min<std::size_t>(bytes, 512));
  };
  file_table().fsync = [](int file) { return fails_now() ? -1 : ::fsync(file); };
  file_table().rename = [](const char* from, const char* to) { return fails_now() ? -1 : ::rename(from, to); };
  for (const char* name : {"a.mtx", "a.mtx.gz", "a.hdl"})
    for (const int code : {ENOSPC, EIO}) {
      int failed = 0;
      for (int k = 0;; ++k) {
        save(folder / name, "old");
        failing_errno = code;
        calls_left = k;
        const Error error = error_of([&] { write_matrix(folder / name, A); });
        EXPECT_EQ(folder.files(), 1u);
        if (error.kind() == ErrorKind::internal) break;
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        EXPECT_EQ(load(folder / name), "old");
        ++failed;
      }
      EXPECT_GE(failed, 4) << name;
      calls_left = -1;
      EXPECT_TRUE(identical(read_matrix<double>(folder / name), A)) << name;
      std::filesystem::remove(folder / name);
    }
}

TEST_F(Faults, a_killed_writer_leaves_the_old_file_or_the_whole_new_one) {
  const ScratchFolder folder;
  const Csr<double> A = any_values(300);
  const auto killed = [] {
    if (calls_left-- == 0) ::kill(::getpid(), SIGKILL);
  };
  static auto kill_in_time = killed;
  int deaths = 0;
  for (int k = 0; k < 200; ++k) {
    save(folder / "a.mtx", "old");
    const pid_t child = ::fork();
    if (child == 0) {
      calls_left = k;
      file_table().write = [](int file, const void* from, std::size_t bytes) -> ssize_t {
        return kill_in_time(), ::write(file, from, std::min<std::size_t>(bytes, 1024));
      };
      file_table().fsync = [](int file) { return kill_in_time(), ::fsync(file); };
      file_table().rename = [](const char* from, const char* to) {
        kill_in_time();
        const int result = ::rename(from, to);
        return kill_in_time(), result;
      };
      write_matrix(folder / "a.mtx", A);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(load(folder / "a.mtx") == "old" || identical(read_matrix<double>(folder / "a.mtx"), A));
    if (WIFEXITED(status)) break;
    ++deaths;
  }
  EXPECT_GT(deaths, 5);
}

TEST(AtomicFile, writes_devices_and_pipes_directly) {
  const Csr<double> A = any_values(10);
  EXPECT_NO_THROW(write_matrix("/dev/null", A));
  EXPECT_EQ(error_of([&] { write_matrix("/dev/full", A); }).kind(), ErrorKind::unavailable);
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = load(folder / "pipe"); });
  write_vector<double>(folder / "pipe", Buffer<double>{1, 2});
  reader.join();
  EXPECT_EQ(got, "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
}

TEST(AtomicFile, keeps_links_and_permissions) {
  const ScratchFolder folder;
  save(folder / "target", "old");
  ::chmod((folder / "target").c_str(), 0640);
  std::filesystem::create_symlink(folder / "target", folder / "link");
  write_vector<double>(folder / "link", Buffer<double>{1});
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_NE(load(folder / "target"), "old");
  EXPECT_EQ(std::filesystem::status(folder / "target").permissions(), static_cast<std::filesystem::perms>(0640));
}

TEST(AtomicFile, follows_a_link_to_a_file_that_is_not_there_yet) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "sub");
  std::filesystem::create_symlink("sub/target", folder / "link");
  std::filesystem::create_symlink("link", folder / "second");
  write_vector<double>(folder / "second", Buffer<double>{1});
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "second"));
  EXPECT_TRUE(std::filesystem::is_regular_file(folder / "sub/target"));
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_EQ(error_of([&] { write_vector<double>(folder / "circle", Buffer<double>{1}); }).kind(), ErrorKind::usage);
}

TEST(AtomicFile, takes_every_name_that_a_folder_takes) {
  const ScratchFolder folder;
  for (const std::size_t length : {240u, 244u, 250u, 255u}) {
    const std::string name = std::string(length - 4, 'a') + ".mtx";
    write_vector<double>(folder / name, Buffer<double>{1});
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << length;
  }
  EXPECT_EQ(folder.files(), 4u);
}

TEST(TemporaryName, is_removed_by_a_handler_and_by_nothing_else) {
  const ScratchFolder folder;
  for (const char* name : {"old.tmp", "kept", "mine.tmp"}) save(folder / name, "text");
  { const TemporaryName old(folder / "old.tmp"); }
  // In a process that ends, as that of a handler does: the name is left alone then.
  EXPECT_EXIT(
      {
        const TemporaryName mine(folder / "mine.tmp");
        remove_temporary_files();
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EQ(folder.files(), 2u);
  EXPECT_FALSE(std::filesystem::exists(folder / "mine.tmp"));
}

TEST(AtomicFile, says_what_is_wrong_with_the_place) {
  const ScratchFolder folder;
  const auto write_to = [&](const std::string& path) { write_vector<double>(path, Buffer<double>{1}); };
  EXPECT_EQ(error_of([&] { write_to(folder / "no/such/x.mtx"); }).kind(), ErrorKind::usage);
  EXPECT_EQ(error_of([&] { write_to(folder / "."); }).kind(), ErrorKind::usage);
  EXPECT_EQ(error_of([&] { write_to(folder / std::string(300, 'a')); }).kind(), ErrorKind::usage);
}

}  // namespace
}  // namespace heddle::io
