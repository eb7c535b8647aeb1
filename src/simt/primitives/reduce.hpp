// Many items into one result, on the device, and the result on the host: one launch, and one wait.
//
//   struct Items {
//     using Result = ...;                                  // plain; Result{} is the result of no items
//     SIMT_DEVICE void add(std::int64_t i, Result& to) const;   // item i
//   };
//   struct Result { SIMT_BOTH void add(const Result& other); };  // exact, so that no order matters: integers, flags
//
// Blocks lay down what they found and the host adds it up. Items that take long want a thread each.
#pragma once

#include <algorithm>
#include <optional>

#include "simt/primitives/answers.hpp"
#include "simt/primitives/workspace.hpp"
#include "simt/simt.hpp"

namespace heddle::device {

inline constexpr int reduce_threads = 256;

// Blocks that a unit of a large GPU shall have room for. All of a grid run at once then: where some come later, the
// others wait for them at the end. Items say so with `blocks_of_unit`.
template <class Items>
inline constexpr bool says_blocks_of_unit = requires {
  Items::blocks_of_unit;
};
template <class Items>
constexpr int reduce_blocks_of_unit() {
  if constexpr (says_blocks_of_unit<Items>)
    return Items::blocks_of_unit;
  else
    return 4;
}

namespace {  // kernels: compiled for two devices under one name

// By a block of so many.
template <class Items>
SIMT_DEVICE void reduce_part(const Items& items, std::int64_t count, std::int64_t block, std::int64_t blocks,
                             typename Items::Result* found) {
  using Result = typename Items::Result;
  Result mine{};
  const std::int64_t stride = blocks * reduce_threads;
  std::int64_t i = block * reduce_threads + simt::thread();
  for (; i + 3 * stride < count; i += 4 * stride) {  // their loads in flight together
#pragma unroll
    for (int j = 0; j < 4; ++j) items.add(i + j * stride, mine);
  }
  for (; i < count; i += stride) items.add(i, mine);
  auto* of_threads = simt::shared<Result>();
  of_threads[simt::thread()] = mine;
  for (int half = reduce_threads / 2; half > 0; half /= 2) {
    simt::sync_block();
    if (simt::thread() < half) of_threads[simt::thread()].add(of_threads[simt::thread() + half]);
  }
  if (simt::thread() == 0) found[block] = of_threads[0];
}

template <class Items>
SIMT_BOUNDED_KERNEL(reduce_threads, reduce_blocks_of_unit<Items>())
reduce_items(Items items, std::int64_t count, typename Items::Result* found) {
  simt::let_next_start();
  reduce_part(items, count, simt::block(), simt::grid_blocks(), found);
  if (simt::thread() == 0 && simt::block() == 0) simt::wait_for_earlier();  // so that this grid ends behind it
}

}  // namespace

template <class Items>
simt::Launch reduce_launch(std::int64_t count, int items_of_thread) {
  constexpr std::int64_t units = 132,
                         most_blocks = units * (says_blocks_of_unit<Items> ? reduce_blocks_of_unit<Items>() : 6);
  return {std::min(most_blocks, simt::blocks_for(count, reduce_threads * items_of_thread)), reduce_threads,
          reduce_threads * sizeof(typename Items::Result)};
}

// What the blocks of a kernel find, added up. It is waited for only when it is read: mostly an overlapped question
// decides.
template <class Found>
class PendingSum {
 public:
  // Where the kernel leaves it.
  Found* ask(std::int64_t blocks, Device device, Stream stream) {
    sum_.reset();
    answers_.emplace(blocks, device, stream);
    return answers_->there();
  }
  bool asked() const { return answers_ || sum_; }
  bool waits() const { return answers_.has_value(); }
  const Found& heard() {
    if (answers_) {
      sum_.emplace();
      for (const Found& found : answers_->here()) sum_->add(found);
      answers_.reset();
    }
    return *sum_;
  }

 private:
  std::optional<device::Answers<Found>> answers_;
  std::optional<Found> sum_;
};

// f(what a block found) for all of them.
template <class Items, class F>
void reduce_by_blocks(simt::Here here, const Items& items, std::int64_t count, Device device, int items_of_thread,
                      const F& f) {
  const simt::Launch shape = reduce_launch<Items>(count, items_of_thread);
  Answers<typename Items::Result> found(shape.blocks, device);
  simt::launch(here, shape, reduce_items<Items>, items, count, found.there());
  for (const auto& part : found.here()) f(part);
}

template <class Items>
typename Items::Result reduce(simt::Here here, const Items& items, std::int64_t count, Device device,
                              int items_of_thread = 4) {
  typename Items::Result sum{};
  reduce_by_blocks(here, items, count, device, items_of_thread, [&](const auto& part) { sum.add(part); });
  return sum;
}

}  // namespace heddle::device
