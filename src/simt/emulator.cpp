#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "simt/fibre.hpp"
#include "simt/simt.hpp"

namespace heddle::simt::emulator {

namespace {

enum class State { ready, at_meeting, at_barrier, gone };

struct Thread {
  Fibre fibre;
  State state = State::gone;
  Meeting kind{};
  unsigned mask = 0;
  std::uint64_t brought = 0;
  std::array<std::uint64_t, warp_size> seen{};  // what the lanes of the last meeting brought
  Site site;
};

std::string place(const Site& site) {
  const std::string file = site.file_name();
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), site.line());
}

// One block at a time on one host thread; fibres and their stacks are kept for the next block.
class BlockRunner {
 public:
  void run(const Launch& shape, std::int64_t block, void (*body)(void*), void* context);
  const std::uint64_t* meet(Meeting kind, unsigned mask, std::uint64_t brought, const Site& site);
  void barrier(const Site& site);
  [[noreturn]] void misuse(const std::string& what, const Site& site) const;

  Self self;

 private:
  void turn(int number);
  void complete_meeting(Thread& caller);
  void open_barrier();
  [[noreturn]] void explain_deadlock() const;
  Thread& me() { return *threads_[static_cast<std::size_t>(self.thread)]; }
  Thread& lane_of_my_warp(int i) {
    return *threads_[static_cast<std::size_t>(self.thread / warp_size * warp_size + i)];
  }

  std::vector<std::unique_ptr<Thread>> threads_;
  int count_ = 0;
  void (*body_)(void*) = nullptr;
  void* context_ = nullptr;
  std::exception_ptr failure_;
};

thread_local BlockRunner runner;
thread_local Order order_of_turns = Order::forward;

void BlockRunner::run(const Launch& shape, std::int64_t block, void (*body)(void*), void* context) {
  count_ = shape.threads;
  body_ = body;
  context_ = context;
  failure_ = nullptr;
  const std::unique_ptr<unsigned char[]> shared(new unsigned char[shape.shared_bytes]);
  std::fill_n(shared.get(), shape.shared_bytes, static_cast<unsigned char>(0xA7));
  self = {0, shape.threads, block, shape.blocks, shared.get()};
  while (static_cast<int>(threads_.size()) < count_) threads_.push_back(std::make_unique<Thread>());
  for (int i = 0; i < count_; ++i) {
    threads_[i]->state = State::ready;
    threads_[i]->fibre.start(
        [](void* self_runner) {
          auto& owner = *static_cast<BlockRunner*>(self_runner);
          try {
            owner.body_(owner.context_);
          } catch (...) {
            owner.failure_ = std::current_exception();
          }
        },
        this);
  }
  const int warps = count_ / warp_size;
  for (bool moved = true; moved;) {
    moved = false;
    for (int w = 0; w < warps; ++w)
      for (int i = 0; i < warp_size; ++i) {
        const int number = (order_of_turns == Order::forward ? w : warps - 1 - w) * warp_size + i;
        if (threads_[number]->state != State::ready) continue;
        turn(number);
        moved = true;
      }
    if (!moved) open_barrier(), moved = threads_[0]->state == State::ready;
  }
  if (std::any_of(threads_.begin(), threads_.begin() + count_, [](auto& t) { return t->state != State::gone; }))
    explain_deadlock();
}

void BlockRunner::turn(int number) {
  Thread& thread = *threads_[number];
  self.thread = number;
  thread.fibre.resume();
  if (thread.fibre.finished()) thread.state = State::gone;
  if (failure_) std::rethrow_exception(failure_);
}

const std::uint64_t* BlockRunner::meet(Meeting kind, unsigned mask, std::uint64_t brought, const Site& site) {
  Thread& caller = me();
  if ((mask >> (self.thread % warp_size) & 1) == 0) misuse("a lane calls with a mask that does not name it", site);
  caller.kind = kind;
  caller.mask = mask;
  caller.brought = brought;
  caller.site = site;
  caller.state = State::at_meeting;
  complete_meeting(caller);
  if (caller.state == State::at_meeting) caller.fibre.pause();
  return caller.seen.data();
}

