#include "io/hdl.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "core/check.hpp"
#include "io/atomic_file.hpp"
#include "io/block_hash.hpp"
#include "io/workers.hpp"

namespace heddle::io {

namespace {

constexpr char magic[8] = {'\x89', 'H', 'D', 'L', '\r', '\n', '\x1a', '\n'};  // breaks in any text conversion
constexpr std::uint32_t present_version = 1, byte_order = 0x01020304;

struct Header {
  char magic_bytes[8];
  std::uint32_t order, version;
  std::uint32_t value_bytes, reserved;
  std::int64_t rows, cols, nnz;
  std::uint64_t file_bytes;
  std::uint64_t body_hash;
  char name[104];  // texts end with a zero
  char field[16];
  char symmetry[24];
  char unused[40];
  std::uint64_t header_hash;  // of all bytes before it
};
static_assert(sizeof(Header) == 256 && std::is_trivially_copyable_v<Header>);

struct Layout {
  std::uint64_t ptr = sizeof(Header), col = 0, val = 0, end = 0;
};

constexpr std::uint64_t aligned(std::uint64_t at) { return (at + 63) / 64 * 64; }

Layout layout_of(std::uint64_t rows, std::uint64_t nnz, std::uint64_t value_bytes) {
  Layout at;
  at.col = aligned(at.ptr + 8 * (rows + 1));
  at.val = aligned(at.col + 4 * nnz);
  at.end = aligned(at.val + value_bytes * nnz);
  return at;
}

std::uint64_t header_hash(const Header& header) {
  return hash_bytes({reinterpret_cast<const char*>(&header), offsetof(Header, header_hash)});
}

template <std::size_t N>
void put_text(char (&to)[N], const std::string& text) {
  std::copy_n(text.data(), std::min(text.size(), N - 1), to);
}

template <std::size_t N>
std::string get_text(const char (&from)[N]) {
  return {from, std::find(from, from + N, '\0')};
}

// `start`: the first bytes of a file of `size` bytes.
Header checked_header(const std::string& name, std::span<const char> start, std::int64_t size) {
  Header header;
  const char* rewrite = "write it again with `heddle convert`";
  if (start.size() < sizeof header) fail(ErrorKind::input, At{name, rewrite}, "the .hdl file is cut off in its header");
  std::memcpy(&header, start.data(), sizeof header);
  if (std::memcmp(header.magic_bytes, magic, sizeof magic) != 0)
    fail(ErrorKind::input, At{name}, "this is no .hdl file");
  if (header.order != byte_order)
    fail(ErrorKind::input, At{name, rewrite}, "the .hdl file was written on a machine of the other byte order");
  if (header.version != present_version)
    fail(ErrorKind::input, At{name, rewrite}, "the .hdl file has version {}, this program reads version {}",
         header.version, present_version);
  if (header.header_hash != header_hash(header))
    fail(ErrorKind::input, At{name, rewrite}, "the header of the .hdl file is damaged");
  const bool possible = header.rows >= 0 && header.rows <= max_dimension && header.cols >= 0 &&
                        header.cols <= max_dimension && header.nnz >= 0 && header.nnz <= size && header.rows <= size &&
                        (header.value_bytes == 4 || header.value_bytes == 8);
  if (!possible)
    fail(ErrorKind::input, At{name}, "the .hdl file declares {} x {} with {} entries of {} bytes, which cannot be",
         header.rows, header.cols, header.nnz, header.value_bytes);
  const Layout at =
      layout_of(static_cast<std::uint64_t>(header.rows), static_cast<std::uint64_t>(header.nnz), header.value_bytes);
  if (at.end != header.file_bytes || at.end != static_cast<std::uint64_t>(size))
    fail(ErrorKind::input, At{name, rewrite}, "the .hdl file has {} bytes, its matrix needs {}", size, at.end);
  return header;
}

template <class V, class Stored>
Buffer<V> values_as(std::shared_ptr<void> owner, Stored* stored, std::int64_t nnz, int threads) {
  if constexpr (std::is_same_v<V, Stored>) {
    return Buffer<V>::adopt(std::move(owner), stored, nnz);
  } else {
    Buffer<V> val(nnz);
    run_ranges_on(threads, nnz, 1 << 17, [&](std::int64_t begin, std::int64_t end) {
      std::transform(stored + begin, stored + end, val.data() + begin, [](Stored v) { return static_cast<V>(v); });
    });
    return val;
  }
}

}  // namespace

bool is_hdl(const Text& text) { return text.starts_with({magic, sizeof magic}); }

template <class V>
Csr<V> hdl_in_memory(const std::string& name, std::span<char> bytes, std::shared_ptr<void> owner, FileFacts* facts,
                     int threads) {
  const Header header = checked_header(name, bytes, static_cast<std::int64_t>(bytes.size()));
  if (hash_blocks(bytes.subspan(sizeof header), threads) != header.body_hash)
    fail(ErrorKind::input, At{name, "write it again with `heddle convert`"},
         "the .hdl file is damaged: wrong checksum");
  const Layout at =
      layout_of(static_cast<std::uint64_t>(header.rows), static_cast<std::uint64_t>(header.nnz), header.value_bytes);
  Csr<V> A{header.rows, header.cols, {}, {}, {}};
  A.ptr = Buffer<Offset>::adopt(owner, reinterpret_cast<Offset*>(bytes.data() + at.ptr), header.rows + 1);
  A.col = Buffer<Index>::adopt(owner, reinterpret_cast<Index*>(bytes.data() + at.col), header.nnz);
  // A right checksum says that nothing was damaged, not that the writer was honest.
  if (const auto found = violations(A.view(), Require::canonical); !found.empty())
    fail(ErrorKind::input, At{name}, "the .hdl file holds no valid matrix: {}", found.front());
  A.val = header.value_bytes == 8
              ? values_as<V>(owner, reinterpret_cast<double*>(bytes.data() + at.val), header.nnz, threads)
              : values_as<V>(owner, reinterpret_cast<float*>(bytes.data() + at.val), header.nnz, threads);
  if (facts) *facts = {get_text(header.name), get_text(header.field), get_text(header.symmetry)};
  return A;
}

template <class V>
Csr<V> read_hdl(const Text& text, FileFacts* facts, int threads) {
  char start[sizeof(Header)];
  const std::int64_t known = std::min<std::int64_t>(text.size(), sizeof start);
  text.read(0, known, start);
  checked_header(text.name(), {start, static_cast<std::size_t>(known)}, text.size());  // before memory is taken
  const auto bytes = std::make_shared<Buffer<char>>(text.size());
  constexpr std::int64_t at_once = 4 << 20;
  run_ranges_on(threads, text.size(), at_once,
                [&](std::int64_t begin, std::int64_t end) { text.read(begin, end, bytes->data() + begin); });
  return hdl_in_memory<V>(text.name(), bytes->span(), bytes, facts, threads);
}

namespace {

struct Piece {
  std::span<const char> bytes;
  std::uint64_t padding;  // zeros behind it
};

template <class T>
Piece piece(std::span<const T> array, std::uint64_t begin, std::uint64_t next) {
  return {{reinterpret_cast<const char*>(array.data()), array.size_bytes()}, next - begin - array.size_bytes()};
}

}  // namespace

template <class V>
void write_hdl(const std::string& path, CsrView<V> A, const FileFacts& facts, const Progress& progress) {
  const Layout at = layout_of(static_cast<std::uint64_t>(A.rows), static_cast<std::uint64_t>(A.nnz()), sizeof(V));
  const Piece pieces[] = {piece(A.ptr, at.ptr, at.col), piece(A.col, at.col, at.val), piece(A.val, at.val, at.end)};
  Header header{};
  std::memcpy(header.magic_bytes, magic, sizeof magic);
  header.order = byte_order;
  header.version = present_version;
  header.value_bytes = sizeof(V);
  header.rows = A.rows;
  header.cols = A.cols;
  header.nnz = A.nnz();
  header.file_bytes = at.end;
  put_text(header.name, facts.name);
  put_text(header.field, facts.field);
  put_text(header.symmetry, facts.symmetry);
  BlockHasher hasher;
  constexpr char zeros[64] = {};
  for (const Piece& p : pieces) {
    hasher.add(p.bytes);
    hasher.add({zeros, p.padding});
  }
  header.body_hash = hasher.finish();
  header.header_hash = header_hash(header);

  AtomicFile file(path);
  file.write({reinterpret_cast<const char*>(&header), sizeof header});
  std::uint64_t done = sizeof header;
  for (const Piece& p : pieces) {
    constexpr std::size_t step = 16 << 20;
    for (std::size_t begin = 0; begin < p.bytes.size(); begin += step) {
      const auto part = p.bytes.subspan(begin, std::min(step, p.bytes.size() - begin));
      file.write(part);
      done += part.size();
      if (progress) progress(static_cast<double>(done) / static_cast<double>(at.end));
    }
    file.write({zeros, p.padding});
  }
  file.commit();
}

template Csr<float> read_hdl(const Text&, FileFacts*, int);
template Csr<double> read_hdl(const Text&, FileFacts*, int);
template Csr<float> hdl_in_memory(const std::string&, std::span<char>, std::shared_ptr<void>, FileFacts*, int);
template Csr<double> hdl_in_memory(const std::string&, std::span<char>, std::shared_ptr<void>, FileFacts*, int);
template void write_hdl(const std::string&, CsrView<float>, const FileFacts&, const Progress&);
template void write_hdl(const std::string&, CsrView<double>, const FileFacts&, const Progress&);

}  // namespace heddle::io
