// What an Operator holds. Shared by the files that implement it, and by nobody else.
#pragma once

#include <heddle/operator.hpp>

#include "core/check.hpp"
#include "formats/format.hpp"
#include "layout/value_map.hpp"

namespace heddle {

// Error(unavailable) when the format does not fit the matrix.
template <class V>
std::unique_ptr<Store<V>> make_store(Source<V> source, const Plan& resolved, Device device);

template <class V>
struct Operator<V>::Impl {
  struct Side {  // the matrix, or its transpose
    Plan plan;   // resolved
    std::unique_ptr<Store<V>> store;
    std::vector<ValueMap> maps;  // of store->value_arrays(), on the device; none until values are to change

    std::int64_t bytes() const;
    void place(Device device, const V* val, Stream stream);
  };

  std::int64_t rows = 0, cols = 0, nnz = 0;
  Plan asked;  // what the caller wrote
  Device device;
  bool updates = false;
  Side own, transposed;

  void check_vectors(std::span<const V> x, std::span<const V> y, std::int64_t x_size, std::int64_t y_size) const;
  void run(const Store<V>& matrix, const Product<V>& product, std::int64_t y_size) const;
  void multiply(const Store<V>& matrix, V alpha, std::span<const V> x, V beta, std::span<V> y, Stream stream) const;

  // operator_update.cpp
  bool maps_possible() const;
  Plan stored_raw(Plan plan) const;
  void prepare_updates();
};

}  // namespace heddle
