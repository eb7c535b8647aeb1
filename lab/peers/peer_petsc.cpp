// Compiled only where the headers of PETSc are found.
#include "peers/peer_petsc.hpp"

#include "peers/petsc.hpp"

namespace heddle::bench {

namespace {

constexpr const char *aij = "petsc:aij_one_thread", *sell = "petsc:sell_one_thread";

class PetscPeer : public Peer<double> {
 public:
  explicit PetscPeer(PetscLayout layout) : layout_(layout) {}
  std::string name() const override { return layout_ == PetscLayout::aij ? aij : sell; }
  Device device() const override { return Device::cpu(); }

  void prepare(const CsrView<double>& A, std::span<const double> x, std::span<double> y) override {
    matrix_.hold(A, layout_);
    make_vector(A.cols, x.data(), x_);
    make_vector(A.rows, y.data(), y_);
  }

  void multiply(Stream) const override { check_petsc(multiply_(matrix_.get(), x_.get(), y_.get()), "MatMult"); }

  std::int64_t bytes() const override { return matrix_.bytes(); }

 private:
  PetscLayout layout_;
  MPI_Comm world_ = petsc_world();  // started here, so that it does not count as preparation

  void make_vector(std::int64_t size, const double* values, PetscOwner<Vec>& made) {
    petsc_call<decltype(VecCreateSeqWithArray)>("VecCreateSeqWithArray", world_, PetscInt{1},
                                                static_cast<PetscInt>(size), values, made.made());
  }

  PetscMatrix matrix_;
  PetscOwner<Vec> x_{"VecDestroy"}, y_{"VecDestroy"};
  decltype(&MatMult) multiply_ = petsc_library().find<decltype(MatMult)>("MatMult");
};

}  // namespace

bool petsc_opens() { return petsc_library().opened(); }

std::string petsc_version() {
  return fmt::format("{}.{}.{}", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR);
}

std::vector<std::string> petsc_names() { return {aij, sell}; }

template <>
std::unique_ptr<Peer<double>> make_petsc(const std::string& name) {
  return std::make_unique<PetscPeer>(name == sell ? PetscLayout::sell : PetscLayout::aij);
}

template <>
std::unique_ptr<Peer<float>> make_petsc(const std::string&) {
  fail(ErrorKind::unavailable, At{"petsc"}, "PETSc multiplies doubles only");
}

}  // namespace heddle::bench
