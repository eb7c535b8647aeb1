/* heddle.h: sparse matrices times vectors, and solvers. C99, for C, Fortran, Python, Julia and whatever calls C.
 *
 *   Result    heddle_status, 0 = done. On any other value heddle_last_error() of the calling thread says what was
 *             wrong; outputs are as they were, handles too but where it is said. No C++ exception leaves the library.
 *   Handles   made by ..._create, ended by ..._destroy (NULL is allowed). A matrix may be destroyed as soon as the
 *             operator is made. Several threads may multiply with one operator; heddle_operator_update must be alone.
 *   Vectors   have the operator's type and lie in host memory, or in memory of the operator's device. Then the work is
 *             queued on `stream` (a cudaStream_t; NULL: the default stream) and neither waited for nor copied. The
 *             library keeps no pointer to a vector.
 *   Structs   begin with their size: HEDDLE_INIT(heddle_options, o). A field that is zero has its default value. New
 *             fields are added at the end, so that an old caller works with a new library.
 *   Text      (text, capacity, length): at most capacity - 1 characters and a zero are written; *length is how many
 *             characters there are. `text` or `length` may be NULL.
 */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_API __attribute__((visibility("default")))
#define HEDDLE_ABI 0 /* 1 with the first release; grows when a function or field changes its meaning */
#define HEDDLE_INIT(type, name) \
  type name = {0};              \
  name.size = sizeof(type)

typedef struct heddle_matrix heddle_matrix;
typedef struct heddle_operator heddle_operator;
typedef struct heddle_preconditioner heddle_preconditioner;
typedef struct heddle_recording heddle_recording;
typedef struct heddle_overlapped heddle_overlapped;
typedef void* heddle_stream;

/* int32_t, not enum types: their size is the same for every compiler and language. */
typedef int32_t heddle_status;
enum {
  HEDDLE_OK = 0,
  HEDDLE_INTERNAL = 1,    /* a bug in Heddle */
  HEDDLE_USAGE = 2,       /* a wrong argument, plan or option */
  HEDDLE_INPUT = 3,       /* a bad file, matrix or vector */
  HEDDLE_UNAVAILABLE = 5, /* the device or the memory asked for is not there, or the format does not fit */
  HEDDLE_NO_MEMORY = 6,   /* of the host */
  HEDDLE_STOPPED = 7      /* a callback asked for it */
};
typedef int32_t heddle_type;
enum { HEDDLE_F64 = 0, HEDDLE_F32 = 1, HEDDLE_I32 = 16, HEDDLE_I64 = 17 };
typedef int32_t heddle_device_kind;
enum { HEDDLE_CPU = 0, HEDDLE_GPU = 1, HEDDLE_EMULATOR = 2, HEDDLE_AUTO = 3 };
typedef struct {
  heddle_device_kind kind;
  int32_t ordinal; /* which GPU */
} heddle_device;

/* Called from time to time during long work, by the calling thread; `done` is 0..1, and 0 where nobody knows (a solve, a
 * generator). Non-zero: stop (HEDDLE_STOPPED). It may be NULL wherever it is asked for. */
typedef int32_t (*heddle_keep_going)(void* context, double done, const char* stage);

/* ---- the library */
HEDDLE_API const char* heddle_version(void); /* "0.1.0" */
HEDDLE_API int32_t heddle_abi(void);         /* HEDDLE_ABI of the library itself */
HEDDLE_API const char* heddle_status_name(heddle_status);
/* Of the last call of this thread that failed; valid until its next failure. */
HEDDLE_API const char* heddle_last_error(void);
HEDDLE_API const char* heddle_last_hint(void);              /* what to do about it; may be "" */
HEDDLE_API heddle_status heddle_set_threads(int32_t count); /* of the process; 0: HEDDLE_THREADS, or all cores */
HEDDLE_API int32_t heddle_threads(void);
HEDDLE_API heddle_status heddle_devices_json(char* text, int64_t capacity, int64_t* length);
/* Memory of GPUs from a pool of your own. The GPU `ordinal` is the current one while either function is called, by any
 * thread. `stream` is handed to both: the library waits for it after allocating, and for the GPU before it frees. */
