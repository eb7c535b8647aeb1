// cuSPARSE as a peer, without a GPU: the way it is loaded, and what is handed to it. Stand-ins of its functions
// multiply with the arrays as its manual describes them, in "GPU" memory that is host memory.
#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#ifdef HEDDLE_HAS_CUSPARSE
#include <cstdlib>
#include <cstring>

#include "bench/results.hpp"
#include "peers/cusparse_table.hpp"
#include "peers/peer_cusparse.hpp"
#include "simt/cuda_table.hpp"
#include "support/zoo.hpp"

// cuSPARSE declares these and keeps them to itself.
struct cusparseContext {
  cudaStream_t stream = nullptr;
};
struct cusparseDnVecDescr {
  std::int64_t size = 0;
  double* values = nullptr;
};
struct cusparseSpMatDescr {
  cusparseFormat_t format;
  std::int64_t rows, cols, nnz, stored = 0, side = 1;  // rows and columns of blocks where there are blocks
  const void* start = nullptr;
  const std::int32_t *row = nullptr, *col = nullptr;
  const double* val = nullptr;
  bool wide = false, prepared = false;

  std::int64_t start_at(std::int64_t i) const {
    return wide ? static_cast<const std::int64_t*>(start)[i] : static_cast<const std::int32_t*>(start)[i];
  }
};

