// The steps of Lanczos as three kernels each: products, a thread a row; then twice a block a piece of the canonical
// sums, which are few blocks on the grids that have the longest rows. Every block adds up what the blocks of the kernel
// before have left, so alpha and beta never leave the device. The bound by row sums is asked for first, and comes with
// the first answer: the host waits once for both.
#pragma once

#include "simt/primitives/reduce.hpp"
#include "simt/simt.hpp"
#include "solve/amg/lanczos.hpp"

namespace heddle::solve_method {

static_assert(sum_lanes * 16 == sum_piece);

// Running sums, a thread each, halved; the same in every thread.
SIMT_DEVICE double sum_of_block(double mine) {
  double* lane = simt::shared<double>();
  simt::sync_block();  // what was there has been read
  lane[simt::thread()] = mine;
  for (int half = sum_lanes / 2; half > 0; half /= 2) {
    simt::sync_block();
    if (simt::thread() < half) lane[simt::thread()] += lane[simt::thread() + half];
  }
  simt::sync_block();
  return lane[0];
}

SIMT_DEVICE double sum_of_parts(const double* parts, std::int64_t count) {
  double mine = 0;
  for (std::int64_t i = simt::thread(); i < count; i += sum_lanes) mine += parts[i];
  return sum_of_block(mine);
}

// What the host asks for.
struct LanczosFound {
  LanczosNumbers numbers;
  RowSumBound bound;
};

struct StoredProducts {
  const double* product;
  SIMT_DEVICE double operator()(std::int64_t row) const { return product[row]; }
};

struct SumParts {
  std::int64_t rows, pieces;
  const double* in;  // of the kernel before
  double* out;

  // f(row, f.load(row)) of all rows: what some of them load is under way together.
  template <class F>
  SIMT_DEVICE void leave(const F& f) const {
    constexpr int together = 4;
    const std::int64_t begin = simt::block() * sum_piece, end = begin + sum_piece < rows ? begin + sum_piece : rows;
    double mine = 0;
    std::int64_t row = begin + simt::thread();
    for (; row + (together - 1) * sum_lanes < end; row += together * sum_lanes) {
      decltype(f.load(row)) loaded[together];
#pragma unroll
      for (int u = 0; u < together; ++u) loaded[u] = f.load(row + u * sum_lanes);
#pragma unroll
      for (int u = 0; u < together; ++u) mine += f(row + u * sum_lanes, loaded[u]);
    }
    for (; row < end; row += sum_lanes) mine += f(row, f.load(row));
    const double sum = sum_of_block(mine);
    if (simt::thread() == 0) out[simt::block()] = sum;
  }
  SIMT_DEVICE double before() const { return sum_of_parts(in, pieces); }
};

namespace {  // kernels: compiled for two devices under one name

SIMT_KERNEL lanczos_start(LanczosVectors v, SumParts sums) { sums.leave(LanczosStart{v}); }

template <class Entries>
SIMT_KERNEL lanczos_products(LanczosProduct<Entries> products, std::int64_t rows, double* to) {
  const std::int64_t row = simt::global_thread();
  if (row < rows) to[row] = products(row);
}

SIMT_KERNEL lanczos_multiply(LanczosVectors v, const double* products, SumParts sums, LanczosNumbers* numbers,
                             int step) {
  const double length = std::sqrt(sums.before()), scale = 1 / length;
  const double back = step == 0 ? 0 : length * (1 / numbers->length[step - 1]);
  if (simt::global_thread() == 0) numbers->length[step] = length;
  sums.leave(LanczosMultiply<StoredProducts>{v, scale, back, {products}});
}

SIMT_KERNEL lanczos_subtract(LanczosVectors v, SumParts sums, LanczosNumbers* numbers, int step) {
  const double along = sums.before(), scale = 1 / numbers->length[step];
  if (simt::global_thread() == 0) numbers->along[step] = along;
  sums.leave(LanczosSubtract{v, along * scale});
}

// For the host, which asks between the two. `bounds` are those of blocks of rows.
SIMT_KERNEL lanczos_along(SumParts sums, LanczosNumbers* numbers, int step, const RowSumBound* bounds,
                          std::int64_t count, LanczosFound* found) {
  const double along = sums.before();
  RowSumBound mine;
  for (std::int64_t i = simt::thread(); i < count; i += sum_lanes) mine.add(bounds[i]);
  auto* const of_threads = simt::shared<RowSumBound>();
  simt::sync_block();  // what was there has been read
  of_threads[simt::thread()] = mine;
  for (int half = sum_lanes / 2; half > 0; half /= 2) {
    simt::sync_block();
    if (simt::thread() < half) of_threads[simt::thread()].add(of_threads[simt::thread() + half]);
  }
  if (simt::thread() != 0) return;
  numbers->along[step] = along;
  *found = {*numbers, of_threads[0]};
}

}  // namespace

// Queues the steps in stretches: whether they have found enough is asked after each stretch.
template <class Entries>
class LanczosOnDevice {
 public:
  LanczosOnDevice(const Entries& entries, std::int64_t rows, const Buffer<double>& inverse)
      : entries_(entries),
        device_(inverse.device()),
        pieces_(simt::blocks_for(rows, sum_piece)),
        weight_(rows, device_),
        one_(rows, device_),
        other_(rows, device_),
        products_(rows, device_),
        of_even_(pieces_, device_),
        of_odd_(pieces_, device_),
        numbers_(1, device_),
        bounds_(device::reduce_launch<RowSums<Entries>>(rows, 1).blocks, device_),
        v_{inverse.data(), weight_.data(), one_.data(), other_.data()},
        sums_{rows, pieces_, of_odd_.data(), of_even_.data()} {}