typedef struct {
  size_t size;
  void* (*allocate)(void* context, int32_t ordinal, size_t bytes, heddle_stream stream); /* NULL: there is none */
  void (*free)(void* context, int32_t ordinal, void* memory, size_t bytes, heddle_stream stream);
  void* context;
  heddle_stream stream;
} heddle_device_allocator;
/* For what is allocated from now on; what was allocated before goes back to where it came from. NULL: the library's own
 * pool again. */
HEDDLE_API heddle_status heddle_set_device_allocator(const heddle_device_allocator* allocator);

/* ---- matrices */
typedef int32_t heddle_layout;
enum { HEDDLE_CSR = 0, HEDDLE_CSC = 1, HEDDLE_COO = 2 };
typedef int32_t heddle_ownership;
enum {
  HEDDLE_COPY = 0,   /* copied before the call returns */
  HEDDLE_BORROW = 1, /* used where they are; they must outlive the matrix, not the operator */
  HEDDLE_GIVE = 2    /* used where they are; release(context) is called once they are not needed any more */
};
typedef struct {
  size_t size;
  int64_t rows, cols, nnz;
  heddle_layout layout;
  heddle_type value_type, offset_type, index_type;
  heddle_device device; /* where the arrays lie */
  heddle_ownership ownership;
  const void* offsets;     /* csr: rows + 1; csc: cols + 1; coo: NULL */
  const void* indices;     /* csr, coo: columns; csc: rows */
  const void* row_indices; /* coo: rows; else NULL */
  const void* values;      /* NULL: all ones */
  int64_t index_base;      /* 0, or 1 as in Fortran and Julia */
  void (*release)(void* context);
  void* context; /* of release */
  heddle_keep_going keep_going;
  void* keep_going_context;
} heddle_arrays;

/* Entries may come in any order, and repeated ones are summed. Arrays of a device must be complete when this is called.
 * If the call fails, release is not called. */
HEDDLE_API heddle_status heddle_matrix_create(const heddle_arrays* arrays, heddle_matrix** matrix);
/* A file (.mtx, .mtx.gz, .hdl), or a generated matrix: "gen:stencil3d7,n=100". */
HEDDLE_API heddle_status heddle_matrix_read(const char* source, heddle_type type, heddle_keep_going keep_going,
                                            void* context, heddle_matrix** matrix);
/* The suffix of the path decides: .mtx, .mtx.gz, .hdl. */
HEDDLE_API heddle_status heddle_matrix_write(const heddle_matrix* matrix, const char* path,
                                             heddle_keep_going keep_going, void* context);
/* As csr: sorted, no repetitions. The arrays belong to the matrix. */
HEDDLE_API heddle_status heddle_matrix_get_arrays(const heddle_matrix* matrix, heddle_arrays* arrays);
/* places[k]: which stored entry value k of the given arrays is, or was added to; NULL: k itself. `count` are given. They
 * belong to the matrix, and are made by the first call: not by two threads at once. */
HEDDLE_API heddle_status heddle_matrix_get_places(heddle_matrix* matrix, const int64_t** places, int64_t* count);
/* To another device; it does not stop once it has begun. */
HEDDLE_API heddle_status heddle_matrix_to(const heddle_matrix* matrix, heddle_device device, heddle_matrix** copy);
HEDDLE_API heddle_status heddle_matrix_transpose(const heddle_matrix* matrix, heddle_keep_going keep_going,
                                                 void* context, heddle_matrix** transposed);
HEDDLE_API heddle_status heddle_matrix_analyze_json(const heddle_matrix* matrix, heddle_keep_going keep_going,
                                                    void* context, char* text, int64_t capacity, int64_t* length);
