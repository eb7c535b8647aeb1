// Intel's oneMKL, opened where HEDDLE_MKL or the loader's path has it. Its interface in C is stable and small, so that
// no header is needed: what is declared here is what mkl_spblas.h declares for 32-bit indices (LP64).
#include "peers/peer_mkl.hpp"

#include <algorithm>
#include <cstdlib>

#include "peers/loaded_library.hpp"

namespace heddle::bench {

namespace {

using Handle = void*;  // sparse_matrix_t
struct Description {   // matrix_descr
  int type, fill, diagonal;
};
constexpr Description general{20, 0, 0};                                        // SPARSE_MATRIX_TYPE_GENERAL
constexpr int success = 0, zero_based = 0, not_transposed = 10;                 // SPARSE_...
constexpr int interface_lp64 = 0, threading_sequential = 1, threading_gnu = 3;  // MKL_...

template <class V>
using Create = int(Handle*, int base, int rows, int cols, const int* begin, const int* end, const int* col,
                   const V* val);
template <class V>
using Multiply = int(int operation, V alpha, Handle, Description, const V* x, V beta, V* y);
using SetHint = int(Handle, int operation, Description, int calls);
using OfHandle = int(Handle);
using SetLayer = int(int layer);
using SetThreads = void(int);

const LoadedLibrary& library() {
  static const LoadedLibrary opened = [] {
    const char* asked = std::getenv("HEDDLE_MKL");
    if (asked && *asked) return LoadedLibrary("MKL", {asked});
    return LoadedLibrary("MKL", {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"});
  }();
  return opened;
}

void succeed(int status, const char* what) {
  check(status == success, ErrorKind::unavailable, "MKL cannot {}: status {}", what, status);
}

// Before anything else of MKL: indices of 32 bits, and the threads of the OpenMP that this process has anyway.
void start() {
  static const bool started = [] {
    const int interface = library().find<SetLayer>("MKL_Set_Interface_Layer")(interface_lp64);
    check(interface == interface_lp64, ErrorKind::unavailable, "MKL has indices of 64 bits in this process");
    const auto set_threading = library().find<SetLayer>("MKL_Set_Threading_Layer");
    if (set_threading(threading_gnu) != threading_gnu) set_threading(threading_sequential);
    return true;
  }();
  (void)started;
}

template <class V>
constexpr const char* named(const char* f64, const char* f32) {
  return sizeof(V) == 8 ? f64 : f32;
}

template <class V>
class MklPeer : public Peer<V> {
 public:
  explicit MklPeer(bool alone) : alone_(alone) {
    start();
    multiply_ = library().find<Multiply<V>>(named<V>("mkl_sparse_d_mv", "mkl_sparse_s_mv"));
    set_threads_ = library().find<SetThreads>("MKL_Set_Num_Threads");
  }
  MklPeer(const MklPeer&) = delete;
  MklPeer& operator=(const MklPeer&) = delete;
  ~MklPeer() override {
    if (matrix_) library().find<OfHandle>("mkl_sparse_destroy")(matrix_);
  }
  std::string name() const override { return alone_ ? "mkl:one_thread" : "mkl"; }
  Device device() const override { return Device::cpu(); }

  void prepare(const CsrView<V>& A, std::span<const V> x, std::span<V> y) override {
    check(A.nnz() <= INT32_MAX, ErrorKind::unavailable, "32-bit indices cannot count {} entries", A.nnz());
    x_ = x;
    y_ = y;
    offsets_ = Buffer<int>(A.rows + 1);
    std::transform(A.ptr.begin(), A.ptr.end(), offsets_.begin(), [](Offset at) { return static_cast<int>(at); });
    use_threads();
    const auto create = library().find<Create<V>>(named<V>("mkl_sparse_d_create_csr", "mkl_sparse_s_create_csr"));
    succeed(create(&matrix_, zero_based, static_cast<int>(A.rows), static_cast<int>(A.cols), offsets_.data(),
                   offsets_.data() + 1, A.col.data(), A.val.data()),
            "hold the matrix");
    constexpr int calls = 1000;
    succeed(library().find<SetHint>("mkl_sparse_set_mv_hint")(matrix_, not_transposed, general, calls), "take a hint");
    succeed(library().find<OfHandle>("mkl_sparse_optimize")(matrix_), "optimise");
    bytes_ = static_cast<std::int64_t>(offsets_.bytes() + A.col.size_bytes() + A.val.size_bytes());
  }

  void multiply(Stream) const override {
    use_threads();
    succeed(multiply_(not_transposed, V(1), matrix_, general, x_.data(), V(0), y_.data()), "multiply");
  }

  // Of the CSR that it was given; what it makes of it, MKL does not tell.
  std::int64_t bytes() const override { return bytes_; }

 private:
  void use_threads() const { set_threads_(alone_ ? 1 : threads()); }

  bool alone_;
  Handle matrix_ = nullptr;
  Multiply<V>* multiply_ = nullptr;
  SetThreads* set_threads_ = nullptr;
  std::span<const V> x_;
  std::span<V> y_;
  Buffer<int> offsets_;
  std::int64_t bytes_ = 0;
};

}  // namespace

bool mkl_opens() { return library().opened(); }

// "Intel(R) oneAPI Math Kernel Library Version 2025.3-Product Build ..."
std::string mkl_version() {
  char text[256] = {};
  library().find<void(char*, int)>("MKL_Get_Version_String")(text, sizeof text - 1);
  const std::string said = text, mark = "Version ";
  const auto at = said.find(mark);
  if (at == std::string::npos) return {};
  const auto begin = at + mark.size();
  return said.substr(begin, said.find_first_not_of("0123456789.", begin) - begin);
}

template <class V>
std::unique_ptr<Peer<V>> make_mkl(const std::string& name) {
  return std::make_unique<MklPeer<V>>(name != "mkl");
}

template std::unique_ptr<Peer<float>> make_mkl(const std::string&);
template std::unique_ptr<Peer<double>> make_mkl(const std::string&);

}  // namespace heddle::bench
