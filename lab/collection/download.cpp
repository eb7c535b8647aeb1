#include "collection/download.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <thread>

#include <heddle/version.hpp>

#include "core/check.hpp"

#if HEDDLE_HAS_CURL
#include <curl/curl.h>
#endif

namespace heddle::collection {

#if HEDDLE_HAS_CURL

namespace {

// A file that grows, by one process at a time.
class PartialFile {
 public:
  explicit PartialFile(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0) give_up("cannot be written");
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      ::close(descriptor_);
      fail(ErrorKind::unavailable, At{path}, "another process is downloading this file");
    }
    size_ = ::lseek(descriptor_, 0, SEEK_END);
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile() { ::close(descriptor_); }

  std::int64_t size() const { return size_; }
  void clear() {
    if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) give_up("cannot be emptied");
    size_ = 0;
  }
  void append(const char* data, std::size_t bytes) {
    while (bytes > 0) {
      const ssize_t written = ::write(descriptor_, data, bytes);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) give_up("cannot be written");
      data += written, bytes -= static_cast<std::size_t>(written), size_ += written;
    }
  }

 private:
  [[noreturn]] void give_up(const char* what) const {
    fail(ErrorKind::unavailable, At{path_}, "{}: {}", what, std::strerror(errno));
  }

  std::string path_;
  int descriptor_;
  std::int64_t size_ = 0;
};

struct Answer {
  CURLcode code = CURLE_OK;
  long status = 0;
  std::string text;  // what libcurl says of a failure
};

// One request. libcurl calls back; what its callbacks throw is kept and thrown again when it has returned.
class Request {
 public:
  Request(const std::string& url, PartialFile& file, const DownloadOptions& options)
      : file_(file), options_(options), begin_(file.size()), curl_(curl_easy_init(), curl_easy_cleanup) {
    if (!curl_) throw std::bad_alloc();
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_USERAGENT, "heddle/" + std::string(version));
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, 5L);
#if LIBCURL_VERSION_NUM >= 0x075500
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
    set(CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    set(CURLOPT_REDIR_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT, 30L);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, std::max(1L, static_cast<long>(options.patience)));
    if (begin_ > 0) set(CURLOPT_RANGE, fmt::format("{}-", begin_));
    set(CURLOPT_ERRORBUFFER, error_);
    set(CURLOPT_WRITEFUNCTION, &Request::on_data);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_HEADERFUNCTION, &Request::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Request::on_progress);
    set(CURLOPT_XFERINFODATA, this);
  }

  Answer run() {
    Answer answer;
    answer.code = curl_easy_perform(curl_.get());
    if (thrown_) std::rethrow_exception(thrown_);
    answer.status = status();
    answer.text = error_[0] != 0 ? error_ : curl_easy_strerror(answer.code);
    return answer;
  }
  // The whole size, where an answer 416 names it; -1 otherwise.
  std::int64_t whole() const { return whole_; }

 private:
  template <class T>
  void set(CURLoption option, T value) {
    curl_easy_setopt(curl_.get(), option, value);
  }
  void set(CURLoption option, const std::string& text) { curl_easy_setopt(curl_.get(), option, text.c_str()); }

  long status() const {
    long code = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &code);
    return code;
  }

  template <class F>
  static bool guarded(Request& request, F call) noexcept {
    try {
      call();
      return true;
    } catch (...) {
      request.thrown_ = std::current_exception();
      return false;
    }
  }

  // "Content-Range: bytes 100-199/200" of an answer 206, "bytes */200" of 416.
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self) {
    auto& request = *static_cast<Request*>(self);
    std::string line(data, size * count);
    for (char& c : line) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    long long first = 0, last = 0, whole = 0;
    if (line.starts_with("http/")) request.first_ = request.whole_ = -1;  // of a redirection, before
    if (std::sscanf(line.c_str(), "content-range: bytes %lld-%lld/", &first, &last) == 2) request.first_ = first;
    if (std::sscanf(line.c_str(), "content-range: bytes */%lld", &whole) == 1) request.whole_ = whole;
    return size * count;
  }

  // 200: the file from its beginning, whatever was asked for. Bodies of errors are not kept.
  static std::size_t on_data(char* data, std::size_t size, std::size_t count, void* self) {
    auto& request = *static_cast<Request*>(self);
    const bool good = guarded(request, [&] {
      const long status = request.status();
      if (status != 200 && status != 206) return;
      if (!request.begun_ && status == 200 && request.file_.size() > 0) request.file_.clear();
      if (!request.begun_ && status == 206 && request.first_ != request.begin_)
        fail(ErrorKind::unavailable, "the server sent another part of the file than it was asked for");
      request.begun_ = true;
      request.file_.append(data, size * count);
    });
    return good ? size * count : 0;
  }

  static int on_progress(void* self, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
    auto& request = *static_cast<Request*>(self);
    if (!request.options_.progress) return 0;
    const double before = request.status() == 206 ? static_cast<double>(request.begin_) : 0;
    const double share = total > 0 ? (before + static_cast<double>(now)) / (before + static_cast<double>(total)) : 0;
    return guarded(request, [&] { request.options_.progress(share); }) ? 0 : 1;
  }

  PartialFile& file_;
  const DownloadOptions& options_;
  std::int64_t begin_, first_ = -1, whole_ = -1;
  bool begun_ = false;
  std::exception_ptr thrown_;
  char error_[CURL_ERROR_SIZE] = {};
  std::unique_ptr<CURL, void (*)(CURL*)> curl_;
};

