// The functions of fmt, compiled into the library: a wheel needs no libfmt, and another one in the process cannot meet
// this one. Compiled with -fkeep-inline-functions; the linker drops what is not used.
#define FMT_HEADER_ONLY 1
#include <fmt/format.h>
