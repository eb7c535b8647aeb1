#include "session/whole_file.hpp"

#include "io/atomic_file.hpp"

namespace heddle {

void write_whole_file(const std::string& path, std::string_view bytes) {
  io::AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void check_writable(const std::string& path) { const io::AtomicFile tried(path); }

}  // namespace heddle
