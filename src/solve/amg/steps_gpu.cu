// The steps of the set-up as kernels. (Without contraction of products and sums: src/CMakeLists.txt.)
#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include <heddle/matrix.hpp>

#include "simt/primitives/radix.hpp"
#include "simt/primitives/reduce.hpp"
#include "solve/amg/dense_on_device.hpp"
#include "solve/amg/lanczos_on_device.hpp"
#include "solve/amg/roots_of_long_rows.hpp"
#include "solve/amg/row_table.hpp"
#include "solve/amg/steps_by_row.hpp"

namespace heddle::solve_method {

namespace {

constexpr int item_threads = 256;

template <class Items>
SIMT_KERNEL item_per_thread(Items items, std::int64_t count) {
  const std::int64_t i = simt::global_thread();
  if (i < count) items(i);
}

struct DeviceSide {
  Device device;

  template <class Items>
  void each(const Items& items, std::int64_t count) const {
    simt::launch(simt::Here{}, {simt::blocks_for(count, item_threads), item_threads}, item_per_thread<Items>, items,
                 count);
  }
  template <class Items>
  typename Items::Result reduce(const Items& items, std::int64_t count) const {
    return device::reduce(simt::Here{}, items, count, device, 1);
  }
};

template <class T>
struct Fill {
  T* to;
  T value;
  SIMT_DEVICE void operator()(std::int64_t i) const { to[i] = value; }
};

// ------------------------------------------------------------------------------------------------- rows by tables

// Tables from small to large; a row goes to the first that it fits into. The more entries the rows of B have on
// average, the more lanes take them.
struct ProductTables {
  static constexpr Offset most_small = 56, most_medium = 448, most = 1792;
  MatrixRows A, B;
  std::int64_t lanes;  // wanted

  ProductTables(const CsrView<double>& left, const CsrView<double>& right)
      : A(left), B(right), lanes(right.nnz() / std::max<std::int64_t>(1, right.rows)) {}

  template <int Lanes, int Rows, int Slots, Pass pass>
  void launch(const RowTarget& to, Offset more_than) const {
    using Table = RowTable<Slots, pass>;
    static_assert(Table::most == (Slots == 64 ? most_small : Slots == 512 ? most_medium : most));
    simt::launch(simt::Here{}, {simt::blocks_for(to.rows, Rows), Rows * Lanes, Rows * sizeof(Table)},
                 multiply_row_per_team<Lanes, Rows, Slots, pass>, A, B, to, more_than);
  }
  template <Pass pass>
  void small(const RowTarget& to) const {
    if (lanes <= 6)
      launch<4, 32, 64, pass>(to, 0);
    else if (lanes <= 12)
      launch<8, 16, 64, pass>(to, 0);
    else
      launch<32, 4, 64, pass>(to, 0);
  }
  template <Pass pass>
  void medium(const RowTarget& to) const {
    launch<32, 4, 512, pass>(to, most_small);
  }
  template <Pass pass>
  void large(const RowTarget& to) const {
    launch<32, 1, 2048, pass>(to, most_medium);
  }
};

template <class Each>
struct EachTables {
  static constexpr Offset most_small = 16, most_medium = 64, most = ProductTables::most;
  Each each;

