#include "collection/fetch.hpp"

#include <filesystem>

#include "collection/archive.hpp"
#include "collection/market_file.hpp"
#include "collection/places.hpp"
#include "core/check.hpp"
#include "core/stopwatch.hpp"

namespace heddle::collection {

namespace {

namespace files = std::filesystem;

// What went wrong with files, in our words.
template <class F>
auto on_disk(F f) {
  try {
    return f();
  } catch (const files::filesystem_error& error) {
    fail(ErrorKind::unavailable, At{error.path1().string()}, "cannot be written: {}", error.code().message());
  }
}

// A folder that is gone afterwards, whatever happens, unless it was given its name.
class Unpacked {
 public:
  explicit Unpacked(std::string folder) : folder_(std::move(folder)) {
    files::remove_all(folder_);
    files::create_directories(folder_);
  }
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;
  ~Unpacked() {
    std::error_code ignored;
    files::remove_all(folder_, ignored);
  }
  const std::string& folder() const { return folder_; }
  void become(const std::string& name) { files::rename(folder_, name); }

 private:
  std::string folder_;
};

// Error(input) for an archive that is damaged or holds another matrix.
void unpack_and_verify(const Entry& entry, const std::string& archive, const std::string& home,
                       const Progress& progress) {
  const std::string name(entry.name);
  Unpacked unpacked(home + ".unpacking");
  unpack(archive, name, unpacked.folder(), progress);
  verify(entry, unpacked.folder() + "/" + name + ".mtx");
  unpacked.become(home);
}

}  // namespace

void verify(const Entry& entry, const std::string& path) {
  const Csr<double> A = read_market_file(path).A;
  const bool same = A.rows == entry.rows && A.cols == entry.cols && A.nnz() == entry.nnz;
  if (!same)
    fail(ErrorKind::input, At{path}, "{} x {} with {} entries, but {} is {} x {} with {} entries", A.rows, A.cols,
         A.nnz(), entry.label(), entry.rows, entry.cols, entry.nnz);
}

Fetched fetch(const Entry& entry, const FetchOptions& options) {
  const WallClock clock;
  const std::string name(entry.name), home = options.folder + "/" + name, archive = home + ".tar.gz";
  Fetched fetched{.path = file_in(options.folder, name)};
  if (!fetched.path.empty()) {
    fetched.was_there = true;
    return fetched;
  }
  on_disk([&] { return files::create_directories(options.folder); });
  const bool own_archive = !files::exists(archive);
  if (own_archive) {
    const std::string url = fmt::format("{}/{}.tar.gz", options.server, entry.label()), part = archive + ".part";
    fetched.bytes = download(url, part, options.download);
    on_disk([&] { files::rename(part, archive); });
  }
  try {
    on_disk([&] { unpack_and_verify(entry, archive, home, options.download.progress); });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input || !own_archive) throw;
    files::remove(archive);  // the next attempt begins anew
    throw;
  }
  on_disk([&] { return files::remove(archive); });
  fetched.path = file_in(options.folder, name);
  fetched.seconds = clock.seconds();
  return fetched;
}

}  // namespace heddle::collection
