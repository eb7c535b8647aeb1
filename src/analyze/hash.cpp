#include "analyze/parts.hpp"
#include "io/block_hash.hpp"

namespace heddle {

namespace {
template <class T>
std::span<const char> bytes_of(std::span<const T> array) {
  return {reinterpret_cast<const char*>(array.data()), array.size_bytes()};
}
}  // namespace

std::uint64_t hash_pattern(const PatternView& A) {
  const std::int64_t shape[] = {A.rows, A.cols, A.nnz()};
  const std::uint64_t parts[] = {io::hash_bytes(bytes_of(std::span<const std::int64_t>(shape))),
                                 io::hash_blocks(bytes_of(A.ptr)), io::hash_blocks(bytes_of(A.col))};
  return io::hash_bytes(bytes_of(std::span<const std::uint64_t>(parts)));
}

}  // namespace heddle
