#include "io/hdl.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstring>
#include <thread>

#include "io/block_hash.hpp"
#include "io/gzip.hpp"
#include "support/io_text.hpp"

namespace heddle::io {
namespace {

Csr<double> sample() {
  return make_csr<double>(4, 5, Buffer<Offset>{0, 2, 2, 3, 5}, Buffer<Index>{0, 4, 2, 1, 3},
                          Buffer<double>{0.1, -0.0, 1e300, 5e-324, NAN});
}

// Changes bytes of a file and puts the right header checksum back in: only later checks can find the change.
void forge(const std::string& path, std::size_t at, std::int64_t value) {
  std::string bytes = load(path);
  std::memcpy(bytes.data() + at, &value, sizeof value);
  const std::uint64_t hash = hash_bytes({bytes.data(), 248});
  std::memcpy(bytes.data() + 248, &hash, sizeof hash);
  save(path, bytes);
}

TEST(Hdl, restores_every_bit_and_the_facts) {
  const ScratchFolder folder;
  const Csr<double> A = sample();
  write_matrix(folder / "a.hdl", A, {}, FileFacts{"cant", "integer", "symmetric"});
  FileFacts facts;
  EXPECT_TRUE(identical(read_matrix<double>(folder / "a.hdl", &facts), A));
  EXPECT_EQ(facts.name, "cant");
  EXPECT_EQ(facts.field, "integer");
  EXPECT_EQ(facts.symmetry, "symmetric");
}

TEST(Hdl, converts_between_precisions) {
  const ScratchFolder folder;
  const Csr<double> A = make_csr<double>(1, 2, Buffer<Offset>{0, 2}, Buffer<Index>{0, 1}, Buffer<double>{0.1, 2});
  write_matrix(folder / "d.hdl", A);
  const Csr<float> B = read_matrix<float>(folder / "d.hdl");
  EXPECT_EQ(B.val[0], 0.1f);
  write_matrix(folder / "f.hdl", B);
  EXPECT_EQ(read_matrix<double>(folder / "f.hdl").val[0], static_cast<double>(0.1f));
}

TEST(Hdl, takes_empty_shapes) {
  const ScratchFolder folder;
  for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 7}, {7, 0}, {3, 3}}) {
    Buffer<Offset> ptr(rows + 1);
    std::fill(ptr.begin(), ptr.end(), 0);
    write_matrix(folder / "e.hdl", make_csr<double>(rows, cols, ptr, {}, {}));
    EXPECT_EQ(show(read_matrix<double>(folder / "e.hdl")), fmt::format("{}x{}", rows, cols));
  }
}

TEST(Hdl, changes_of_the_matrix_stay_out_of_the_file) {
  const ScratchFolder folder;
  write_matrix(folder / "a.hdl", sample());
  const std::string before = load(folder / "a.hdl");
  Csr<double> A = read_matrix<double>(folder / "a.hdl");
  A.val[0] = 42;
  A = {};
  EXPECT_EQ(load(folder / "a.hdl"), before);
}

TEST(Hdl, outlives_its_file) {
  const ScratchFolder folder;
  write_matrix(folder / "a.hdl", sample());
  const Csr<double> A = read_matrix<double>(folder / "a.hdl");
  write_matrix(folder / "a.hdl", make_csr<double>(1, 1, Buffer<Offset>{0, 0}, {}, {}));
  std::filesystem::remove(folder / "a.hdl");
  EXPECT_TRUE(identical(A, sample()));
}

// In place, under the same inode: what a mapping would show, and a truncation end by SIGBUS.
TEST(Hdl, is_not_touched_by_what_becomes_of_its_file_in_place) {
  const ScratchFolder folder;
  constexpr std::int64_t rows = 3000;  // several pages of each array
  Csr<double> A{rows, rows, Buffer<Offset>(rows + 1), Buffer<Index>(rows), Buffer<double>(rows)};
  for (std::int64_t i = 0; i <= rows; ++i) A.ptr[i] = i;
  for (std::int64_t i = 0; i < rows; ++i) A.col[i] = static_cast<Index>(i), A.val[i] = 1.0 / static_cast<double>(i + 1);
  write_matrix(folder / "a.hdl", A);
  const Csr<double> B = read_matrix<double>(folder / "a.hdl");
  const auto size = std::filesystem::file_size(folder / "a.hdl");
  {
    std::fstream file(folder / "a.hdl", std::ios::in | std::ios::out | std::ios::binary);
    file << std::string(size, '\x7f');
  }
  EXPECT_TRUE(identical(A, B));
  std::filesystem::resize_file(folder / "a.hdl", 0);
  EXPECT_TRUE(identical(A, B));
}

