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

TEST(AtomicFile, says_what_is_wrong_with_the_place) {
  const ScratchFolder folder;
  const auto write_to = [&](const std::string& path) { write_vector<double>(path, Buffer<double>{1}); };
  EXPECT_EQ(error_of([&] { write_to(folder / "no/such/x.mtx"); }).kind(), ErrorKind::unavailable);
  EXPECT_EQ(error_of([&] { write_to(folder / "."); }).kind(), ErrorKind::unavailable);
}

// ---- memory ------------------------------------------------------------------------------------------------------

std::atomic<std::int64_t> live{0}, taken{0}, peak{0}, fail_at{-1};
bool persistent = false;

void* counting_allocate(std::size_t bytes) noexcept {
  const std::int64_t number = taken++;
  if (fail_at >= 0 && (number == fail_at || (persistent && number > fail_at))) return nullptr;
  const std::int64_t now = live += static_cast<std::int64_t>(bytes);
  peak = std::max(peak.load(), now);
  return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
}
void counting_release(void* memory, std::size_t bytes) noexcept {
  live -= static_cast<std::int64_t>(bytes);
  std::free(memory);
}

class Memory : public testing::Test {
 protected:
  Memory() { host_table() = {counting_allocate, counting_release}, live = taken = peak = 0, fail_at = -1; }
  ~Memory() override { host_table() = before_; }

 private:
  HostTable before_ = host_table();
};

std::string unsorted_file(int entries) {
  std::mt19937_64 random(9);
  std::string text = fmt::format("%%MatrixMarket matrix coordinate real general\n1000 1000 {}\n", entries);
  for (int i = 0; i < entries; ++i)
    text += fmt::format("{} {} {}\n", random() % 1000 + 1, random() % 1000 + 1, i * 0.37);
  return text;
}

TEST_F(Memory, every_allocation_of_reading_and_writing_may_fail) {
  const ScratchFolder folder;
  save(folder / "a.mtx", unsorted_file(2000));
  save(folder / "b.gz", gzip(unsorted_file(500)));
  for (const char* name : {"a.mtx", "b.gz"})
    for (const bool lasting : {false, true}) {
      persistent = lasting;
      bool succeeded = false;
      for (int k = 0; k < 500 && !succeeded; ++k) {
        const std::int64_t before = live;
        taken = 0;
        fail_at = k;
        try {
          write_matrix(folder / "out.mtx.gz", read_matrix<double>(folder / name));
          succeeded = true;
        } catch (const std::bad_alloc&) {
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::unavailable) << error.what();
        }
        fail_at = -1;
        ASSERT_EQ(live, before) << name << ": leak after failing allocation " << k;
      }
      EXPECT_TRUE(succeeded);
    }
}

TEST_F(Memory, reading_holds_at_most_2_2_times_the_matrix) {
  const std::string text = unsorted_file(300000);
  peak = live.load();
  const Csr<double> A = parse(text);
  const auto matrix = static_cast<double>(A.ptr.bytes() + A.col.bytes() + A.val.bytes());
  EXPECT_LE(static_cast<double>(peak), 2.2 * matrix + 4 * (256 << 10) * threads());
}

TEST_F(Memory, a_header_alone_takes_no_memory) {
  for (const char* sizes :
       {"1000000 1000000 99999999999", "2147483647 2147483647 1", "2147483647 1 0", "2000000000 1 1"}) {
    const std::string text = fmt::format("%%MatrixMarket matrix coordinate real general\n{}\n1 1 1\n", sizes);
    peak = live.load();
    EXPECT_EQ(error_of([&] { parse(text); }).kind(), ErrorKind::input);
    EXPECT_LE(peak, (1 << 20) + 64 * static_cast<std::int64_t>(text.size())) << sizes;
  }
}

}  // namespace
}  // namespace heddle::io
