#include "core/parallel.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <heddle/device.hpp>

namespace heddle {

namespace {

constexpr int most_threads = 1024;

int default_threads() {
  if (const char* text = std::getenv("HEDDLE_THREADS")) {
    const int asked = std::atoi(text);
    if (asked > 0) return std::min(asked, most_threads);
  }
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most_threads);
}

std::atomic<int> wanted_threads{0};

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

// Multiplications follow each other closely: being woken by the kernel would cost a sleeping thread more than a small
// product takes, so whoever waits looks for about 50 us before it sleeps. True once `arrived` is.
template <class F>
bool look_for(F arrived) {
  for (int look = 0; look < 1000; ++look) {
    if (arrived()) return true;
    pause();
  }
  return false;
}

struct Job {
  void (*run)(void*, std::int64_t, std::int64_t) = nullptr;
  void* context = nullptr;
  std::int64_t count = 0;
  int members = 0;  // threads that it is meant for: the caller is member 0, worker n is member n
};

// A member's part of the tasks, and its claims: stretches of tasks that are taken at once.
struct Share {
  std::int64_t first, size;

  Share(const Job& job, int member)
      : first(job.count / job.members * member + std::min<std::int64_t>(member, job.count % job.members)),
        size(job.count / job.members + (member < job.count % job.members)) {}
  std::int64_t claims() const { return std::clamp<std::int64_t>(size / 4, std::min<std::int64_t>(size, 4), 32); }
  std::int64_t begin(std::int64_t claim) const {
    const std::int64_t all = claims();
    return first + size / all * claim + std::min(claim, size % all);
  }
};

// The tasks are cut into a share for each member, the same in every job of that size, so that a matrix stays in the
// caches of the cores that read it before. A member takes claims from the front of its own share; when that is done it
// helps the others from the back of theirs.
//
//   tasks     | share 0: caller | share 1: worker 1 | share 2: worker 2 | ...
//   claims                      |>>>>>     <<|
//                          owner from here, the others from there
//
// A job is published by one store to `call`, which all workers look at. Each member has a cache line of its own beside
// that, and whoever is awake costs no system call:
//
//   call    epoch << 16 | workers called         written by the caller alone
//   seat    epoch << 2 | state                   older epoch -> inside -> over     by its worker
//                                                older epoch -> over               by the caller: closed
//                                                inside -> awaited -> over         when the caller sleeps until then
//   taken   epoch << 16 | back << 8 | front      claims taken of a share; an older epoch: none yet
//
// Every task runs once: it is in one claim, and claims are taken by exchanging `taken`. None is left out: a worker
// leaves when its own share is empty, and the share of a worker that has not come is emptied by the caller, who then
// closes its seat: it comes too late and nobody waits for it. When the caller returns, all seats of the job are over,
// so nobody reads the job or runs a task of it. With 48 bits an epoch does not come again.
class Pool {
 public:
  void run(const Job& next, int helpers) {
    start_workers(helpers);
    job = next;
    job.members = std::min(helpers, started) + 1;
    failure = nullptr;
    const std::uint64_t now = ++epoch;
    call.store(now << 16 | static_cast<std::uint64_t>(job.members - 1));
    for (int number = 1; number < job.members; ++number) wake(number);
    work(now, 0);
    for (int number = 1; number < job.members; ++number) close(now, number);
    for (int number = 1; number < job.members; ++number) await(now, number);
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
  }

  bool occupy() { return !busy.exchange(true, std::memory_order_acquire); }
  void vacate() { busy.store(false, std::memory_order_release); }

 private:
  enum Seat : std::uint64_t { inside = 1, awaited, over };
  enum class End { front, back };
  struct alignas(128) Member {
    std::atomic<std::uint64_t> seat{0}, taken{0};
  };
  static std::uint64_t seat(std::uint64_t now, Seat state) { return now << 2 | state; }

  void start_workers(int helpers) {
    for (; started < helpers; ++started) {
      try {
        std::thread([this, number = started + 1] { serve(number); }).detach();
      } catch (const std::system_error&) {
        return;  // no more threads to be had: the caller and the present workers do the work
      }
    }
  }

  void serve(int number) {
    for (std::uint64_t now = 0;;) {
      now = next_call(number, now);
      if (!enter(now, number)) continue;
      work(now, number);
      leave(now, number);
    }
  }

  // The epoch of the first job after `seen` that worker `number` is called for. Going to sleep and calling are ordered:
  // either the worker sees the new call, or the caller sees that it sleeps.
  std::uint64_t next_call(int number, std::uint64_t seen) {
    std::uint64_t word = 0;
    const auto called = [&] {
      word = call.load();
      return word >> 16 > seen && (word & 0xffff) >= static_cast<std::uint64_t>(number);
    };
    while (!look_for(called)) {
      asleep[number].store(1);
      if (!called()) asleep[number].wait(1);
      asleep[number].store(0);
    }
    return word >> 16;
  }
  void wake(int number) {
    if (asleep[number].load() == 0) return;
    asleep[number].store(0);
    asleep[number].notify_one();
  }

