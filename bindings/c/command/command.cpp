// The command inside the C library, for `python -m heddle`: one copy of the kernels in a wheel. Not part of heddle.h.
#include <heddle.h>

int heddle_command_main(int argc, char** argv);

extern "C" HEDDLE_API int heddle_command(int argc, char** argv);

int heddle_command(int argc, char** argv) { return heddle_command_main(argc, argv); }
