#include "io/npy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include "core/check.hpp"
#include "io/atomic_file.hpp"

namespace heddle::io {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr char byte_order = std::endian::native == std::endian::little ? '<' : '>';

struct Header {
  std::string type;  // "f8"
  std::int64_t count = 1;
  std::int64_t body = 0;  // byte where the numbers begin
};

[[noreturn]] void reject(const Text& text, const std::string& why) {
  fail(ErrorKind::input, At{text.name(), "save a vector: numpy.save(\"b.npy\", b)"}, "the .npy file {}", why);
}

std::uint32_t length_of_text(const Text& text, std::int64_t at, std::int64_t bytes) {
  unsigned char raw[4] = {};
  text.read(at, at + bytes, reinterpret_cast<char*>(raw));
  return raw[0] | static_cast<std::uint32_t>(raw[1]) << 8 | static_cast<std::uint32_t>(raw[2]) << 16 |
         static_cast<std::uint32_t>(raw[3]) << 24;
}

// What stands behind 'key': in the text, up to `end`.
std::string value_of(const Text& text, const std::string& words, std::string_view key, char end) {
  const std::size_t at = words.find(fmt::format("'{}':", key));
  if (at == std::string::npos) reject(text, fmt::format("does not tell its {}", key));
  const std::size_t begin = words.find_first_not_of(' ', at + key.size() + 3);
  const std::size_t stop = std::min(words.size(), words.find(end, begin));
  return begin == std::string::npos ? std::string() : words.substr(begin, stop - begin);
}

// "(3," or "(3, 1": the product, where all but one are 1.
std::int64_t count_of(const Text& text, const std::string& shape) {
  std::int64_t count = 1;
  for (const char *p = shape.data(), *end = p + shape.size(); p < end;) {
    std::int64_t size = 0;
    const auto [stop, error] = std::from_chars(p, end, size);
    if (error != std::errc()) {
      ++p;
      continue;
    }
    if (size < 0 || size > text.size() || (size != 1 && count != 1))
      reject(text, "holds no vector: its shape is " + quoted(shape + ")"));
    count = size == 1 ? count : size;
    p = stop;
  }
  return count;
}

Header read_header(const Text& text) {
  constexpr std::int64_t most_words = 1 << 16;
  char start[10] = {};
  if (text.size() < 12) reject(text, "is cut off");
  text.read(0, sizeof start, start);
  const std::int64_t length_bytes = start[6] == 1 ? 2 : 4, words_at = 8 + length_bytes;
  const std::int64_t length = length_of_text(text, 8, length_bytes);
  if (length > most_words || words_at + length > text.size()) reject(text, "is cut off");
  std::string words(static_cast<std::size_t>(length), '\0');
  text.read(words_at, words_at + length, words.data());
  std::string type = value_of(text, words, "descr", ',');
  std::erase_if(type, [](char c) { return c == '\''; });
  if (type.size() != 3 || type[0] != byte_order) reject(text, "holds numbers of type " + quoted(type));
  return {type.substr(1), count_of(text, value_of(text, words, "shape", ')')), words_at + length};
}

template <class V, class Stored>
Buffer<V> numbers_as(const Text& text, const Header& header) {
  const auto bytes = header.count * static_cast<std::int64_t>(sizeof(Stored));
  if (text.size() - header.body != bytes)
    reject(text, fmt::format("has {} bytes of numbers, its shape needs {}", text.size() - header.body, bytes));
  Buffer<Stored> stored(header.count);
  text.read(header.body, text.size(), reinterpret_cast<char*>(stored.data()));
  if constexpr (std::is_same_v<V, Stored>) {
    return stored;
  } else {
    Buffer<V> x(header.count);
    std::transform(stored.begin(), stored.end(), x.begin(), [](Stored v) { return static_cast<V>(v); });
    return x;
  }
}

}  // namespace

bool is_npy(const Text& text) { return text.starts_with(magic); }

template <class V>
Buffer<V> read_npy(const Text& text) {
  const Header header = read_header(text);
  if (header.type == "f8") return numbers_as<V, double>(text, header);
  if (header.type == "f4") return numbers_as<V, float>(text, header);
  if (header.type == "i8") return numbers_as<V, std::int64_t>(text, header);
  if (header.type == "i4") return numbers_as<V, std::int32_t>(text, header);
  reject(text, "holds numbers of type " + quoted(header.type));
}

template <class V>
void write_npy(const std::string& path, std::span<const V> x) {
  constexpr std::size_t start = 10, aligned = 64;
  std::string words =
      fmt::format("{{'descr': '{}f{}', 'fortran_order': False, 'shape': ({},), }}", byte_order, sizeof(V), x.size());
  words.resize((start + words.size() + 1 + aligned - 1) / aligned * aligned - start - 1, ' ');
  words += '\n';
  std::string head(magic);
  head += {'\x01', '\x00', static_cast<char>(words.size() & 0xFF), static_cast<char>(words.size() >> 8)};
  AtomicFile file(path);
  file.write(head);
  file.write(words);
  file.write({reinterpret_cast<const char*>(x.data()), x.size_bytes()});
  file.commit();
}

template Buffer<float> read_npy(const Text&);
template Buffer<double> read_npy(const Text&);
template void write_npy(const std::string&, std::span<const float>);
template void write_npy(const std::string&, std::span<const double>);

}  // namespace heddle::io
