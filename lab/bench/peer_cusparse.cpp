// Compiled only where cusparse.h is found.
#include "bench/peer_cusparse.hpp"

#include <algorithm>

#include "bench/cusparse_matrix.hpp"
#include "core/check.hpp"
#include "core/gpu.hpp"
#include "simt/cuda_table.hpp"

namespace heddle::bench {

namespace {

enum class Layout { csr, coo, sliced_ell, bsr };

struct Algorithm {
  const char* name;
  Layout layout;
  cusparseSpMVAlg_t id;
};

// CUSPARSE_SPMV_ALG_DEFAULT is the first of each layout.
constexpr Algorithm algorithms[] = {
    {"cusparse:csr_alg1", Layout::csr, CUSPARSE_SPMV_CSR_ALG1},
    {"cusparse:csr_alg2", Layout::csr, CUSPARSE_SPMV_CSR_ALG2},
    {"cusparse:coo_alg1", Layout::coo, CUSPARSE_SPMV_COO_ALG1},
    {"cusparse:coo_alg2", Layout::coo, CUSPARSE_SPMV_COO_ALG2},
    {"cusparse:sell32", Layout::sliced_ell, CUSPARSE_SPMV_SELL_ALG1},
    {"cusparse:bsr", Layout::bsr, CUSPARSE_SPMV_BSR_ALG1},
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
    std::size_t bytes = 0;
    check_cusparse(table, with_arguments(table.buffer_size, &bytes), "asking for the size of the workspace");
    workspace = Buffer<char>(std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes)), where);  // never null
    preprocess();
    gpu::synchronize({});
  }

  void multiply(Stream stream) const override {
    check_cusparse(table, table.set_stream(handle.get(), static_cast<cudaStream_t>(stream.handle)), "setting a stream");
    check_cusparse(table, with_arguments(table.multiply, const_cast<char*>(workspace.data())), "multiplying");
  }

  std::int64_t bytes() const override { return matrix.bytes(); }

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

  // Only rows have something to prepare; the others may refuse, and multiply all the same.
  void preprocess() const {
    const cusparseStatus_t status = with_arguments(table.preprocess, const_cast<char*>(workspace.data()));
    if (algorithm.layout == Layout::csr) check_cusparse(table, status, "preprocessing");
  }

  template <class F, class Last>
  cusparseStatus_t with_arguments(F function, Last* last) const {
    const V one = 1, zero = 0;
    return function(handle.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix.descriptor.get(), x.get(), &zero,
                    y.get(), cusparse_value<V>(), algorithm.id, last);
  }

  const Algorithm& algorithm;
  Device where;
  const CusparseTable& table;
  CusparseOwner<cusparseHandle_t> handle{nullptr, nullptr};
  Buffer<char> workspace;
  CusparseMatrix<V> matrix;
  CusparseOwner<cusparseConstDnVecDescr_t> x{nullptr, nullptr};
  CusparseOwner<cusparseDnVecDescr_t, cusparseConstDnVecDescr_t> y{nullptr, nullptr};
};

}  // namespace

std::vector<std::string> cusparse_names() {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms) names.emplace_back(algorithm.name);
  return names;
}

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
  return std::make_unique<CusparsePeer<V>>(*found, device, *table);
}

template std::unique_ptr<Peer<float>> make_cusparse(const std::string&, Device, const CusparseTable*);
template std::unique_ptr<Peer<double>> make_cusparse(const std::string&, Device, const CusparseTable*);

}  // namespace heddle::bench
