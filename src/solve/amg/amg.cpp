// Algebraic multigrid by smoothed aggregation as a preconditioner: the set-up of its grids, and the precision of its
// cycle.
#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/gpu.hpp"
#include "core/matrix/incoming.hpp"
#include "solve/amg/cycle.hpp"
#include "solve/amg/grids.hpp"

namespace heddle::solve_method {

namespace {

constexpr std::int64_t most_near_vectors = 8;

std::string name_of_amg(std::size_t grids, int block, const char* more, const std::string& why_host) {
  return fmt::format("amg, {} grid{}{}{}{}", grids, grids == 1 ? "" : "s",
                     block > 1 ? fmt::format(", blocks of {}", block) : "", more,
                     why_host.empty() ? "" : ", set up on the host: " + why_host);
}

// What an update needs: the pattern of A and its grids, on the device of the steps.
class SetUp {
 public:
  // `why_host`: why these are not the steps of the device.
  SetUp(std::unique_ptr<Steps> steps, const PreconditionerOptions& options, int block, std::int64_t rows,
        std::string why_host = {})
      : steps_(std::move(steps)),
        why_host_(std::move(why_host)),
        wishes_{block, options.strength, options.coarsest, near_of(options.near_nullspace, rows), options.updates} {}

  const Steps& steps() const { return *steps_; }
  const std::string& why_host() const { return why_host_; }
  Grids& grids() { return grids_; }
  bool renewable() const { return wishes_.renewable; }

  void run(const Csr<double>& A) {
    grids_ = make_grids(*steps_, A.view(), wishes_);
    wishes_.near = {};
    if (renewable()) ptr_ = A.ptr, col_ = A.col;
  }
  // Nothing but the pattern and the grids is kept: `val` lies where the steps work.
  std::int64_t renew(std::span<const double> val) {
    const CsrView<double> A{{ptr_.size() - 1, ptr_.size() - 1, ptr_, col_}, val};
    return renew_grids(*steps_, A, wishes_, grids_);
  }
  // The numbers of an update, where the steps work; a copy unless they are there.
  template <class V>
  Buffer<double> values(std::span<const V> val, Device of_operator) const {
    check(renewable(), ErrorKind::unavailable, "this amg was made without PreconditionerOptions::updates");
    check(static_cast<std::int64_t>(val.size()) == col_.size(), ErrorKind::usage,
          "{} values for a matrix of {} entries", val.size(), col_.size());
    const bool there = !of_operator.host_memory() && gpu::lies_on(of_operator.ordinal, val.data(), "val");
    const Buffer<V> given = Buffer<V>::borrow(val, there ? of_operator : Device::cpu());
    if constexpr (sizeof(V) == sizeof(double)) {
      if (given.device().host_memory() && steps_->device().host_memory()) return Buffer<double>::borrow(val);
      return given.to(steps_->device());
    } else {
      const Buffer<V> here = given.to({});
      Buffer<double> wide(here.size());
      std::copy(here.begin(), here.end(), wide.begin());
      return wide.to(steps_->device());
    }
  }

 private:
  NearNullspace near_of(const std::vector<double>& vectors, std::int64_t rows) const {
    if (vectors.empty()) return {};
    return {static_cast<int>(static_cast<std::int64_t>(vectors.size()) / rows),
            Buffer<double>::copy_of(vectors, steps_->device())};
  }

  std::unique_ptr<Steps> steps_;
  std::string why_host_;
  GridOptions wishes_;
  Grids grids_;
  Buffer<Offset> ptr_;
  Buffer<Index> col_;
};

template <class V>
class Multigrid final : public Preconditioner<V> {
 public:
  Multigrid(SetUp&& set_up, const Operator<V>& A, int smoothing)
      : device_(A.device()),
        set_up_(std::move(set_up)),
        block_(set_up_.grids().block),
        cycle_(set_up_.steps(), A, set_up_.grids(), smoothing, set_up_.renewable()) {}