// Worth another attempt: the connection broke, or the server is busy.
bool passing(const Answer& answer) {
  if (answer.code == CURLE_OK) return answer.status >= 500 || answer.status == 429 || answer.status == 408;
  for (const CURLcode code : {CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING,
                              CURLE_OPERATION_TIMEDOUT, CURLE_HTTP2, CURLE_HTTP2_STREAM})
    if (answer.code == code) return true;
  return false;
}

[[noreturn]] void refuse(const std::string& url, const Answer& answer) {
  if (answer.code != CURLE_OK) fail(ErrorKind::unavailable, At{url}, "the download failed: {}", answer.text);
  const bool absent = answer.status == 404 || answer.status == 410;
  if (absent) fail(ErrorKind::input, At{url}, "the server has no such file");
  fail(ErrorKind::unavailable, At{url}, "the server answers {}", answer.status);
}

// Asked for before every attempt, so that Ctrl-C does not wait for the last one.
void wait(double seconds, const Progress& progress) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    if (progress) progress(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace

bool can_download() noexcept { return true; }

std::int64_t download(const std::string& url, const std::string& path, const DownloadOptions& options) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  check(ready == CURLE_OK, ErrorKind::unavailable, "libcurl cannot be used: {}", curl_easy_strerror(ready));
  PartialFile file(path);
  std::int64_t received = 0;
  double pause = options.pause;
  for (int attempt = 1;; ++attempt) {
    const std::int64_t before = file.size();
    Request request(url, file, options);
    const Answer answer = request.run();
    received += file.size() >= before ? file.size() - before : file.size();
    if (answer.code == CURLE_OK && (answer.status == 200 || answer.status == 206)) return received;
    if (answer.status == 416 && request.whole() == file.size()) return received;  // there was nothing left to send
    const bool another_file = answer.status == 416 && file.size() > 0;
    if (another_file) file.clear();
    if ((!passing(answer) && !another_file) || attempt >= options.attempts) refuse(url, answer);
    if (!another_file) wait(pause, options.progress);
    pause *= 2;
  }
}

#else

bool can_download() noexcept { return false; }

std::int64_t download(const std::string& url, const std::string&, const DownloadOptions&) {
  fail(ErrorKind::unavailable, At{url, "download it by other means, or build with libcurl"},
       "this build of heddle has no libcurl");
}

#endif

}  // namespace heddle::collection
