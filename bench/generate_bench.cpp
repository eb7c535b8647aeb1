// How fast the generators are: about 50 million entries each, in entries per second.
#include <benchmark/benchmark.h>

#include <heddle/generate.hpp>

namespace {

void generate(benchmark::State& state, const char* text) {
  std::int64_t entries = 0;
  for (auto _ : state) {
    const heddle::Csr<double> A = heddle::generate<double>(text);
    benchmark::DoNotOptimize(A.val.data());
    entries = A.nnz();
  }
  state.SetItemsProcessed(state.iterations() * entries);
  state.counters["entries"] = static_cast<double>(entries);
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* text :
       {"stencil2d5,n=3163", "stencil3d7,n=192", "stencil3d7,n=192,coefficients=varying", "stencil3d27,n=124",
        "fem,n=60,dof=3", "fem,n=60,dof=3,irregular=0.1", "elasticity,nx=60,ny=60,nz=60", "qcd,l=18", "band,rows=3M",
        "random,rows=3M", "rmat,scale=21", "circuit,rows=8M", "web,rows=16M", "road,rows=20M", "lp,rows=19k"})
    benchmark::RegisterBenchmark(text, generate, text)
        ->MeasureProcessCPUTime()
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
