// The files of this folder that are no C++, as the build embeds them: page.css is page_css.
#pragma once

#include <string_view>

namespace heddle::report {

extern const std::string_view page_html, page_css, page_js;

}  // namespace heddle::report
