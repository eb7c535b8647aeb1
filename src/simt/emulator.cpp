#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "core/emulated_calls.hpp"
#include "simt/fibre.hpp"
#include "simt/simt.hpp"

namespace heddle::simt::emulator {

namespace {

enum class State { ready, at_meeting, at_barrier, at_cluster, gone };

using Brought = std::array<std::uint64_t, warp_size>;  // by the lanes of a warp, to a meeting

struct Thread {
  explicit Thread(int number) : fibre(number) {}

  Fibre fibre;
  Brought seen{};               // at its last meeting, where not all 32 lanes met
  int arrivals = 0, waits = 0;  // at the cluster's barrier
};

// The lanes of a warp by what they do, a bit each: one that has none is gone. Also what each brought to where it waits.
// (States in the threads, which lie far apart, were a half of the emulator's time: every lane that came to a meeting
// asked up to 31 others whether they were there.)
struct Warp {
  unsigned ready = 0, meeting = 0, barrier = 0, cluster = 0;
  unsigned met_all = 0;  // lanes whose last meeting was one of all 32: what they saw is in `all`
  std::array<Meeting, warp_size> kind{};
  std::array<unsigned, warp_size> mask{};
  Brought brought{}, all{};
  std::array<Site, warp_size> site{};

  void start() {
    ready = full_warp;
    meeting = barrier = cluster = 0;
  }
  State state_of(int lane) const {
    const unsigned bit = 1u << lane;
    if (ready & bit) return State::ready;
    if (meeting & bit) return State::at_meeting;
    if (barrier & bit) return State::at_barrier;
    return cluster & bit ? State::at_cluster : State::gone;
  }
};

std::string place(const Site& site) {
  const std::string file = site.file_name();
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), site.line());
}

// Asked for by every lane at every turn: constinit, so that no one looks whether it has been constructed.
constinit thread_local Self current;

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
  void turn(int lane);
  void pause(unsigned Warp::*waiting, const Site& site);
  void complete_meeting(Warp& warp, int caller);
  bool open_barriers();
  bool open_cluster();
  bool waits_for(int number, int other) const;
  [[noreturn]] void explain_deadlock() const;
  State state_of(int number) const { return warps_[index(number / warp_size)].state_of(number % warp_size); }
  const Site& site_of(int number) const { return warps_[index(number / warp_size)].site[index(number % warp_size)]; }
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static int lane() { return current.thread % warp_size; }
  Warp& my_warp() { return warps_[index(warp_)]; }
  Thread& lane_of_my_warp(int i) { return *threads_[index(warp_ * warp_size + i)]; }
  Thread& me() { return lane_of_my_warp(lane()); }

  std::vector<std::unique_ptr<Thread>> threads_;          // of all blocks of the cluster, block by block
  std::vector<Warp> warps_;                               // of these
  std::vector<std::unique_ptr<unsigned char[]>> shared_;  // of each of its blocks
  int count_ = 0, warp_ = 0;                              // how many threads there are, and whose warp has its turn
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
  warps_.resize(threads_.size() / warp_size);
  const int warps = count_ / warp_size;
  for (int w = 0; w < warps; ++w) warps_[index(w)].start();
  for (int i = 0; i < count_; ++i) {
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
  for (bool moved = true; moved;) {
    moved = false;
    for (int w = 0; w < warps; ++w) moved |= turns_of_warp(order_of_turns == Order::forward ? w : warps - 1 - w);
    if (!moved) moved = open_barriers() || open_cluster();
  }
  for (int i = 0; i < count_; ++i)
    if (state_of(i) != State::gone) explain_deadlock();
}

// As long as any of its lanes can go on. (The lanes of a whole block in turn took the sanitized survey a fifth longer.)
bool BlockRunner::turns_of_warp(int number) {
  const Warp& warp = warps_[index(number)];
  if (warp.ready == 0) return false;
  const int block_warps = current.block_threads / warp_size, rank = number / block_warps;
  warp_ = number;
  current.cluster_rank = rank;
  current.block = first_block_ + rank;
  current.shared = shared_[index(rank)].get();
  const int first = (number - rank * block_warps) * warp_size;
  while (warp.ready != 0)
    for (int lane = 0; lane < warp_size && warp.ready >> lane != 0; ++lane) {
      lane += std::countr_zero(warp.ready >> lane);
      current.thread = first + lane;
      turn(lane);
    }
  return true;
}

void BlockRunner::turn(int lane) {
  Fibre& fibre = lane_of_my_warp(lane).fibre;
  fibre.resume();
  if (fibre.finished()) my_warp().ready &= ~(1u << lane);
  if (failure_) std::rethrow_exception(failure_);
}

void BlockRunner::pause(unsigned Warp::*waiting, const Site& site) {
  Warp& warp = my_warp();
  const unsigned bit = 1u << lane();
  warp.ready &= ~bit;
  warp.*waiting |= bit;
  warp.site[index(lane())] = site;
  me().fibre.pause();
}