  template <int Rows, int Slots, Pass pass>
  void list(const RowTarget& to, Offset more_than) const {
    simt::launch(simt::Here{}, {simt::blocks_for(to.rows, Rows), Rows, sizeof(RowLists<Slots, Rows, pass>)},
                 list_row_per_thread<Each, Rows, Slots, pass>, each, to, more_than);
  }
  template <Pass pass>
  void small(const RowTarget& to) const {
    list<128, most_small, pass>(to, 0);
  }
  template <Pass pass>
  void medium(const RowTarget& to) const {
    list<32, most_medium, pass>(to, most_small);
  }
  template <Pass pass>
  void large(const RowTarget& to) const {
    constexpr int slots = 2048;
    simt::launch(simt::Here{}, {to.rows, simt::warp_size, sizeof(RowTable<slots, pass>)},
                 sum_row_per_block<Each, slots, pass>, each, to, most_medium);
  }
};

// Where `into` has rows, they are known: the pattern stays.
template <class Tables>
void rows_into(const DeviceSide& side, const Tables& tables, std::int64_t rows, std::int64_t cols, Csr<double>& into,
               KnownRows& known, bool sorted = true) {
  const Device device = side.device;
  if (into.rows == 0) {
    Csr<double> made{rows, cols, Buffer<Offset>(rows + 1, device), {}, {}};
    Buffer<Offset> length(rows, device);
    const RowTarget counted{rows, length.data(), nullptr, nullptr, nullptr, sorted};
    const CountedRows lengths{rows, length.data(), made.ptr.data()};
    const auto look = [&] { return device::scan(simt::Here{}, lengths, rows + 1, device); };
    tables.template small<Pass::count>(counted);
    CountSum sum = look();
    if (sum.open > 0) tables.template medium<Pass::count>(counted), sum = look();
    if (sum.open > 0) tables.template large<Pass::count>(counted), sum = look();
    if (sum.open > 0) fail_too_long(Tables::most);
    made.col = Buffer<Index>(sum.entries, device);
    made.val = Buffer<double>(sum.entries, device);
    known.longest = sum.longest;
    known.entries = sum.entries;
    into = std::move(made);
  }
  const RowTarget filled{rows, nullptr, into.ptr.data(), into.col.data(), into.val.data(), sorted};
  tables.template small<Pass::fill>(filled);
  if (known.longest > Tables::most_small) tables.template medium<Pass::fill>(filled);
  if (known.longest > Tables::most_medium) tables.template large<Pass::fill>(filled);
}

// ------------------------------------------------------------------------------------------------------ transposed

struct RowOfEntries {
  const Offset* ptr;
  Index* row;
  SIMT_DEVICE void operator()(std::int64_t i) const {
    for (Offset k = ptr[i]; k < ptr[i + 1]; ++k) row[k] = static_cast<Index>(i);
  }
};

struct ColumnKeys {
  const Index* col;
  SIMT_DEVICE std::uint32_t key(std::int64_t k) const { return static_cast<std::uint32_t>(col[k]); }
};

struct TransposedEntries {
  const std::uint32_t* key;
  const Index *entry, *row;
  const double* from;
  std::int64_t count, rows;
  Offset* ptr;  // of the transposed matrix, rows + 1
  Index* col;
  double* val;
  Index* order;  // where the entries come from; null: nobody asks

  // Entry `count` is the end.
  SIMT_DEVICE void operator()(std::int64_t k) const {
    const std::int64_t before = k == 0 ? -1 : std::int64_t{key[k - 1]}, own = k == count ? rows : std::int64_t{key[k]};
    for (std::int64_t r = before + 1; r <= own; ++r) ptr[r] = k;
    if (k == count) return;
    col[k] = row[entry[k]];
    val[k] = from[entry[k]];
    if (order != nullptr) order[k] = entry[k];
  }
};
struct Reordered {
  const double* from;
  const Index* order;
  double* to;
  SIMT_DEVICE void operator()(std::int64_t k) const { to[k] = from[order[k]]; }
};

// ----------------------------------------------------------------------------------------------------------- steps

class StepsOnDevice final : public StepsByRow<DeviceSide> {
 public:
  explicit StepsOnDevice(Device device) : StepsByRow(device, DeviceSide{device}) {}

  double largest_eigenvalue(const CsrView<double>& A, const Couplings* couplings,
                            const Buffer<double>& inverse) const override {
    if (couplings) return eigenvalue_of(couplings->folded(A), A.rows, inverse);
    return eigenvalue_of(PlainEntries{MatrixRows(A)}, A.rows, inverse);
  }
  void interpolate(const CsrView<double>& A, const Interpolation& interpolation, const Buffer<double>& inverse,
                   double omega, Csr<double>& into, KnownPatterns& known) const override {
    with_rows_of(A, interpolation, inverse, omega,
                 [&](const auto& rows) { each_into(rows, A.rows, interpolation.columns(), into, known.P); });
  }
  void transpose(const CsrView<double>& P, Csr<double>& into, KnownPatterns& known) const override {
    if (into.rows == 0)
      into = transposed(P, known);
    else
      side_.each(Reordered{P.val.data(), known.order.data(), into.val.data()}, P.nnz());
  }
  // The rows of A P need no order: each column comes up once in each of them.
  void coarse_matrix(const CsrView<double>& R, const CsrView<double>& A, const CsrView<double>& P, Csr<double>& into,
                     KnownPatterns& known) const override {
    Csr<double> AP;
    if (!known.AP.ptr.empty())
      AP = {A.rows, P.cols, Buffer<Offset>::borrow(known.AP.ptr, device()), Buffer<Index>(known.AP.entries, device()),
            Buffer<double>(known.AP.entries, device())};
    rows_into(side_, ProductTables(A, P), A.rows, P.cols, AP, known.AP, false);
    rows_into(side_, ProductTables(R, AP.view()), R.rows, P.cols, into, known.coarse);
    if (known.keep && known.AP.ptr.empty()) known.AP.ptr = std::move(AP.ptr);
  }
  Csr<double> dense_inverse(const CsrView<double>& A, const Buffer<double>& inverse) const override;
  void rehearse(const RehearsedSetUp& kind) const override;

