// The steps of the set-up on the host.
#include <algorithm>

#include "core/parallel.hpp"
#include "solve/amg/dense_inverse.hpp"
#include "solve/amg/lanczos.hpp"
#include "solve/amg/sparse_rows.hpp"
#include "solve/amg/steps_by_row.hpp"

namespace heddle::solve_method {

namespace {

constexpr std::int64_t rows_of_task = 1 << 12;

struct HostSide {
  template <class Items>
  void each(const Items& items, std::int64_t count) const {
    parallel_ranges(count, rows_of_task, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) items(i);
    });
  }
  template <class Items>
  typename Items::Result reduce(const Items& items, std::int64_t count) const {
    using Result = typename Items::Result;
    Vector<Result> parts(static_cast<std::size_t>((count + rows_of_task - 1) / rows_of_task));
    parallel_ranges(count, rows_of_task, [&](std::int64_t begin, std::int64_t end) {
      Result mine{};
      for (std::int64_t i = begin; i < end; ++i) items.add(i, mine);
      parts[static_cast<std::size_t>(begin / rows_of_task)] = mine;
    });
    Result all{};
    for (const Result& part : parts) all.add(part);
    return all;
  }
};

// ------------------------------------------------------------------------------------------------- canonical sums

struct SumOfParts {
  const double* part;
  double load(std::int64_t i) const { return part[i]; }
  double operator()(std::int64_t, double one) const { return one; }
};

template <class F>
double sum_of_lanes(std::int64_t begin, std::int64_t end, const F& given) {
  const F f = given;  // a copy that no vector can overlap stays in registers
  double lane[sum_lanes] = {};
  for (std::int64_t base = begin; base < end; base += sum_lanes) {
    const int count = static_cast<int>(std::min<std::int64_t>(sum_lanes, end - base));
    for (int t = 0; t < count; ++t) lane[t] += f(base + t, f.load(base + t));
  }
  for (int half = sum_lanes / 2; half > 0; half /= 2)
    for (int t = 0; t < half; ++t) lane[t] += lane[t + half];
  return lane[0];
}

template <class F>
double canonical_sum(std::int64_t count, Vector<double>& parts, const F& f) {
  parallel_ranges(count, sum_piece, [&](std::int64_t begin, std::int64_t end) {
    parts[static_cast<std::size_t>(begin / sum_piece)] = sum_of_lanes(begin, end, f);
  });
  return sum_of_lanes(0, static_cast<std::int64_t>(parts.size()), SumOfParts{parts.data()});
}

template <class Entries>
double eigenvalue_of(const HostSide& side, const Entries& entries, std::int64_t rows, const Buffer<double>& inverse) {
  const RowSumBound bound = side.reduce(RowSums<Entries>{entries, inverse.data()}, rows);
  LanczosNumbers numbers;
  if (!bound.finite || rows == 0) return largest_eigenvalue(numbers, 0, bound);
  Buffer<double> weight(rows), one(rows), other(rows);
  Vector<double> parts(static_cast<std::size_t>((rows + sum_piece - 1) / sum_piece));
  LanczosVectors v{inverse.data(), weight.data(), one.data(), other.data()};
  numbers.length[0] = std::sqrt(canonical_sum(rows, parts, LanczosStart{v}));
  double before = 0;  // 1 / length of the vector before
  int step = 0;
  for (;; ++step) {
    const double length = numbers.length[step], scale = 1 / length;
    const double back = step == 0 ? 0 : length * before;
    const LanczosProduct<Entries> products{entries, v.u};
    numbers.along[step] =
        canonical_sum(rows, parts, LanczosMultiply<LanczosProduct<Entries>>{v, scale, back, products});
    if (step + 1 == most_steps<Entries> || is_settled(numbers, step, bound)) break;
    numbers.length[step + 1] = std::sqrt(canonical_sum(rows, parts, LanczosSubtract{v, numbers.along[step] * scale}));
    std::swap(v.u, v.before);
    before = scale;
  }
  return largest_eigenvalue(numbers, step + 1, bound);
}

// ----------------------------------------------------------------------------------------------------------- roots

class Roots {
 public:
  explicit Roots(const StrongGraph& graph) : g_(graph), root_(graph.nodes.rows), sees_(graph.nodes.rows) {
    std::fill(root_.begin(), root_.end(), std::uint8_t{0});
    std::fill(sees_.begin(), sees_.end(), std::uint8_t{0});
  }

  const Buffer<std::uint8_t>& find(const NodeOrder& order) && {
    for (std::int64_t place = 0; place < order.tiles; ++place) {
      const std::int64_t first = order.tile_at(place) * order.tile();
      for (std::int64_t i = first; i < std::min(first + order.tile(), g_.nodes.rows); ++i)
        if (may_be_root(i)) begin_at(i);
    }
    return root_;
  }

