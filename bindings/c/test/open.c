/* A plain C program that opens the library while it runs, as Python, Julia and plugins do. */
#include <dlfcn.h>
#include <heddle.h>
#include <stdio.h>

typedef heddle_status (*read_function)(const char*, heddle_type, heddle_keep_going, void*, heddle_matrix**);
typedef heddle_status (*create_function)(const heddle_matrix*, const heddle_options*, heddle_operator**);
typedef heddle_status (*multiply_function)(const heddle_operator*, const void*, void*, heddle_stream);

static void* function(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (!found) printf("%s\n", dlerror());
  return found;
}

int main(int argc, char** argv) {
  void* library = dlopen(argc > 1 ? argv[1] : "libheddle.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    printf("%s\n", dlerror());
    return 1;
  }
  read_function read = (read_function)function(library, "heddle_matrix_read");
  create_function create = (create_function)function(library, "heddle_operator_create");
  multiply_function multiply = (multiply_function)function(library, "heddle_multiply");
  if (!read || !create || !multiply) return 1;
  heddle_matrix* matrix = NULL;
  heddle_operator* op = NULL;
  HEDDLE_INIT(heddle_options, options);
  options.plan = "csr";
  double x[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, y[9];
  if (read("gen:stencil2d5,nx=3,ny=3", HEDDLE_F64, NULL, NULL, &matrix) || create(matrix, &options, &op) ||
      multiply(op, x, y, NULL))
    return 1;
  printf("%g %g %g\n", y[0], y[1], y[4]);
  dlclose(library); /* threads of the library may still run */
  return y[0] == 2 && y[1] == 1 && y[4] == 0 ? 0 : 1;
}
