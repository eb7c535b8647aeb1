/* A matrix in arrays of your own, multiplied and solved through the C library. */
#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>

/* 4 -1 . ; -1 4 -1 ; . -1 4, by rows */
static const int offsets[] = {0, 2, 5, 7}, columns[] = {0, 1, 0, 1, 2, 1, 2};
static double values[] = {4, -1, -1, 4, -1, -1, 4};

static void must(heddle_status status) {
  if (status == HEDDLE_OK) return;
  fprintf(stderr, "%s: %s; %s\n", heddle_status_name(status), heddle_last_error(), heddle_last_hint());
  exit(1);
}

int main(void) {
  HEDDLE_INIT(heddle_arrays, arrays);
  arrays.rows = arrays.cols = 3, arrays.nnz = 7;
  arrays.offset_type = arrays.index_type = HEDDLE_I32;
  arrays.offsets = offsets, arrays.indices = columns, arrays.values = values;
  heddle_matrix* matrix;
  must(heddle_matrix_create(&arrays, &matrix));

  HEDDLE_INIT(heddle_options, options);
  options.updates = 1; /* and the format that suits the matrix, on the CPU */
  heddle_operator* op;
  must(heddle_operator_create(matrix, &options, &op));
  heddle_matrix_destroy(matrix);

  const double ones[] = {1, 1, 1};
  double y[3], x[] = {0, 0, 0};
  must(heddle_multiply(op, ones, y, NULL));
  printf("A * 1 = %g %g %g\n", y[0], y[1], y[2]);

  for (int k = 0; k < 7; ++k) values[k] *= 2;
  must(heddle_operator_update(op, values, NULL));

  HEDDLE_INIT(heddle_solve_options, how);
  how.preconditioner = "jacobi";
  HEDDLE_INIT(heddle_report, report);
  must(heddle_solve(op, y, x, &how, &report));
  printf("%s: %s\n", report.method, report.reason);
  printf("x = %.6g %.6g %.6g\n", x[0], x[1], x[2]);
  heddle_operator_destroy(op);
  return report.verdict == HEDDLE_CONVERGED ? 0 : 1;
}
