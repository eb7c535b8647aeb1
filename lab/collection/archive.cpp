#include "collection/archive.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "core/check.hpp"

#if HEDDLE_HAS_ZLIB
#include <zlib.h>
#endif

namespace heddle::collection {

#if HEDDLE_HAS_ZLIB

namespace {

constexpr std::int64_t block = 512;  // of a tar file

// A header of tar: where its fields lie.
struct Header {
  std::array<char, block> bytes{};

  std::string text(std::size_t at, std::size_t size) const {
    return {bytes.data() + at, strnlen(bytes.data() + at, size)};
  }
  bool empty() const {
    return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
  }
  bool is_file() const { return bytes[156] == '0' || bytes[156] == 0; }
  std::string path() const {
    const bool ustar = std::memcmp(bytes.data() + 257, "ustar", 5) == 0;
    const std::string folder = ustar ? text(345, 155) : "";
    return folder.empty() ? text(0, 100) : folder + "/" + text(0, 100);
  }
  // Octal digits, or a number of 8 bytes at the end where the first bit is set. -1 for anything else.
  std::int64_t size() const {
    std::int64_t value = 0;
    if (bytes[124] & 0x80) {
      for (std::size_t i = 128; i < 136; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
      return value;
    }
    for (std::size_t i = 124; i < 136 && bytes[i] != 0 && bytes[i] != ' '; ++i) {
      if (bytes[i] < '0' || bytes[i] > '7') return -1;
      value = value * 8 + (bytes[i] - '0');
    }
    return value;
  }
  bool sums_up() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(bytes[i]);
    return sum == std::strtol(text(148, 8).c_str(), nullptr, 8);
  }
};

class Unpacker {
 public:
  Unpacker(const std::string& archive, const Progress& progress)
      : archive_(archive), progress_(progress), packed_(static_cast<double>(std::filesystem::file_size(archive))) {
    file_ = gzopen(archive.c_str(), "rb");
    check(file_ != nullptr, ErrorKind::input, "{} cannot be opened", archive);
    gzbuffer(file_, 1 << 17);
  }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  ~Unpacker() { gzclose_r(file_); }

  // False at the end of the archive.
  bool next(Header& header) {
    if (read(header.bytes.data(), block) != block) damaged("it ends too early");
    if (header.empty()) return false;
    if (!header.sums_up() || header.size() < 0) damaged("it holds no tar archive");
    return true;
  }

  void skip(std::int64_t bytes) {
    copy(bytes, [](const char*, std::int64_t) {});
  }
  void save(std::int64_t bytes, const std::string& path) {
    std::ofstream out(path, std::ios::binary);
    copy(bytes, [&](const char* data, std::int64_t size) { out.write(data, size); });
    out.close();
    check(out.good(), ErrorKind::unavailable, "{} cannot be written: is the disk full?", path);
  }

  // The check sum at the end of the gzip data is verified when its end is read.
  void finish() {
    while (read(piece_.data(), static_cast<std::int64_t>(piece_.size())) > 0) continue;
  }

 private:
  [[noreturn]] void damaged(const char* how) const {
    fail(ErrorKind::input, At{archive_}, "the archive is damaged: {}", how);
  }

  // The file's content, and the rest of its last block.
  template <class Take>
  void copy(std::int64_t bytes, Take take) {
    for (std::int64_t left = bytes; left > 0;) {
      const std::int64_t got =
          read(piece_.data(), std::min<std::int64_t>(left, static_cast<std::int64_t>(piece_.size())));
      if (got == 0) damaged("it ends too early");
      take(piece_.data(), got);
      left -= got;
      if (progress_) progress_(static_cast<double>(gzoffset(file_)) / packed_);
    }
    const std::int64_t rest = (block - bytes % block) % block;
    if (rest > 0 && read(piece_.data(), rest) != rest) damaged("it ends too early");
  }

  std::int64_t read(char* to, std::int64_t bytes) {
    const int got = gzread(file_, to, static_cast<unsigned>(bytes));
    int code = Z_OK;
    const char* text = gzerror(file_, &code);
    if (got < 0 || code == Z_BUF_ERROR) damaged(code == Z_BUF_ERROR ? "it is cut off" : text);
    return got;
  }

  std::string archive_;
  const Progress& progress_;
  double packed_;
  gzFile file_;
  std::vector<char> piece_ = std::vector<char>(1 << 17);
};

// "cant/cant_b.mtx" -> "cant_b.mtx" for "cant"; empty for what is left in the archive.
std::string wanted_file(std::string path, const std::string& name) {
  if (path.starts_with("./")) path.erase(0, 2);
  if (!path.starts_with(name + "/")) return {};
  const std::string file = path.substr(name.size() + 1);
  const bool plain = file.find('/') == std::string::npos && !file.starts_with('.');
  return plain && (file.ends_with(".mtx") || file.ends_with(".txt")) ? file : "";
}

}  // namespace

void unpack(const std::string& archive, const std::string& name, const std::string& folder, const Progress& progress) {
  Unpacker unpacker(archive, progress);
  bool found = false;
  for (Header header; unpacker.next(header);) {
    const std::string file = header.is_file() ? wanted_file(header.path(), name) : "";
    found = found || file == name + ".mtx";
    file.empty() ? unpacker.skip(header.size()) : unpacker.save(header.size(), folder + "/" + file);
  }
  unpacker.finish();
  check(found, ErrorKind::input, "{}: there is no {}/{}.mtx in it", archive, name, name);
}

#else

void unpack(const std::string& archive, const std::string&, const std::string&, const Progress&) {
  fail(ErrorKind::unavailable, At{archive, "unpack it with tar, or build with zlib"},
       "this build of heddle has no zlib");
}

#endif

}  // namespace heddle::collection