/* An order of the rows of a matrix, or of rows and columns of a square one. by: "rcm" (reverse Cuthill-McKee), "amd"
 * (approximate minimum degree; HEDDLE_UNAVAILABLE in a build without it; it does not stop once it has begun), "length"
 * (the longest rows first, inside windows of so many rows; 0: one window). order: room for `rows` numbers; the new row k
 * was row order[k], from 0. */
HEDDLE_API heddle_status heddle_matrix_order(const heddle_matrix* matrix, const char* by, int64_t window,
                                             heddle_keep_going keep_going, void* context, int32_t* order);
/* Rows and columns in such orders; NULL: as they are. Its operators still take new values in the caller's order. In host
 * memory, wherever `matrix` lies. */
HEDDLE_API heddle_status heddle_matrix_permute(const heddle_matrix* matrix, const int32_t* row_order,
                                               const int32_t* column_order, heddle_keep_going keep_going, void* context,
                                               heddle_matrix** permuted);
HEDDLE_API void heddle_matrix_destroy(heddle_matrix* matrix);

/* ---- operators */
typedef struct {
  size_t size;
  const char* plan;         /* "sell C=32 sigma=1024"; NULL, "auto": the library chooses */
  const char* effort;       /* of choosing: NULL, "model", "measure", "exhaustive" */
  double products;          /* how many are expected; 0: many */
  heddle_device device;     /* where to store and multiply; HEDDLE_AUTO: the first GPU, or the CPU without one */
  int32_t transposed;       /* 1: products with the transpose are wanted; it is stored as well */
  int32_t updates;          /* 1: the values will change */
  int32_t right_hand_sides; /* the most vectors of heddle_multiply_many */
  int32_t no_reorder;       /* 1: no plan that reorders the matrix inside */
  int32_t no_cache;         /* 1: measured choices are neither remembered nor taken from the cache */
  heddle_keep_going keep_going;
  void* context;
} heddle_options;

/* `options` may be NULL, here and below. */
HEDDLE_API heddle_status heddle_operator_create(const heddle_matrix* matrix, const heddle_options* options,
                                                heddle_operator** result);
/* What would be chosen and why: all candidates with bytes and seconds. Nothing is stored. */
HEDDLE_API heddle_status heddle_choose_json(const heddle_matrix* matrix, const heddle_options* options, char* text,
                                            int64_t capacity, int64_t* length);
typedef struct {
  size_t size;
  int64_t rows, cols, nnz; /* nnz: entries that are stored */
  int64_t values;          /* how many heddle_operator_update takes */
  int64_t bytes;           /* on the device */
  heddle_type type;
  heddle_device device;
  int32_t transposed, updates, right_hand_sides;
} heddle_operator_info;
HEDDLE_API heddle_status heddle_operator_get_info(const heddle_operator* op, heddle_operator_info* info);
HEDDLE_API heddle_status heddle_operator_plan(const heddle_operator* op, char* text, int64_t capacity, int64_t* length);
/* The plan, why it was chosen, what else there was, and which conversions the arrays went through. */
HEDDLE_API heddle_status heddle_operator_explain_json(const heddle_operator* op, char* text, int64_t capacity,
                                                      int64_t* length);
HEDDLE_API heddle_status heddle_operator_restore(const heddle_operator* op, heddle_keep_going keep_going, void* context,
                                                 heddle_matrix** matrix);
/* New values on the old pattern, in the order of the arrays the matrix was made from, whatever became of them. The first
 * update of an operator made without `updates` takes long. */
HEDDLE_API heddle_status heddle_operator_update(heddle_operator* op, const void* values, heddle_stream stream);
/* The same for a caller who knows where the values lie: the driver is not asked, and nothing checks it. */
typedef int32_t heddle_memory;
enum { HEDDLE_DETECT = 0, HEDDLE_HOST_MEMORY = 1, HEDDLE_DEVICE_MEMORY = 2 };
HEDDLE_API heddle_status heddle_operator_update_known(heddle_operator* op, heddle_memory memory, const void* values,
                                                      heddle_stream stream);
