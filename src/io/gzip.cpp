#include "io/gzip.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "io/growth.hpp"

#if HEDDLE_HAS_ZLIB
#include <zlib.h>
#endif

namespace heddle::io {

bool is_gzip(const Text& text) { return text.starts_with("\x1f\x8b"); }

#if HEDDLE_HAS_ZLIB

namespace {

constexpr int gzip_window = 15 + 16;  // the largest window, with a gzip header around it

class Inflater {
 public:
  explicit Inflater(const Text& packed)
      : packed_(packed), input_(static_cast<std::size_t>(std::min(most, packed.size()))) {
    if (inflateInit2(&stream_, gzip_window) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  Text run(const Progress& progress, const Judge& judge) {
    Text text(packed_.name());
    Growth growth(text, judge);
    for (;;) {
      if (stream_.avail_in == 0 && !refill(progress)) break;
      if (ended_ && !next_member()) break;
      step(text, growth);
    }
    growth.finish();
    if (!ended_) fail(ErrorKind::input, At{packed_.name(), "the file is cut off"}, "the gzip data ends too early");
    return text;
  }

 private:
  static constexpr std::int64_t most = 256 << 10;

  bool refill(const Progress& progress) {
    const std::int64_t bytes = std::min(most, packed_.size() - position_);
    if (bytes == 0) return false;
    packed_.read(position_, position_ + bytes, reinterpret_cast<char*>(input_.data()));
    position_ += bytes;
    stream_.next_in = input_.data();
    stream_.avail_in = static_cast<uInt>(bytes);
    if (progress) progress(static_cast<double>(position_) / static_cast<double>(packed_.size()));
    return true;
  }

  // Zeros behind the last member are the padding of tapes and block devices.
  bool next_member() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in == 0) return position_ < packed_.size();
    ended_ = false;
    return inflateReset(&stream_) == Z_OK;
  }

  // Numbers pack to a third or a tenth, comments and blanks to a thousandth: only what packs well is looked through.
  void step(Text& text, Growth& growth) {
    if (stream_.avail_in == 0) return;
    constexpr std::size_t well_packed = 32;
    const std::size_t before = stream_.avail_in;
    const std::span<char> room = text.room();
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = static_cast<uInt>(room.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    const auto made = room.first(room.size() - stream_.avail_out);
    text.append(static_cast<std::int64_t>(made.size()));
    if (made.size() > well_packed * (before - stream_.avail_in))
      growth.add(made);
    else
      growth.add_dense();
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK && result != Z_STREAM_END)
      fail(ErrorKind::input, At{packed_.name(), "the file is damaged"}, "the gzip data is not valid: {}",
           stream_.msg ? stream_.msg : "wrong contents");
    ended_ = result == Z_STREAM_END;
  }

  const Text& packed_;
  Vector<Bytef> input_;
  std::int64_t position_ = 0;
  bool ended_ = false;
  z_stream stream_{};
};

}  // namespace

Text inflate_text(const Text& packed, const Progress& progress, const Judge& judge) {
  return Inflater(packed).run(progress, judge);
}

Vector<char> deflate_member(std::string_view text) {
  z_stream stream{};
  constexpr int memory_level = 8;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  Vector<char> packed;
  try {
    packed.resize(deflateBound(&stream, static_cast<uLong>(text.size())));
  } catch (...) {
    deflateEnd(&stream);
    throw;
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  check(result == Z_STREAM_END, ErrorKind::internal, "packing {} bytes failed", text.size());
  return packed;
}

void require_gzip(const std::string&) {}

#else

void require_gzip(const std::string& where) {
  fail(ErrorKind::unavailable, At{where, "unpack it with gunzip, or build with zlib"},
       "this build of heddle has no zlib");
}

Text inflate_text(const Text& packed, const Progress&, const Judge&) {
  require_gzip(packed.name());
  return Text(packed.name());
}

Vector<char> deflate_member(std::string_view) {
  require_gzip({});
  return {};
}

#endif

}  // namespace heddle::io
