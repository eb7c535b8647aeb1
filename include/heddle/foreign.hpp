// For doors to other languages, whose callers own their arrays: entries in an order of their own, vectors wherever they
// lie.
#pragma once

#include <cstdint>
#include <span>

#include <heddle/arrays.hpp>
#include <heddle/device.hpp>
#include <heddle/export.hpp>
#include <heddle/operator.hpp>
#include <heddle/solve.hpp>

namespace HEDDLE_PUBLIC heddle {

// From now on Operator::update_values takes as many values, and in the same order, as the arrays had that `order` was
// made with: as if the operator had been built from their view. Error(usage) for a map to another number of entries.
template <class V>
HEDDLE_PUBLIC void set_entry_order(Operator<V>& A, const EntryMap& order);

// z = M^-1 r for vectors in host memory or on `device`, the one of the operator that M was made for. Vectors in host
// memory are copied, and then z is there when it returns.
template <class V>
HEDDLE_PUBLIC void apply_from_anywhere(const Preconditioner<V>& M, Device device, std::span<const V> r, std::span<V> z,
                                       Stream stream = {});

// Preconditioner::update_values for values in host memory or on `device`, the one of the operator that M was made for,
// in the order of the arrays that `order` was made with; those of a GPU make the way through the host then. No order:
// that of the canonical matrix.
template <class V>
HEDDLE_PUBLIC std::int64_t update_from_anywhere(Preconditioner<V>& M, Device device, const EntryMap* order,
                                                std::span<const V> values);

}  // namespace heddle
