// What an Operator holds. Shared by the files that implement it alone.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <heddle/operator.hpp>

#include "core/check.hpp"
#include "core/gpu.hpp"
#include "formats/format.hpp"
#include "formats/reason.hpp"
#include "simt/where.hpp"
#include "update/value_map.hpp"

namespace heddle {

// Where the matrix lies, as far as kernels can, else by the host. Error(unavailable) when the format does not fit it.
template <class V>
std::unique_ptr<Store<V>> store_from(Source<V> source, const Plan& resolved, Device device);

template <class V>
struct Operator<V>::Impl {
  struct Side {  // the matrix, or its transpose
    Plan plan;   // resolved
    std::unique_ptr<Store<V>> store;
    std::vector<ValueMap> maps;  // of all arrays of values, on the device; none until values are to change
    std::vector<V*> arrays;      // where they begin
    // Of values=symmetric: maps holds one of each two twins, `twins` the other one, which has to have the same bits;
    // differ[i]: one of array i had not.
    std::vector<ValueMap> twins;
    Buffer<std::uint32_t> differ;

    std::int64_t bytes() const;
    void place(Device device, const V* val, Stream stream);
    // As if placed, but nothing is: Error(unavailable) when twins differ.
    void check_twins(Device device, const V* val, Stream stream) const;
    void report_twins() const;  // the same for what was placed last; waits for it
  };

  std::int64_t rows = 0, cols = 0, nnz = 0;
  Plan asked;  // what the caller wrote
  Device device;
  bool updates = false;
  int right_hand_sides = 1;
  Side own, transposed;
  Buffer<V> lines;  // one x and one y, for formats that multiply vectors of multiply_many one by one
  mutable std::mutex lines_guard;
  mutable gpu::Turn lines_turn;

  Reason reason;                         // of this plan
  std::vector<std::string> conversions;  // of the caller's arrays
  bool from_view = false;
  std::vector<std::string> lent;  // arrays of the caller's that are in use
  bool lent_values = false;
  EntryMap order;     // from the caller's entries; in host memory until values change
  Buffer<V> ordered;  // room for values in stored order

  void check_vectors(std::span<const V> x, std::span<const V> y, std::int64_t x_size, std::int64_t y_size) const;
  void check_apart(std::span<const V> x, std::span<const V> y) const;
  void check_transposed(const char* where) const;
  void run(const Store<V>& matrix, const Product<V>& product, std::int64_t y_size) const;
  void multiply(const Store<V>& matrix, V alpha, std::span<const V> x, V beta, std::span<V> y, Stream stream,
                Memory memory) const;
  // Whether the device cannot read them where they are.
  bool elsewhere(std::span<const V> vector, Memory memory, const char* name) const;
  // f(x, y) with vectors that the device can read; y comes back to host memory afterwards.
  template <class F>
  void with_vectors_there(std::span<const V> x, std::span<V> y, Stream stream, Memory memory, F f) const;

  void reserve(int count);  // for multiply_many
  // operator_many.cpp
  void one_by_one(const Store<V>& matrix, const ProductMany<V>& p, std::int64_t x_size, std::int64_t y_size) const;
  void multiply_many(const Store<V>& matrix, std::int64_t x_size, std::int64_t y_size, V alpha, Vectors<const V> x,
                     V beta, Vectors<V> y, Stream stream, Memory memory) const;

  // operator_update.cpp
  std::int64_t entries() const { return order.identity() ? nnz : order.given; }
  void keep_order_on_device();
  void rebuild(std::span<const V> val, bool there, Stream stream);
  bool maps_possible() const;
  Plan stored_raw(Plan plan) const;
  // The matrix on the device, with values that say where they come from: once, or with symmetric values twice, by the
  // upper and by the lower one of two twins.
  std::vector<Csr<V>> numbered(const CsrView<V>* there) const;
  Side prepared(const Side& now, const std::vector<Csr<V>>& numbered) const;
  // `there`: the matrix, where it lies on the device; else it is restored.
  void prepare_updates(const CsrView<V>* there = nullptr);
};

// What an operator holds: nothing once it was moved from.
template <class Impl>
Impl& held(const std::unique_ptr<Impl>& impl) {
  if (!impl) [[unlikely]]
    fail(ErrorKind::usage, {"Operator", "use the one it was moved to"}, "the operator was moved from");
  return *impl;
}

template <class V>
typename Operator<V>::Impl& inside(Operator<V>& op) {
  return held(op.impl_);
}

template <class V>
bool Operator<V>::Impl::elsewhere(std::span<const V> vector, Memory memory, const char* name) const {
  if (device.host_memory() || memory == Memory::device || vector.empty()) return false;
  return memory == Memory::host || !gpu::lies_on(device.ordinal, vector.data(), name);
}

template <class V>
template <class F>
void Operator<V>::Impl::with_vectors_there(std::span<const V> x, std::span<V> y, Stream stream, Memory memory,
                                           F f) const {
  if (device.host_memory()) {
    f(x.data(), y.data());
    if (memory != Memory::device) own.report_twins();
    return;
  }
  const gpu::Current current(device);
  const bool copy_x = elsewhere(x, memory, "x"), copy_y = elsewhere(y, memory, "y");
  if (!copy_x && !copy_y) return f(x.data(), y.data());
  const Buffer<V> x_there = copy_x ? Buffer<V>::copy_of(x, device) : Buffer<V>();
  Buffer<V> y_there = copy_y ? Buffer<V>::copy_of(y, device) : Buffer<V>();
  f(copy_x ? x_there.data() : x.data(), copy_y ? y_there.data() : y.data());
  gpu::synchronize(stream);
  if (copy_y) memory::copy(y.data(), Device::cpu(), y_there.data(), device, y.size_bytes());
  own.report_twins();
}

}  // namespace heddle