HEDDLE_API void heddle_operator_destroy(heddle_operator* op);

/* ---- products */
/* y = A x. They must not overlap. */
HEDDLE_API heddle_status heddle_multiply(const heddle_operator* op, const void* x, void* y, heddle_stream stream);
/* y = alpha A x + beta y; with `transposed`, A' in place of A. beta = 0 does not read y. */
HEDDLE_API heddle_status heddle_multiply_add(const heddle_operator* op, int32_t transposed, double alpha, const void* x,
                                             double beta, void* y, heddle_stream stream);
/* The same for a caller who knows where x and y lie. */
HEDDLE_API heddle_status heddle_multiply_known(const heddle_operator* op, heddle_memory memory, int32_t transposed,
                                               double alpha, const void* x, double beta, void* y, heddle_stream stream);
typedef struct {
  void* data;             /* element i of vector j: data[i * element_stride + j * vector_stride] */
  int64_t element_stride; /* one of the two is 1 */
  int64_t vector_stride;
} heddle_vectors;
HEDDLE_API heddle_status heddle_multiply_many(const heddle_operator* op, int32_t transposed, int64_t count,
                                              double alpha, const heddle_vectors* x, double beta,
                                              const heddle_vectors* y, heddle_stream stream);
HEDDLE_API heddle_status heddle_multiply_many_known(const heddle_operator* op, heddle_memory memory, int32_t transposed,
                                                    int64_t count, double alpha, const heddle_vectors* x, double beta,
                                                    const heddle_vectors* y, heddle_stream stream);

/* ---- work that is queued again and again */
/* Queues its work on `stream`. Non-zero: it failed. */
typedef int32_t (*heddle_work)(void* context, heddle_stream stream);
/* On a GPU a CUDA graph of what `work` queues: products whose vectors lie on the device, updates from there, kernels
 * of your own. It is called once, by this function; operators and vectors must outlive the recording. On other devices
 * heddle_recording_run calls it every time. */
HEDDLE_API heddle_status heddle_recording_create(heddle_device device, heddle_work work, void* context,
                                                 heddle_recording** result);
HEDDLE_API heddle_status heddle_recording_run(const heddle_recording* recording, heddle_stream stream);
HEDDLE_API void heddle_recording_destroy(heddle_recording* recording);

/* ---- a number of products that is not known beforehand */
/* Returns when csr is stored. Another thread chooses by the options, stores, and from then on products are by that
 * plan. That thread calls keep_going. `plan`, `transposed`, `updates` and `right_hand_sides` must be 0 here. The matrix
 * is copied. */
HEDDLE_API heddle_status heddle_overlapped_create(const heddle_matrix* matrix, const heddle_options* options,
                                                  heddle_overlapped** result);
/* y = alpha A x + beta y. The two plans add up a row in different orders: until it is settled, the bits of y depend on
 * when that is. */
HEDDLE_API heddle_status heddle_overlapped_multiply(const heddle_overlapped* overlapped, double alpha, const void* x,
                                                    double beta, void* y, heddle_stream stream);
/* 1: the plan will not change any more. */
HEDDLE_API heddle_status heddle_overlapped_settled(const heddle_overlapped* overlapped, int32_t* settled);
/* Of the plan there is by now. */
HEDDLE_API heddle_status heddle_overlapped_plan(const heddle_overlapped* overlapped, char* text, int64_t capacity,
                                                int64_t* length);
/* Waits until it is settled, and gives the last operator away: what is left can be destroyed alone. *failure (NULL is
 * allowed) is why storing by a better plan failed, "" where it did not; it is good until `overlapped` is destroyed. */
HEDDLE_API heddle_status heddle_overlapped_take(heddle_overlapped* overlapped, heddle_operator** result,
                                                const char** failure);