// Ours by name alone: the planned product's own objects.
namespace heddle::bench {
struct CusparseOpDescriptor {
  cusparseConstSpMatDescr_t A;
};
struct CusparseOpPlan {
  cusparseConstSpMatDescr_t A;
};

namespace {

std::int64_t calls = 0, fail_at = -1, alive = 0;
cudaStream_t used_stream = nullptr;
std::int64_t used_side = 0;  // of blocks or slices
bool capturing = false, may_be_captured = true;
int graphs_alive = 0, replays = 0;

bool fails() { return calls++ == fail_at; }

template <class T>
cusparseStatus_t give(T** to, auto value) {
  if (fails()) return CUSPARSE_STATUS_INTERNAL_ERROR;
  ++alive;
  auto* made = new decltype(value)(value);
  *to = made;
  return CUSPARSE_STATUS_SUCCESS;
}

template <class T>
cusparseStatus_t take(T* object) {
  --alive;
  delete object;
  return CUSPARSE_STATUS_SUCCESS;
}

const double* doubles(const void* values) { return static_cast<const double*>(values); }
const std::int32_t* numbers(const void* values) { return static_cast<const std::int32_t*>(values); }

void add_rows(const cusparseSpMatDescr& A, const double* x, double* y) {
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (std::int64_t k = A.start_at(row); k < A.start_at(row + 1); ++k) y[row] += A.val[k] * x[A.col[k]];
}

void add_coordinates(const cusparseSpMatDescr& A, const double* x, double* y) {
  for (std::int64_t k = 0; k < A.nnz; ++k) y[A.row[k]] += A.val[k] * x[A.col[k]];
}

void add_slices(const cusparseSpMatDescr& A, const double* x, double* y) {
  for (std::int64_t row = 0; row < A.rows; ++row) {
    const std::int64_t s = row / A.side;
    for (std::int64_t k = A.start_at(s) + row % A.side; k < A.start_at(s + 1); k += A.side)
      if (A.col[k] != -1) y[row] += A.val[k] * x[A.col[k]];
  }
}

void add_blocks(const cusparseSpMatDescr& A, const double* x, double* y) {
  for (std::int64_t b = 0; b < A.rows; ++b)
    for (std::int64_t k = A.start_at(b); k < A.start_at(b + 1); ++k)
      for (std::int64_t i = 0; i < A.side; ++i)
        for (std::int64_t j = 0; j < A.side; ++j)
          y[b * A.side + i] += A.val[(k * A.side + i) * A.side + j] * x[A.col[k] * A.side + j];
}

cusparseStatus_t stand_in_multiply(cusparseHandle_t handle, cusparseOperation_t, const void* alpha,
                                   cusparseConstSpMatDescr_t A, cusparseConstDnVecDescr_t x, const void* beta,
                                   cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t, void* workspace) {
  if (fails() || (capturing && !may_be_captured)) return CUSPARSE_STATUS_EXECUTION_FAILED;
  const bool blocks = A->format == CUSPARSE_FORMAT_BSR;
  if (*doubles(alpha) != 1 || *doubles(beta) != 0 || type != CUDA_R_64F || workspace == nullptr || !A->prepared ||
      x->size != A->cols * (blocks ? A->side : 1) || y->size != A->rows * (blocks ? A->side : 1))
    return CUSPARSE_STATUS_INVALID_VALUE;
  used_stream = handle->stream;
  used_side = A->side;
  std::fill(y->values, y->values + y->size, 0.0);
  const auto add = A->format == CUSPARSE_FORMAT_CSR   ? add_rows
                   : A->format == CUSPARSE_FORMAT_COO ? add_coordinates
                   : blocks                           ? add_blocks
                                                      : add_slices;
  add(*A, x->values, y->values);
  return CUSPARSE_STATUS_SUCCESS;
}

PlannedProduct planned_stand_ins() {
  PlannedProduct p{};
  p.buffer_size = [](cusparseHandle_t, cusparseOperation_t, cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                     cusparseDnVecDescr_t, cusparseDnVecDescr_t, cudaDataType, int algorithm, std::size_t* bytes) {
    *bytes = 64;
    return fails() || algorithm < 1 || algorithm > 2 ? CUSPARSE_STATUS_NOT_SUPPORTED : CUSPARSE_STATUS_SUCCESS;
  };
  p.create_descriptor = [](cusparseHandle_t, CusparseOpDescriptor** made, cusparseOperation_t,
                           cusparseConstSpMatDescr_t A, cusparseConstDnVecDescr_t, cusparseDnVecDescr_t,
                           cusparseDnVecDescr_t, cudaDataType, int, void* buffer) {
    return buffer == nullptr ? CUSPARSE_STATUS_INVALID_VALUE : give(made, CusparseOpDescriptor{A});
  };
  p.destroy_descriptor = [](CusparseOpDescriptor* descriptor) { return take(descriptor); };
  p.create_plan = [](cusparseHandle_t, CusparseOpDescriptor* descriptor, CusparseOpPlan** made, const void*,
                     std::size_t) { return give(made, CusparseOpPlan{descriptor->A}); };
  p.destroy_plan = [](CusparseOpPlan* plan) { return take(plan); };
  p.multiply = [](cusparseHandle_t handle, CusparseOpPlan* plan, const void* alpha, const void* beta,
                  cusparseConstDnVecDescr_t x, cusparseConstDnVecDescr_t, cusparseDnVecDescr_t z) {
    if (fails() || (capturing && !may_be_captured)) return CUSPARSE_STATUS_EXECUTION_FAILED;
    if (*doubles(alpha) != 1 || *doubles(beta) != 0) return CUSPARSE_STATUS_INVALID_VALUE;
    used_stream = handle->stream;
    std::fill(z->values, z->values + z->size, 0.0);
    add_rows(*plan->A, x->values, z->values);
    return CUSPARSE_STATUS_SUCCESS;
  };
  return p;
}

CusparseTable stand_ins() {
  CusparseTable t{};
  t.planned = planned_stand_ins();
  t.get_error_string = [](cusparseStatus_t) { return "made to fail"; };
  t.create = [](cusparseHandle_t* handle) { return give(handle, cusparseContext{}); };
  t.destroy = [](cusparseHandle_t handle) { return take(handle); };
  t.set_stream = [](cusparseHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return fails() ? CUSPARSE_STATUS_NOT_INITIALIZED : CUSPARSE_STATUS_SUCCESS;
  };
  t.create_csr = [](cusparseConstSpMatDescr_t* made, int64_t rows, int64_t cols, int64_t nnz, const void* ptr,
                    const void* col, const void* val, cusparseIndexType_t type, cusparseIndexType_t,
                    cusparseIndexBase_t, cudaDataType) {
    return give(made, cusparseSpMatDescr{.format = CUSPARSE_FORMAT_CSR,
                                         .rows = rows,
                                         .cols = cols,
                                         .nnz = nnz,
                                         .start = ptr,
                                         .col = numbers(col),
                                         .val = doubles(val),
                                         .wide = type == CUSPARSE_INDEX_64I});
  };
  t.create_coo = [](cusparseConstSpMatDescr_t* made, int64_t rows, int64_t cols, int64_t nnz, const void* row,
                    const void* col, const void* val, cusparseIndexType_t, cusparseIndexBase_t, cudaDataType) {
    return give(made, cusparseSpMatDescr{.format = CUSPARSE_FORMAT_COO,
                                         .rows = rows,
                                         .cols = cols,
                                         .nnz = nnz,
                                         .row = numbers(row),
                                         .col = numbers(col),
                                         .val = doubles(val)});
  };
  t.create_sliced_ell = [](cusparseConstSpMatDescr_t* made, int64_t rows, int64_t cols, int64_t nnz, int64_t stored,
                           int64_t slice, const void* start, const void* col, const void* val, cusparseIndexType_t type,
                           cusparseIndexType_t, cusparseIndexBase_t, cudaDataType) {
    return give(made, cusparseSpMatDescr{.format = CUSPARSE_FORMAT_SLICED_ELLPACK,
                                         .rows = rows,
                                         .cols = cols,
                                         .nnz = nnz,
                                         .stored = stored,
                                         .side = slice,
                                         .start = start,
                                         .col = numbers(col),
                                         .val = doubles(val),
                                         .wide = type == CUSPARSE_INDEX_64I});
  };
  t.create_bsr = [](cusparseConstSpMatDescr_t* made, int64_t rows, int64_t cols, int64_t blocks, int64_t r, int64_t,
                    const void* start, const void* col, const void* val, cusparseIndexType_t type, cusparseIndexType_t,
                    cusparseIndexBase_t, cudaDataType, cusparseOrder_t) {
    return give(made, cusparseSpMatDescr{.format = CUSPARSE_FORMAT_BSR,
                                         .rows = rows,
                                         .cols = cols,
                                         .nnz = blocks,
                                         .side = r,
                                         .start = start,
                                         .col = numbers(col),
                                         .val = doubles(val),
                                         .wide = type == CUSPARSE_INDEX_64I});
  };
  t.destroy_matrix = [](cusparseConstSpMatDescr_t matrix) { return take(matrix); };
  t.create_input = [](cusparseConstDnVecDescr_t* made, int64_t size, const void* values, cudaDataType) {
    return give(made, cusparseDnVecDescr{size, const_cast<double*>(doubles(values))});
  };
  t.create_output = [](cusparseDnVecDescr_t* made, int64_t size, void* values, cudaDataType) {
    return give(made, cusparseDnVecDescr{size, static_cast<double*>(values)});
  };
  t.destroy_vector = [](cusparseConstDnVecDescr_t vector) { return take(vector); };
  t.buffer_size = [](cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                     cusparseConstDnVecDescr_t, const void*, cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t,
                     std::size_t* bytes) {
    *bytes = 0;
    return fails() ? CUSPARSE_STATUS_NOT_SUPPORTED : CUSPARSE_STATUS_SUCCESS;
  };
  t.preprocess = [](cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t A,
                    cusparseConstDnVecDescr_t, const void*, cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t,
                    void*) {
    const_cast<cusparseSpMatDescr*>(A)->prepared = true;
    return A->format == CUSPARSE_FORMAT_CSR && !fails() ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
  };
  t.multiply = stand_in_multiply;
  return t;
}

simt::CudaTable host_as_gpu() {
  simt::CudaTable t = simt::real_cuda_table();
  t.get_device = [](int* d) { return *d = 0, cudaSuccess; };
  t.set_device = [](int) { return cudaSuccess; };
  t.malloc = [](void** p, std::size_t n) { return *p = std::malloc(n), cudaSuccess; };
  t.free = [](void* p) { return std::free(p), cudaSuccess; };
  t.pool_create = [](cudaMemPool_t*, int, std::uint64_t) { return cudaErrorNotSupported; };
  t.memcpy = [](void* to, const void* from, std::size_t n, cudaMemcpyKind) {
    return std::memcpy(to, from, n), cudaSuccess;
  };
  t.memset_async = [](void*, int, std::size_t, cudaStream_t) { return cudaSuccess; };
  t.launch_kernel = [](const void*, dim3, dim3, void**, std::size_t, cudaStream_t) { return cudaSuccess; };
  t.launch_early = [](const void*, dim3, dim3, void**, std::size_t, cudaStream_t) { return cudaSuccess; };
  t.launch_clusters = [](const void*, dim3, dim3, unsigned, void**, std::size_t, cudaStream_t) { return cudaSuccess; };
  t.stream_create = [](cudaStream_t* s) { return *s = nullptr, cudaSuccess; };
  t.stream_destroy = [](cudaStream_t) { return cudaSuccess; };
  t.stream_synchronize = [](cudaStream_t) { return cudaSuccess; };
  t.event_create = [](cudaEvent_t* e, unsigned) { return *e = nullptr, cudaSuccess; };
  t.event_destroy = [](cudaEvent_t) { return cudaSuccess; };
  t.event_record = [](cudaEvent_t, cudaStream_t) { return cudaSuccess; };
  t.event_synchronize = [](cudaEvent_t) { return cudaSuccess; };
  t.event_elapsed_time = [](float* ms, cudaEvent_t, cudaEvent_t) { return *ms = 0.25f, cudaSuccess; };
  t.stream_begin_capture = [](cudaStream_t, cudaStreamCaptureMode) { return capturing = true, cudaSuccess; };
  t.stream_end_capture = [](cudaStream_t, cudaGraph_t* g) {
    capturing = false, ++graphs_alive, *g = reinterpret_cast<cudaGraph_t>(&graphs_alive);
    return cudaSuccess;
  };
  t.graph_instantiate = [](cudaGraphExec_t* e, cudaGraph_t) { return *e = nullptr, cudaSuccess; };
  t.graph_launch = [](cudaGraphExec_t, cudaStream_t) { return ++replays, cudaSuccess; };
  t.graph_destroy = [](cudaGraph_t) { return --graphs_alive, cudaSuccess; };
  t.get_last_error = [] { return cudaSuccess; };
  return t;
}

class CusparsePeers : public testing::Test {
 protected:
  CusparsePeers() {
    simt::cuda_table() = host_as_gpu();
    calls = 0, fail_at = -1, alive = 0;
    may_be_captured = true, replays = 0;
  }
  ~CusparsePeers() override { simt::cuda_table() = simt::real_cuda_table(); }

