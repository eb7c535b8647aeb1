#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "simt/fibre.hpp"
#include "simt/simt.hpp"

namespace heddle::simt::emulator {

namespace {

enum class State { ready, at_meeting, at_barrier, at_cluster, gone };

struct Thread {
  explicit Thread(int number) : fibre(number) {}

  Fibre fibre;
  State state = State::gone;
  Meeting kind{};
  unsigned mask = 0;
  std::uint64_t brought = 0;
  const std::uint64_t* seen = nullptr;         // what the lanes of the last meeting brought: in `own`, or,
  std::array<std::uint64_t, warp_size> own{};  // when all 32 met, in one array of the warp
  int arrivals = 0, waits = 0;                 // at the cluster's barrier
  Site site;
};

std::string place(const Site& site) {
  const std::string file = site.file_name();
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), site.line());
}

// Asked for by every lane at every turn: at a fixed place among a thread's variables, without a look at whether it has
// been constructed.
[[gnu::tls_model("initial-exec")]] constinit thread_local Self current;

// One cluster of blocks at a time on one host thread, mostly of one block; fibres and their stacks are kept for the
// next.
class BlockRunner {
 public:
  void run(const Launch& shape, std::int64_t first_block, void (*body)(void*), void* context);
  const std::uint64_t* meet(Meeting kind, unsigned mask, std::uint64_t brought, const Site& site);
  void barrier(const Site& site);
  void arrive_cluster(const Site& site);
  void wait_cluster(const Site& site);
  void* shared_of(int rank) const { return shared_[static_cast<std::size_t>(rank)].get(); }
  [[noreturn]] void misuse(const std::string& what, const Site& site) const;

 private:
  bool turns_of_warp(int warp);
  void turn(int number);
  void pause(State state, const Site& site);
  void complete_meeting(Thread& caller);
  bool open_barriers();
  bool open_cluster();
  bool waits_for(int number, int other) const;
  [[noreturn]] void explain_deadlock() const;
  Thread& me() { return *threads_[static_cast<std::size_t>(number_)]; }
  Thread& lane_of_my_warp(int i) { return *threads_[static_cast<std::size_t>(number_ / warp_size * warp_size + i)]; }

  std::vector<std::unique_ptr<Thread>> threads_;               // of all blocks of the cluster, block by block
  std::vector<std::array<std::uint64_t, warp_size>> brought_;  // to the last meeting of all lanes, for every warp
  std::vector<std::unique_ptr<unsigned char[]>> shared_;       // of each of its blocks
  int count_ = 0, number_ = 0;                                 // how many there are, and which one has its turn
  std::int64_t first_block_ = 0;
  void (*body_)(void*) = nullptr;
  void* context_ = nullptr;
  std::exception_ptr failure_;
};

thread_local BlockRunner runner;
thread_local Order order_of_turns = Order::forward;

void BlockRunner::run(const Launch& shape, std::int64_t first_block, void (*body)(void*), void* context) {
  count_ = shape.threads * shape.cluster;
  first_block_ = first_block;
  body_ = body;
  context_ = context;
  failure_ = nullptr;
  shared_.clear();
  for (int i = 0; i < shape.cluster; ++i) {
    shared_.emplace_back(new unsigned char[shape.shared_bytes]);
    std::fill_n(shared_.back().get(), shape.shared_bytes, static_cast<unsigned char>(0xA7));
  }
  current = {.block_threads = shape.threads, .cluster_blocks = shape.cluster, .grid_blocks = shape.blocks};
  while (static_cast<int>(threads_.size()) < count_)
    threads_.push_back(std::make_unique<Thread>(static_cast<int>(threads_.size())));
  brought_.resize(threads_.size() / warp_size);
  for (int i = 0; i < count_; ++i) {
    threads_[i]->state = State::ready;
    threads_[i]->arrivals = threads_[i]->waits = 0;
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
    for (int w = 0; w < warps; ++w) moved |= turns_of_warp(order_of_turns == Order::forward ? w : warps - 1 - w);
    if (!moved) moved = open_barriers() || open_cluster();
  }
  if (std::any_of(threads_.begin(), threads_.begin() + count_, [](auto& t) { return t->state != State::gone; }))
    explain_deadlock();
}