  std::string name() const override { return name_of_amg(cycle_.grids().size(), block_, "", set_up_.why_host()); }
  bool recordable() const override { return cycle_.recordable(); }
  void use(const Operator<V>& better) override { cycle_.use(better); }
  std::vector<GridInfo> grids() const override { return cycle_.grids(); }
  void apply(std::span<const V> r, std::span<V> z, Stream stream) const override { cycle_.apply(r, z, stream); }
  std::int64_t update_values(std::span<const V> val) override {
    const std::int64_t changed = set_up_.renew(set_up_.template values<V>(val, device_));
    cycle_.renew(set_up_.steps(), set_up_.grids());
    return changed;
  }

 private:
  Device device_;
  SetUp set_up_;
  int block_;
  Cycle<V> cycle_;
};

bool fits_float(SetUp& set_up, std::span<const double> val) {
  const Steps& steps = set_up.steps();
  if (!steps.fits_float(val)) return false;
  for (const Grid& grid : set_up.grids().all)
    if (!steps.fits_float(grid.inverse) || !steps.fits_float(grid.A.val)) return false;
  return true;
}

// A cycle in float for a method in double: half of the bytes. What a method asks of M^-1 is a direction; the residual
// it goes by is its own. r is scaled to length 1, so that it fits into float whatever its size.
class FloatMultigrid final : public Preconditioner<double> {
 public:
  FloatMultigrid(SetUp&& set_up, Operator<float>&& A, int smoothing)
      : set_up_(std::move(set_up)),
        block_(set_up_.grids().block),
        finest_(std::move(A)),
        cycle_(set_up_.steps(), finest_, set_up_.grids(), smoothing, set_up_.renewable()),
        r_(finest_.rows(), finest_.device()),
        z_(finest_.rows(), finest_.device()),
        sums_(pieces(), finest_.device()),
        trips_(trips_on<double>(finest_.device())) {}

  std::string name() const override {
    return name_of_amg(cycle_.grids().size(), block_, ", cycle in float", set_up_.why_host());
  }
  bool recordable() const override { return cycle_.recordable() && !finest_.takes_turns(); }
  std::vector<GridInfo> grids() const override { return cycle_.grids(); }

  void apply(std::span<const double> r, std::span<double> z, Stream stream) const override {
    run(Dot<double>{r.data(), r.data()}, nullptr, sums_.data(), stream);
    run(ToFloat{r.data(), r_.data()}, sums_.data(), nullptr, stream);
    cycle_.apply(r_, z_.span(), stream);
    run(FromFloat{z_.data(), z.data()}, sums_.data(), nullptr, stream);
  }
  std::int64_t update_values(std::span<const double> val) override {
    const Buffer<double> here = set_up_.values<double>(val, finest_.device());
    const std::int64_t changed = set_up_.renew(here);
    check(fits_float(set_up_, here), ErrorKind::unavailable, "the new values do not fit the cycle in float");
    finest_.update_values(set_up_.steps().narrowed(here));
    cycle_.renew(set_up_.steps(), set_up_.grids());
    return changed;
  }

 private:
  std::int64_t pieces() const {
    return finest_.device().kind == Device::Kind::cpu ? pieces_on_cpu(finest_.rows()) : pieces_on_gpu(finest_.rows());
  }
  template <class Body>
  void run(const Body& body, const double* in, double* out, Stream stream) const {
    std::get<void (*)(const Body&, const Trip&)>(trips_)(body, {finest_.rows(), nullptr, in, out, stream});
  }