 protected:
  Csr<double> aggregate_of_nodes(std::int64_t nodes, const Aggregates& aggregates) const override {
    Csr<double> made;
    KnownRows rows;
    each_into(TentativeRows<ConstantRows>{ConstantRows{aggregates.of.data(), 1}}, nodes, aggregates.count, made, rows);
    return made;
  }
  Csr<double> node_graph(const CsrView<double>& A, int block) const override {
    Csr<double> made;
    KnownRows rows;
    each_into(NodeRows{MatrixRows(A), block}, A.rows / block, A.cols / block, made, rows);
    return made;
  }
  Buffer<Index> root_numbers(const StrongGraph& graph, const Couplings& of, std::int64_t& count) const override;

 private:
  template <class Each>
  void each_into(const Each& each, std::int64_t rows, std::int64_t cols, Csr<double>& into, KnownRows& known) const {
    rows_into(side_, EachTables<Each>{each}, rows, cols, into, known);
  }
  Csr<double> transposed(const CsrView<double>& A, KnownPatterns& known) const;
  template <class Entries>
  double eigenvalue_of(const Entries& entries, std::int64_t rows, const Buffer<double>& inverse) const {
    if (rows == 0) return solve_method::largest_eigenvalue(LanczosNumbers{}, 0, RowSumBound{});
    return LanczosOnDevice<Entries>(entries, rows, inverse).largest(simt::Here{});
  }
};

Csr<double> StepsOnDevice::transposed(const CsrView<double>& A, KnownPatterns& known) const {
  const std::int64_t count = A.nnz();
  if (count >= INT32_MAX) fail_too_many(count);
  device::Workspace memory(device());
  Csr<double> made{A.cols, A.rows, Buffer<Offset>(A.cols + 1, device()), Buffer<Index>(count, device()),
                   Buffer<double>(count, device())};
  if (known.keep) known.order = Buffer<Index>(count, device());
  Index* const row = memory.take<Index>(count);
  side_.each(RowOfEntries{A.ptr.data(), row}, A.rows);
  const int bits =
      std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(A.cols, 1) - 1))));
  const auto sorted = device::queue_sort(simt::Here{}, ColumnKeys{A.col.data()}, {bits}, {.items = count}, memory);
  side_.each(TransposedEntries{sorted.key, sorted.item, row, A.val.data(), count, A.cols, made.ptr.data(),
                               made.col.data(), made.val.data(), known.keep ? known.order.data() : nullptr},
             count + 1);
  return made;
}

Buffer<Index> StepsOnDevice::root_numbers(const StrongGraph& graph, const Couplings& of, std::int64_t& count) const {
  const std::int64_t nodes = graph.nodes.rows, count_of_words = simt::blocks_for(nodes, simt::warp_size);
  if (of.longest > most_neighbours_on_device) fail_too_long(most_neighbours_on_device);
  device::Workspace memory(device());
  auto* const words = memory.take<std::uint64_t>(count_of_words + 1);
  side_.each(Fill<std::uint64_t>{words, 0}, count_of_words + 1);
  if (of.count >= long_row * nodes)
    simt::launch(simt::Here{}, shape_for_long_rows(nodes), find_roots_of_long_rows, graph, of.order, words,
                 words + count_of_words);
  else
    simt::launch(simt::Here{},
                 {simt::blocks_for(of.order.places(), simt::warp_size), simt::warp_size, LowerNodes::bytes_of_warp},
                 find_roots, graph, of.order, words, words + count_of_words);
  Buffer<Index> number(nodes, device());
  count = device::scan(simt::Here{}, NumberedRoots{words, number.data()}, nodes, memory).roots;
  return number;
}

Csr<double> StepsOnDevice::dense_inverse(const CsrView<double>& A, const Buffer<double>& inverse) const {
  const std::int64_t n = A.rows, all = n * n;
  device::Workspace memory(device());
  double *from = memory.take<double>(all), *to = memory.take<double>(all);
  auto* const fault = memory.take<PivotFault>(1);
  side_.each(Fill<PivotFault>{fault, {0}}, 1);
  side_.each(DenseRows{MatrixRows(A), from}, n);
  const bool symmetric = side_.reduce(Asymmetry{n, from, inverse.data()}, all).symmetric;
  const std::int64_t tiles = simt::blocks_for(n, PivotTile::side);
  for (std::int64_t k = 0; k < n; k += PivotTile::most) {
    simt::launch(simt::Here{}, {tiles * tiles, PivotTile::threads, sizeof(PivotTile)}, exchange_pivots, n, k, from, to,
                 inverse.data(), symmetric, fault);
    std::swap(from, to);
  }
  Csr<double> made{n, n, Buffer<Offset>(n + 1, device()), Buffer<Index>(all, device()), Buffer<double>(all, device())};
  side_.each(Fill<Offset>{made.ptr.data(), 0}, 1);
  side_.each(DenseEntries{n, from, symmetric, made.ptr.data(), made.col.data(), made.val.data()}, all);
  PivotFault first{};
  memory::copy(&first, Device::cpu(), fault, device(), sizeof(first));
  if (first.first != 0) (~first.first & 1) != 0 ? fail_negative_pivot() : fail_not_finite();
  return made;
}