// As long as any of its lanes can go on. (The lanes of a whole block in turn took the sanitized survey a fifth longer.)
bool BlockRunner::turns_of_warp(int warp) {
  bool any = false;
  for (bool moved = true; moved; any |= moved) {
    moved = false;
    for (int number = warp * warp_size; number < (warp + 1) * warp_size; ++number) {
      if (threads_[number]->state != State::ready) continue;
      turn(number);
      moved = true;
    }
  }
  return any;
}

void BlockRunner::turn(int number) {
  Thread& thread = *threads_[number];
  const int rank = number / current.block_threads;
  number_ = number;
  current.thread = number % current.block_threads;
  current.cluster_rank = rank;
  current.block = first_block_ + rank;
  current.shared = shared_[static_cast<std::size_t>(rank)].get();
  thread.fibre.resume();
  if (thread.fibre.finished()) thread.state = State::gone;
  if (failure_) std::rethrow_exception(failure_);
}

void BlockRunner::pause(State state, const Site& site) {
  Thread& caller = me();
  caller.site = site;
  caller.state = state;
  caller.fibre.pause();
}

const std::uint64_t* BlockRunner::meet(Meeting kind, unsigned mask, std::uint64_t brought, const Site& site) {
  Thread& caller = me();
  if ((mask >> (current.thread % warp_size) & 1) == 0) misuse("a lane calls with a mask that does not name it", site);
  caller.kind = kind;
  caller.mask = mask;
  caller.brought = brought;
  caller.site = site;
  caller.state = State::at_meeting;
  complete_meeting(caller);
  if (caller.state == State::at_meeting) caller.fibre.pause();
  return caller.seen;
}

void BlockRunner::complete_meeting(Thread& caller) {
  // Lanes have their turns one after the other, so nearly always it is the last one that all have waited for.
  if (lane_of_my_warp(warp_size - 1 - std::countl_zero(caller.mask)).state != State::at_meeting) return;
  for (int i = 0; i < warp_size; ++i) {
    if ((caller.mask >> i & 1) == 0) continue;
    const Thread& other = lane_of_my_warp(i);
    if (other.state != State::at_meeting) return;
    if (other.kind != caller.kind || other.mask != caller.mask)
      misuse(fmt::format("lane {} of the mask waits in another operation, at {}", i, place(other.site)), caller.site);
  }
  // The array of the warp is read by all before all meet again; some of its lanes may meet twice before others have
  // read.
  std::array<std::uint64_t, warp_size>& all = brought_[static_cast<std::size_t>(number_ / warp_size)];
  if (caller.mask == full_warp) {
    for (int i = 0; i < warp_size; ++i) {
      Thread& lane = lane_of_my_warp(i);
      all[static_cast<std::size_t>(i)] = lane.brought;
      lane.seen = all.data();
      lane.state = State::ready;
    }
    return;
  }
  std::array<std::uint64_t, warp_size> some{};
  for (int i = 0; i < warp_size; ++i)
    if (caller.mask >> i & 1) some[static_cast<std::size_t>(i)] = lane_of_my_warp(i).brought;
  for (int i = 0; i < warp_size; ++i)
    if (caller.mask >> i & 1) {
      Thread& lane = lane_of_my_warp(i);
      lane.own = some;
      lane.seen = lane.own.data();
      lane.state = State::ready;
    }
}

void BlockRunner::barrier(const Site& site) { pause(State::at_barrier, site); }

void BlockRunner::arrive_cluster(const Site& site) {
  if (me().arrivals++ != me().waits) misuse("a thread arrives twice before it waits", site);
}
void BlockRunner::wait_cluster(const Site& site) {
  if (++me().waits != me().arrivals) misuse("a thread waits for its cluster without having arrived", site);
  pause(State::at_cluster, site);
}

// That of a block opens when all its threads stand at it; anything else is left to explain_deadlock.
bool BlockRunner::open_barriers() {
  bool any = false;
  for (auto first = threads_.begin(); first != threads_.begin() + count_; first += current.block_threads) {
    const auto end = first + current.block_threads;
    if (!std::all_of(first, end, [](auto& t) { return t->state == State::at_barrier; })) continue;
    std::for_each(first, end, [](auto& t) { t->state = State::ready; });
    any = true;
  }
  return any;
}