  // y = A x by the peer, y poisoned before.
  std::vector<double> product(const std::string& name, const Csr<double>& A, std::span<const double> x) {
    const auto there = Buffer<double>::copy_of(x, Device::gpu());
    std::vector<double> y(static_cast<std::size_t>(A.rows), std::nan(""));
    auto y_there = Buffer<double>::copy_of(y, Device::gpu());
    const auto peer = make_cusparse<double>(name, Device::gpu(), &table);
    peer->prepare(A.view(), there, y_there);
    peer->multiply(Stream{&calls});
    EXPECT_GT(peer->bytes(), 0);
    std::memcpy(y.data(), y_there.data(), y_there.bytes());
    return y;
  }

  CusparseTable table = stand_ins();
};

// n rows and columns of full k x k blocks, two in a block row.
Csr<double> blocked(std::int64_t n, Index k) {
  std::vector<test::Entry> entries;
  test::Dice dice(7);
  for (Index row = 0; row < n; ++row)
    for (const Index block : {row / k, static_cast<Index>((row / k + 3) % (n / k))})
      for (Index j = 0; j < k; ++j) entries.push_back({row, block * k + j, dice.integer()});
  return test::from_entries(n, n, entries);
}

TEST_F(CusparsePeers, multiply_every_specimen_as_the_reference_does) {
  int multiplied = 0;
  for (const test::Specimen& specimen : test::zoo(test::Zoo::small)) {
    if (specimen.A.nnz() == 0) continue;
    const Reference<double> reference(specimen.A.view());
    for (const std::string& name : cusparse_names(table)) {
      SCOPED_TRACE(name + " on " + specimen.name);
      try {
        EXPECT_EQ(reference.compare(product(name, specimen.A, reference.x())).row, -1);
        ++multiplied;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable) << error.what();
        EXPECT_EQ(name, "cusparse:bsr");
      }
    }
  }
  EXPECT_GT(multiplied, 20);
  EXPECT_EQ(alive, 0);
}

TEST_F(CusparsePeers, work_on_the_stream_they_are_given) {
  const Csr<double> A = blocked(12, 2);
  for (const std::string& name : cusparse_names(table)) {
    used_stream = nullptr;
    product(name, A, std::vector<double>(12, 1));
    EXPECT_EQ(used_stream, reinterpret_cast<cudaStream_t>(&calls)) << name;
  }
}

TEST_F(CusparsePeers, take_the_largest_blocks_that_are_full) {
  for (const Index side : {2, 3, 4, 6}) {
    const Csr<double> A = blocked(60, side);
    const Reference<double> reference(A.view());
    EXPECT_EQ(reference.compare(product("cusparse:bsr", A, reference.x())).row, -1) << side;
    EXPECT_EQ(used_side, side);
  }
}

TEST_F(CusparsePeers, leave_blocks_out_where_they_do_not_fill_or_do_not_divide_the_matrix) {
  const Csr<double> diagonal = test::with_lengths(std::vector<std::int64_t>(60, 1), 60, 3);
  EXPECT_THROW(product("cusparse:bsr", diagonal, std::vector<double>(60, 1)), Error);
  const Csr<double> odd = test::with_lengths(std::vector<std::int64_t>(7, 7), 7, 3);  // dense, 7 x 7
  EXPECT_THROW(product("cusparse:bsr", odd, std::vector<double>(7, 1)), Error);
}

TEST_F(CusparsePeers, report_every_failing_call_and_leave_nothing_behind) {
  const Csr<double> A = blocked(12, 2);
  for (const std::string& name : cusparse_names(table)) {
    int reported = 0;
    bool done = false;
    for (std::int64_t at = 0; !done; ++at) {
      ASSERT_LT(at, 50);
      calls = 0, fail_at = at;
      try {
        product(name, A, std::vector<double>(12, 1));
        done = calls <= at;
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("made to fail"), std::string::npos) << error.what();
        ++reported;
      }
      EXPECT_EQ(alive, 0) << name << " when call " << at << " failed";
    }
    EXPECT_GE(reported, 7) << name;
  }
}