// ------------------------------------------------------------------------------------------------------- rehearsed

// Tables of all sizes, for one row, which the first takes and the others pass over.
template <class Tables>
void launch_all_sizes(const Tables& tables, Device device) {
  constexpr std::int64_t room = 8;
  const Buffer<Offset> ptr = Buffer<Offset>{0, 2}.to(device);
  Buffer<Offset> length(1, device);
  Buffer<Index> col(room, device);
  Buffer<double> val(room, device);
  const RowTarget counted{1, length.data(), nullptr, nullptr, nullptr, true};
  const RowTarget filled{1, nullptr, ptr.data(), col.data(), val.data(), true};
  tables.template small<Pass::count>(counted);
  tables.template medium<Pass::count>(counted);
  tables.template large<Pass::count>(counted);
  tables.template small<Pass::fill>(filled);
  tables.template medium<Pass::fill>(filled);
  tables.template large<Pass::fill>(filled);
}

// Scans of so many rows have kernels of their own.
void scan_rows(const DeviceSide& side, std::int64_t rows) {
  device::Workspace memory(side.device);
  auto *length = memory.take<Offset>(rows), *ptr = memory.take<Offset>(rows + 1);
  auto* const words = memory.take<std::uint64_t>(simt::blocks_for(rows, simt::warp_size));
  auto* const number = memory.take<Index>(rows);
  side.each(Fill<Offset>{length, 0}, rows);
  side.each(Fill<std::uint64_t>{words, 0}, simt::blocks_for(rows, simt::warp_size));
  device::scan(simt::Here{}, CountedRows{rows, length, ptr}, rows + 1, memory);
  device::scan(simt::Here{}, NumberedRoots{words, number}, rows, memory);
}

// With two unknowns that are coupled.
void StepsOnDevice::rehearse(const RehearsedSetUp& kind) const {
  const Csr<double> pair =
      Csr<double>{2, 2, Buffer<Offset>{0, 2, 4}, Buffer<Index>{0, 1, 0, 1}, Buffer<double>{2, -1, -1, 2}}.to(device());
  const CsrView<double> A = pair.view();
  const Buffer<double> inverse = positive_inverse(A);
  Interpolation from{.couplings = couplings(A, inverse, 1, 0)};
  from.couplings.count = long_row * A.rows;  // roots of long rows
  from.aggregates = aggregates(A, from.couplings);
  const auto all_sizes = [&](const auto& each) { launch_all_sizes(EachTables{each}, device()); };
  const auto each_P = [&] {
    for (const bool smooth : {true, false}) from.smooth = smooth, with_rows_of(A, from, inverse, 0.5, all_sizes);
  };
  each_P();
  from.couplings.fold = true;
  each_P();
  largest_eigenvalue(A, &from.couplings, folded_inverse(A, from.couplings, inverse));
  ProductTables tables(A, A);
  for (const std::int64_t lanes : {1, 8, 20}) tables.lanes = lanes, launch_all_sizes(tables, device());
  product_work(A, A);
  if (kind.blocks) {
    couplings(A, inverse, 2, 0);
    all_sizes(NodeRows{MatrixRows(A), 2});
  }
  if (kind.fitted) {
    fit({1, Buffer<double>{1, 1}.to(device())}, A.rows, from);
    each_P();
  }
  constexpr std::int64_t some_rows = 5000, many_rows = 70000;  // more are scanned by the same kernels
  scan_rows(side_, some_rows);
  scan_rows(side_, many_rows);
  // Numbers of so many bits are sorted in several passes, and so many of them in many pieces.
  constexpr std::int64_t many_items = 2 * many_rows;
  Csr<double> diagonal{many_items, many_items, Buffer<Offset>(many_items + 1), Buffer<Index>(many_items),
                       Buffer<double>(many_items)};
  std::iota(diagonal.ptr.begin(), diagonal.ptr.end(), Offset{0});
  std::iota(diagonal.col.begin(), diagonal.col.end(), Index{0});
  std::fill(diagonal.val.begin(), diagonal.val.end(), 1.0);
  KnownPatterns none;
  transposed(diagonal.to(device()).view(), none);
}

}  // namespace

std::unique_ptr<Steps> steps_on(simt::Here, Device device) { return std::make_unique<StepsOnDevice>(device); }

}  // namespace heddle::solve_method
