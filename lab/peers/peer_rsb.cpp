// Compiled only where the header of librsb is found.
#include "peers/peer_rsb.hpp"

#include <rsb.h>

#include <algorithm>

#include "peers/loaded_library.hpp"

namespace heddle::bench {

namespace {

const LoadedLibrary& library() {
  static const LoadedLibrary opened("librsb", {"librsb.so.0", "librsb.so"});
  return opened;
}

void succeed(rsb_err_t error, const char* what) {
  check(error == RSB_ERR_NO_ERROR, ErrorKind::unavailable, "librsb cannot {}: error {}", what, error);
}

void start() {
  static const bool started = [] {
    succeed(library().find<decltype(rsb_lib_init)>("rsb_lib_init")(RSB_NULL_INIT_OPTIONS), "start");
    return true;
  }();
  (void)started;
  rsb_int_t count = threads();
  succeed(library().find<decltype(rsb_lib_set_opt)>("rsb_lib_set_opt")(RSB_IO_WANT_EXECUTING_THREADS, &count),
          "set the number of threads");
}

template <class V>
class RsbPeer : public Peer<V> {
 public:
  ~RsbPeer() override {
    if (matrix_) library().find<decltype(rsb_mtx_free)>("rsb_mtx_free")(matrix_);
  }
  std::string name() const override { return "librsb"; }
  Device device() const override { return Device::cpu(); }

  void prepare(const CsrView<V>& A, std::span<const V> x, std::span<V> y) override {
    check(A.nnz() > 0 && A.nnz() <= RSB_MAX_MATRIX_NNZ && std::max(A.rows, A.cols) <= RSB_MAX_MATRIX_DIM,
          ErrorKind::unavailable, "librsb cannot hold {} x {} with {} entries", A.rows, A.cols, A.nnz());
    start();
    x_ = x;
    y_ = y;
    Buffer<rsb_nnz_idx_t> offsets(A.rows + 1);
    std::transform(A.ptr.begin(), A.ptr.end(), offsets.begin(), [](Offset at) { return static_cast<int>(at); });
    rsb_err_t error = RSB_ERR_NO_ERROR;
    constexpr rsb_type_t type = sizeof(V) == 8 ? RSB_NUMERICAL_TYPE_DOUBLE : RSB_NUMERICAL_TYPE_FLOAT;
    matrix_ = library().find<decltype(rsb_mtx_alloc_from_csr_const)>("rsb_mtx_alloc_from_csr_const")(
        A.val.data(), offsets.data(), A.col.data(), static_cast<rsb_nnz_idx_t>(A.nnz()), type,
        static_cast<rsb_coo_idx_t>(A.rows), static_cast<rsb_coo_idx_t>(A.cols), RSB_DEFAULT_ROW_BLOCKING,
        RSB_DEFAULT_COL_BLOCKING, RSB_FLAG_NOFLAGS, &error);
    succeed(error, "hold the matrix");
    multiply_ = library().find<decltype(rsb_spmv)>("rsb_spmv");
    std::size_t bytes = 0;
    library().find<decltype(rsb_mtx_get_info)>("rsb_mtx_get_info")(matrix_, RSB_MIF_TOTAL_SIZE__TO__SIZE_T, &bytes);
    bytes_ = static_cast<std::int64_t>(bytes);
  }

  void multiply(Stream) const override {
    constexpr V alpha = 1, beta = 0;
    std::fill(y_.begin(), y_.end(), V(0));  // beta = 0 multiplies y by zero, and a NaN in it would stay
    succeed(multiply_(RSB_TRANSPOSITION_N, &alpha, matrix_, x_.data(), 1, &beta, y_.data(), 1), "multiply");
  }

  std::int64_t bytes() const override { return bytes_; }

 private:
  rsb_mtx_t* matrix_ = nullptr;
  decltype(&rsb_spmv) multiply_ = nullptr;
  std::span<const V> x_;
  std::span<V> y_;
  std::int64_t bytes_ = 0;
};

}  // namespace

bool rsb_opens() { return library().opened(); }

std::string rsb_version() { return RSB_LIBRSB_VER_STRING; }

template <class V>
std::unique_ptr<Peer<V>> make_rsb() {
  return std::make_unique<RsbPeer<V>>();
}

template std::unique_ptr<Peer<float>> make_rsb();
template std::unique_ptr<Peer<double>> make_rsb();

}  // namespace heddle::bench
