// A matrix of the collection brought into a folder: FOLDER/NAME/NAME.mtx, as its archive unpacks.
//
//   server --> NAME.tar.gz.part --> NAME.tar.gz --> NAME.unpacking/ --> NAME/
//              goes on where          left by who     read, compared     the archive is removed
//              it was cut             downloads it    with the index
//                                     otherwise
#pragma once

#include "collection/download.hpp"
#include "collection/index.hpp"

namespace heddle::collection {

inline constexpr const char* usual_server = "https://sparse.tamu.edu/MM";

struct FetchOptions {
  std::string folder;
  std::string server = usual_server;  // has GROUP/NAME.tar.gz
  DownloadOptions download = {};
};

struct Fetched {
  std::string path;        // of the matrix
  bool was_there = false;  // before; nothing was done
  std::int64_t bytes = 0;  // received
  double seconds = 0;
};

// Error(input) where what came is not the matrix of the index: nothing of it stays. Other errors are those of
// `download` and `unpack`.
Fetched fetch(const Entry& entry, const FetchOptions& options);

// Error(input) unless the file has the rows, columns and entries of the index.
void verify(const Entry& entry, const std::string& path);

}  // namespace heddle::collection