void BlockRunner::complete_meeting(Thread& caller) {
  for (int i = 0; i < warp_size; ++i) {
    if ((caller.mask >> i & 1) == 0) continue;
    const Thread& other = lane_of_my_warp(i);
    if (other.state != State::at_meeting) return;
    if (other.kind != caller.kind || other.mask != caller.mask)
      misuse(fmt::format("lane {} of the mask waits in another operation, at {}", i, place(other.site)), caller.site);
  }
  std::array<std::uint64_t, warp_size> all{};
  for (int i = 0; i < warp_size; ++i)
    if (caller.mask >> i & 1) all[static_cast<std::size_t>(i)] = lane_of_my_warp(i).brought;
  for (int i = 0; i < warp_size; ++i)
    if (caller.mask >> i & 1) {
      lane_of_my_warp(i).seen = all;
      lane_of_my_warp(i).state = State::ready;
    }
}

void BlockRunner::barrier(const Site& site) {
  Thread& caller = me();
  caller.site = site;
  caller.state = State::at_barrier;
  caller.fibre.pause();
}

// Opens when all threads of the block stand at it; anything else is left to explain_deadlock.
void BlockRunner::open_barrier() {
  const auto end = threads_.begin() + count_;
  if (!std::all_of(threads_.begin(), end, [](auto& t) { return t->state == State::at_barrier; })) return;
  std::for_each(threads_.begin(), end, [](auto& t) { t->state = State::ready; });
}

void BlockRunner::explain_deadlock() const {
  const auto end = threads_.begin() + count_;
  const auto waiting = std::find_if(threads_.begin(), end, [](auto& t) { return t->state != State::gone; });
  const auto number = waiting - threads_.begin();
  const Thread& w = **waiting;
  const auto absent = std::find_if(threads_.begin(), end, [&](auto& t) {
    const auto index = &t - threads_.data();
    const bool expected = w.state == State::at_barrier ||
                          (index / warp_size == number / warp_size && (w.mask >> (index % warp_size) & 1));
    return expected && (t->state != w.state || t->site.line() != w.site.line());
  });
  const bool barrier = w.state == State::at_barrier;
  const std::string other =
      absent == end ? std::string("the others")
      : (*absent)->state == State::gone
          ? fmt::format("thread {}, which has left the kernel", absent - threads_.begin())
          : fmt::format("thread {}, which waits at {}", absent - threads_.begin(), place((*absent)->site));
  fail(ErrorKind::internal, {place(w.site), "all threads the operation names must reach it"},
       "{}: block {}, thread {} waits for {}", barrier ? "divergent barrier" : "divergent warp operation", self.block,
       number, other);
}

void BlockRunner::misuse(const std::string& what, const Site& site) const {
  fail(ErrorKind::internal, {place(site), "see the rules in simt/emulator.hpp"}, "{}: block {}, thread {}", what,
       self.block, self.thread);
}

}  // namespace

const Self& self() { return runner.self; }
const std::uint64_t* meet(Meeting kind, unsigned mask, std::uint64_t brought, const Site& site) {
  return runner.meet(kind, mask, brought, site);
}
void misuse(const char* what, const Site& site) { runner.misuse(what, site); }
void barrier(const Site& site) { runner.barrier(site); }
void set_order(Order order) { order_of_turns = order; }

void run_grid(const Launch& shape, void (*body)(void*), void* context) {
  check(shape.threads > 0 && shape.threads <= 1024 && shape.threads % warp_size == 0, ErrorKind::internal,
        "a block of {} threads: must be a multiple of 32 up to 1024", shape.threads);
  check(shape.shared_bytes <= 227 * 1024, ErrorKind::internal,
        "{} bytes of shared memory are more than a block can have", shape.shared_bytes);
  for (std::int64_t i = 0; i < shape.blocks; ++i)
    runner.run(shape, order_of_turns == Order::forward ? i : shape.blocks - 1 - i, body, context);
}

}  // namespace heddle::simt::emulator
