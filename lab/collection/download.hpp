// Files by HTTP, with libcurl where the build has it.
#pragma once

#include <cstdint>
#include <string>

#include <heddle/io.hpp>

namespace heddle::collection {

struct DownloadOptions {
  int attempts = 4;        // a connection that broke is made again, and goes on where it broke
  double pause = 1;        // seconds before the second attempt; twice as many before each further one
  double patience = 60;    // seconds without a byte after which a connection counts as broken
  Progress progress = {};  // may throw: the download stops, and what there is of the file stays
};

// Whether this build has libcurl.
bool can_download() noexcept;

// Fetches a file into `path`. What `path` already holds is taken for the beginning of the file, and the rest is asked
// for; a server that knows of no ranges sends the whole file anew. Gives the bytes that were received.
// Error(input) where the server has no such file, Error(unavailable) where it cannot be reached, breaks off more often
// than there are attempts, the file cannot be written or another process writes it; what was received stays in `path`.
std::int64_t download(const std::string& url, const std::string& path, const DownloadOptions& options);

}  // namespace heddle::collection
