// Numbers for people: 1,234,567; 12.5 MB; 3.42 ms; 18.0 GB/s.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle {

std::string with_commas(std::int64_t number);
std::string as_bytes(double bytes);  // decimal units, as bandwidths have
std::string as_seconds(double seconds);
std::string as_duration(double seconds);  // for waiting: 45 s, 2 min 10 s, 3 h 05 min
std::string as_rate(double bytes_per_second);
std::string as_joules(double joules);
std::string as_shape(std::int64_t rows, std::int64_t cols);  // "2,003 x 2,003"

// What files and arguments hold may not move the cursor or rename the window: control characters, and bytes that are no
// UTF-8, become '?'. Controls::lines lets line breaks through, Controls::styles also the colours of Terminal.
enum class Controls { nothing, lines, styles };
std::string printable(std::string_view text, Controls kept = Controls::nothing);

}  // namespace heddle
