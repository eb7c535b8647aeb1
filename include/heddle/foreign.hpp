// For doors to other languages: their callers own the arrays, with entries in an order of their own and vectors wherever
// they lie, want facts instead of sentences, and stop what has no callback of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <heddle/arrays.hpp>
#include <heddle/choose.hpp>
#include <heddle/device.hpp>
#include <heddle/export.hpp>
#include <heddle/operator.hpp>
#include <heddle/progress.hpp>
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

// What `optimize` had to choose from for this operator, its plan first, as predicted and measured then; empty where the
// plan was given or the matrix has no entries.
template <class V>
HEDDLE_PUBLIC std::vector<Candidate> candidates_of(const Operator<V>& A);

// Asks while `work` is done by this thread, as progress.hpp says: between its loops and, in long ones, between parts.
void watched(const KeepGoing& keep_going, std::string_view stage, const std::function<void()>& work);

}  // namespace heddle