// A thread goes on when all that have not left the kernel have arrived as often as it has.
bool BlockRunner::open_cluster() {
  int least = std::numeric_limits<int>::max();
  for (int i = 0; i < count_; ++i)
    if (threads_[i]->state != State::gone) least = std::min(least, threads_[i]->arrivals);
  bool any = false;
  for (int i = 0; i < count_; ++i) {
    if (threads_[i]->state != State::at_cluster || threads_[i]->arrivals > least) continue;
    threads_[i]->state = State::ready;
    any = true;
  }
  return any;
}

bool BlockRunner::waits_for(int number, int other) const {
  const Thread &w = *threads_[number], &t = *threads_[other];
  switch (w.state) {
    case State::at_cluster: return t.state != State::gone && t.arrivals < w.arrivals;
    case State::at_barrier:
      return number / current.block_threads == other / current.block_threads &&
             (t.state != w.state || t.site.line() != w.site.line());
    case State::at_meeting:
      return number / warp_size == other / warp_size && (w.mask >> (other % warp_size) & 1) &&
             (t.state != w.state || t.site.line() != w.site.line());
    default: return false;
  }
}

void BlockRunner::explain_deadlock() const {
  int number = 0, absent = 0;
  while (threads_[number]->state == State::gone) ++number;
  while (absent < count_ && !waits_for(number, absent)) ++absent;
  const Thread& w = *threads_[number];
  const auto named = [&](int i) {
    return i / current.block_threads == number / current.block_threads
               ? fmt::format("thread {}", i % current.block_threads)
               : fmt::format("thread {} of block {}", i % current.block_threads,
                             first_block_ + i / current.block_threads);
  };
  const std::string other = absent == count_ ? std::string("the others")
                            : threads_[absent]->state == State::gone
                                ? fmt::format("{}, which has left the kernel", named(absent))
                                : fmt::format("{}, which waits at {}", named(absent), place(threads_[absent]->site));
  fail(ErrorKind::internal, {place(w.site), "all threads the operation names must reach it"},
       "{}: block {}, thread {} waits for {}",
       w.state == State::at_meeting ? "divergent warp operation" : "divergent barrier",
       first_block_ + number / current.block_threads, number % current.block_threads, other);
}

void BlockRunner::misuse(const std::string& what, const Site& site) const {
  fail(ErrorKind::internal, {place(site), "see the rules in simt/emulator.hpp"}, "{}: block {}, thread {}", what,
       current.block, current.thread);
}

}  // namespace

const Self& self() { return current; }
const std::uint64_t* meet(Meeting kind, unsigned mask, std::uint64_t brought, const Site& site) {
  return runner.meet(kind, mask, brought, site);
}
void misuse(const char* what, const Site& site) { runner.misuse(what, site); }
void barrier(const Site& site) { runner.barrier(site); }
void arrive_cluster(const Site& site) { runner.arrive_cluster(site); }
void wait_cluster(const Site& site) { runner.wait_cluster(site); }
void* shared_of(int rank, const Site& site) {
  if (rank < 0 || rank >= current.cluster_blocks) runner.misuse("no such block in the cluster", site);
  return runner.shared_of(rank);
}
void set_order(Order order) { order_of_turns = order; }

void run_grid(const Launch& shape, void (*body)(void*), void* context) {
  check(shape.threads > 0 && shape.threads <= 1024 && shape.threads % warp_size == 0, ErrorKind::internal,
        "a block of {} threads: must be a multiple of 32 up to 1024", shape.threads);
  check(shape.shared_bytes <= 227 * 1024, ErrorKind::internal,
        "{} bytes of shared memory are more than a block can have", shape.shared_bytes);
  check(shape.cluster >= 1 && shape.cluster <= 8 && shape.blocks % shape.cluster == 0, ErrorKind::internal,
        "{} blocks in clusters of {}: must be a multiple of at most 8", shape.blocks, shape.cluster);
  for (std::int64_t i = 0; i < shape.blocks; i += shape.cluster)
    runner.run(shape, order_of_turns == Order::forward ? i : shape.blocks - shape.cluster - i, body, context);
}

}  // namespace heddle::simt::emulator
