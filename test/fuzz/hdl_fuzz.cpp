// Bytes -> the .hdl reader, with the checksums put right so that the checks behind them are reached.
#include <cstdlib>
#include <cstring>

#include <heddle/error.hpp>

#include "io/block_hash.hpp"
#include "io/hdl.hpp"

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t header_bytes = 256, body_hash_at = 56, header_hash_at = 248;
  Buffer<char> bytes = Buffer<char>::copy_of({reinterpret_cast<const char*>(data), size});
  if (size >= header_bytes) {
    const std::uint64_t body = io::hash_blocks(bytes.span().subspan(header_bytes));
    std::memcpy(bytes.data() + body_hash_at, &body, sizeof body);
    const std::uint64_t head = io::hash_bytes(bytes.span().first(header_hash_at));
    std::memcpy(bytes.data() + header_hash_at, &head, sizeof head);
  }
  try {
    const Csr<double> A = io::hdl_in_memory<double>("fuzz", bytes, nullptr, nullptr, 1);
    if (!violations(A.view(), Require::canonical).empty()) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) std::abort();
  }
  return 0;
}