TEST(Hdl, comes_out_of_gzip_and_out_of_a_pipe) {
  const ScratchFolder folder;
  write_matrix(folder / "a.hdl", sample());
  const std::string bytes = load(folder / "a.hdl");
  const Vector<char> packed = deflate_member(bytes);
  save(folder / "a.hdl.gz", {packed.data(), packed.size()});
  EXPECT_TRUE(identical(read_matrix<double>(folder / "a.hdl.gz"), sample()));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::thread writer([&] { save(folder / "pipe", bytes); });
  EXPECT_TRUE(identical(read_matrix<double>(folder / "pipe"), sample()));
  writer.join();
}

TEST(Hdl, takes_no_memory_for_what_its_header_cannot_mean) {
  const ScratchFolder folder;
  write_matrix(folder / "a.hdl", sample());
  std::filesystem::resize_file(folder / "a.hdl", std::uintmax_t{1} << 40);  // holes: a terabyte of nothing
  EXPECT_EQ(error_of([&] { read_matrix<double>(folder / "a.hdl"); }).kind(), ErrorKind::input);
}

TEST(Hdl, refuses_truncation_at_every_byte_and_extra_bytes) {
  const ScratchFolder folder;
  write_matrix(folder / "a.hdl", sample());
  const std::string whole = load(folder / "a.hdl");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    save(folder / "t.hdl", whole.substr(0, length));
    const Error error = error_of([&] { read_matrix<double>(folder / "t.hdl"); });
    ASSERT_EQ(error.kind(), ErrorKind::input) << length;
  }
  save(folder / "t.hdl", whole + '\0');
  EXPECT_EQ(error_of([&] { read_matrix<double>(folder / "t.hdl"); }).kind(), ErrorKind::input);
}

TEST(Hdl, notices_every_flipped_bit) {
  const ScratchFolder folder;
  write_matrix(folder / "a.hdl", sample());
  const std::string whole = load(folder / "a.hdl");
  for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 3) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    save(folder / "t.hdl", damaged);
    ASSERT_EQ(error_of([&] { read_matrix<double>(folder / "t.hdl"); }).kind(), ErrorKind::input) << bit;
  }
}

TEST(Hdl, refuses_impossible_sizes_under_a_right_checksum) {
  const ScratchFolder folder;
  constexpr std::size_t rows_at = 24, cols_at = 32, nnz_at = 40;
  for (const std::size_t at : {rows_at, cols_at, nnz_at})
    for (const std::int64_t value :
         {std::int64_t{-1}, INT64_MAX, INT64_MIN, std::int64_t{1} << 61, max_dimension + 1}) {
      write_matrix(folder / "a.hdl", sample());
      forge(folder / "a.hdl", at, value);
      const Error error = error_of([&] { read_matrix<double>(folder / "a.hdl"); });
      EXPECT_EQ(error.kind(), ErrorKind::input) << at << " " << value << " " << error.what();
    }
}

TEST(Hdl, refuses_a_matrix_that_is_none_under_a_right_checksum) {
  const ScratchFolder folder;
  write_matrix(folder / "a.hdl", sample());
  constexpr std::size_t cols_at = 32;
  forge(folder / "a.hdl", cols_at, 2);  // columns up to 4 are stored
  const Error error = error_of([&] { read_matrix<double>(folder / "a.hdl"); });
  EXPECT_NE(error.message().find("no valid matrix"), std::string::npos) << error.what();
}

TEST(Hdl, names_the_version_it_cannot_read) {
  const ScratchFolder folder;
  write_matrix(folder / "a.hdl", sample());
  std::string bytes = load(folder / "a.hdl");
  bytes[12] = 9;
  save(folder / "a.hdl", bytes);
  const Error error = error_of([&] { read_matrix<double>(folder / "a.hdl"); });
  EXPECT_NE(error.message().find("version 9"), std::string::npos) << error.what();
}

TEST(BlockHash, is_the_same_in_pieces_and_for_any_number_of_threads) {
  std::vector<char> bytes(3 * hash_block + 12345);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i >> 7);
  const std::uint64_t expected = hash_blocks(bytes, 1);
  EXPECT_EQ(hash_blocks(bytes, 4), expected);
  for (const std::size_t step : {std::size_t{1000003}, static_cast<std::size_t>(hash_block), bytes.size()}) {
    BlockHasher hasher;
    for (std::size_t at = 0; at < bytes.size(); at += step)
      hasher.add(std::span<const char>(bytes).subspan(at, std::min(step, bytes.size() - at)));
    EXPECT_EQ(hasher.finish(), expected) << step;
  }
  std::swap(bytes[0], bytes[bytes.size() - 1]);
  EXPECT_NE(hash_blocks(bytes, 1), expected);
}

}  // namespace
}  // namespace heddle::io
