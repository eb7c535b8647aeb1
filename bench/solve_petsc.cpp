// PETSc's KSP of type cg on a matrix of type AIJ: one core, the BLAS that PETSc was built with.
#include "solve_peers.hpp"

#ifdef HEDDLE_HAS_PETSC
#include "peers/petsc.hpp"
#endif

namespace heddle::bench {

#ifdef HEDDLE_HAS_PETSC

namespace {

class PetscCg final : public CgPeer {
 public:
  PetscCg(const CsrView<double>& A, bool jacobi) {
    matrix_.hold(A, PetscLayout::aij);
    petsc_call<decltype(KSPCreate)>("KSPCreate", petsc_world(), solver_.made());
    petsc_call<decltype(KSPSetType)>("KSPSetType", solver_.get(), KSPCG);
    petsc_call<decltype(KSPSetOperators)>("KSPSetOperators", solver_.get(), matrix_.get(), matrix_.get());
    PC preconditioner = nullptr;
    petsc_call<decltype(KSPGetPC)>("KSPGetPC", solver_.get(), &preconditioner);
    petsc_call<decltype(PCSetType)>("PCSetType", preconditioner, jacobi ? PCJACOBI : PCNONE);
    // The norm of r, as ours and Eigen test it. Without a preconditioner r'z is its square, which PETSc has anyway.
    petsc_call<decltype(KSPSetNormType)>("KSPSetNormType", solver_.get(),
                                         jacobi ? KSP_NORM_UNPRECONDITIONED : KSP_NORM_NATURAL);
    petsc_call<decltype(KSPSetUp)>("KSPSetUp", solver_.get());
  }
  std::string name() const override { return "petsc, one core"; }

  double seconds_per_iteration(std::span<const double> b, std::span<double> x, int iterations) override {
    PetscOwner<Vec> rhs("VecDestroy"), solution("VecDestroy");
    make_vector(b.size(), b.data(), rhs);
    make_vector(x.size(), x.data(), solution);
    petsc_call<decltype(KSPSetTolerances)>("KSPSetTolerances", solver_.get(), 1e-300, 0.0, 1e300,
                                           static_cast<PetscInt>(iterations));
    const double begun = seconds_now();
    petsc_call<decltype(KSPSolve)>("KSPSolve", solver_.get(), rhs.get(), solution.get());
    const double seconds = seconds_now() - begun;
    PetscInt done = 0;
    petsc_call<decltype(KSPGetIterationNumber)>("KSPGetIterationNumber", solver_.get(), &done);
    return seconds / static_cast<double>(done > 0 ? done : 1);
  }

 private:
  static void make_vector(std::size_t size, const double* values, PetscOwner<Vec>& made) {
    petsc_call<decltype(VecCreateSeqWithArray)>("VecCreateSeqWithArray", petsc_world(), PetscInt{1},
                                                static_cast<PetscInt>(size), values, made.made());
  }

  PetscMatrix matrix_;
  PetscOwner<KSP> solver_{"KSPDestroy"};
};

}  // namespace

bool has_petsc_cg() { return petsc_library().opened(); }
std::unique_ptr<CgPeer> make_petsc_cg(const CsrView<double>& A, bool jacobi) {
  return std::make_unique<PetscCg>(A, jacobi);
}

#else

bool has_petsc_cg() { return false; }
std::unique_ptr<CgPeer> make_petsc_cg(const CsrView<double>&, bool) { return nullptr; }

#endif

}  // namespace heddle::bench
