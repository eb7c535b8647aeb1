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
  heddle_arrays arrays;
  std::shared_ptr<Gift> gift;  // null: copied or borrowed
  Device device;
  Origin origin;

  void converted(std::string what) { origin.conversions.push_back(std::move(what)); }
  template <class T>
  Buffer<T> as_given(const void* data, int64_t n) const {
    return Buffer<T>::adopt(gift, static_cast<T*>(const_cast<void*>(data)), n, device);
  }
};

template <class To, class From>
Buffer<To> shifted(std::span<const From> from, int64_t base, const char* name) {
  Buffer<To> made(static_cast<int64_t>(from.size()));
  for (int64_t i = 0; i < made.size(); ++i) {
    const int64_t value = static_cast<int64_t>(from[i]) - base;
    if (value != static_cast<To>(value))
      throw Error(ErrorKind::input,
                  std::string(name) + "[" + std::to_string(i) + "] = " + std::to_string(from[i]) + " is too large", {},
                  "rows and columns are numbered with 32 bits");
    made[i] = static_cast<To>(value);
  }
  return made;
}

// Rows, columns or offsets as this library has them: from 0, columns in 32 and offsets in 64 bits.
template <class T>
Buffer<T> integers(Given& given, const void* data, heddle_type type, int64_t n, const char* name) {
  if (n > 0) need_memory(data, name);
  if (type != HEDDLE_I32 && type != HEDDLE_I64) wrong_usage("integers are HEDDLE_I32 or HEDDLE_I64", name);
  const int64_t base = given.arrays.index_base;
  const bool wide = type == HEDDLE_I64;
  if (base == 0 && wide == (sizeof(T) == 8)) return given.as_given<T>(data, n);
  given.converted(std::string(name) + ": " + (wide ? "int64" : "int32") + (base == 0 ? "" : " from 1") + " to " +
                  (sizeof(T) == 8 ? "int64" : "int32") + (base == 0 ? "" : " from 0"));
  const auto convert = [&]<class From>(From) {
    const Buffer<From> from = given.as_given<From>(data, n).to(Device::cpu());
    return shifted<T>(from.span(), base, name).owned_on(given.device);
  };
  return wide ? convert(int64_t{}) : convert(int32_t{});
}

template <class V>
Buffer<V> values_of(const Given& given) {
  if (given.arrays.values) return given.as_given<V>(given.arrays.values, given.arrays.nnz);
  Buffer<V> ones(given.arrays.nnz);
  std::fill(ones.begin(), ones.end(), V(1));
  return std::move(ones).owned_on(given.device);
}

// Where entry k, at (row[k], col[k]), came to lie. None where every entry is at its own number.
template <class V>
std::shared_ptr<const Buffer<Offset>> places_in(const Csr<V>& A, const Buffer<Index>& row, const Buffer<Index>& col) {
  auto places = std::make_shared<Buffer<Offset>>(row.size());
  bool same = A.nnz() == row.size();
  for (int64_t k = 0; k < row.size(); ++k) {
    const Index* begin = A.col.data() + A.ptr[row[k]];
    const Index* end = A.col.data() + A.ptr[row[k] + 1];
    (*places)[k] = std::lower_bound(begin, end, col[k]) - A.col.data();
    same = same && (*places)[k] == k;
  }
  return same ? nullptr : places;
}

template <class V>
void note_changes(Given& given, const Csr<V>& made) {
  const int64_t repeated = given.arrays.nnz - made.nnz();
  if (repeated > 0) given.converted(std::to_string(repeated) + " repeated entries summed");
}

template <class V>
Csr<V> on_host(Csr<V> A) {
  const Device cpu = Device::cpu();
  return A.col.device() == cpu && A.val.device() == cpu && A.ptr.device() == cpu ? std::move(A) : A.to(cpu);
}