TEST_F(CusparsePeers, are_timed_in_a_graph_or_without_where_they_cannot_be_captured) {
  const Csr<double> A = blocked(12, 2);
  const Reference<double> reference(A.view());
  for (const bool possible : {true, false}) {
    may_be_captured = possible, replays = 0;
    const auto peer = make_cusparse<double>("cusparse:csr_alg1", Device::gpu(), &table);
    const Result result = bench_peer(A, *peer, reference, {.device = Device::gpu(), .seconds = 0.004, .cold = true});
    EXPECT_EQ(result.status, "ok");
    EXPECT_NEAR(result.seconds, 0.25e-3 / 4, 1e-9);  // a call takes 0.25 ms, a sample of four the same
    EXPECT_NEAR(result.cold_seconds, 0.25e-3, 1e-9);
    EXPECT_EQ(replays > 0, possible);
    EXPECT_EQ(graphs_alive, 0);
    EXPECT_FALSE(capturing);
  }
}

TEST(CusparseLibrary, that_does_not_exist_is_absent) {
  const CusparseLibrary library = load_cusparse({"libno_such_cusparse.so", "/no/such/folder/libcusparse.so"});
  EXPECT_NE(library.absence.find("libno_such_cusparse.so"), std::string::npos) << library.absence;
}

