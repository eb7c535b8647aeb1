#include "core/parallel.hpp"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <heddle/device.hpp>

#include "core/check.hpp"
#include "core/cores_left.hpp"
#include "core/thread_share.hpp"
#include "core/watch.hpp"

namespace heddle {

// std::thread::hardware_concurrency() counts those of the machine: sixteen threads on two cores of it.
int allowed_cores() {
#if defined(__linux__)
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int this_core() {
#if defined(__linux__)
  return sched_getcpu();
#else
  return -1;
#endif
}

// The system moves a thread at once when it may not stay where it is; then it may go wherever it might before.
bool leave_core([[maybe_unused]] int core) {
#if defined(__linux__)
  cpu_set_t allowed;
  if (core < 0 || core >= CPU_SETSIZE || this_core() != core) return false;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) return false;
  cpu_set_t others = allowed;
  CPU_CLR(core, &others);
  if (sched_setaffinity(0, sizeof others, &others) != 0) return false;
  sched_setaffinity(0, sizeof allowed, &allowed);
  return true;
#else
  return false;
#endif
}

namespace {

constexpr int most_threads = 1024;

// Of HEDDLE_THREADS: 0 where it is not set, or is 0; -1 for what is no number of threads.
int threads_of_environment() {
  const char* text = std::getenv("HEDDLE_THREADS");
  if (text == nullptr || *text == '\0') return 0;
  const char* end = text + std::strlen(text);
  int asked = 0;
  const auto [stop, error] = std::from_chars(text, end, asked);
  return error == std::errc() && stop == end && asked >= 0 && asked <= most_threads ? asked : -1;
}

int default_threads() {
  const int asked = threads_of_environment();
  return asked > 0 ? asked : std::min(allowed_cores(), most_threads);
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
// product takes, so a waiting thread polls for about 50 us before it sleeps. True once `arrived` is.
template <class F>
bool look_for(F arrived) {
  for (int look = 0; look < 1000; ++look) {
    if (arrived()) return true;
    pause();
  }
  return false;
}

// A job that is worth fewer threads than this has been done before a thread that sleeps is there: waking one takes some
// 40 us, and the caller 1 us to ask for it (16 cores, 2026-11; 17,088 entries that no cache held took 30.7 us with
// three threads woken for nothing, a loop of one thread 27.5). Threads are woken for it nevertheless where it comes `soon`
// after the last one that found them asleep: products that follow each other find them awake from then on.
constexpr double little_work = 8;
constexpr std::chrono::microseconds soon{100};

enum class Work { little, much };

// Tasks first .. first + size - 1, cut into parts of equal size, as far as that goes.
struct Cut {
  std::int64_t first, each, extra;

  Cut(std::int64_t begin, std::int64_t size, std::int64_t parts)
      : first(begin), each(size / parts), extra(size - each * parts) {}
  std::int64_t begin(std::int64_t part) const { return first + each * part + std::min(part, extra); }
};

// Some of the parts, at once, or with a look at the watch before each where it `asks`.
void run_parts(void (*run)(void*, std::int64_t, std::int64_t), void* context, const Cut& cut, std::int64_t first,
               std::int64_t last, bool asks) {
  if (!asks) return run(context, cut.begin(first), cut.begin(last));
  for (; first < last; ++first) {
    Watch::pass();
    run(context, cut.begin(first), cut.begin(first + 1));
  }
}

// All of it on this thread.
void run_alone(void (*run)(void*, std::int64_t, std::int64_t), void* context, std::int64_t count, bool asks) {
  const std::int64_t parts = std::min<std::int64_t>(count, asks ? 64 : 1);
  run_parts(run, context, Cut(0, count, parts), 0, parts, asks);
}

struct Job {
  void (*run)(void*, std::int64_t, std::int64_t) = nullptr;
  void* context = nullptr;
  Cut shares;           // one for each member: the caller is member 0, worker n is member n
  std::int64_t claims;  // of a share: stretches of tasks that are taken at once
  int members;
  bool asks;  // the watch of the caller between claims

  Job(void (*f)(void*, std::int64_t, std::int64_t), void* with, std::int64_t count, int threads, bool watched)
      : run(f),
        context(with),
        shares(0, count, threads),
        claims(claims_of(shares.each)),
        members(threads),
        asks(watched) {}
  Job() : Job(nullptr, nullptr, 1, 1, false) {}

  static std::int64_t claims_of(std::int64_t share) {
    return std::clamp<std::int64_t>(share / 4, std::min<std::int64_t>(share, 4), 32);
  }
  Cut claims_of_member(int member) const {
    const std::int64_t first = shares.begin(member);
    return {first, shares.begin(member + 1) - first, claims};
  }
};

// The tasks are cut into a share for each member, the same in every job of that size, so that a matrix stays in the
// caches of the cores that read it before. A member takes claims from the front of its own share; when that is done it
// helps the others from the back of theirs, claim by claim.
//
//   tasks     | share 0: caller | share 1: worker 1 | share 2: worker 2 | ...
//   claims                      |>>>>>     <<|
//                          owner from here, the others from there
//
// A job is published by one store to `call`, which all workers poll. Each member also has two cache lines of its own,
// and waking one that polls costs no system call:
//
//   call    epoch << 16 | claims << 10 | workers called      written by the caller alone
//   taken   epoch << 16 | back << 8 | front                  claims taken of a share; an older epoch: none yet
//   left    epoch << 1 | awaited                             the last job its worker was in and has left; awaited: the
//                                                            caller sleeps until it has left this one
//
// A worker is in a job once it has taken the front of its own share, and only then reads the job. Every task runs once:
// it is in one claim, and claims are taken by exchanging `taken`. None is left out: a worker leaves when its own share
// is empty, and the share of a worker that has not come is emptied by the caller: it finds nothing then, and is not
// waited for. When the caller returns, all workers that were in the job have left it, so no worker reads the job or
// runs a task of it. With 48 bits an epoch does not come again.
class Pool {
 public:
  void run(void (*f)(void*, std::int64_t, std::int64_t), void* context, std::int64_t count, int helpers, Work amount,
           bool asks) {
    start_workers(helpers);
    job = Job(f, context, count, callable(std::min(helpers, started), amount) + 1, asks);
    if (job.members == 1) return run_alone(f, context, count, asks);
    failure = nullptr;
    if (const int core = this_core(); core != caller_core.load(std::memory_order_relaxed))
      caller_core.store(core, std::memory_order_relaxed);
    const Call now{++epoch, job.claims, job.members - 1};
    call.store(now.word(), std::memory_order_release);
    for (int number = 1; number < job.members; ++number) wake(number);
    work(now, 0);
    for (int number = 1; number < job.members; ++number) await(now, number);
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
  }

  bool occupy() { return !busy.exchange(true, std::memory_order_acquire); }
  void vacate() { busy.store(false, std::memory_order_release); }

 private:
  struct Call {
    std::uint64_t epoch = 0;
    std::int64_t claims = 0, workers = 0;

    std::uint64_t word() const {
      return epoch << 16 | static_cast<std::uint64_t>(claims) << 10 | static_cast<std::uint64_t>(workers);
    }
    static Call of(std::uint64_t word) {
      return {word >> 16, static_cast<std::int64_t>(word >> 10 & 0x3f), static_cast<std::int64_t>(word & 0x3ff)};
    }
    std::uint64_t left() const { return epoch << 1; }
    std::uint64_t awaited() const { return epoch << 1 | 1; }
  };
  struct Taken {
    std::int64_t front = 0, back = 0;
  };
  struct Claims {
    std::int64_t first = 0, last = 0;
    bool none() const { return first >= last; }
  };
  enum class End { front, back };
  struct Member {
    alignas(128) std::atomic<std::uint64_t> taken{0};
    alignas(128) std::atomic<std::uint64_t> left{0};
  };

  void start_workers(int helpers) {
    for (; started < helpers; ++started) {
      try {
        std::thread([this, number = started + 1] { serve(number); }).detach();
      } catch (const std::system_error&) {
        return;  // no more threads to be had: the caller and the present workers do the work
      }
    }
  }

  // As many of the first `helpers` as a job calls: all, or those before the first that sleeps.
  int callable(int helpers, Work amount) {
    int awake = 0;
    while (awake < helpers && asleep[awake + 1].load(std::memory_order_relaxed) == 0) ++awake;
    if (awake == helpers || amount == Work::much) return helpers;
    const auto now = std::chrono::steady_clock::now();
    const bool follows = now - std::exchange(found_asleep, now) < soon;
    return follows ? helpers : awake;
  }

  void serve(int number) {
    for (std::uint64_t seen = 0;;) {
      const Call now = next_call(number, seen);
      seen = now.epoch;
      if (work(now, number)) leave(now, number);
    }
  }

  // The first job after epoch `seen` that worker `number` is called for. A worker that goes to sleep sees the new call,
  // or the caller that it sleeps, or, rarely, neither: then the others do its share, and the next job wakes it. (To
  // exclude that, the caller would have to wait until the call has reached all workers.)
  Call next_call(int number, std::uint64_t seen) {
    Call now;
    const auto called = [&] {
      now = Call::of(call.load(std::memory_order_acquire));
      return now.epoch > seen && now.workers >= number;
    };
    while (!look_for(called)) {
      if (leave_caller(number)) continue;
      asleep[number].store(1);
      if (!called()) asleep[number].wait(1);
      asleep[number].store(0);
      leave_caller(number);
    }
    return now;
  }
  // A worker that is woken may find itself on the core of the caller, behind it, though others are idle: for up to 40
  // ms the caller then does all alone (two cores; a matrix of 50,000 entries 10.7 instead of 6.6 us).
  bool leave_caller(int number) const {
    return number < allowed_cores() && leave_core(caller_core.load(std::memory_order_relaxed));
  }
  void wake(int number) {
    if (asleep[number].load(std::memory_order_relaxed) == 0) return;
    asleep[number].store(0);
    asleep[number].notify_one();
  }

  void leave(const Call& now, int number) {
    if (members[number].left.exchange(now.left()) == now.awaited()) members[number].left.notify_one();
  }
  void await(const Call& now, int number) {
    if (taken_of(now, members[number].taken.load(std::memory_order_relaxed)).front == 0) return;
    std::atomic<std::uint64_t>& left = members[number].left;
    if (look_for([&] { return left.load(std::memory_order_acquire) == now.left(); })) return;
    std::uint64_t before = left.load();
    if (before != now.left() && left.compare_exchange_strong(before, now.awaited())) left.wait(now.awaited());
  }

  // Whether member `me` came in time for its own share.
  bool work(const Call& now, int me) {
    Claims own = take(now, me, End::front);
    if (own.none() && me != 0) return false;
    run_claims(now, me, End::front, own);
    for (int step = 1; step < job.members; ++step) {
      const int other = (me + step) % job.members;
      run_claims(now, other, End::back, take(now, other, End::back));
    }
    return true;
  }
  // These, and all that are left of the share.
  void run_claims(const Call& now, int member, End end, Claims claims) {
    if (claims.none()) return;
    const Cut share = job.claims_of_member(member);
    for (; !claims.none(); claims = take(now, member, end)) {
      if (failed.load(std::memory_order_relaxed) == now.epoch) continue;
      try {
        run_parts(job.run, job.context, share, claims.first, claims.last, job.asks);
      } catch (...) {
        const std::lock_guard lock(failure_guard);
        if (!failure) failure = std::current_exception();
        failed.store(now.epoch, std::memory_order_relaxed);
      }
    }
  }

  static Taken taken_of(const Call& now, std::uint64_t word) {
    if (word >> 16 < now.epoch) return {};
    return {static_cast<std::int64_t>(word & 0xff), static_cast<std::int64_t>(word >> 8 & 0xff)};
  }
  // The owner takes half of what is left each time, the others one. The last claim of a share is left to an owner who
  // is at work: its data are in that core's cache.
  static Claims choose(const Call& now, const Taken& taken, End end) {
    const std::int64_t first = taken.front, last = now.claims - taken.back;
    if (end == End::front) return {first, first + (last - first + 1) / 2};
    return {first > 0 ? std::max(first + 1, last - 1) : std::max(first, last - 1), last};
  }
  Claims take(const Call& now, int member, End end) {
    std::atomic<std::uint64_t>& word = members[member].taken;
    std::uint64_t seen = word.load(std::memory_order_relaxed);
    while (seen >> 16 <= now.epoch) {  // else a late worker's job is over
      Taken taken = taken_of(now, seen);
      const Claims claims = choose(now, taken, end);
      if (claims.none()) break;
      (end == End::front ? taken.front : taken.back) += claims.last - claims.first;
      const std::uint64_t next = now.epoch << 16 | static_cast<std::uint64_t>(taken.back << 8 | taken.front);
      if (word.compare_exchange_weak(seen, next, std::memory_order_relaxed)) return claims;
    }
    return {};
  }

  // Read by all members of a job, and hardly written.
  alignas(128) std::atomic<std::uint64_t> call{0};
  Job job;
  std::atomic<std::uint64_t> failed{0};  // the last epoch in which a task threw
  std::atomic<int> caller_core{-1};
  // Of the caller.
  alignas(128) std::uint64_t epoch = 0;
  int started = 0;
  std::chrono::steady_clock::time_point found_asleep;  // by little work
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

void set_threads(int count) {
  if (count == 0 && threads_of_environment() < 0)
    fail(ErrorKind::usage, {fmt::format("HEDDLE_THREADS={}", std::getenv("HEDDLE_THREADS")), "0: every core"},
         "not a whole number from 0 to {}", most_threads);
  wanted_threads.store(std::clamp(count, 0, most_threads));
}

int threads() noexcept {
  static const int by_default = default_threads();
  const int wanted = wanted_threads.load(std::memory_order_relaxed);
  return wanted > 0 ? wanted : by_default;
}

namespace {
thread_local int cores_left = 0;
}

CoresLeft::CoresLeft(int cores) : before_(std::exchange(cores_left, std::max(cores, 0))) {}
CoresLeft::~CoresLeft() { cores_left = before_; }

void run_tasks(std::int64_t count, std::int64_t per_thread, void (*run)(void*, std::int64_t, std::int64_t),
               void* context) {
  if (count <= 0) return;
  Watch::pass();
  // Tasks of which each is worth a thread may take long. Products count theirs by entries.
  const bool asks = per_thread == 1 && Watch::present();
  const double enough = std::max(1.0, static_cast<double>(per_thread) * share_for_a_thread());
  const double worth = static_cast<double>(count) / enough;
  const auto wanted = static_cast<std::int64_t>(std::min<double>(threads() - cores_left, worth));
  if (wanted < 2) return run_alone(run, context, count, asks);
  Pool& shared = pool();
  if (!shared.occupy()) return run_alone(run, context, count, asks);
  struct Occupied {
    Pool& pool;
    ~Occupied() { pool.vacate(); }
  } const occupied{shared};
  // Of a task that alone is worth a thread it is not known how much more it is.
  const Work amount = per_thread > 1 && worth < little_work ? Work::little : Work::much;
  shared.run(run, context, count, static_cast<int>(wanted) - 1, amount, asks);
}

}  // namespace heddle
