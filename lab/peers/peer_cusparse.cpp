// Compiled only where cusparse.h is found.
#include "peers/peer_cusparse.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/gpu.hpp"
#include "core/stopwatch.hpp"
#include "peers/cusparse_matrix.hpp"
#include "simt/cuda_table.hpp"

namespace heddle::bench {

namespace {

enum class Layout { csr, coo, sliced_ell, bsr };

struct Algorithm {
  const char* name;
  Layout layout;
  cusparseSpMVAlg_t id;
  int planned = 0;  // by the planned product and this algorithm of it
};

// CUSPARSE_SPMV_ALG_DEFAULT is the first of each layout.
constexpr Algorithm algorithms[] = {
    {"cusparse:csr_alg1", Layout::csr, CUSPARSE_SPMV_CSR_ALG1},
    {"cusparse:csr_alg2", Layout::csr, CUSPARSE_SPMV_CSR_ALG2},
    {"cusparse:coo_alg1", Layout::coo, CUSPARSE_SPMV_COO_ALG1},
    {"cusparse:coo_alg2", Layout::coo, CUSPARSE_SPMV_COO_ALG2},
    {"cusparse:sell32", Layout::sliced_ell, CUSPARSE_SPMV_SELL_ALG1},
    {"cusparse:bsr", Layout::bsr, CUSPARSE_SPMV_BSR_ALG1},
    {"cusparse:op_alg1", Layout::csr, CUSPARSE_SPMV_ALG_DEFAULT, PlannedProduct::algorithm1},
    {"cusparse:op_alg2", Layout::csr, CUSPARSE_SPMV_ALG_DEFAULT, PlannedProduct::algorithm2},
};

template <class V>
CusparseMatrix<V> converted(Layout layout, const CusparseTable& table, const CsrView<V>& A, Device device) {
  switch (layout) {
    case Layout::coo: return cusparse_coo(table, A, device);
    case Layout::sliced_ell: return cusparse_sliced_ell(table, A, device);
    case Layout::bsr: return cusparse_bsr(table, A, device);
    default: return cusparse_csr(table, A, device);
  }
}

// What both kinds of products share: the library's handle, the matrix, x and y.
template <class V>
class CusparsePeer : public Peer<V> {
 public:
  CusparsePeer(const Algorithm& chosen, Device gpu, const CusparseTable& functions)
      : algorithm(chosen), where(gpu), table(functions) {
    simt::check_cuda(simt::cuda_table().set_device(where.ordinal), "selecting the GPU");
    cusparseHandle_t made = nullptr;
    check_cusparse(table, table.create(&made), "starting cuSPARSE");
    handle = {made, table.destroy};
  }

  std::string name() const override { return algorithm.name; }
  Device device() const override { return where; }

  void prepare(const CsrView<V>& A, std::span<const V> given_x, std::span<V> given_y) override {
    check(A.nnz() > 0, ErrorKind::unavailable, "cuSPARSE is not asked about a matrix without entries");
    matrix = converted(algorithm.layout, table, A, where);
    describe_vectors(given_x, given_y);
    gpu::synchronize({});
    const WallClock clock;
    std::size_t bytes = 0;
    check_cusparse(table, ask_for_workspace(&bytes), "asking for the size of the workspace");
    workspace = Buffer<char>(std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes)), where);  // never null
    preprocess();
    gpu::synchronize({});
    planning = clock.seconds();
  }

  void multiply(Stream stream) const override {
    check_cusparse(table, table.set_stream(handle.get(), static_cast<cudaStream_t>(stream.handle)), "setting a stream");
    check_cusparse(table, product(), "multiplying");
  }

  std::int64_t bytes() const override { return matrix.bytes(); }
  double planning_seconds() const override { return planning; }

 protected:
  virtual cusparseStatus_t ask_for_workspace(std::size_t* bytes) const = 0;
  virtual void preprocess() = 0;
  virtual cusparseStatus_t product() const = 0;

  const Algorithm& algorithm;
  Device where;
  const CusparseTable& table;
  CusparseOwner<cusparseHandle_t> handle{nullptr, nullptr};
  Buffer<char> workspace;
  double planning = 0;
  CusparseMatrix<V> matrix;
  CusparseOwner<cusparseConstDnVecDescr_t> x{nullptr, nullptr};
  CusparseOwner<cusparseDnVecDescr_t, cusparseConstDnVecDescr_t> y{nullptr, nullptr};