HEDDLE_API void heddle_overlapped_destroy(heddle_overlapped* overlapped);

/* ---- solvers */
typedef struct {
  size_t size;
  int32_t block, degree, power, positive; /* see docs/solvers.md */
  double strength;
  int32_t smoothing, coarsest;
  int32_t double_cycle, host_setup; /* of amg: 1 asks for it */
  int32_t updates;                  /* of amg: 1, heddle_preconditioner_update will be called */
  int32_t near_nullspace_count;     /* of amg: up to 8 vectors of `rows` numbers that A maps to nearly zero */
  const double* near_nullspace;     /* one after the other; NULL: constants. heddle_rigid_body_modes makes them */
  heddle_keep_going keep_going;     /* asked while it is made */
  void* context;
} heddle_preconditioner_options;
/* How bodies move without being deformed: 3 vectors for nodes in the plane (dimension = 2), 6 in space (3), one after
 * the other, each of nodes * dimension numbers. coordinates: those of a node after the other. */
HEDDLE_API heddle_status heddle_rigid_body_modes(const double* coordinates, int64_t nodes, int32_t dimension,
                                                 double* modes);

/* Called by the calling thread whenever the host looks at the residual; non-zero ends the solve with the verdict
 * HEDDLE_STOPPED_BY_CALLER, x is the iterate then. `x`: with want_iterate the iterate, in host memory that is good
 * until this returns; else NULL. */
typedef int32_t (*heddle_solve_progress)(void* context, int64_t iteration, double residual, double target,
                                         const void* x);
/* Gets the history of column `column`, all of it: |b - A x| / |b| before the first iteration and after each, good until
 * this returns. */
typedef void (*heddle_take_history)(void* context, int64_t column, const double* residuals, int64_t count);
typedef struct {
  size_t size;
  const char* method;         /* NULL: "auto"; "cg", "minres", "bicgstab", "gmres" */
  const char* preconditioner; /* NULL: "none"; "jacobi", "block_jacobi", "chebyshev", "fsai", "spai", "amg"; "auto" */
  const heddle_preconditioner_options* preconditioner_options;
  const heddle_preconditioner* own; /* takes precedence over the name */
  const heddle_matrix* matrix;      /* spares restoring it from the operator */
  double tolerance;                 /* |b - A x| <= max(tolerance |b|, absolute_tolerance); 0: 1e-8, float 1e-5 */
  double absolute_tolerance;
  int32_t only_absolute;  /* 1: tolerance is 0 indeed */
  int32_t restart;        /* gmres: vectors kept */
  int64_t max_iterations; /* 0: 10 n, at most 100,000; -1: none, the residual alone */
  int32_t check_every;    /* iterations between two looks at the residual; 0: by the device */
  int32_t graph;          /* CUDA graphs: 0 where faster, 1 never, 2 always */
  heddle_stream stream;
  heddle_keep_going keep_going; /* asked before, during and after the set-up, and whenever progress is called */
  heddle_solve_progress progress;
  void* context;        /* of all callbacks here */
  int32_t want_iterate; /* 1: progress gets x, a copy every time */
  int64_t history_capacity;
  double* history;                  /* room for so many residuals, or NULL */
  heddle_take_history take_history; /* called once the answers are there, for each */
} heddle_solve_options;

typedef int32_t heddle_verdict;
enum {
  HEDDLE_CONVERGED = 0,
  HEDDLE_MAX_ITERATIONS = 1,
  HEDDLE_BREAKDOWN = 2,
  HEDDLE_STAGNATED = 3,
  HEDDLE_INDEFINITE = 4,
  HEDDLE_NOT_FINITE = 5,
  HEDDLE_STOPPED_BY_CALLER = 6
};
typedef struct {
  size_t size;
  heddle_verdict verdict;
  int64_t iterations;
  int64_t history_length;         /* how many residuals there are */
  double residual, true_residual; /* relative to |b|: carried along, and recomputed from x */
  double rhs_norm;
  double setup_seconds, seconds;
  char method[16], preconditioner[64], reason[256];
  double loading_seconds;          /* loading kernels, once in a process */
  int64_t minres_from;             /* "auto": iterations of cg before minres went on; -1: it did not */
  char preconditioner_reason[256]; /* why "auto" took it, or why it was dropped */
} heddle_report;

