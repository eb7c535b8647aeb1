/* Opens the library named on the command line late, as a plugin does, and calls into it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  void* library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    printf("%s\n", dlerror());
    return 1;
  }
  /* int heddle::threads() */
  int (*threads)(void);
  *(void**)&threads = dlsym(library, "_ZN6heddle7threadsEv");
  if (!threads) {
    printf("%s\n", dlerror());
    return 1;
  }
  printf("%d threads\n", threads());
  return threads() > 0 ? 0 : 1;
}