TEST(CusparseLibrary, without_its_functions_is_absent) {
  const CusparseLibrary library = load_cusparse({"libno_such_cusparse.so", "libm.so.6"});
  EXPECT_EQ(library.absence, "libm.so.6 has no cusparseGetProperty");
}

TEST(CusparseLibrary, that_the_environment_names_is_the_only_one_asked) {
  // Whatever this machine has: in a process of its own, since a library is loaded once.
  EXPECT_EXIT(
      {
        setenv("HEDDLE_CUSPARSE", "/no/such/libcusparse.so", 1);
        std::fprintf(stderr, "%s", cusparse_library().absence.c_str());
        std::exit(cusparse_library().absence.empty() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "/no/such/libcusparse.so");
}

TEST(CusparseLibrary, of_this_machine_has_every_function_or_says_why_not) {
  const CusparseLibrary& library = cusparse_library();
  if (!library.absence.empty()) GTEST_SKIP() << library.absence;
  EXPECT_NE(library.table.create, nullptr);
  EXPECT_NE(library.table.multiply, nullptr);
  EXPECT_EQ(library.version.rfind(std::to_string(CUSPARSE_VER_MAJOR) + ".", 0), 0u) << library.version;
}

TEST_F(CusparsePeers, have_planned_products_only_where_the_library_has_them) {
  EXPECT_EQ(cusparse_names(table).size(), 8u);
  table.planned = {};
  EXPECT_EQ(cusparse_names(table).size(), 6u);
  EXPECT_THROW(make_cusparse<double>("cusparse:op_alg1", Device::gpu(), &table), Error);
}

TEST(CusparseNames, are_those_of_every_algorithm) {
  EXPECT_EQ(cusparse_names(CusparseTable{}),
            (std::vector<std::string>{"cusparse:csr_alg1", "cusparse:csr_alg2", "cusparse:coo_alg1",
                                      "cusparse:coo_alg2", "cusparse:sell32", "cusparse:bsr"}));
}

}  // namespace
}  // namespace heddle::bench

#else

TEST(CusparsePeers, need_a_build_with_cusparse) { GTEST_SKIP() << "built without cuSPARSE"; }

#endif
