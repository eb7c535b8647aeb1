// Compiled only where the header of SuiteSparse GraphBLAS is found.
#include "peers/peer_graphblas.hpp"

#include <GraphBLAS.h>

#include <algorithm>
#include <cstdlib>

#include "peers/loaded_library.hpp"

namespace heddle::bench {

namespace {

const LoadedLibrary& library() {
  static const LoadedLibrary opened("GraphBLAS", {"libgraphblas.so.10", "libgraphblas.so.9", "libgraphblas.so.8",
                                                  "libgraphblas.so.7", "libgraphblas.so"});
  return opened;
}

void succeed(GrB_Info info, const char* what) {
  check(info == GrB_SUCCESS, ErrorKind::unavailable, "GraphBLAS cannot {}: error {}", what, static_cast<int>(info));
}

template <class V>
constexpr bool is_double = sizeof(V) == 8;

// One of the library's objects for double or float.
template <class T, class V>
T object(const char* f64, const char* f32) {
  return *library().find<T>(is_double<V> ? f64 : f32);
}

void start() {
  static const bool started = [] {
    succeed(library().find<decltype(GrB_init)>("GrB_init")(GrB_BLOCKING), "start");
    return true;
  }();
  (void)started;
  succeed(library().find<decltype(GxB_Global_Option_set_INT32)>("GxB_Global_Option_set_INT32")(GxB_GLOBAL_NTHREADS,
                                                                                               threads()),
          "set the number of threads");
}

template <class V>
class GraphblasPeer : public Peer<V> {
 public:
  ~GraphblasPeer() override {
    if (A_) library().find<decltype(GrB_Matrix_free)>("GrB_Matrix_free")(&A_);
    for (GrB_Vector* v : {&u_, &w_})
      if (*v) library().find<decltype(GrB_Vector_free)>("GrB_Vector_free")(v);
  }
  std::string name() const override { return "graphblas"; }
  Device device() const override { return Device::cpu(); }

  void prepare(const CsrView<V>& A, std::span<const V> x, std::span<V> y) override {
    check(A.rows > 0 && A.cols > 0, ErrorKind::unavailable, "GraphBLAS has no matrices without rows or columns");
    start();
    y_ = y;
    rows_ = static_cast<GrB_Index>(A.rows);
    type_ = object<GrB_Type, V>("GrB_FP64", "GrB_FP32");
    plus_ = object<GrB_BinaryOp, V>("GrB_PLUS_FP64", "GrB_PLUS_FP32");
    plus_times_ = object<GrB_Semiring, V>("GrB_PLUS_TIMES_SEMIRING_FP64", "GrB_PLUS_TIMES_SEMIRING_FP32");
    all_ = *library().find<const GrB_Index*>("GrB_ALL");
    import_matrix(A);
    import_vector(x);
    succeed(library().find<decltype(GrB_Vector_new)>("GrB_Vector_new")(&w_, type_, rows_), "make a vector");
    std::size_t bytes = 0;
    library().find<decltype(GxB_Matrix_memoryUsage)>("GxB_Matrix_memoryUsage")(&bytes, A_);
    bytes_ = static_cast<std::int64_t>(bytes);
  }

  void multiply(Stream) const override {
    succeed(assign_(w_, nullptr, nullptr, V(0), all_, rows_, nullptr), "clear a vector");
    succeed(multiply_(w_, nullptr, plus_, plus_times_, A_, u_, nullptr), "multiply");
    void* values = nullptr;
    GrB_Index bytes = 0;
    bool same = false;
    succeed(unpack_(w_, &values, &bytes, &same, nullptr), "hand out a vector");
    const V* result = static_cast<const V*>(values);
    if (same)
      std::fill(y_.begin(), y_.end(), *result);
    else
      std::copy_n(result, y_.size(), y_.begin());
    succeed(pack_(w_, &values, bytes, same, nullptr), "take a vector");
  }

  std::int64_t bytes() const override { return bytes_; }

 private:
  void import_matrix(const CsrView<V>& A) {
    const auto wide = [](auto from) {
      Buffer<GrB_Index> to(static_cast<std::int64_t>(from.size()));
      std::copy(from.begin(), from.end(), to.begin());
      return to;
    };
    const Buffer<GrB_Index> ptr = wide(A.ptr), col = wide(A.col);
    const auto count = static_cast<GrB_Index>(A.nnz());
    const auto import = [&](auto* function) {
      succeed(function(&A_, type_, rows_, static_cast<GrB_Index>(A.cols), ptr.data(), col.data(), A.val.data(),
                       rows_ + 1, count, count, GrB_CSR_FORMAT),
              "hold the matrix");
    };
    if constexpr (is_double<V>)
      import(library().find<decltype(GrB_Matrix_import_FP64)>("GrB_Matrix_import_FP64"));
    else
      import(library().find<decltype(GrB_Matrix_import_FP32)>("GrB_Matrix_import_FP32"));
  }
  // The library frees what it is given, so it gets memory of malloc.
  void import_vector(std::span<const V> x) {
    void* copy = std::malloc(x.size_bytes());
    check(copy != nullptr, ErrorKind::unavailable, "no memory for a vector of GraphBLAS");
    std::copy(x.begin(), x.end(), static_cast<V*>(copy));
    succeed(library().find<decltype(GxB_Vector_import_Full)>("GxB_Vector_import_Full")(&u_, type_, x.size(), &copy,
                                                                                       x.size_bytes(), false, nullptr),
            "take a vector");
  }

  using Assign = GrB_Info(GrB_Vector, GrB_Vector, GrB_BinaryOp, V, const GrB_Index*, GrB_Index, GrB_Descriptor);

  std::span<V> y_;
  GrB_Index rows_ = 0;
  GrB_Type type_ = nullptr;
  GrB_BinaryOp plus_ = nullptr;
  GrB_Semiring plus_times_ = nullptr;
  const GrB_Index* all_ = nullptr;
  GrB_Matrix A_ = nullptr;
  GrB_Vector u_ = nullptr, w_ = nullptr;
  std::int64_t bytes_ = 0;
  Assign* assign_ = library().find<Assign>(is_double<V> ? "GrB_Vector_assign_FP64" : "GrB_Vector_assign_FP32");
  decltype(&GrB_mxv) multiply_ = library().find<decltype(GrB_mxv)>("GrB_mxv");
  decltype(&GxB_Vector_unpack_Full) unpack_ =
      library().find<decltype(GxB_Vector_unpack_Full)>("GxB_Vector_unpack_Full");
  decltype(&GxB_Vector_pack_Full) pack_ = library().find<decltype(GxB_Vector_pack_Full)>("GxB_Vector_pack_Full");
};

}  // namespace

bool graphblas_opens() { return library().opened(); }

std::string graphblas_version() {
  return fmt::format("{}.{}.{}", GxB_IMPLEMENTATION_MAJOR, GxB_IMPLEMENTATION_MINOR, GxB_IMPLEMENTATION_SUB);
}

template <class V>
std::unique_ptr<Peer<V>> make_graphblas() {
  return std::make_unique<GraphblasPeer<V>>();
}

template std::unique_ptr<Peer<float>> make_graphblas();
template std::unique_ptr<Peer<double>> make_graphblas();

}  // namespace heddle::bench
