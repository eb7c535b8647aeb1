// Algebraic multigrid by smoothed aggregation as a preconditioner: the set-up of its grids, and the precision of its
// cycle.
#include <cmath>

#include "core/check.hpp"
#include "solve/amg/cycle.hpp"
#include "solve/amg/grids.hpp"

namespace heddle::solve_method {

namespace {

std::string name_of_amg(std::size_t grids, int block, const char* more) {
  return fmt::format("amg, {} grid{}{}{}", grids, grids == 1 ? "" : "s",
                     block > 1 ? fmt::format(", blocks of {}", block) : "", more);
}

template <class V>
class Multigrid final : public Preconditioner<V> {
 public:
  Multigrid(const Steps& steps, const Operator<V>& A, Grids&& grids, int smoothing)
      : block_(grids.block), cycle_(steps, A, std::move(grids), smoothing) {}

  std::string name() const override { return name_of_amg(cycle_.grids().size(), block_, ""); }
  bool recordable() const override { return cycle_.recordable(); }
  void use(const Operator<V>& better) override { cycle_.use(better); }
  std::vector<GridInfo> grids() const override { return cycle_.grids(); }
  void apply(std::span<const V> r, std::span<V> z, Stream stream) const override { cycle_.apply(r, z, stream); }

 private:
  int block_;
  Cycle<V> cycle_;
};

// A cycle in float for a method in double: half of the bytes. What a method asks of M^-1 is a direction; the residual
// it goes by is its own. r is scaled to length 1, so that it fits into float whatever its size.
class FloatMultigrid final : public Preconditioner<double> {
 public:
  FloatMultigrid(const Steps& steps, Operator<float>&& A, Grids&& grids, int smoothing)
      : block_(grids.block),
        finest_(std::move(A)),
        cycle_(steps, finest_, std::move(grids), smoothing),
        r_(finest_.rows(), finest_.device()),
        z_(finest_.rows(), finest_.device()),
        sums_(pieces(), finest_.device()),
        trips_(trips_on<double>(finest_.device())) {}

  std::string name() const override { return name_of_amg(cycle_.grids().size(), block_, ", cycle in float"); }
  bool recordable() const override { return cycle_.recordable() && !finest_.takes_turns(); }
  std::vector<GridInfo> grids() const override { return cycle_.grids(); }

  void apply(std::span<const double> r, std::span<double> z, Stream stream) const override {
    run(Dot<double>{r.data(), r.data()}, nullptr, sums_.data(), stream);
    run(ToFloat{r.data(), r_.data()}, sums_.data(), nullptr, stream);
    cycle_.apply(r_, z_.span(), stream);
    run(FromFloat{z_.data(), z.data()}, sums_.data(), nullptr, stream);
  }

 private:
  std::int64_t pieces() const {
    return finest_.device().kind == Device::Kind::cpu ? pieces_on_cpu(finest_.rows()) : pieces_on_gpu(finest_.rows());
  }
  template <class Body>
  void run(const Body& body, const double* in, double* out, Stream stream) const {
    std::get<void (*)(const Body&, const Trip&)>(trips_)(body, {finest_.rows(), nullptr, in, out, stream});
  }

