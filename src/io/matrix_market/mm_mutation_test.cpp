// Damaged files by the thousand, from a fixed seed: what a fuzzer does, for the ordinary test run. Oracles: no crash;
// accepted => canonical, and written and read again it is the same; any number of threads gives the same outcome.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <random>

#include "io/block_hash.hpp"
#include "io/hdl.hpp"
#include "io/matrix_market/write_market.hpp"
#include "support/io_text.hpp"

namespace heddle::io {
namespace {

const std::string seeds[] = {
    "%%MatrixMarket matrix coordinate real general\n% c\n3 4 5\n1 1 1.5\n2 4 -2e3\n3 3 1D2\n1 1 .5\n3 1 5.\n",
    "%%MatrixMarket matrix coordinate integer symmetric\n3 3 4\n1 1 7\n2 1 -3\n3 3 12\n3 2 1\n",
    "%%MatrixMarket matrix coordinate pattern general\r\n2 2 2\r\n1 2\r\n\r\n2 1\r\n",
    "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1e-300\n3 1 nan\n",
    "%%MatrixMarket matrix array real general\n2 2\n1\n0.1\n-3e-5\n12345678901234567890\n",
    "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n",
};

const std::string words[] = {"\n",
                             " ",
                             "\t",
                             "\r\n",
                             "\0",
                             "%",
                             "-",
                             "+",
                             ".",
                             "e",
                             "D",
                             "0x1",
                             "nan",
                             "inf",
                             "1e999",
                             "0",
                             "1",
                             "2147483648",
                             "99999999999999999999",
                             "-1",
                             "4294967297",
                             "symmetric",
                             "complex",
                             "\xFF"};

std::string mutated(std::string text, std::mt19937_64& random) {
  for (std::uint64_t edits = 1 + random() % 4; edits > 0; --edits) {
    const std::size_t at = random() % (text.size() + 1);
    const std::string& word = words[random() % std::size(words)];
    switch (random() % 5) {
      case 0: text.insert(at, word); break;
      case 1: text.erase(at, 1 + random() % 4); break;
      case 2: text.replace(at, std::min(word.size(), text.size() - at), word); break;
      case 3: text.insert(at, text.substr(random() % (text.size() + 1), random() % 30)); break;
      case 4: text.resize(at); break;
    }
  }
  return text;
}

struct Outcome {
  std::string error;
  Csr<double> A;
};

Outcome outcome(const std::string& text, const ParseOptions& options) {
  try {
    return {"", parse(text, options)};
  } catch (const Error& error) {
    return {error.what(), {}};
  }
}

TEST(Mutation, damaged_text_gives_a_canonical_matrix_or_an_error_with_a_line) {
  const ScratchFolder folder;
  std::mt19937_64 random(4711);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(4);
  int accepted = 0, rejected = 0;
  for (int i = 0; i < 200'000 && std::chrono::steady_clock::now() < end; ++i) {
    const std::string text = mutated(seeds[random() % std::size(seeds)], random);
    const Outcome one = outcome(text, {.threads = 1});
    const Outcome many = outcome(text, {.threads = 3, .chunk_bytes = static_cast<std::int64_t>(1 + random() % 40)});
    ASSERT_EQ(one.error, many.error) << text;
    ASSERT_TRUE(identical(one.A, many.A)) << text;
    if (!one.error.empty()) {
      ASSERT_TRUE(one.error.starts_with("m.mtx:")) << one.error;
      ++rejected;
      continue;
    }
    ASSERT_TRUE(violations(one.A.view(), Require::canonical).empty()) << text;
    if (++accepted % 16 != 0) continue;
    write_market(folder / "again.mtx", one.A.view(), false, false, {});
    ASSERT_EQ(show(parse(load(folder / "again.mtx"))), show(one.A)) << text;
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(rejected, 100);
}

TEST(Mutation, forged_binary_files_are_refused_or_safe) {
  const ScratchFolder folder;
  write_matrix(folder / "a.hdl", parse(seeds[0]));
  const std::string whole = load(folder / "a.hdl");
  constexpr std::size_t header_bytes = 256, body_hash_at = 56, header_hash_at = 248;
  std::mt19937_64 random(12);
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = whole;
    for (std::uint64_t edits = 1 + random() % 3; edits > 0; --edits)
      bytes[random() % bytes.size()] = static_cast<char>(random() % 4 ? random() % 8 : random());
    // An attacker can compute checksums: put the right ones in.
    const std::uint64_t body = hash_blocks(std::span<const char>(bytes).subspan(header_bytes));
    std::memcpy(bytes.data() + body_hash_at, &body, 8);
    const std::uint64_t head = hash_bytes({bytes.data(), header_hash_at});
    std::memcpy(bytes.data() + header_hash_at, &head, 8);
    Buffer<char> memory = Buffer<char>::copy_of(std::span<const char>(bytes));
    try {
      const Csr<double> A = hdl_in_memory<double>("a.hdl", memory, nullptr, nullptr, 1);
      ASSERT_TRUE(violations(A.view(), Require::canonical).empty());
      ++accepted;
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::input) << error.what();
    }
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace heddle::io
