// heddle_matrix_*: made, read, written, looked at.
#include <heddle/foreign.hpp>

#include "arrays.hpp"
#include "guard.hpp"

using namespace heddle::c;
using heddle::Csr;

namespace {

heddle::Progress progress_of(heddle_keep_going keep_going, void* context, const char* stage) {
  if (!keep_going) return {};
  return [=](double done) {
    if (keep_going(context, done, stage) != 0) throw Stopped{};
  };
}

template <class V>
heddle_matrix read(const char* source, const heddle::Progress& progress) {
  heddle::ReadOptions options;
  options.progress = progress;
  Csr<V> A = heddle::read_matrix<V>(source, nullptr, options);
  Origin origin;
  origin.values = A.nnz();
  return {std::move(A), std::move(origin)};
}

}  // namespace

heddle_status heddle_matrix_create(const heddle_arrays* arrays, heddle_matrix** matrix) {
  return guard([&] {
    auto& result = needed(matrix, "matrix");
    const heddle_arrays given = taken(&needed(arrays, "arrays"));
    heddle::watched(keep_going_of(given.keep_going, given.keep_going_context), "arrange",
                    [&] { result = matrix_from(given).release(); });
  });
}

heddle_status heddle_matrix_read(const char* source, heddle_type type, heddle_keep_going keep_going, void* context,
                                 heddle_matrix** matrix) {
  return guard([&] {
    auto& result = needed(matrix, "matrix");
    const char* name = &needed(source, "source");
    const auto progress = progress_of(keep_going, context, "reading");
    if (type != HEDDLE_F64 && type != HEDDLE_F32) wrong_usage("values are HEDDLE_F64 or HEDDLE_F32", "type");
    result = new heddle_matrix(type == HEDDLE_F32 ? read<float>(name, progress) : read<double>(name, progress));
  });
}

heddle_status heddle_matrix_write(const heddle_matrix* matrix, const char* path, heddle_keep_going keep_going,
                                  void* context) {
  return guard([&] {
    const char* name = &needed(path, "path");
    const auto progress = progress_of(keep_going, context, "writing");
    std::visit(
        [&](const auto& A) {
          if (A.val.device().host_memory())
            heddle::write_matrix(name, A, progress);
          else
            heddle::write_matrix(name, A.to(heddle::Device::cpu()), progress);
        },
        needed(matrix, "matrix").csr);
  });
}

heddle_status heddle_matrix_get_arrays(const heddle_matrix* matrix, heddle_arrays* arrays) {
  return guard([&] {
    auto& result = needed(arrays, "arrays");
    std::visit(
        [&]<class V>(const Csr<V>& A) {
          heddle_arrays mine{};
          mine.rows = A.rows, mine.cols = A.cols, mine.nnz = A.nnz();
          mine.layout = HEDDLE_CSR;
          mine.value_type = std::is_same_v<V, float> ? HEDDLE_F32 : HEDDLE_F64, mine.offset_type = HEDDLE_I64,
          mine.index_type = HEDDLE_I32;
          mine.device = device_of(A.val.device());
          mine.ownership = HEDDLE_BORROW;
          mine.offsets = A.ptr.data(), mine.indices = A.col.data(), mine.values = A.val.data();
          hand_over(mine, &result);
        },
        needed(matrix, "matrix").csr);
  });
}

heddle_status heddle_matrix_get_places(heddle_matrix* matrix, const int64_t** places, int64_t* count) {
  return guard([&] {
    auto& mine = needed(matrix, "matrix");
    auto& result = needed(places, "places");
    if (mine.origin.map && mine.places.empty()) mine.places = mine.origin.map->places();
    result = mine.origin.map ? mine.places.data() : nullptr;
    if (count) *count = mine.origin.values;
  });
}

heddle_status heddle_matrix_to(const heddle_matrix* matrix, heddle_device device, heddle_matrix** copy) {
  return guard([&] {
    auto& result = needed(copy, "copy");
    const auto& from = needed(matrix, "matrix");
    std::visit([&](const auto& A) { result = new heddle_matrix{A.to(device_of(device)), from.origin, {}}; }, from.csr);
  });
}

heddle_status heddle_matrix_transpose(const heddle_matrix* matrix, heddle_keep_going keep_going, void* context,
                                      heddle_matrix** result) {
  return guard([&] {
    auto& made = needed(result, "transposed");
    const auto& from = needed(matrix, "matrix");
    const heddle::KeepGoing ask = keep_going_of(keep_going, context);
    Asking asking(ask, "transpose");
    heddle::watched(ask, "transpose", [&] { made = transposed(from, asking).release(); });
  });
}

void heddle_matrix_destroy(heddle_matrix* matrix) { delete matrix; }
