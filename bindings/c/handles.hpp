// What the handles of the C ABI hold.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <heddle.h>
#include <heddle/heddle.hpp>

namespace heddle::c {

// The arrays a matrix was made from, as far as later calls must know them.
struct Origin {
  int64_t values = 0;                            // how many there were
  std::shared_ptr<const Buffer<Offset>> places;  // of value k among the entries of the csr; null: k itself
  std::vector<std::string> conversions;          // what was done to them, in words
};

template <class V>
constexpr heddle_type type_of = std::is_same_v<V, float> ? HEDDLE_F32 : HEDDLE_F64;

Device device_of(heddle_device device);
heddle_device device_of(Device device);

}  // namespace heddle::c

struct heddle_matrix {
  std::variant<heddle::Csr<double>, heddle::Csr<float>> csr;
  heddle::c::Origin origin;
};

struct heddle_operator {
  std::variant<heddle::Operator<double>, heddle::Operator<float>> op;
  heddle::c::Origin origin;
  std::optional<heddle::Choice> choice;  // none: the plan was given
  int64_t rows = 0, cols = 0, nnz = 0;
  bool transposed = false, updates = false;
  int right_hand_sides = 1;
};

struct heddle_preconditioner {
  std::variant<std::shared_ptr<heddle::Preconditioner<double>>, std::shared_ptr<heddle::Preconditioner<float>>> made;
  int64_t rows = 0;
};

namespace heddle::c {

inline heddle_type type_of_handle(const heddle_operator& op) { return op.op.index() == 0 ? HEDDLE_F64 : HEDDLE_F32; }

template <class V>
std::span<const V> input(const void* data, int64_t n) {
  return {static_cast<const V*>(data), static_cast<std::size_t>(n)};
}
template <class V>
std::span<V> output(void* data, int64_t n) {
  return {static_cast<V*>(data), static_cast<std::size_t>(n)};
}

}  // namespace heddle::c
