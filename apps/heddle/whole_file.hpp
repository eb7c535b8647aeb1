#pragma once

#include <string>
#include <string_view>

namespace heddle {

// The final name holds the old file or the whole new one. Devices and pipes are written directly.
void write_whole_file(const std::string& path, std::string_view bytes);

}  // namespace heddle