// Compressed arrays, by rows or by columns, as they are.
template <class V>
Csr<V> compressed(Given& given, int64_t major, int64_t minor) {
  const heddle_arrays& a = given.arrays;
  return {major, minor, integers<Offset>(given, a.offsets, a.offset_type, major + 1, "offsets"),
          integers<Index>(given, a.indices, a.index_type, a.nnz, "indices"), values_of<V>(given)};
}

template <class V>
Csr<V> from_csr(Given& given) {
  Csr<V> A = compressed<V>(given, given.arrays.rows, given.arrays.cols);
  // What lies on a device is checked there when an operator is made from it.
  if (!given.device.host_memory()) return A;
  if (violations(A.view(), Require::canonical).empty()) return A;
  Csr<V> made = make_csr<V>(A.rows, A.cols, A.ptr, A.col, A.val);
  given.origin.places = places_in(made, row_numbers(A.view()), A.col);
  given.converted("rows sorted");
  note_changes(given, made);
  return made;
}

template <class V>
Csr<V> from_csc(Given& given) {
  const Csr<V> T = on_host(compressed<V>(given, given.arrays.cols, given.arrays.rows));
  validate(T.view());
  Coo<V> entries{given.arrays.rows, given.arrays.cols, T.col, row_numbers(T.view()), T.val};
  Csr<V> made = to_csr(entries);
  given.origin.places = places_in(made, entries.row, entries.col);
  given.converted("csc to csr");
  note_changes(given, made);
  return made.val.device() == given.device ? std::move(made) : made.to(given.device);
}

template <class V>
Csr<V> from_coo(Given& given) {
  const heddle_arrays& a = given.arrays;
  const Coo<V> entries{a.rows, a.cols,
                       integers<Index>(given, a.row_indices, a.index_type, a.nnz, "row_indices").to(Device::cpu()),
                       integers<Index>(given, a.indices, a.index_type, a.nnz, "indices").to(Device::cpu()),
                       values_of<V>(given).to(Device::cpu())};
  Csr<V> made = to_csr(entries);
  given.origin.places = places_in(made, entries.row, entries.col);
  given.converted("coo to csr");
  note_changes(given, made);
  return made.val.device() == given.device ? std::move(made) : made.to(given.device);
}

template <class V>
Csr<V> csr_from(Given& given) {
  switch (given.arrays.layout) {
    case HEDDLE_CSR: return from_csr<V>(given);
    case HEDDLE_CSC: return from_csc<V>(given);
    case HEDDLE_COO: return from_coo<V>(given);
    default: wrong_usage("layout " + std::to_string(given.arrays.layout) + " does not exist");
  }
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

}  // namespace

std::unique_ptr<heddle_matrix> matrix_from(const heddle_arrays& arrays) {
  check(arrays);
  Given given{arrays, nullptr, device_of(arrays.device), {}};
  given.origin.values = arrays.nnz;
  if (arrays.ownership == HEDDLE_GIVE) given.gift = std::make_shared<Gift>(Gift{arrays.release, arrays.context, false});
  auto made = arrays.value_type == HEDDLE_F32 ? made_of<float>(given) : made_of<double>(given);
  if (given.gift) given.gift->accepted = true;
  return made;
}

std::unique_ptr<heddle_matrix> transposed(const heddle_matrix& matrix) {
  return std::visit(
      [&](const auto& given) {
        const auto A = on_host(given.to(given.val.device()));
        auto T = transpose(A.view());
        Origin origin = matrix.origin;
        const Buffer<Index> rows = row_numbers(A.view());
        const auto moved = places_in(T, A.col, rows);
        if (!origin.places) {
          origin.places = moved;
        } else if (moved) {
          auto both = std::make_shared<Buffer<Offset>>(origin.places->size());
          for (int64_t k = 0; k < both->size(); ++k) (*both)[k] = (*moved)[(*origin.places)[k]];
          origin.places = both;
        }
        origin.conversions.push_back("transposed");
        const Device there = given.val.device();
        return std::make_unique<heddle_matrix>(
            heddle_matrix{there == Device::cpu() ? std::move(T) : T.to(there), std::move(origin)});
      },
      matrix.csr);
}

}  // namespace heddle::c
