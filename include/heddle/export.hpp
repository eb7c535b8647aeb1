// What a shared library shows of itself; the rest is hidden. Every public header opens its namespace with this.
// Templates of functions carry it themselves: compilers do not give them the visibility of their namespace.
#pragma once

#define HEDDLE_PUBLIC [[gnu::visibility("default")]]
