// The door to the file system. Reads, writes, fsync and rename of data pass this table, so that a test can make the
// k-th one fail, come up short or be interrupted. Same meaning and same errno as the system calls of these names.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include <heddle/error.hpp>

namespace heddle::io {

struct FileTable {
  ssize_t (*read)(int file, void* to, std::size_t bytes);
  ssize_t (*pread)(int file, void* to, std::size_t bytes, off_t at);
  ssize_t (*write)(int file, const void* from, std::size_t bytes);
  int (*fsync)(int file);
  int (*rename)(const char* from, const char* to);
};

// The table in force; tests swap its entries. Not to be changed while other threads read or write files.
FileTable& file_table() noexcept;

// What an errno of a file to be written means: usage for a name that cannot be, else unavailable.
ErrorKind kind_of_error(int code) noexcept;

}  // namespace heddle::io
