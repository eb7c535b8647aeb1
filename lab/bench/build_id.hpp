// Which build of the library this is: results of two builds are not to be mixed, even under one version number.
#pragma once

#include <string>

namespace heddle::bench {

// The linker's identifier of the program or shared library that holds this code, in hexadecimal: a hash of its content.
// Empty where the linker was told to leave it out.
std::string build_id();

}  // namespace heddle::bench
