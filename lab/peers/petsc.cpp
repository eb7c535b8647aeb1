// Compiled only where the headers of PETSc, for real doubles, and of its MPI are found.
#include "peers/petsc.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <limits>

namespace heddle::bench {

namespace {

// PETSc and MPI both catch signals to print a trace and abort. This process keeps what it had.
class SignalsKept {
 public:
  SignalsKept() {
    for (int signal = 1; signal < NSIG; ++signal)
      known_[at(signal)] = sigaction(signal, nullptr, &kept_[at(signal)]) == 0;
  }
  SignalsKept(const SignalsKept&) = delete;
  SignalsKept& operator=(const SignalsKept&) = delete;
  ~SignalsKept() {
    for (int signal = 1; signal < NSIG; ++signal)
      if (known_[at(signal)]) sigaction(signal, &kept_[at(signal)], nullptr);
  }

 private:
  static std::size_t at(int signal) { return static_cast<std::size_t>(signal); }
  std::array<struct sigaction, NSIG> kept_{};
  std::array<bool, NSIG> known_{};
};

struct Session {
  Session() {
    const SignalsKept signals;
    static char name[] = "heddle", no_handlers[] = "-no_signal_handler", no_file[] = "-skip_petscrc";
    static char* words[] = {name, no_handlers, no_file, nullptr};
    static char** arguments = words;
    static int count = 3;
    petsc_call<decltype(PetscInitialize)>("PetscInitialize", &count, &arguments, nullptr, nullptr);
    // Errors come back as codes; without this PETSc also prints a trace.
    petsc_call<decltype(PetscPushErrorHandler)>(
        "PetscPushErrorHandler", petsc_library().find<decltype(PetscReturnErrorHandler)>("PetscReturnErrorHandler"),
        nullptr);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { (void)petsc_library().find<decltype(PetscFinalize)>("PetscFinalize")(); }
};

// The types are the header's, so the library must be of its version.
std::vector<std::string> file_names() {
  std::vector<std::string> names;
  for (const char* stem : {"libpetsc_real.so", "libpetsc.so"})
    names.push_back(fmt::format("{}.{}.{}", stem, PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR));
#ifdef HEDDLE_PETSC_LIBRARY
  names.emplace_back(HEDDLE_PETSC_LIBRARY);
#endif
  return names;
}

Buffer<PetscInt> as_petsc_ints(auto from) {
  Buffer<PetscInt> to(static_cast<std::int64_t>(from.size()));
  std::transform(from.begin(), from.end(), to.begin(), [](auto number) { return static_cast<PetscInt>(number); });
  return to;
}

}  // namespace

const LoadedLibrary& petsc_library() {
  static const LoadedLibrary opened("PETSc", file_names());
  return opened;
}

MPI_Comm petsc_world() {
  static const Session session;
  return *petsc_library().find<MPI_Comm>("PETSC_COMM_WORLD");
}

void check_petsc(PetscErrorCode code, const char* function) {
  check(code == 0, ErrorKind::unavailable, "{} of PETSc failed: error {}", function, static_cast<int>(code));
}

void PetscMatrix::hold(const CsrView<double>& A, PetscLayout layout) {
  check(std::max({A.nnz(), A.rows, A.cols}) <= std::numeric_limits<PetscInt>::max(), ErrorKind::unavailable,
        "this PETSc cannot count {} entries", A.nnz());
  layout_ = layout;
  hold_aij(A);
  if (layout == PetscLayout::sell) convert_to_sell();
}

void PetscMatrix::hold_aij(const CsrView<double>& A) {
  const MPI_Comm world = petsc_world();
  ptr_ = as_petsc_ints(A.ptr);
  col_ = as_petsc_ints(A.col);
  petsc_call<decltype(MatCreateSeqAIJWithArrays)>("MatCreateSeqAIJWithArrays", world, static_cast<PetscInt>(A.rows),
                                                  static_cast<PetscInt>(A.cols), ptr_.data(), col_.data(),
                                                  const_cast<PetscScalar*>(A.val.data()), aij_.made());
  bytes_ = static_cast<std::int64_t>(ptr_.bytes() + col_.bytes() + A.val.size_bytes());
}

void PetscMatrix::convert_to_sell() {
  petsc_call<decltype(MatConvert)>("MatConvert", aij_.get(), MATSEQSELL, MAT_INITIAL_MATRIX, sell_.made());
  aij_.clear();
  MatInfo info{};
  petsc_call<decltype(MatGetInfo)>("MatGetInfo", sell_.get(), MAT_LOCAL, &info);
  bytes_ =
      static_cast<std::int64_t>(info.nz_allocated) * static_cast<std::int64_t>(sizeof(PetscScalar) + sizeof(PetscInt));
  ptr_ = col_ = {};
}

}  // namespace heddle::bench
