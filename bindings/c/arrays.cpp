#include "arrays.hpp"

#include "guard.hpp"

namespace heddle::c {

namespace {

// What the caller gives away, released with the last buffer that needs it; unless the call fails.
struct Gift {
  void (*release)(void*) = nullptr;
  void* context = nullptr;
  bool accepted = false;

  ~Gift() {
    if (accepted && release) release(context);
  }
};

struct Given {
  const heddle_arrays& arrays;
  Device device;
  std::shared_ptr<Gift> gift;  // null: copied or borrowed
  Origin origin;

  void converted(std::string what) { origin.conversions.push_back(std::move(what)); }
  template <class T>
  Buffer<T> as_it_is(const void* data, int64_t n) const {
    return Buffer<T>::adopt(gift, static_cast<T*>(const_cast<void*>(data)), n, device);
  }
};

Integers integers(const void* data, heddle_type type, int64_t n, const char* name) {
  if (n > 0) need_memory(data, name);
  if (type == HEDDLE_I32) return {static_cast<const std::int32_t*>(data), n};
  if (type == HEDDLE_I64) return {static_cast<const std::int64_t*>(data), n};
  wrong_usage("integers are HEDDLE_I32 or HEDDLE_I64", name);
}

template <class V>
Buffer<V> values_of(const Given& given) {
  if (given.arrays.values || given.arrays.nnz == 0) return given.as_it_is<V>(given.arrays.values, given.arrays.nnz);
  Buffer<V> ones(given.arrays.nnz);
  std::fill(ones.begin(), ones.end(), V(1));
  return std::move(ones).owned_on(given.device);
}

template <class V>
MatrixView<V> view_of(const Given& given, const Buffer<V>& values) {
  const heddle_arrays& a = given.arrays;
  MatrixView<V> view;
  view.rows = a.rows, view.cols = a.cols, view.base = static_cast<int>(a.index_base), view.device = given.device;
  view.val = values.span();
  const Integers second = integers(a.indices, a.index_type, a.nnz, "indices");
  switch (a.layout) {
    case HEDDLE_CSR:
      view.order = EntryOrder::csr;
      view.row = integers(a.offsets, a.offset_type, a.rows + 1, "offsets"), view.col = second;
      return view;
    case HEDDLE_CSC:
      view.order = EntryOrder::csc;
      view.col = integers(a.offsets, a.offset_type, a.cols + 1, "offsets"), view.row = second;
      return view;
    case HEDDLE_COO:
      view.order = EntryOrder::coo;
      view.row = integers(a.row_indices, a.index_type, a.nnz, "row_indices"), view.col = second;
      return view;
    default: wrong_usage("layout " + std::to_string(a.layout) + " does not exist");
  }
}

// Offsets of int32, which SciPy mostly has, are converted, a small copy; columns and values are used where they are.
template <class V>
std::optional<Csr<V>> borrowed(Given& given, Buffer<V>& values) {
  const heddle_arrays& a = given.arrays;
  const bool fits =
      a.layout == HEDDLE_CSR && a.index_base == 0 && a.index_type == HEDDLE_I32 && given.device.host_memory();
  if (!fits) return {};
  Csr<V> A{a.rows, a.cols, {}, given.as_it_is<Index>(a.indices, a.nnz), {}};
  if (a.offset_type == HEDDLE_I64) {
    A.ptr = given.as_it_is<Offset>(a.offsets, a.rows + 1);
  } else {
    A.ptr = Buffer<Offset>(a.rows + 1);
    std::copy_n(static_cast<const std::int32_t*>(a.offsets), a.rows + 1, A.ptr.begin());
  }
  if (!violations(A.view(), Require::canonical).empty()) return {};
  if (a.offset_type != HEDDLE_I64) given.converted("offsets: int32 to int64");
  A.val = std::move(values);
  return A;
}

const char* words_for(const heddle_arrays& a) {
  if (a.layout == HEDDLE_CSC) return "csc to csr";
  return a.layout == HEDDLE_COO ? "coo to csr" : "rows sorted";
}

void note_changes(Given& given, const EntryMap& map) {
  const heddle_arrays& a = given.arrays;
  if (a.index_base != 0) given.converted("counted from 0 instead of 1");
  if (a.index_type == HEDDLE_I64) given.converted("indices: int64 to int32");
  if (a.layout != HEDDLE_COO && a.offset_type == HEDDLE_I32) given.converted("offsets: int32 to int64");
  if (a.layout != HEDDLE_CSR || !map.identity()) given.converted(words_for(a));
  if (map.given > map.stored) given.converted(std::to_string(map.given - map.stored) + " repeated entries summed");
}

template <class V>
Csr<V> csr_from(Given& given) {
  Buffer<V> values = values_of<V>(given);
  const MatrixView<V> view = view_of(given, values);
  if (auto A = borrowed(given, values)) return std::move(*A);
  auto map = std::make_shared<EntryMap>();
  Csr<V> made = make_csr(view, map.get());
  note_changes(given, *map);
  if (!map->identity()) given.origin.map = std::move(map);
  return made;
}

void check(const heddle_arrays& a) {
  if (a.rows < 0 || a.cols < 0 || a.nnz < 0) wrong_usage("rows, cols and nnz are numbers from 0 on");
  if (a.rows > max_dimension || a.cols > max_dimension)
    throw Error(ErrorKind::input, "a matrix of more than 2147483647 rows or columns");
  if (a.index_base != 0 && a.index_base != 1) wrong_usage("0 or 1 is needed", "index_base");
  if (a.ownership < HEDDLE_COPY || a.ownership > HEDDLE_GIVE) wrong_usage("there is no such value", "ownership");
  if (a.value_type != HEDDLE_F64 && a.value_type != HEDDLE_F32)
    wrong_usage("values are HEDDLE_F64 or HEDDLE_F32", "value_type");
}

template <class V>
std::unique_ptr<heddle_matrix> made_of(Given& given) {
  Csr<V> A = csr_from<V>(given);
  if (given.arrays.ownership == HEDDLE_COPY) {
    A.ptr = std::move(A.ptr).owned_on(given.device);
    A.col = std::move(A.col).owned_on(given.device);
    A.val = std::move(A.val).owned_on(given.device);
  }
  return std::make_unique<heddle_matrix>(heddle_matrix{std::move(A), std::move(given.origin)});
}

template <class V>
std::unique_ptr<heddle_matrix> transposed_csr(const Csr<V>& given, Origin origin, Asking& asking) {
  MatrixView<V> by_columns;
  by_columns.order = EntryOrder::csc;
  by_columns.rows = given.cols, by_columns.cols = given.rows;
  by_columns.row = {given.col.data(), given.col.size()}, by_columns.col = {given.ptr.data(), given.ptr.size()};
  by_columns.val = given.val.span(), by_columns.device = given.val.device();
  EntryMap moved;
  Csr<V> T = make_csr(by_columns, &moved);
  moved = moved.to(Device::cpu());
  origin.map = joined(origin.map.get(), moved, asking);
  origin.conversions.push_back("transposed");
  return std::make_unique<heddle_matrix>(heddle_matrix{std::move(T), std::move(origin)});
}

}  // namespace

std::shared_ptr<const EntryMap> joined(const EntryMap* before, const EntryMap& then, Asking& asking) {
  if (!before || before->identity()) return std::make_shared<EntryMap>(then);
  const EntryMap first = before->to(Device::cpu());
  const auto begin_of = [&](int64_t p) { return first.first.empty() ? p : first.first[p]; };
  auto both = std::make_shared<EntryMap>();
  both->given = first.given, both->stored = then.stored;
  both->from = Buffer<Offset>(first.from.size());
  if (!first.first.empty()) both->first = Buffer<Offset>(then.stored + 1);
  Offset place = 0;
  asking.loop(then.stored, 0.8, 1, [&](int64_t p, int64_t end) {
    for (; p < end; ++p) {
      const int64_t middle = then.identity() ? p : then.from[p];
      if (!both->first.empty()) both->first[p] = place;
      for (int64_t k = begin_of(middle); k < begin_of(middle + 1); ++k) both->from[place++] = first.from[k];
    }
  });
  if (!both->first.empty()) both->first[then.stored] = place;
  return both;
}

std::unique_ptr<heddle_matrix> matrix_from(const heddle_arrays& arrays) {
  check(arrays);
  Given given{arrays, device_of(arrays.device), nullptr, {}};
  given.origin.values = arrays.nnz;
  if (arrays.ownership == HEDDLE_GIVE) given.gift = std::make_shared<Gift>(Gift{arrays.release, arrays.context, false});
  auto made = arrays.value_type == HEDDLE_F32 ? made_of<float>(given) : made_of<double>(given);
  if (given.gift) given.gift->accepted = true;
  return made;
}

std::unique_ptr<heddle_matrix> transposed(const heddle_matrix& matrix, Asking& asking) {
  return std::visit([&](const auto& A) { return transposed_csr(A, matrix.origin, asking); }, matrix.csr);
}

}  // namespace heddle::c
