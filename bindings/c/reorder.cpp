// heddle_matrix_order, heddle_matrix_permute: other orders of rows and columns.
#include <heddle/foreign.hpp>
#include <heddle/reorder.hpp>

#include <numeric>
#include <string_view>

#include "arrays.hpp"
#include "guard.hpp"

using namespace heddle::c;
using heddle::Buffer;
using heddle::Csr;
using heddle::EntryMap;
using heddle::Index;
using heddle::Offset;
using heddle::Permutation;

namespace {

// `call` gets the matrix in host memory.
template <class F>
auto on_host(const heddle_matrix& matrix, F&& call) {
  return std::visit(
      [&](const auto& A) { return A.val.device().host_memory() ? call(A) : call(A.to(heddle::Device::cpu())); },
      matrix.csr);
}

Permutation order_of(const heddle::PatternView& A, std::string_view by, int64_t window) {
  if (by == "rcm") return rcm_order(A);
  if (by == "amd") return heddle::amd_order(A);
  if (by == "length") return length_order(A, window);
  wrong_usage("no order \"" + std::string(by) + "\"", "by", "rcm, amd and length are there");
}

Permutation taken_order(const int32_t* given, int64_t size) {
  if (!given) return Permutation::identity(size);
  return {Buffer<Index>::borrow({given, static_cast<std::size_t>(size)})};
}

// The library moves the numbers of the entries as if they were values: that tells which entry comes from where.
template <class V>
std::unique_ptr<heddle_matrix> permuted(const Csr<V>& A, Origin origin, const Permutation& rows,
                                        const Permutation& columns, Asking& asking) {
  Buffer<double> numbers(A.nnz());
  asking.loop(A.nnz(), 0, 0, [&](int64_t first, int64_t last) {
    std::iota(numbers.begin() + first, numbers.begin() + last, static_cast<double>(first));
  });
  Csr<double> moved = permute(heddle::CsrView<double>{{A.rows, A.cols, A.ptr, A.col}, numbers}, rows, columns);
  EntryMap map{A.nnz(), A.nnz(), Buffer<Offset>(A.nnz()), {}};
  Csr<V> B{A.rows, A.cols, std::move(moved.ptr), std::move(moved.col), Buffer<V>(A.nnz())};
  asking.loop(A.nnz(), 0.6, 0.8, [&](int64_t k, int64_t last) {
    for (; k < last; ++k) {
      map.from[k] = static_cast<Offset>(moved.val[k]);
      B.val[k] = A.val[map.from[k]];
    }
  });
  origin.map = joined(origin.map.get(), map, asking);
  origin.conversions.push_back("rows or columns in another order");
  return std::make_unique<heddle_matrix>(heddle_matrix{std::move(B), std::move(origin)});
}

}  // namespace

heddle_status heddle_matrix_order(const heddle_matrix* matrix, const char* by, int64_t window,
                                  heddle_keep_going keep_going, void* context, int32_t* order) {
  return guard([&] {
    const auto& from = needed(matrix, "matrix");
    const char* name = &needed(by, "by");
    if (window < 0) wrong_usage("a number from 0 on is needed", "window");
    Permutation found;
    heddle::watched(keep_going_of(keep_going, context), "order",
                    [&] { found = on_host(from, [&](const auto& A) { return order_of(A.view(), name, window); }); });
    if (found.size() > 0) need_memory(order, "order");
    std::copy(found.new_to_old.begin(), found.new_to_old.end(), order);
  });
}

heddle_status heddle_matrix_permute(const heddle_matrix* matrix, const int32_t* row_order, const int32_t* column_order,
                                    heddle_keep_going keep_going, void* context, heddle_matrix** result) {
  return guard([&] {
    auto& made = needed(result, "permuted");
    const auto& from = needed(matrix, "matrix");
    const heddle::KeepGoing ask = keep_going_of(keep_going, context);
    Asking asking(ask, "permute");
    const auto permute = [&](const auto& A) {
      return permuted(A, from.origin, taken_order(row_order, A.rows), taken_order(column_order, A.cols), asking);
    };
    heddle::watched(ask, "permute", [&] { made = on_host(from, permute).release(); });
  });
}
