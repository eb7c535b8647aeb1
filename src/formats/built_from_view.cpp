#include "formats/built_from_view.hpp"

#include "core/memory_errors.hpp"
#include "core/watch.hpp"
#include "formats/brought.hpp"
#include "formats/operator_state.hpp"

namespace heddle {

namespace {

template <class V>
void note_lent(typename Operator<V>::Impl& impl, const MatrixView<V>& A) {
  const auto kept = [&](const void* array, const char* name) {
    const bool found = array != nullptr && impl.own.store->keeps(array);
    if (found) impl.lent.emplace_back(name);
    return found;
  };
  kept(A.row.data, A.order == EntryOrder::csr ? "row offsets" : "rows");
  kept(A.col.data, "columns");
  impl.lent_values = kept(A.val.data(), "values");
}

}  // namespace

template <class V>
Operator<V> build_brought(const MatrixView<V>& A, bool updates,
                          const std::function<Operator<V>(Csr<V>&& brought)>& build_from) {
  Arranged<V> made = bring(A);
  const bool lends_values = !made.A.val.empty() && made.A.val.data() == A.val.data();
  if (updates && lends_values) made.A.val = made.A.val.to(A.device);
  Operator<V> op = build_from(std::move(made.A));
  auto& impl = inside(op);
  impl.from_view = true;
  impl.conversions = std::move(made.conversions);
  impl.order = std::move(made.map);
  note_lent<V>(impl, A);
  if (updates) impl.keep_order_on_device();
  return op;
}

template <class V>
Operator<V> build(const MatrixView<V>& A, const Plan& plan, const BuildOptions& options) {
  const Watch watch(options.keep_going);
  return with_memory_errors([&] {
    return build_brought<V>(A, options.updates,
                            [&](Csr<V>&& brought) { return build(std::move(brought), plan, options); });
  });
}

template Operator<float> build_brought(const MatrixView<float>&, bool,
                                       const std::function<Operator<float>(Csr<float>&&)>&);
template Operator<double> build_brought(const MatrixView<double>&, bool,
                                        const std::function<Operator<double>(Csr<double>&&)>&);
template Operator<float> build(const MatrixView<float>&, const Plan&, const BuildOptions&);
template Operator<double> build(const MatrixView<double>&, const Plan&, const BuildOptions&);

}  // namespace heddle
