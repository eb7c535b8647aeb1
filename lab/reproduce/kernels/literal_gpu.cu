#include "core/dispatch.hpp"
#include "reproduce/kernels/literal.hpp"

namespace heddle::reproduce {

namespace {

using Loads = Literal::Loads;

template <class T>
SIMT_DEVICE T past_the_caches(const T* from) {
  return *static_cast<const volatile T*>(from);
}
template <Loads L, class T>
SIMT_DEVICE T matrix_load(const T* from) {
  if constexpr (L == Loads::past || L == Loads::data_cache)
    return past_the_caches(from);
  else
    return *from;
}
template <Loads L, class T>
SIMT_DEVICE T x_load(const T* from) {
  if constexpr (L == Loads::uncached)
    return past_the_caches(from);
  else if constexpr (L == Loads::data_cache || L == Loads::plain)
    return *from;
  else
    return simt::cached_load(from);
}

template <Loads L, class V>
SIMT_DEVICE V product_at(const LiteralView<V>& A, std::int64_t place, const V* x) {
  return matrix_load<L>(A.val + place) * x_load<L>(x + matrix_load<L>(A.col + place));
}

template <Loads L, class V>
SIMT_KERNEL crs_thread_a_row(LiteralView<V> A, const V* x, V* y) {
  const std::int64_t row = simt::global_thread();
  if (row >= A.rows) return;
  const Index end = matrix_load<L>(A.start + row + 1);
  V sum = 0;
#pragma unroll 1
  for (Index k = matrix_load<L>(A.start + row); k < end; ++k) sum += product_at<L>(A, k, x);
  y[row] = sum;
}

// Lanes = 32: CRS (vector). Lanes = 16: SpMV4GPU, whose rows end at multiples of 16.
template <Loads L, int Lanes, class V>
SIMT_KERNEL crs_team_a_row(LiteralView<V> A, const V* x, V* y) {
  const std::int64_t row = simt::global_thread() / Lanes;
  const int member = simt::thread() % Lanes;
  const bool present = row < A.rows;
  const Index end = present ? matrix_load<L>(A.start + row + 1) : 0;
  V sum = 0;
#pragma unroll 1
  for (Index k = present ? matrix_load<L>(A.start + row) + member : 0; k < end; k += Lanes)
    sum += product_at<L>(A, k, x);
  sum = simt::team_sum<Lanes>(sum);
  if (present && member == 0) y[row] = sum;
}

template <Loads L, bool Near, class V>
SIMT_KERNEL ellpack_thread_a_row(LiteralView<V> A, const V* x, V* y) {
  const std::int64_t row = simt::global_thread();
  if (row >= A.rows) return;
  V sum = 0;
#pragma unroll 1
  for (std::int64_t k = 0; k < A.width; ++k) {
    const std::int64_t place = row + k * A.ld;
    const V value = matrix_load<L>(A.val + place);
    if (value == V(0)) continue;
    if constexpr (Near)
      sum += value * x_load<L>(x + row + matrix_load<L>(A.near + place));
    else
      sum += value * x_load<L>(x + matrix_load<L>(A.col + place));
  }
  y[row] = sum;
}

template <Loads L, class V>
SIMT_KERNEL ellpack_r_thread_a_row(LiteralView<V> A, const V* x, V* y) {
  const std::int64_t row = simt::global_thread();
  if (row >= A.rows) return;
  const Index length = matrix_load<L>(A.length + row);
  V sum = 0;
#pragma unroll 1
  for (Index k = 0; k < length; ++k) sum += product_at<L>(A, row + k * A.ld, x);
  y[row] = sum;
}

// A block of 16 is a warp half of which has nothing to do.
template <Loads L, int T, class V>
SIMT_KERNEL ellr_t_team_a_row(LiteralView<V> A, int block, const V* x, V* y) {
  const std::int64_t thread = simt::block() * block + simt::thread();
  const std::int64_t row = thread / T;
  const int member = simt::thread() % T;
  const bool present = simt::thread() < block && row < A.rows;
  const Index length = present ? matrix_load<L>(A.length + row) : 0;
  const Index steps = (length + T - 1) / T;
  V sum = 0;
#pragma unroll 1
  for (Index k = 0; k < steps; ++k) sum += product_at<L>(A, (k * A.ld + row) * T + member, x);
  sum = simt::team_sum<T>(sum);
  if (present && member == 0) y[row] = sum;
}

template <Loads L, class V>
SIMT_KERNEL rgcsr_block_a_group(LiteralView<V> A, const V* x, V* y) {
  const std::int64_t group = simt::block(), size = simt::block_threads(), row = group * size + simt::thread();
  if (row >= A.rows) return;
  const std::int64_t here = A.rows - group * size, step = here < size ? here : size;
  const Index length = matrix_load<L>(A.length + row);
  std::int64_t place = matrix_load<L>(A.start + group) + simt::thread();
  V sum = 0;
#pragma unroll 1
  for (Index k = 0; k < length; ++k, place += step) sum += product_at<L>(A, place, x);
  y[row] = sum;
}

// No row lengths: every row to the width of its slice, padding multiplied.
template <Loads L, int T, class V>
SIMT_KERNEL sliced_team_a_row(LiteralView<V> A, const V* x, V* y) {
  const std::int64_t place = simt::global_thread() / T, slice = place / A.C;
  const int member = simt::thread() % T;
  const bool present = place < A.rows;
  const std::int64_t start = present ? matrix_load<L>(A.start + slice) : 0;
  const std::int64_t end = present ? matrix_load<L>(A.start + slice + 1) : 0;
  V sum = 0;
#pragma unroll 1
  for (std::int64_t k = start + place % A.C * T + member; k < end; k += A.C * T) sum += product_at<L>(A, k, x);
  sum = simt::team_sum<T>(sum);
  if (present && member == 0) y[matrix_load<L>(A.row_of + place)] = sum;
}

// A warp an interval of 32 * iterations entries. Where a row ends inside of it, its lane adds to y; what the last lane
// holds travels to the next step, and from the last step to the carries.
template <Loads L, class V>
SIMT_KERNEL coo_flat(LiteralView<V> A, std::int64_t entries, const V* x, V* y) {
  const std::int64_t number = simt::global_thread() / simt::warp_size;
  const int lane = simt::lane();
  const std::int64_t begin = number * A.interval;
  const std::int64_t end = begin + A.interval < entries ? begin + A.interval : entries;
  if (begin >= end) return;  // whole warps
  Index carry_row = matrix_load<L>(A.rest_row + begin);
  V carry = 0;
#pragma unroll 1
  for (std::int64_t k = begin + lane; k < end; k += simt::warp_size) {  // entries: a multiple of 32
    const Index row = matrix_load<L>(A.rest_row + k);
    V sum = matrix_load<L>(A.rest_val + k) * x_load<L>(x + matrix_load<L>(A.rest_col + k));
    if (lane == 0) {
      if (row == carry_row)
        sum += carry;
      else
        y[carry_row] += carry;
    }
    for (int distance = 1; distance < simt::warp_size; distance *= 2) {
      const V other = simt::shuffle_up(sum, distance);
      const Index other_row = simt::shuffle_up(row, distance);
      if (lane >= distance && other_row == row) sum += other;
    }
    const Index next = simt::shuffle_down(row, 1);
    if (lane < simt::warp_size - 1 && row != next) y[row] += sum;
    carry_row = simt::shuffle(row, simt::warp_size - 1);
    carry = simt::shuffle(sum, simt::warp_size - 1);
  }
  if (lane == 0) {
    A.carry_row[number] = carry_row;
    A.carry[number] = carry;
  }
}

template <class V>
struct Carry {
  V sum;
  Index row;
};

// One block: sums carries of the same row, a stretch of as many as it has threads after another.
template <class V>
SIMT_KERNEL coo_carries(LiteralView<V> A, V* y) {
  Carry<V>* seen = simt::shared<Carry<V>>();
  const int me = simt::thread(), all = static_cast<int>(simt::block_threads());
  for (std::int64_t first = 0; first < A.warps; first += all) {
    const std::int64_t mine = first + me;
    Carry<V> carry{0, -1};
    if (mine < A.warps) carry = {A.carry[mine], A.carry_row[mine]};
    for (int distance = 1; distance < all; distance *= 2) {
      seen[me] = carry;
      simt::sync_block();
      if (me >= distance && seen[me - distance].row == carry.row) carry.sum += seen[me - distance].sum;
      simt::sync_block();
    }
    seen[me] = carry;
    simt::sync_block();
    const bool last = me + 1 == all || seen[me + 1].row != carry.row;
    if (carry.row >= 0 && last) y[carry.row] += carry.sum;
    simt::sync_block();
  }
}

template <class V>
SIMT_KERNEL coo_serial(LiteralView<V> A, std::int64_t first, const V* x, V* y) {
  if (simt::thread() != 0) return;
  for (std::int64_t k = first; k < A.rest; ++k) y[A.rest_row[k]] += A.rest_val[k] * x[A.rest_col[k]];
}

template <Loads L, class V>
void multiply_ellpack(simt::Here here, simt::Launch launch, const Literal& literal, const LiteralView<V>& A, const V* x,
                      V* y) {
  if constexpr (L == Loads::texture)
    if (literal.near) return simt::launch(here, launch, ellpack_thread_a_row<L, true, V>, A, x, y);
  simt::launch(here, launch, ellpack_thread_a_row<L, false, V>, A, x, y);
}

template <Loads L, class V>
void multiply_by(simt::Here here, const Literal& literal, const LiteralView<V>& A, const V* x, V* y, Stream stream) {
  using Kernel = Literal::Kernel;
  const int threads = literal.block < simt::warp_size ? simt::warp_size : literal.block;
  const auto launch_for = [&](std::int64_t items) {
    return simt::Launch{simt::blocks_for(items, threads), threads, 0, stream};
  };
  switch (literal.kernel) {
    case Kernel::crs: return simt::launch(here, launch_for(A.rows), crs_thread_a_row<L, V>, A, x, y);
    case Kernel::crs_vector: return simt::launch(here, launch_for(A.rows * 32), crs_team_a_row<L, 32, V>, A, x, y);
    case Kernel::spmv4gpu: return simt::launch(here, launch_for(A.rows * 16), crs_team_a_row<L, 16, V>, A, x, y);
    case Kernel::ellpack: return multiply_ellpack<L>(here, launch_for(A.rows), literal, A, x, y);
    case Kernel::ellpack_r: return simt::launch(here, launch_for(A.rows), ellpack_r_thread_a_row<L, V>, A, x, y);
    case Kernel::rgcsr: return simt::launch(here, launch_for(A.rows), rgcsr_block_a_group<L, V>, A, x, y);
    case Kernel::ellr_t:
      return dispatch_int<1, 2, 4, 8, 16, 32>(literal.T, [&](auto T) {
        const simt::Launch launch{simt::blocks_for(A.rows * T, literal.block), threads, 0, stream};
        simt::launch(here, launch, ellr_t_team_a_row<L, T, V>, A, literal.block, x, y);
      });
    case Kernel::sliced:
      return dispatch_int<1, 2, 4, 8, 16, 32>(
          literal.T, [&](auto T) { simt::launch(here, launch_for(A.rows * T), sliced_team_a_row<L, T, V>, A, x, y); });
    case Kernel::hyb: break;
  }
  multiply_ellpack<L>(here, launch_for(A.rows), literal, A, x, y);
  const std::int64_t whole = A.rest / simt::warp_size * simt::warp_size;
  simt::launch(here, launch_for(A.warps * simt::warp_size), coo_flat<L, V>, A, whole, x, y);
  constexpr int one_block = 512;
  const std::int64_t blocks = A.warps > 0 ? 1 : 0;
  simt::launch(here, {blocks, one_block, one_block * sizeof(Carry<V>), stream}, coo_carries<V>, A, y);
  simt::launch(here, {A.rest > whole ? 1 : 0, simt::warp_size, 0, stream}, coo_serial<V>, A, whole, x, y);
}

}  // namespace

template <class V>
void multiply_literally(simt::Here here, const Literal& literal, const LiteralView<V>& A, const V* x, V* y,
                        Stream stream) {
  switch (literal.loads) {
    case Loads::texture: return multiply_by<Loads::texture>(here, literal, A, x, y, stream);
    case Loads::past: return multiply_by<Loads::past>(here, literal, A, x, y, stream);
    case Loads::data_cache: return multiply_by<Loads::data_cache>(here, literal, A, x, y, stream);
    case Loads::plain: return multiply_by<Loads::plain>(here, literal, A, x, y, stream);
    case Loads::uncached: return multiply_by<Loads::uncached>(here, literal, A, x, y, stream);
  }
}

template void multiply_literally(simt::Here, const Literal&, const LiteralView<float>&, const float*, float*, Stream);
template void multiply_literally(simt::Here, const Literal&, const LiteralView<double>&, const double*, double*,
                                 Stream);

}  // namespace heddle::reproduce