const std::uint64_t* BlockRunner::meet(Meeting kind, unsigned mask, std::uint64_t brought, const Site& site) {
  Warp& warp = my_warp();
  const int caller = lane();
  const unsigned bit = 1u << caller;
  if ((mask & bit) == 0) misuse("a lane calls with a mask that does not name it", site);
  warp.kind[index(caller)] = kind;
  warp.mask[index(caller)] = mask;
  warp.brought[index(caller)] = brought;
  warp.site[index(caller)] = site;
  warp.ready &= ~bit;
  warp.meeting |= bit;
  if ((mask & ~warp.meeting) == 0) complete_meeting(warp, caller);
  if (warp.meeting & bit) lane_of_my_warp(caller).fibre.pause();
  return (warp.met_all & bit ? warp.all : lane_of_my_warp(caller).seen).data();
}

// All lanes that the caller's mask names wait in some meeting.
void BlockRunner::complete_meeting(Warp& warp, int caller) {
  const Meeting kind = warp.kind[index(caller)];
  const unsigned mask = warp.mask[index(caller)];
  for (unsigned left = mask; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    if (warp.kind[index(i)] != kind || warp.mask[index(i)] != mask)
      misuse(fmt::format("lane {} of the mask waits in another operation, at {}", i, place(warp.site[index(i)])),
             warp.site[index(caller)]);
  }
  // The array of the warp is read by all before all meet again; some of its lanes may meet twice before others have
  // read.
  if (mask == full_warp) {
    warp.all = warp.brought;
    warp.met_all = full_warp;
  } else {
    for (unsigned left = mask; left != 0; left &= left - 1) lane_of_my_warp(std::countr_zero(left)).seen = warp.brought;
    warp.met_all &= ~mask;
  }
  warp.meeting &= ~mask;
  warp.ready |= mask;
}

void BlockRunner::barrier(const Site& site) { pause(&Warp::barrier, site); }

void BlockRunner::arrive_cluster(const Site& site) {
  if (me().arrivals++ != me().waits) misuse("a thread arrives twice before it waits", site);
}
void BlockRunner::wait_cluster(const Site& site) {
  if (++me().waits != me().arrivals) misuse("a thread waits for its cluster without having arrived", site);
  pause(&Warp::cluster, site);
}

// That of a block opens when all its threads stand at it; anything else is left to explain_deadlock.
bool BlockRunner::open_barriers() {
  bool any = false;
  const int block_warps = current.block_threads / warp_size;
  for (auto first = warps_.begin(); first != warps_.begin() + count_ / warp_size; first += block_warps) {
    const auto end = first + block_warps;
    if (!std::all_of(first, end, [](const Warp& warp) { return warp.barrier == full_warp; })) continue;
    std::for_each(first, end, [](Warp& warp) { warp.start(); });
    any = true;
  }
  return any;
}

// A thread goes on when all that have not left the kernel have arrived as often as it has.
bool BlockRunner::open_cluster() {
  int least = std::numeric_limits<int>::max();
  for (int i = 0; i < count_; ++i)
    if (state_of(i) != State::gone) least = std::min(least, threads_[i]->arrivals);
  bool any = false;
  for (int i = 0; i < count_; ++i) {
    if (state_of(i) != State::at_cluster || threads_[i]->arrivals > least) continue;
    Warp& warp = warps_[index(i / warp_size)];
    warp.cluster &= ~(1u << i % warp_size);
    warp.ready |= 1u << i % warp_size;
    any = true;
  }
  return any;
}

bool BlockRunner::waits_for(int number, int other) const {
  const State mine = state_of(number), theirs = state_of(other);
  const bool elsewhere = theirs != mine || site_of(other).line() != site_of(number).line();
  switch (mine) {
    case State::at_cluster: return theirs != State::gone && threads_[other]->arrivals < threads_[number]->arrivals;
    case State::at_barrier: return number / current.block_threads == other / current.block_threads && elsewhere;
    case State::at_meeting: {
      const unsigned mask = warps_[index(number / warp_size)].mask[index(number % warp_size)];
      return number / warp_size == other / warp_size && (mask >> (other % warp_size) & 1) && elsewhere;
    }
    default: return false;
  }
}

void BlockRunner::explain_deadlock() const {
  int number = 0, absent = 0;
  while (state_of(number) == State::gone) ++number;
  while (absent < count_ && !waits_for(number, absent)) ++absent;
  const auto named = [&](int i) {
    return i / current.block_threads == number / current.block_threads
               ? fmt::format("thread {}", i % current.block_threads)
               : fmt::format("thread {} of block {}", i % current.block_threads,
                             first_block_ + i / current.block_threads);
  };
  const std::string other = absent == count_ ? std::string("the others")
                            : state_of(absent) == State::gone
                                ? fmt::format("{}, which has left the kernel", named(absent))
                                : fmt::format("{}, which waits at {}", named(absent), place(site_of(absent)));
  fail(ErrorKind::internal, {place(site_of(number)), "all threads the operation names must reach it"},
       "{}: block {}, thread {} waits for {}",
       state_of(number) == State::at_meeting ? "divergent warp operation" : "divergent barrier",
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
  ++emulated_calls.kernels;
  if (const auto told = emulated_calls.launched.load()) told(body, shape.threads, shape.shared_bytes);
  for (std::int64_t i = 0; i < shape.blocks; i += shape.cluster)
    runner.run(shape, order_of_turns == Order::forward ? i : shape.blocks - shape.cluster - i, body, context);
}

}  // namespace heddle::simt::emulator
