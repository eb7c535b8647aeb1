// The files of this folder that are no C++, as the build embeds them: page.css is page_css.
#pragma once

#include <string_view>

namespace heddle::report {

extern const std::string_view page_html, page_css, page_js;
extern const std::string_view bench_html, bench_css, svg_js, bench_data_js, bench_charts_js, bench_js;

}  // namespace heddle::report
