#include "records/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/check.hpp"
#include "io/block_hash.hpp"
#include "io/file_table.hpp"
#include "records/bench_record.hpp"

namespace heddle {

namespace {

constexpr std::string_view first_words = R"({"format":"heddle bench results",)";

// True for our file, an empty one, and one whose only line was cut short.
bool looks_like_ours(std::string_view text) {
  const std::size_t known = std::min(text.size(), first_words.size());
  return text.substr(0, known) == first_words.substr(0, known);
}

Json file_stamp(const std::string& path, const struct stat& status) {
  return {{"path", path},
          {"bytes", static_cast<std::int64_t>(status.st_size)},
          {"modified", static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec}};
}

// gen:laplacian,of=cant.mtx reads a file too.
Json stamps_of_arguments(const std::string& source) {
  Json files = Json::array();
  for (std::size_t at = source.find('='); at != std::string::npos; at = source.find('=', at + 1)) {
    const std::string value = source.substr(at + 1, source.find(',', at) - at - 1);
    struct stat status {};
    if (stat(value.c_str(), &status) == 0 && S_ISREG(status.st_mode)) files.push_back(file_stamp(value, status));
  }
  return files;
}

// Discarded also where values lie deeper inside each other than ours do: to write such a one takes a stack frame for
// each.
Json parsed(std::string_view line) {
  constexpr int deepest = 16;
  bool too_deep = false;
  const auto limit = [&](int depth, Json::parse_event_t, Json&) { return !(too_deep = too_deep || depth > deepest); };
  Json value = Json::parse(line.begin(), line.end(), limit, false);
  return too_deep ? Json(Json::value_t::discarded) : value;
}

// A file name need not be UTF-8, a JSON document must be.
std::string text_of(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Journal::Journal(std::string path, Json run) : path_(std::move(path)), run_(std::move(run)) {
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) give_up("opened");
  try {
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) give_up("read");
    if (!S_ISREG(status.st_mode)) fail(ErrorKind::usage, At{path_}, "only a plain file can keep results");
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
      fail(ErrorKind::unavailable, {path_, "wait for it, or give another file"}, "in use by another run");
    const std::string text = read_all();
    if (!looks_like_ours(text))
      fail(ErrorKind::usage, {path_, "give a new file name"}, "holds no results of heddle bench");
    const std::size_t whole = text.rfind('\n') + 1;  // npos + 1 = 0
    if (whole < text.size() && ftruncate(descriptor_, static_cast<off_t>(whole)) != 0) give_up("shortened");
    take(text.substr(0, whole));
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

Journal::~Journal() { close(descriptor_); }

void Journal::give_up(const char* doing) const {
  fail(io::kind_of_error(errno), At{path_}, "cannot be {}: {}", doing, std::strerror(errno));
}

std::string Journal::read_all() const {
  std::string text;
  std::array<char, 1 << 16> bytes;
  for (;;) {
    const ssize_t got = pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) give_up("read");
    if (got == 0) return text;
    text.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

void Journal::take(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    Json line = parsed({text.data() + at, end - at});
    at = end + 1;
    const bool whole = line.is_object() && line.contains("run") && line.contains("identity") &&
                       line.contains("matrix") && is_record(line["matrix"]);
    if (!whole)
      ++damaged_;
    else if (line["run"] != run_)
      ++foreign_;
    else
      matrices_[text_of(line["identity"])] = std::move(line["matrix"]);
  }
}

const Json* Journal::find(const Json& identity) const {
  const auto found = identity.is_null() ? matrices_.end() : matrices_.find(text_of(identity));
  return found == matrices_.end() ? nullptr : &found->second;
}

void Journal::add(const Json& identity, const Json& matrix) {
  if (identity.is_null()) return;
  const Json line{{"format", "heddle bench results"}, {"run", run_}, {"identity", identity}, {"matrix", matrix}};
  const std::string text = text_of(line) + '\n';
  const off_t before = lseek(descriptor_, 0, SEEK_END);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t put = write(descriptor_, text.data() + done, text.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      const int reason = errno;
      if (ftruncate(descriptor_, before) == 0) errno = reason;  // half a line would spoil the next one too
      give_up("written");
    }
    done += static_cast<std::size_t>(put);
  }
  if (fdatasync(descriptor_) != 0) give_up("flushed");
}

std::string machine_fingerprint(const DeviceInfo& info) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string text = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", host.data(), to_string(info.device), info.name,
                                       info.units, info.capability, info.memory_bytes, info.cache_bytes);
  return fmt::format("{:016x}", io::hash_bytes({text.data(), text.size()}));
}

Json matrix_identity(const std::string& source, const std::string& precision) {
  Json files = Json::array();
  if (source.starts_with("gen:")) {
    files = stamps_of_arguments(source);
  } else {
    struct stat status {};
    if (stat(source.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    files.push_back(file_stamp(source, status));
  }
  return {{"source", source}, {"precision", precision}, {"files", std::move(files)}};
}

}  // namespace heddle
