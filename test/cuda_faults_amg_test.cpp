// amg on a GPU of stand-ins: calls that fail in its set-up and its updates, and how often a matrix there is fetched.
// Needs no GPU.
#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#ifdef HEDDLE_HAS_CUDA
#include <map>

#include "support/cuda_stand_ins.hpp"

namespace heddle::test {
namespace {

// Memory whose content passes for good answers: no row is wrong, everything is coupled, and no grid would be smaller.
simt::CudaTable with_plausible_memory() {
  simt::CudaTable t = stand_ins();
  t.malloc = [](void** p, std::size_t n) {
    const cudaError_t status = stand_ins().malloc(p, n);
    if (status == cudaSuccess && *p) std::memset(*p, 0x3f, n);
    return status;
  };
  return t;
}

// Its set-up by kernels comes as far as that there is no smaller grid; by the host it makes all grids of the GPU.
TEST(CudaFaultsOfAmg, are_reported_and_leave_nothing_behind) {
  simt::cuda_table() = with_plausible_memory();
  const Csr<double> A = generate<double>("stencil2d5,n=20");
  std::size_t most_grids = 0;
  for (const bool on_host : {true, false}) {
    const PreconditionerOptions options{.host_setup = on_host, .updates = true};
    bool done = false;
    std::int64_t in_set_up = 0;
    for (std::int64_t at = 0; !done; ++at) {
      ASSERT_LT(at, 5000);
      calls = 0, fail_at = -1, fail_with = cudaErrorUnknown;
      {
        const auto op = build(A, Plan{"csr", {}}, {Device::gpu()});
        calls = 0, fail_at = at;
        try {
          const auto M = make_preconditioner("amg", op, A, options);
          in_set_up = calls;
          most_grids = std::max(most_grids, M->grids().size());
          M->update_values(A.val);
          done = calls <= at;
        } catch (const Error& error) {
          EXPECT_NE(error.kind(), ErrorKind::usage) << error.what();
        }
        fail_at = -1;
      }
      EXPECT_TRUE(alive.empty()) << "GPU memory leaked when call " << at << " failed";
    }
    EXPECT_GT(in_set_up, 20) << on_host;
    EXPECT_GT(calls, in_set_up + 5) << on_host;
  }
  EXPECT_GE(most_grids, 2u);
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
  {
    const Csr<double> A = generate<double>("stencil2d5,n=20"), there = A.to(Device::gpu());
    EXPECT_EQ(method_for(there), "cg");
    EXPECT_EQ(preconditioner_for(there, "cg").reason, preconditioner_for(A, "cg").reason);
    const auto op = build(A, Plan{"csr", {}}, {Device::gpu()});
    const std::vector<double> b(400, 1);
    for (const char* preconditioner : {"auto", "jacobi"}) {
      std::vector<double> x(400);
      fetches.clear();
      try {
        solve(op, b, x, {.preconditioner = preconditioner, .max_iterations = 2, .matrix = &there});
      } catch (const Error&) {  // kernels that do nothing do no iteration either
      }
      EXPECT_EQ(fetches[A.val.bytes()], 1) << preconditioner;
      EXPECT_EQ(fetches[A.col.bytes()], 1) << preconditioner;
      EXPECT_EQ(fetches[A.ptr.bytes()], 1) << preconditioner;
    }
  }
  EXPECT_TRUE(alive.empty());
  simt::cuda_table() = simt::real_cuda_table();
}

}  // namespace
}  // namespace heddle::test
#else

TEST(CudaFaultsOfAmg, need_a_build_with_cuda) { GTEST_SKIP() << "built without CUDA"; }

#endif
