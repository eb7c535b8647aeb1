// A small HTTP server on the loopback, in a thread: files by their path, ranges of them, and what can go wrong with
// them.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

namespace heddle::test {

class WebServer {
 public:
  struct Page {
    std::string content;
    bool ranges = true;   // answers a range by 206; otherwise by the whole page
    std::size_t cut = 0;  // bytes after which the connection is closed; 0: none
    int cuts = 0;         // so many times
    int status = 0;       // answered `statuses` times instead of the page; 0: none
    int statuses = 0;
    std::string moved_to = {};  // a redirection
    bool stalls = false;        // nothing comes behind the cut, and the connection stays
  };

  WebServer() {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool ready = ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                       ::listen(listener_, 8) == 0 &&
                       ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    if (!ready) throw std::runtime_error("no server on the loopback");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;
  ~WebServer() {
    stopped_ = true;
    thread_.join();
    ::close(listener_);
  }

  std::string url(const std::string& path = {}) const { return fmt::format("http://127.0.0.1:{}{}", port_, path); }
  void put(const std::string& path, Page page) {
    const std::lock_guard lock(guard_);
    pages_[path] = std::move(page);
  }
  // "GET /a" or "GET /a bytes=10-", in order.
  std::vector<std::string> requests() const {
    const std::lock_guard lock(guard_);
    return requests_;
  }

 private:
  void serve() {
    while (!stopped_) {
      pollfd waiting{listener_, POLLIN, 0};
      if (::poll(&waiting, 1, 20) <= 0) continue;
      const int connection = ::accept(listener_, nullptr, nullptr);
      if (connection < 0) continue;
      answer(connection);
      ::close(connection);
    }
  }

  void answer(int connection) {
    std::string request;
    char bytes[1024];
    while (request.find("\r\n\r\n") == std::string::npos) {
      const ssize_t got = ::recv(connection, bytes, sizeof bytes, 0);
      if (got <= 0) return;
      request.append(bytes, static_cast<std::size_t>(got));
    }
    const std::string path = request.substr(4, request.find(' ', 4) - 4);
    std::size_t begin = 0;
    const std::size_t range = request.find("Range: bytes=");
    if (range != std::string::npos) begin = std::stoul(request.substr(range + 13));
    const std::lock_guard lock(guard_);
    requests_.push_back(range == std::string::npos ? "GET " + path : fmt::format("GET {} bytes={}-", path, begin));
    const auto page = pages_.find(path);
    if (page == pages_.end()) return send(connection, "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone");
    give(connection, page->second, begin, range != std::string::npos);
  }

  void give(int connection, Page& page, std::size_t begin, bool ranged) {
    if (page.statuses-- > 0)
      return send(connection, fmt::format("HTTP/1.1 {} No\r\nContent-Length: 4\r\n\r\nnone", page.status));
    if (!page.moved_to.empty())
      return send(connection,
                  fmt::format("HTTP/1.1 302 Moved\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n", page.moved_to));
    const std::size_t whole = page.content.size();
    if (ranged && page.ranges && begin >= whole)
      return send(connection,
                  fmt::format("HTTP/1.1 416 No\r\nContent-Range: bytes */{}\r\nContent-Length: 0\r\n\r\n", whole));
    if (!page.ranges) begin = 0;
    std::string head =
        begin == 0 && !(ranged && page.ranges)
            ? "HTTP/1.1 200 OK\r\n"
            : fmt::format("HTTP/1.1 206 Part\r\nContent-Range: bytes {}-{}/{}\r\n", begin, whole - 1, whole);
    head += fmt::format("Content-Length: {}\r\n\r\n", whole - begin);
    std::string body = page.content.substr(begin);
    const bool cut = page.cuts-- > 0 && body.size() > page.cut;
    if (cut) body.resize(page.cut);
    send(connection, head + body);
    if (cut && page.stalls) stall(connection);
  }

  // Until the other side has had enough.
  void stall(int connection) const {
    char byte = 0;
    while (!stopped_) {
      pollfd waiting{connection, POLLIN, 0};
      if (::poll(&waiting, 1, 20) > 0 && ::recv(connection, &byte, 1, 0) <= 0) return;
    }
  }

  static void send(int connection, const std::string& text) {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t now = ::send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) return;
      sent += static_cast<std::size_t>(now);
    }
  }

  int listener_ = -1, port_ = 0;
  mutable std::mutex guard_;
  std::map<std::string, Page> pages_;
  std::vector<std::string> requests_;
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

// One file of an archive as tar has it; '0' is a file, '5' a folder, '2' a link.
inline std::string tar_member(const std::string& path, const std::string& content, char kind = '0') {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
  put(0, path);
  put(100, "0000644");
  put(124, fmt::format("{:011o}", content.size()));
  put(136, "00000000000");
  put(148, "        ");
  put(156, std::string(1, kind));
  put(257, "ustar");
  put(263, "00");
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum));
  header[154] = '\0';
  return header + content + std::string((512 - content.size() % 512) % 512, '\0');
}

inline std::string tar_end() { return std::string(1024, '\0'); }

}  // namespace heddle::test