/* z = M r in the device's memory. Non-zero: it failed. */
typedef int32_t (*heddle_apply)(void* context, const void* r, void* z, heddle_stream stream);

/* x is the first guess and becomes the solution. HEDDLE_OK when the question made sense: whether x is a solution is in
 * the report, which may be NULL. */
HEDDLE_API heddle_status heddle_solve(const heddle_operator* op, const void* b, void* x,
                                      const heddle_solve_options* options, heddle_report* report);
/* Column j of B and X begins at b + j rows, its history at history + j history_capacity; `reports` has `count`
 * elements, each with its size set, the same in all, or is NULL. The preconditioner is made once. */
HEDDLE_API heddle_status heddle_solve_many(const heddle_operator* op, int64_t count, const void* b, void* x,
                                           const heddle_solve_options* options, heddle_report* reports);
/* A square matrix that is known by its product alone. `symmetric` and `positive_definite` are what the method "auto"
 * goes by. */
typedef struct {
  size_t size;
  int64_t rows;
  heddle_type type;
  heddle_device device;
  int32_t symmetric, positive_definite;
  heddle_apply multiply;
  void* context;
} heddle_matrix_free;
/* The preconditioner is none or one of your own. */
HEDDLE_API heddle_status heddle_solve_matrix_free(const heddle_matrix_free* matrix, const void* b, void* x,
                                                  const heddle_solve_options* options, heddle_report* report);
/* For as many solves as you like, one at a time. The operator must outlive it. `matrix` may be NULL: it is restored
 * then. */
HEDDLE_API heddle_status heddle_preconditioner_create(const heddle_operator* op, const heddle_matrix* matrix,
                                                      const char* name, const heddle_preconditioner_options* options,
                                                      heddle_preconditioner** result);
/* One of your own, on vectors of `rows` elements. An error of it ends the solve. symmetric: cg and minres take it.
 * varies: not the same linear map every time (gmres alone takes it). */
HEDDLE_API heddle_status heddle_preconditioner_create_own(heddle_type type, int64_t rows, heddle_apply apply,
                                                          int32_t symmetric, int32_t varies,
                                                          void (*release)(void* context), void* context,
                                                          heddle_preconditioner** result);
/* z = M^-1 r; vectors of the host or of the operator's device. Your own gets them as they are. */
HEDDLE_API heddle_status heddle_preconditioner_apply(const heddle_preconditioner* preconditioner, const void* r,
                                                     void* z, heddle_stream stream);
/* {"name": ..., "grids": [{"rows", "nnz", "plan", "interpolated"}, ...]}: grids of an amg, the finest first. */
HEDDLE_API heddle_status heddle_preconditioner_json(const heddle_preconditioner* preconditioner, char* text,
                                                    int64_t capacity, int64_t* length);
/* New values of its matrix, as heddle_operator_update takes them; the operator needs them as well. For an amg that was
 * made with `updates`: aggregates stay, and *changed (NULL is allowed) is how many couplings are strong now and were
 * not, or the other way round. HEDDLE_UNAVAILABLE where a new one must be made. After HEDDLE_STOPPED it is neither the
 * old nor the new one: update it again before it is used. */
HEDDLE_API heddle_status heddle_preconditioner_update(heddle_preconditioner* preconditioner, const void* values,
                                                      heddle_keep_going keep_going, void* context, int64_t* changed);
HEDDLE_API void heddle_preconditioner_destroy(heddle_preconditioner* preconditioner);

#ifdef __cplusplus
}
#endif
#endif
