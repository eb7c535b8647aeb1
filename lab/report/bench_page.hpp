// The report of `heddle bench --html`.
#pragma once

#include <string>
#include <string_view>

namespace heddle::report {

// `json` is the document of `heddle bench --json`, with a spy plot (wide, tall, cells) in its matrices.
std::string bench_page(std::string_view json);

}  // namespace heddle::report