  double largest(simt::Here here) {
    constexpr int stretch = 5, product_threads = 128;
    simt::launch(here, device::reduce_launch<RowSums<Entries>>(sums_.rows, 1), device::reduce_items<RowSums<Entries>>,
                 RowSums<Entries>{entries_, v_.inverse}, sums_.rows, bounds_.data());
    simt::launch(here, shape(), lanczos_start, v_, sums_);
    for (int step = 0;; ++step) {
      next();
      simt::launch(here, {simt::blocks_for(sums_.rows, product_threads), product_threads}, lanczos_products<Entries>,
                   LanczosProduct<Entries>{entries_, v_.u}, sums_.rows, products_.data());
      simt::launch(here, shape(), lanczos_multiply, v_, products_.data(), sums_, numbers_.data(), step);
      next();
      const bool all = step + 1 == most_steps<Entries>;
      if (all || (step + 1) % stretch == 0) {
        device::Answers<LanczosFound> answer(1, device_);
        simt::launch(here, {1, sum_lanes, sum_lanes * sizeof(RowSumBound)}, lanczos_along, sums_, numbers_.data(), step,
                     static_cast<const RowSumBound*>(bounds_.data()), bounds_.size(), answer.there());
        const auto [found, bound] = answer.here()[0];
        if (all || !bound.finite || is_settled(found, step, bound)) return largest_eigenvalue(found, step + 1, bound);
      }
      simt::launch(here, shape(), lanczos_subtract, v_, sums_, numbers_.data(), step);
      std::swap(v_.u, v_.before);
    }
  }

 private:
  simt::Launch shape() const { return {pieces_, sum_lanes, sum_lanes * sizeof(double)}; }
  void next() { sums_.in = std::exchange(sums_.out, const_cast<double*>(sums_.in)); }

  Entries entries_;
  Device device_;
  std::int64_t pieces_;
  Buffer<double> weight_, one_, other_, products_, of_even_, of_odd_;
  Buffer<LanczosNumbers> numbers_;
  Buffer<RowSumBound> bounds_;
  LanczosVectors v_;
  SumParts sums_;
};

}  // namespace heddle::solve_method