 private:
  void describe_vectors(std::span<const V> given_x, std::span<V> given_y) {
    cusparseConstDnVecDescr_t input = nullptr;
    check_cusparse(
        table,
        table.create_input(&input, static_cast<std::int64_t>(given_x.size()), given_x.data(), cusparse_value<V>()),
        "describing x");
    x = {input, table.destroy_vector};
    cusparseDnVecDescr_t output = nullptr;
    check_cusparse(
        table,
        table.create_output(&output, static_cast<std::int64_t>(given_y.size()), given_y.data(), cusparse_value<V>()),
        "describing y");
    y = {output, table.destroy_vector};
  }
};

template <class V>
class GenericProduct final : public CusparsePeer<V> {
 public:
  using CusparsePeer<V>::CusparsePeer;

 private:
  cusparseStatus_t ask_for_workspace(std::size_t* bytes) const override {
    return with_arguments(this->table.buffer_size, bytes);
  }

  // Only rows have something to prepare; the others may refuse, and multiply all the same.
  void preprocess() override {
    const cusparseStatus_t status = with_arguments(this->table.preprocess, place());
    if (this->algorithm.layout == Layout::csr) check_cusparse(this->table, status, "preprocessing");
  }

  cusparseStatus_t product() const override { return with_arguments(this->table.multiply, place()); }

  char* place() const { return const_cast<char*>(this->workspace.data()); }

  template <class F, class Last>
  cusparseStatus_t with_arguments(F function, Last* last) const {
    const V one = 1, zero = 0;
    return function(this->handle.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, this->matrix.descriptor.get(),
                    this->x.get(), &zero, this->y.get(), cusparse_value<V>(), this->algorithm.id, last);
  }
};

// z = 1 A x + 0 y with z in the place of y. The plan counts as preparation.
template <class V>
class PlannedPeer final : public CusparsePeer<V> {
 public:
  using CusparsePeer<V>::CusparsePeer;

 private:
  using Descriptor = PlannedProduct::Descriptor;
  using Plan = PlannedProduct::Plan;

  cusparseStatus_t ask_for_workspace(std::size_t* bytes) const override {
    return functions().buffer_size(this->handle.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, this->matrix.descriptor.get(),
                                   this->x.get(), this->y.get(), this->y.get(), cusparse_value<V>(),
                                   this->algorithm.planned, bytes);
  }

  void preprocess() override {
    Descriptor described = nullptr;
    check_cusparse(
        this->table,
        functions().create_descriptor(this->handle.get(), &described, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                      this->matrix.descriptor.get(), this->x.get(), this->y.get(), this->y.get(),
                                      cusparse_value<V>(), this->algorithm.planned, this->workspace.data()),
        "describing the product");
    descriptor = {described, functions().destroy_descriptor};
    Plan made = nullptr;
    check_cusparse(this->table, functions().create_plan(this->handle.get(), described, &made, nullptr, 0), "planning");
    plan = {made, functions().destroy_plan};
  }

  cusparseStatus_t product() const override {
    const V one = 1, zero = 0;
    return functions().multiply(this->handle.get(), plan.get(), &one, &zero, this->x.get(), this->y.get(),
                                this->y.get());
  }

  const PlannedProduct& functions() const { return this->table.planned; }

  CusparseOwner<Descriptor> descriptor{nullptr, nullptr};
  CusparseOwner<Plan> plan{nullptr, nullptr};
};

}  // namespace

std::vector<std::string> cusparse_names(const CusparseTable& table) {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms)
    if (algorithm.planned == 0 || table.has_planned()) names.emplace_back(algorithm.name);
  return names;
}

std::vector<std::string> cusparse_names() { return cusparse_names(cusparse_library().table); }
std::string cusparse_version() { return cusparse_library().version; }

std::string cusparse_absence() { return cusparse_library().absence; }

template <class V>
std::unique_ptr<Peer<V>> make_cusparse(const std::string& name, Device device, const CusparseTable* table) {
  const auto* found = std::find_if(std::begin(algorithms), std::end(algorithms),
                                   [&](const Algorithm& algorithm) { return algorithm.name == name; });
  if (found == std::end(algorithms)) fail(ErrorKind::usage, At{name}, "no such peer");
  if (table == nullptr) {
    const CusparseLibrary& library = cusparse_library();
    if (!library.absence.empty()) fail(ErrorKind::unavailable, At{name}, "cuSPARSE is absent: {}", library.absence);
    table = &library.table;
  }
  if (found->planned == 0) return std::make_unique<GenericProduct<V>>(*found, device, *table);
  check(table->has_planned(), ErrorKind::unavailable, "{} needs cuSPARSE 12.8 or later", name);
  return std::make_unique<PlannedPeer<V>>(*found, device, *table);
}

template std::unique_ptr<Peer<float>> make_cusparse(const std::string&, Device, const CusparseTable*);
template std::unique_ptr<Peer<double>> make_cusparse(const std::string&, Device, const CusparseTable*);

}  // namespace heddle::bench
