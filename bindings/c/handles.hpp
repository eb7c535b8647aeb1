// What the handles of the C ABI hold.
#pragma once

#include <heddle.h>

#include <heddle/heddle.hpp>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "guard.hpp"

namespace heddle::c {

// The arrays a matrix was made from, as far as later calls must know them.
struct Origin {
  int64_t values = 0;                    // how many there were
  std::shared_ptr<const EntryMap> map;   // from them to the stored ones; null: they are the stored ones
  std::vector<std::string> conversions;  // what was done to them, in words
};

Device device_of(heddle_device device);
heddle_device device_of(Device device);

// What the library asks now and then; none where the caller does not want to be asked.
inline KeepGoing keep_going_of(heddle_keep_going ask, void* context) {
  if (!ask) return {};
  return [=](std::string_view stage, double done) { return ask(context, done, std::string(stage).c_str()) == 0; };
}

}  // namespace heddle::c

struct heddle_matrix {
  std::variant<heddle::Csr<double>, heddle::Csr<float>> csr;
  heddle::c::Origin origin;
  heddle::Buffer<heddle::Offset> places{};  // of the given values, once they were asked for
};

struct heddle_operator {
  std::variant<heddle::Operator<double>, heddle::Operator<float>> op;
  heddle::c::Origin origin;
  int64_t rows = 0, cols = 0, nnz = 0;
  bool transposed = false, updates = false;
  int right_hand_sides = 1;
};

struct heddle_preconditioner {
  std::variant<std::shared_ptr<heddle::Preconditioner<double>>, std::shared_ptr<heddle::Preconditioner<float>>> made;
  int64_t rows = 0;
  heddle::Device device{};  // of its operator; the caller's own takes vectors as they come: the host's
  heddle::c::Origin origin{};
};

namespace heddle::c {

inline heddle_type type_of(const heddle_operator& op) { return op.op.index() == 0 ? HEDDLE_F64 : HEDDLE_F32; }
inline heddle_type type_of(const heddle_matrix& matrix) { return matrix.csr.index() == 0 ? HEDDLE_F64 : HEDDLE_F32; }

// n numbers of the caller.
template <class V>
std::span<const V> input(const void* data, int64_t n, const char* name) {
  if (n > 0) need_memory(data, name);
  return {static_cast<const V*>(data), static_cast<std::size_t>(n)};
}
template <class V>
std::span<V> output(void* data, int64_t n, const char* name) {
  if (n > 0) need_memory(data, name);
  return {static_cast<V*>(data), static_cast<std::size_t>(n)};
}

inline Memory memory_of(heddle_memory memory) {
  if (memory < HEDDLE_DETECT || memory > HEDDLE_DEVICE_MEMORY) wrong_usage("there is no such value", "memory");
  return static_cast<Memory>(memory);  // the same order
}

}  // namespace heddle::c
