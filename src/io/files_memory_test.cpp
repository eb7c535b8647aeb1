// How much memory reading takes, and what happens when there is none.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <random>

#include "core/system.hpp"
#include "io/gzip.hpp"
#include "support/io_text.hpp"

namespace heddle::io {
namespace {

std::string gzip(std::string_view text) {
  const Vector<char> packed = deflate_member(text);
  return {packed.begin(), packed.end()};
}

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

// Half a megabyte of gzip, half a gigabyte of text.
TEST_F(Memory, padding_that_packs_well_is_given_up) {
  const ScratchFolder folder;
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  for (const std::string& line :
       {std::string("% comment\n"), std::string("\n"), std::string("   \r\n"), std::string(1, 'x')}) {
    std::string million, packed = gzip(head);
    while (million.size() < (1 << 20)) million += line;
    const std::string member = gzip(million);
    for (int i = 0; i < 500; ++i) packed += member;
    save(folder / "bomb.gz", packed + gzip("1 1 1\n1 1 1\n"));
    for (const bool vector : {false, true}) {
      peak = live.load();
      const Error error = error_of(
          [&] { vector ? read_vector<double>(folder / "bomb.gz") : read_matrix<double>(folder / "bomb.gz").val; });
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
      EXPECT_LE(peak, 160 << 20) << error.what();
    }
  }
}

TEST_F(Memory, a_vector_of_few_entries_is_not_believed_to_be_long) {
  const ScratchFolder folder;
  for (const char* sizes : {"1 2147483647 1", "2147483647 1 1"}) {
    save(folder / "wide.mtx", fmt::format("%%MatrixMarket matrix coordinate real general\n{}\n1 1 1\n", sizes));
    peak = live.load();
    const Error error = error_of([&] { read_vector<double>(folder / "wide.mtx"); });
    EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    EXPECT_LE(peak, 16 << 20) << sizes;
  }
}

TEST_F(Memory, a_stream_is_judged_by_its_first_bytes) {
  for (const char* path : {"/dev/zero", "/dev/urandom"})
    for (const bool vector : {false, true}) {
      peak = live.load();
      const Error error = error_of([&] { vector ? read_vector<double>(path) : read_matrix<double>(path).val; });
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
      EXPECT_LE(peak, 2 << 20) << path;
    }
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
