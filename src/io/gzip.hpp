// Gzip, when the library was built with zlib; Error(unavailable) that says so otherwise.
#pragma once

#include <string>
#include <string_view>

#include <heddle/io.hpp>

#include "core/system.hpp"
#include "io/text.hpp"

namespace heddle::io {

bool is_gzip(const Text& text);
// Error(input) for data that is cut off, damaged or mostly padding (io/growth.hpp). Several members in a row are one
// text, as gzip has it. The judge sees the first bytes of the text.
Text inflate_text(const Text& packed, const Progress& progress = {}, const Judge& judge = {});
// One gzip member. Members that stand in a row make one file, so pieces can be packed at the same time.
Vector<char> deflate_member(std::string_view text);
void require_gzip(const std::string& where);

}  // namespace heddle::io