  int block_;
  Operator<float> finest_;
  Cycle<float> cycle_;
  mutable Buffer<float> r_, z_;
  mutable Buffer<double> sums_;
  Trips<double> trips_;
};

bool fits_float(const Steps& steps, const CsrView<double>& A, const Grids& grids) {
  if (!steps.fits_float(A.val)) return false;
  for (const Grid& grid : grids.all)
    if (!steps.fits_float(grid.inverse) || !steps.fits_float(grid.A.val)) return false;
  return true;
}

template <class V>
int block_for(const Csr<V>& matrix, int asked) {
  check(asked >= 0 && asked <= 32, ErrorKind::usage, "a block of {} rows: amg takes 1 to 32", asked);
  check(asked == 0 || matrix.rows % asked == 0, ErrorKind::usage, "{} rows are no blocks of {}", matrix.rows, asked);
  const int block = asked > 0 ? asked : nearly_full_block(matrix.view());
  return block > 0 && matrix.rows % block == 0 ? block : 1;
}

void check_options(const PreconditionerOptions& options) {
  check(options.strength >= 0 && options.strength <= 1, ErrorKind::usage, "a strength of {}: amg takes 0 to 1",
        options.strength);
  check(options.smoothing >= 1 && options.smoothing <= 16, ErrorKind::usage,
        "a smoothing of degree {}: amg takes 1 to 16", options.smoothing);
  check(options.coarsest >= 1 && options.coarsest <= 4096, ErrorKind::usage,
        "{} rows of the coarsest grid: amg takes 1 to 4096", options.coarsest);
}

// In double, where the steps work.
Csr<double> placed(const Csr<float>& matrix, Device device) { return convert<double>(matrix.to({}).view()).to(device); }
Csr<double> placed(const Csr<double>& matrix, Device device) {
  if (matrix.val.device() != device) return matrix.to(device);
  return {matrix.rows, matrix.cols, Buffer<Offset>::borrow(matrix.ptr, device),
          Buffer<Index>::borrow(matrix.col, device), Buffer<double>::borrow(matrix.val, device)};
}

// One set-up, by one set of steps.
class SetUp {
 public:
  SetUp(std::unique_ptr<Steps> steps, const PreconditionerOptions& options, int block)
      : steps_(std::move(steps)), options_(options), wishes_{block, options.strength, options.coarsest} {}

  std::shared_ptr<Preconditioner<float>> run(const Operator<float>& A, const Csr<float>& matrix) const {
    const Csr<double> wide = placed(matrix, steps_->device());
    return std::make_shared<Multigrid<float>>(*steps_, A, make_grids(*steps_, wide, wishes_), options_.smoothing);
  }
  std::shared_ptr<Preconditioner<double>> run(const Operator<double>& A, const Csr<double>& matrix) const {
    const Csr<double> here = placed(matrix, steps_->device());
    Grids grids = make_grids(*steps_, here, wishes_);
    // One grid is an inverse or smoothing alone, which is not worth another matrix.
    if (options_.double_cycle || grids.all.size() == 1 || !fits_float(*steps_, here, grids))
      return std::make_shared<Multigrid<double>>(*steps_, A, std::move(grids), options_.smoothing);
    const Csr<float> narrow{here.rows, here.cols, Buffer<Offset>::borrow(here.ptr, steps_->device()),
                            Buffer<Index>::borrow(here.col, steps_->device()), steps_->narrowed(here.val)};
    return std::make_shared<FloatMultigrid>(*steps_, planned(narrow, A.device(), A.rows()), std::move(grids),
                                            options_.smoothing);
  }

 private:
  std::unique_ptr<Steps> steps_;
  PreconditionerOptions options_;
  GridOptions wishes_;
};

}  // namespace

template <class V>
std::shared_ptr<Preconditioner<V>> make_amg(const Operator<V>& A, const Csr<V>& matrix,
                                            const PreconditionerOptions& options) {
  check_options(options);
  const int block = block_for(matrix, options.block);
  if (A.device().kind != Device::Kind::cpu && !options.host_setup) {
    try {
      return SetUp(steps_on(A.device()), options, block).run(A, matrix);
    } catch (const Error& error) {  // not enough memory, or rows that are too long
      if (error.kind() != ErrorKind::unavailable) throw;
    }
  }
  return SetUp(steps_on_host(), options, block).run(A, matrix);
}

template std::shared_ptr<Preconditioner<float>> make_amg(const Operator<float>&, const Csr<float>&,
                                                         const PreconditionerOptions&);
template std::shared_ptr<Preconditioner<double>> make_amg(const Operator<double>&, const Csr<double>&,
                                                          const PreconditionerOptions&);

}  // namespace heddle::solve_method