  bool enter(std::uint64_t now, int number) {
    std::uint64_t seen = members[number].seat.load();
    return seen >> 2 < now && members[number].seat.compare_exchange_strong(seen, seat(now, inside));
  }
  void leave(std::uint64_t now, int number) {
    if (members[number].seat.exchange(seat(now, over)) == seat(now, awaited)) members[number].seat.notify_one();
  }
  // A worker that has not come cannot come any more.
  void close(std::uint64_t now, int number) {
    std::uint64_t seen = members[number].seat.load();
    if (seen >> 2 < now) members[number].seat.compare_exchange_strong(seen, seat(now, over));
  }
  void await(std::uint64_t now, int number) {
    std::atomic<std::uint64_t>& at = members[number].seat;
    if (look_for([&] { return at.load(std::memory_order_acquire) == seat(now, over); })) return;
    std::uint64_t seen = seat(now, inside);
    if (at.compare_exchange_strong(seen, seat(now, awaited))) at.wait(seat(now, awaited));
  }

  // The last claim of a share is left to an owner who is at work: its data are in that core's cache.
  void work(std::uint64_t now, int me) {
    empty_share(now, me, End::front, 0);
    for (int step = 1; step < job.members; ++step) {
      const int other = (me + step) % job.members;
      const bool present = other == 0 || members[other].seat.load(std::memory_order_relaxed) == seat(now, inside);
      empty_share(now, other, End::back, present);
    }
  }
  void empty_share(std::uint64_t now, int member, End end, std::int64_t leave) {
    const Share share(job, member);
    const std::int64_t claims = share.claims();
    for (;;) {
      const std::int64_t claim = take(now, members[member].taken, end, claims, leave);
      if (claim < 0) return;
      try {
        job.run(job.context, share.begin(claim), share.begin(claim + 1));
      } catch (...) {
        const std::lock_guard lock(failure_guard);
        if (!failure) failure = std::current_exception();
        failed.store(now, std::memory_order_relaxed);
      }
    }
  }
  // The number of a claim, or -1 when no more than `leave` are left.
  std::int64_t take(std::uint64_t now, std::atomic<std::uint64_t>& taken, End end, std::int64_t claims,
                    std::int64_t leave) {
    if (failed.load(std::memory_order_relaxed) == now) return -1;
    std::uint64_t seen = taken.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t current = seen >> 16 == now ? seen : now << 16;
      const auto front = static_cast<std::int64_t>(current & 0xff),
                 back = static_cast<std::int64_t>(current >> 8 & 0xff);
      if (front + back + leave >= claims) return -1;
      if (taken.compare_exchange_weak(seen, current + (end == End::front ? 1 : 0x100), std::memory_order_relaxed))
        return end == End::front ? front : claims - 1 - back;
    }
  }

  // Read by all members of a job, and hardly written.
  alignas(128) std::atomic<std::uint64_t> call{0};
  Job job;
  std::atomic<std::uint64_t> failed{0};  // the last epoch in which a task threw
  // Of the caller.
  alignas(128) std::uint64_t epoch = 0;
  int started = 0;
  std::atomic<bool> busy{false};
  std::mutex failure_guard;
  std::exception_ptr failure;
  // Close together: the caller reads them for every job, and they change when a worker goes to sleep.
  alignas(128) std::atomic<std::uint32_t> asleep[most_threads] = {};
  Member members[most_threads];
};

// Never destroyed: workers may still sleep in it when the process ends. A forked child has no workers and starts anew.
std::atomic<Pool*> current_pool{nullptr};

Pool& pool() {
  Pool* found = current_pool.load(std::memory_order_acquire);
  if (found) return *found;
  static const int fork_hook = pthread_atfork(nullptr, nullptr, [] { current_pool.store(nullptr); });
  (void)fork_hook;
  auto* made = new Pool;
  if (current_pool.compare_exchange_strong(found, made)) return *made;
  delete made;
  return *found;
}

}  // namespace

void set_threads(int count) { wanted_threads.store(std::clamp(count, 0, most_threads)); }

int threads() noexcept {
  static const int by_default = default_threads();
  const int wanted = wanted_threads.load(std::memory_order_relaxed);
  return wanted > 0 ? wanted : by_default;
}

void run_tasks(std::int64_t count, std::int64_t per_thread, void (*run)(void*, std::int64_t, std::int64_t),
               void* context) {
  if (count <= 0) return;
  const std::int64_t wanted = std::min<std::int64_t>(threads(), count / std::max<std::int64_t>(per_thread, 1));
  if (wanted < 2) return run(context, 0, count);
  Pool& shared = pool();
  if (!shared.occupy()) return run(context, 0, count);
  struct Occupied {
    Pool& pool;
    ~Occupied() { pool.vacate(); }
  } const occupied{shared};
  shared.run(Job{run, context, count, 0}, static_cast<int>(wanted) - 1);
}

}  // namespace heddle
