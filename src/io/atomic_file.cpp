#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "core/check.hpp"
#include "io/file_table.hpp"

namespace heddle::io {

namespace {

// With the slash; empty for the present one.
std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// Also where a link leads to a file that is not there yet. A circle of links is left to the system to refuse.
std::string resolved(std::string path) {
  const std::unique_ptr<char, void (*)(void*)> found(::realpath(path.c_str(), nullptr), std::free);
  if (found) return found.get();
  constexpr int most_links = 40;
  for (int i = 0; i < most_links; ++i) {
    char to[PATH_MAX];
    const ssize_t length = ::readlink(path.c_str(), to, sizeof to);
    if (length <= 0) return path;
    const std::string next(to, static_cast<std::size_t>(length));
    path = next.front() == '/' ? next : folder_of(path) + next;
  }
  return path;
}

// A name of the same folder that is no longer than names may be, however long `target` is.
std::string temporary_for(const std::string& target, unsigned number) {
  const std::string folder = folder_of(target), suffix = fmt::format(".{}-{}.tmp", ::getpid(), number);
  return folder + target.substr(folder.size(), NAME_MAX - suffix.size()) + suffix;
}

// The new name is safe only when the folder is on disk too. Some file systems cannot; then there is no more to be done.
void flush_folder(const std::string& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(resolved(path)) {
  struct stat about {};
  const bool exists = ::stat(target_.c_str(), &about) == 0;
  if (!exists && errno == ELOOP) give_up("opening");
  if (exists && S_ISDIR(about.st_mode)) fail(ErrorKind::usage, At{path_, "name a file in it"}, "this is a folder");
  if (exists && !S_ISREG(about.st_mode)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) give_up("opening");
    return;
  }
  open_temporary();
  if (exists) ::fchmod(descriptor_, about.st_mode & 07777);
}

void AtomicFile::open_temporary() {
  static std::atomic<unsigned> counter{0};
  constexpr int attempts = 100;  // names left behind by killed processes that had our number
  for (int i = 0; i < attempts && descriptor_ < 0; ++i) {
    temporary_ = TemporaryName(temporary_for(target_, counter++));
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST && errno != EINTR) break;
  }
  if (descriptor_ < 0) give_up("creating");
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::give_up(const char* doing) const {
  const int code = errno;
  const char* hint = code == ENOSPC   ? "make room on the disk"
                     : code == ENOENT ? "the folder must exist"
                     : code == EACCES ? "check the permissions of the folder"
                                      : "";
  fail(kind_of_error(code), At{path_, hint}, "{} the file failed: {}", doing, std::strerror(code));
}

void AtomicFile::write(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = file_table().write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) give_up("writing");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  const bool direct = temporary_.empty();
  if (!direct && file_table().fsync(descriptor_) != 0) give_up("flushing");
  const int closed = ::close(std::exchange(descriptor_, -1));
  if (closed != 0) give_up("closing");
  if (direct) return;
  if (file_table().rename(temporary_.c_str(), target_.c_str()) != 0) give_up("renaming");
  temporary_ = {};
  flush_folder(folder_of(target_));
}

}  // namespace heddle::io