  SetUp set_up_;
  int block_;
  Operator<float> finest_;
  Cycle<float> cycle_;
  mutable Buffer<float> r_, z_;
  mutable Buffer<double> sums_;
  Trips<double> trips_;
};

template <class V>
int block_for(const Csr<V>& matrix, int asked) {
  check(asked >= 0 && asked <= 32, ErrorKind::usage, "a block of {} rows: amg takes 1 to 32", asked);
  check(asked == 0 || matrix.rows % asked == 0, ErrorKind::usage, "{} rows are no blocks of {}", matrix.rows, asked);
  const int block = asked > 0 ? asked : nearly_full_block(matrix);
  return block > 0 && matrix.rows % block == 0 ? block : 1;
}

void check_options(const PreconditionerOptions& options, std::int64_t rows) {
  check(options.strength >= 0 && options.strength <= 1, ErrorKind::usage, "a strength of {}: amg takes 0 to 1",
        options.strength);
  check(options.smoothing >= 1 && options.smoothing <= 16, ErrorKind::usage,
        "a smoothing of degree {}: amg takes 1 to 16", options.smoothing);
  check(options.coarsest >= 1 && options.coarsest <= 4096, ErrorKind::usage,
        "{} rows of the coarsest grid: amg takes 1 to 4096", options.coarsest);
  const std::vector<double>& near = options.near_nullspace;
  const auto size = static_cast<std::int64_t>(near.size());
  check(near.empty() || (rows > 0 && size % rows == 0 && size / rows <= most_near_vectors), ErrorKind::usage,
        "a near-nullspace of {} numbers: amg takes 1 to {} vectors of {}", size, most_near_vectors, rows);
  check(std::all_of(near.begin(), near.end(), [](double e) { return std::isfinite(e); }), ErrorKind::input,
        "there is an Inf or NaN in the near-nullspace");
}

// In double, where the steps work.
Csr<double> placed(const Csr<float>& matrix, Device device) { return convert<double>(matrix.to({}).view()).to(device); }
Csr<double> placed(const Csr<double>& matrix, Device device) {
  return matrix.val.device() == device ? borrowed(matrix) : matrix.to(device);
}

Operator<float> in_float(const Steps& steps, const Csr<double>& A, const Place& place) {
  const Csr<float> narrow{A.rows, A.cols, Buffer<Offset>::borrow(A.ptr, A.ptr.device()),
                          Buffer<Index>::borrow(A.col, A.col.device()), steps.narrowed(A.val)};
  return planned(narrow, place);
}

std::shared_ptr<Preconditioner<float>> made_by(SetUp set_up, const Operator<float>& A, const Csr<float>& matrix,
                                               const PreconditionerOptions& options) {
  set_up.run(placed(matrix, set_up.steps().device()));
  return std::make_shared<Multigrid<float>>(std::move(set_up), A, options.smoothing);
}
std::shared_ptr<Preconditioner<double>> made_by(SetUp set_up, const Operator<double>& A, const Csr<double>& matrix,
                                                const PreconditionerOptions& options) {
  const Csr<double> here = placed(matrix, set_up.steps().device());
  set_up.run(here);
  // One grid is an inverse or smoothing alone, which is not worth another matrix.
  if (options.double_cycle || set_up.grids().all.size() == 1 || !fits_float(set_up, here.val))
    return std::make_shared<Multigrid<double>>(std::move(set_up), A, options.smoothing);
  Operator<float> finest = in_float(set_up.steps(), here, {A.device(), A.rows(), options.updates});
  return std::make_shared<FloatMultigrid>(std::move(set_up), std::move(finest), options.smoothing);
}

}  // namespace

template <class V>
std::shared_ptr<Preconditioner<V>> make_amg(const Operator<V>& A, const Csr<V>& matrix,
                                            const PreconditionerOptions& options) {
  check_options(options, matrix.rows);
  if (A.device() == Device::cpu()) check_matrix(matrix);  // what follows reads it without a check
  const int block = block_for(matrix, options.block);
  std::string why_host;
  if (A.device().kind != Device::Kind::cpu && !options.host_setup) {
    try {
      return made_by(SetUp(steps_on(A.device()), options, block, A.rows()), A, matrix, options);
    } catch (const Error& error) {  // not enough memory, or rows that are too long
      if (error.kind() != ErrorKind::unavailable) throw;
      why_host = error.message();
    }
  }
  return made_by(SetUp(steps_on_host(), options, block, A.rows(), std::move(why_host)), A, matrix, options);
}

template std::shared_ptr<Preconditioner<float>> make_amg(const Operator<float>&, const Csr<float>&,
                                                         const PreconditionerOptions&);
template std::shared_ptr<Preconditioner<double>> make_amg(const Operator<double>&, const Csr<double>&,
                                                          const PreconditionerOptions&);

}  // namespace heddle::solve_method
