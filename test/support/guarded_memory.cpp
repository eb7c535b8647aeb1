#include "support/guarded_memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace heddle::test {

namespace {

constexpr std::size_t guard = 64;
constexpr unsigned char mark = 0xC3;

std::atomic<std::int64_t> live{0}, most{0}, count{0}, damaged{0}, fail_number{-1};
std::atomic<GuardedMemory::Fault> fault_kind{GuardedMemory::Fault::none};

bool must_fail(std::int64_t number) {
  const auto kind = fault_kind.load();
  return (kind == GuardedMemory::Fault::once && number == fail_number) ||
         (kind == GuardedMemory::Fault::from_then_on && number >= fail_number);
}

void* guarded_allocate(std::size_t bytes) noexcept {
  if (must_fail(count++)) return nullptr;
  const std::size_t whole = (bytes + 2 * guard + 63) / 64 * 64;
  auto* block = static_cast<unsigned char*>(std::aligned_alloc(64, whole));
  if (block == nullptr) return nullptr;
  std::fill_n(block, whole, mark);
  const std::int64_t now = live += static_cast<std::int64_t>(bytes);
  for (std::int64_t before = most; before < now && !most.compare_exchange_weak(before, now);) {
  }
  return block + guard;
}

void guarded_release(void* memory, std::size_t bytes) noexcept {
  auto* user = static_cast<unsigned char*>(memory);
  const auto intact = [](const unsigned char* from) {
    return std::all_of(from, from + guard, [](unsigned char c) { return c == mark; });
  };
  if (!intact(user - guard) || !intact(user + bytes)) ++damaged;
  live -= static_cast<std::int64_t>(bytes);
  std::free(user - guard);
}

}  // namespace

GuardedMemory::GuardedMemory() : before_(host_table()) {
  live = most = count = damaged = 0;
  fault_kind = Fault::none;
  host_table() = {guarded_allocate, guarded_release};
}
GuardedMemory::~GuardedMemory() { host_table() = before_; }

std::int64_t GuardedMemory::live_bytes() { return live; }
std::int64_t GuardedMemory::most_bytes() { return most; }
std::int64_t GuardedMemory::allocations() { return count; }
std::int64_t GuardedMemory::damaged_blocks() { return damaged; }
void GuardedMemory::fail_at(std::int64_t at, Fault fault) {
  fail_number = count + at;
  fault_kind = fault;
}

}  // namespace heddle::test