 private:
  // What is noted in `sees_` settles most nodes. A flag and its mirror may differ, then nothing has been noted.
  bool may_be_root(std::int64_t i) {
    if (sees_[i]) return false;
    bool any = false;
    for (Offset k = g_.nodes.ptr[i]; k < g_.nodes.ptr[i + 1]; ++k) {
      if (!g_.strong[k]) continue;
      if (sees_[g_.nodes.col[k]]) return false;
      any = true;
    }
    if (!any || looks_at_root(i)) return false;
    for (Offset k = g_.nodes.ptr[i]; k < g_.nodes.ptr[i + 1]; ++k)
      if (g_.strong[k] && looks_at_root(g_.nodes.col[k])) return false;
    return true;
  }
  bool looks_at_root(std::int64_t i) {
    for (Offset k = g_.nodes.ptr[i]; k < g_.nodes.ptr[i + 1] && !sees_[i]; ++k)
      sees_[i] = g_.strong[k] && root_[g_.nodes.col[k]];
    return sees_[i] != 0;
  }
  void begin_at(std::int64_t i) {
    root_[i] = sees_[i] = 1;
    for (Offset k = g_.nodes.ptr[i]; k < g_.nodes.ptr[i + 1]; ++k) {
      const Index j = g_.nodes.col[k];
      const Index *first = g_.nodes.col + g_.nodes.ptr[j], *last = g_.nodes.col + g_.nodes.ptr[j + 1];
      const Index* found = std::lower_bound(first, last, static_cast<Index>(i));
      if (found != last && *found == i && g_.strong[found - g_.nodes.col]) sees_[j] = 1;
    }
  }

  StrongGraph g_;
  Buffer<std::uint8_t> root_, sees_;
};

// ----------------------------------------------------------------------------------------------------------- steps

template <class Each>
void rows_into(Csr<double>& into, std::int64_t rows, std::int64_t cols, const Each& each) {
  if (into.rows > 0)
    refill_rows(into.view(), into.val, each);
  else
    into = from_rows(rows, cols, each);
}

class StepsOnHost final : public StepsByRow<HostSide> {
 public:
  StepsOnHost() : StepsByRow(Device::cpu(), HostSide{}) {}

  double largest_eigenvalue(const CsrView<double>& A, const Couplings* couplings,
                            const Buffer<double>& inverse) const override {
    if (couplings) return eigenvalue_of(side_, couplings->folded(A), A.rows, inverse);
    return eigenvalue_of(side_, PlainEntries{MatrixRows(A)}, A.rows, inverse);
  }
  void interpolate(const CsrView<double>& A, const Interpolation& interpolation, const Buffer<double>& inverse,
                   double omega, Csr<double>& into, KnownPatterns& known) const override {
    with_rows_of(A, interpolation, inverse, omega,
                 [&](const auto& rows) { rows_into(into, A.rows, interpolation.columns(), rows); });
    known.P.longest = longest_row(into.view());
  }
  void transpose(const CsrView<double>& P, Csr<double>& into, KnownPatterns&) const override {
    into = heddle::transpose(P);
  }
  // The rows of A P need no order: each column comes up once in each of them.
  void coarse_matrix(const CsrView<double>& R, const CsrView<double>& A, const CsrView<double>& P, Csr<double>& into,
                     KnownPatterns&) const override {
    const LooseRows AP = loose_rows(A.rows, P.cols, ProductRows{MatrixRows(A), P}, InRows::as_they_come);
    rows_into(into, R.rows, P.cols, ProductRows{MatrixRows(R), AP});
  }
  Csr<double> dense_inverse(const CsrView<double>& A, const Buffer<double>& inverse) const override {
    return solve_method::dense_inverse(A, inverse);
  }

 protected:
  Csr<double> aggregate_of_nodes(std::int64_t nodes, const Aggregates& aggregates) const override {
    return from_rows(nodes, aggregates.count, TentativeRows<ConstantRows>{ConstantRows{aggregates.of.data(), 1}});
  }
  Csr<double> node_graph(const CsrView<double>& A, int block) const override {
    return from_rows(A.rows / block, A.cols / block, NodeRows{MatrixRows(A), block});
  }
  Buffer<Index> root_numbers(const StrongGraph& graph, const Couplings& of, std::int64_t& count) const override {
    Roots roots(graph);
    const Buffer<std::uint8_t>& is_root = std::move(roots).find(of.order);
    Buffer<Index> number(graph.nodes.rows);
    for (std::int64_t i = 0; i < number.size(); ++i)
      number[i] = is_root[i] ? static_cast<Index>(count++) : no_aggregate;
    return number;
  }
};

}  // namespace

std::unique_ptr<Steps> steps_on_host() { return std::make_unique<StepsOnHost>(); }

}  // namespace heddle::solve_method
