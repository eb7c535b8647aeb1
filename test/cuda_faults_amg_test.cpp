// amg on a GPU of stand-ins: calls that fail in its set-up and its updates, and how often a matrix there is fetched.
// Needs no GPU.
#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "built_with.hpp"

#ifdef HEDDLE_HAS_CUDA
#include <map>

#include "solve/preparation.hpp"
#include "support/cuda_stand_ins.hpp"

namespace heddle::test {
namespace {

// Memory whose content, a thousand everywhere, passes for good answers: none of 400 rows is wrong, no row is too long, and
// no grid would be smaller.
simt::CudaTable with_plausible_memory() {
  simt::CudaTable t = stand_ins();
  t.malloc = [](void** p, std::size_t n) {
    const cudaError_t status = stand_ins().malloc(p, n);
    if (status == cudaSuccess && *p) std::fill_n(static_cast<std::int64_t*>(*p), n / sizeof(std::int64_t), 1000);
    return status;
  };
  return t;
}

// By kernels it comes as far as that there is no smaller grid, and to an update of that one; by the host to the first
// operator of the GPU, whose builder finds out that kernels do nothing.
TEST(CudaFaultsOfAmg, are_reported_and_leave_nothing_behind) {
  simt::cuda_table() = with_plausible_memory();
  const Csr<double> A = generate<double>("stencil2d5,n=20");
  for (const bool on_host : {true, false}) {
    const PreconditionerOptions options{.host_setup = on_host, .updates = true};
    std::size_t most_grids = 0;  // of those that were made, before they were updated
    const auto set_up_and_update = [&](std::int64_t failing) {
      fail_at = -1, fail_with = cudaErrorUnknown;
      const auto op = build(A, Plan{"csr", {}}, {Device::gpu()});
      calls = 0, fail_at = failing;
      try {
        const auto M = make_preconditioner("amg", op, A, options);
        most_grids = std::max(most_grids, M->grids().size());
        M->update_values(A.val);
      } catch (const Error& error) {  // kernels that do nothing are found out, too
        EXPECT_NE(error.kind(), ErrorKind::usage) << error.what();
      }
      fail_at = -1;
    };
    set_up_and_update(-1);
    const std::size_t standing = alive.size();  // memory that waits for the next build
    bool done = false;
    for (std::int64_t at = 0; !done; ++at) {
      ASSERT_LT(at, 3000);
      set_up_and_update(at);
      done = calls <= at;
      ASSERT_LE(alive.size(), standing) << "GPU memory leaked when call " << at << " failed";
    }
    EXPECT_GT(calls, 30) << on_host;
    EXPECT_EQ(most_grids, on_host ? 0u : 1u);
  }
  simt::cuda_table() = simt::real_cuda_table();
}

// Memory of a GPU that holds every byte inverted, so that only copies make sense of it.
std::map<const char*, std::size_t> foreign;
std::map<std::size_t, int> fetches;  // by bytes

simt::CudaTable with_foreign_memory() {
  simt::CudaTable t = stand_ins();
  t.malloc = [](void** p, std::size_t n) {
    return stand_ins().malloc(p, n), foreign[static_cast<char*>(*p)] = n, cudaSuccess;
  };
  t.free = [](void* p) { return foreign.erase(static_cast<char*>(p)), stand_ins().free(p); };
  t.memcpy = [](void* to, const void* from, std::size_t n, cudaMemcpyKind kind) {
    const auto* bytes = static_cast<const unsigned char*>(from);
    const auto after = foreign.upper_bound(static_cast<const char*>(from));
    const bool of_device =
        after != foreign.begin() && static_cast<const char*>(from) < std::prev(after)->first + std::prev(after)->second;
    const bool fetched = kind == cudaMemcpyDeviceToHost, inverted = fetched || !of_device;
    for (std::size_t i = 0; i < n; ++i)
      static_cast<unsigned char*>(to)[i] = inverted ? static_cast<unsigned char>(~bytes[i]) : bytes[i];
    if (fetched) ++fetches[n];
    return cudaSuccess;
  };
  return t;
}

TEST(CudaMatrix, that_lies_on_a_gpu_is_fetched_once_for_all_that_auto_asks) {
  simt::cuda_table() = with_foreign_memory();
  calls = 0, fail_at = -1;
  const std::size_t standing = alive.size();
  {
    const Csr<double> A = generate<double>("stencil2d5,n=20"), there = A.to(Device::gpu());
    EXPECT_EQ(method_for(there), "cg");
    EXPECT_EQ(preconditioner_for(there, "cg").reason, preconditioner_for(A, "cg").reason);
    const auto op = build(A, Plan{"csr", {}}, {Device::gpu()});
    for (const char* preconditioner : {"auto", "jacobi"}) {
      fetches.clear();
      const SolveOptions<double> options{.preconditioner = preconditioner, .matrix = &there};
      solve_method::Preparation<double> preparation(op, options);  // kernels that do nothing bring no solve that far
      preparation();
      EXPECT_EQ(fetches[A.val.bytes()], 1) << preconditioner;
      EXPECT_EQ(fetches[A.col.bytes()], 1) << preconditioner;
      EXPECT_EQ(fetches[A.ptr.bytes()], 1) << preconditioner;
    }
  }
  EXPECT_EQ(alive.size(), standing);
  simt::cuda_table() = simt::real_cuda_table();
}

}  // namespace
}  // namespace heddle::test
#else

TEST(CudaFaultsOfAmg, need_a_build_with_cuda) { GTEST_SKIP() << "built without CUDA"; }

#endif
