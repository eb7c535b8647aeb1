#pragma once

#include <string>
#include <string_view>

namespace heddle {

// The final name holds the old file or the whole new one. Devices and pipes are written directly.
void write_whole_file(const std::string& path, std::string_view bytes);
// Error(unavailable) when it could not be written; to be called before the long work whose result would go there.
void check_writable(const std::string& path);

}  // namespace heddle
