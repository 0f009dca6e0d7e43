// SPDX-License-Identifier: BSD-3-Clause
//
// See world.hpp.
#include "world.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "real_calls.hpp"

// The thread's variables of std::call_once.
namespace std {
extern __thread void* __once_callable;  // NOLINT
extern __thread void (*__once_call)();  // NOLINT
}  // namespace std

namespace sim {
namespace {

// Runs on the new fiber's stack.
void begin_fiber() {
    Fiber& fiber = *world.current;
    fiber.result = fiber.body(fiber.argument);
    world.end_fiber();
}

char* make_stack() {
    void* stack = real_mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) {
        std::fprintf(stderr, "sim: no memory for a stack: %s\n", std::strerror(errno));
        std::exit(2);
    }
    ::mprotect(stack, 4096, PROT_NONE);
    return static_cast<char*>(stack) + kStackBytes;
}

// The C++ library keeps the exceptions under way, and the call of std::call_once, for the thread.
void save(Fiber& fiber) {
    fiber.saved_errno = errno;
    auto** exceptions = reinterpret_cast<void**>(abi::__cxa_get_globals());
    fiber.of_cxx_library = {exceptions[0], exceptions[1], std::__once_callable,
                            reinterpret_cast<void*>(std::__once_call)};
}
void restore(const Fiber& fiber) {
    auto** exceptions = reinterpret_cast<void**>(abi::__cxa_get_globals());
    exceptions[0] = fiber.of_cxx_library[0];
    exceptions[1] = fiber.of_cxx_library[1];
    std::__once_callable = fiber.of_cxx_library[2];
    std::__once_call = reinterpret_cast<void (*)()>(fiber.of_cxx_library[3]);
    errno = fiber.saved_errno;
}

void show(const char* text) {
    std::fputs(text, stderr);
    std::fflush(stderr);
}

}  // namespace

namespace {
// Functions of the C library ask it before main() has made it: no PE acts yet.
union Storage {
    constexpr Storage() : is_made(false) {}
    ~Storage() {}
    bool is_made;
    World world;
};
constinit Storage storage;
}  // namespace

constinit World& world = storage.world;
std::int64_t steps_left = 0;

// splitmix64 fills the state of xoshiro256**.
void World::seed(std::uint64_t value) {
    for (std::uint64_t& word : random_state_) {
        value += 0x9e3779b97f4a7c15;
        std::uint64_t mixed = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
        word = mixed ^ mixed >> 31;
    }
}

std::uint64_t World::random() {
    auto& s = random_state_;
    const std::uint64_t result = std::rotl(s[1] * 5, 7) * 9;
    const std::uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = std::rotl(s[3], 45);
    return result;
}

std::uint64_t World::now() const {
    return clock_ +
           static_cast<std::uint64_t>(std::max<std::int64_t>(0, granted_ - steps_left)) * kStepNs;
}

Fiber& World::add_fiber(Pe& pe, void* (*body)(void*), void* argument) {
    const auto threads =
        std::ranges::count_if(fibers_, [&](const Fiber& f) { return f.pe == &pe; });
    Fiber& fiber = fibers_.emplace_back();
    fiber.pe = &pe;
    fiber.number = static_cast<int>(threads);
    fiber.body = body;
    fiber.argument = argument;
    fiber.thread_locals = pe.initial_thread_locals;
    fiber.stack_top = make_stack();
    fiber.stack_pointer = prepare_stack(fiber.stack_top, begin_fiber);
    return fiber;
}

void World::run() {
    void* nowhere = nullptr;
    Fiber& first = choose();
    current = &first;
    give_steps();
    tessera_sim_switch(&nowhere, first.stack_pointer);
    std::abort();
}

// ---- Time ----

void World::pass_time() {
    clock_ = now();
    granted_ = steps_left = 0;
}

// A random number of steps, most of them few, but none beyond the next event.
void World::give_steps() {
    std::uint64_t steps = 1 + random_below(2 * character.steps_mean);
    if (random_below(8) == 0) steps = random_below(3);
    constexpr std::uint64_t kCalmSteps = 10'000;
    if (!is_random()) steps = kCalmSteps;
    const std::uint64_t next = next_time();
    if (next != kNever && next > clock_) steps = std::min(steps, (next - clock_) / kStepNs);
    granted_ = steps_left = static_cast<std::int64_t>(steps);
}

std::uint64_t World::next_time() const {
    std::uint64_t next = events_.empty() ? kNever : events_.begin()->first;
    for (const Fiber& fiber : fibers_) {
        if (fiber.has_ended) continue;
        if (fiber.is_waiting) next = std::min(next, fiber.until);
        if (!fiber.is_waiting && fiber.stopped_until > clock_)
            next = std::min(next, fiber.stopped_until);
    }
    return next;
}

// Ends waits and runs events whose time has come. RETURNS: whether there were any events.
bool World::run_due() {
    bool has_run = false;
    while (!events_.empty() && events_.begin()->first <= clock_) {
        const Event event = events_.begin()->second;
        events_.erase(events_.begin());
        is_in_event_ = true;
        event.function(event.argument);
        is_in_event_ = false;
        progress_at_ = clock_;
        has_run = true;
    }
    for (Fiber& fiber : fibers_) {
        if (fiber.is_waiting && fiber.until <= clock_) fiber.is_waiting = false;
    }
    return has_run;
}

void World::at(std::uint64_t time, void (*event)(void*), void* argument) {
    events_.emplace(std::max(time, now()), Event{event, argument});
}

// ---- The scheduler ----

// Stops the running fiber where it is, which may be between two steps that belong together.
void World::stop_now_and_then() {
    if (character.stops_one_in == 0 || !is_random() || current == nullptr) return;
    if (random_below(character.stops_one_in) != 0) return;
    // Frequent stops are short, so that the program gets on.
    const std::uint64_t doublings = 10 + character.stops_one_in / 160;
    const std::uint64_t until = clock_ + (1'000ULL << random_below(doublings));
    current->stopped_until = until;
    if (random_below(4) != 0) return;
    for (Fiber& fiber : fibers_) {  // the whole PE
        if (fiber.pe == current->pe) fiber.stopped_until = until;
    }
}

// Whether nothing is under way, all waits left can end by their limits only, and have done so again
// and again for longer than any limit of the library: then no PE changes anything any more.
bool World::only_looks() const {
    constexpr std::uint64_t kNs = 5'000'000'000;
    constexpr std::uint32_t kLooks = 100;
    return events_.empty() && clock_ - progress_at_ > kNs &&
           std::ranges::all_of(fibers_, [](const Fiber& fiber) {
               return fiber.has_ended ||
                      (fiber.is_waiting && (fiber.until == kNever || fiber.looks > kLooks));
           });
}

Fiber& World::choose() {
    for (;;) {
        run_due();
        ready_.clear();
        for (Fiber& fiber : fibers_) {
            if (!fiber.has_ended && !fiber.is_waiting && fiber.stopped_until <= clock_)
                ready_.push_back(&fiber);
        }
        if (!ready_.empty()) break;
        const std::uint64_t next = next_time();
        if (next == kNever) fail("deadlock: no PE can go on, and nothing is under way");
        if (only_looks()) fail("deadlock: the PEs look again and again, and nothing is under way");
        clock_ = std::max(clock_, next);
        if (clock_ > time_max) fail("a wait does not end");
    }
    if (clock_ > time_max) fail("the program does not end");
    Fiber* chosen = ready_[random_below(ready_.size())];
    // Nine of ten turns of a slow PE are another one's.
    if (chosen->pe->number == character.slow_pe && random_below(10) != 0)
        chosen = ready_[random_below(ready_.size())];
    if (!is_random()) chosen = ready_[turn_++ % ready_.size()];
    if (shows_switches && is_random()) show_switch(*chosen);
    ++switches_;
    trace_ = (trace_ ^
              (static_cast<std::uint64_t>(chosen->pe->number) * 64 +
               static_cast<std::uint64_t>(chosen->number)) ^
              clock_ << 16) *
             0x100000001b3;
    return *chosen;
}

void World::show_switch(const Fiber& next) const {
    char from[64] = "";
    if (current != nullptr)
        std::snprintf(from, sizeof from, "PE %d, thread %d ", current->pe->number, current->number);
    Dl_info where{};
    const bool is_known = place_ != nullptr && ::dladdr(place_, &where) != 0;
    const auto offset =
        is_known ? static_cast<const char*>(place_) - static_cast<const char*>(where.dli_fbase) : 0;
    std::fprintf(stderr, "sim: switch %llu at %llu ns: %s%s 0x%llx, then PE %d, thread %d\n",
                 static_cast<unsigned long long>(switches_),
                 static_cast<unsigned long long>(clock_ - kBeginNs), from,
                 place_ != nullptr ? "stops at" : "calls, ",
                 static_cast<unsigned long long>(offset), next.pe->number, next.number);
}

void World::switch_away() {
    pass_time();
    clock_ += kStepNs;  // A turn without a step takes time, too, so that the next event comes.
    stop_now_and_then();
    Fiber& next = choose();
    place_ = nullptr;
    switch_to(next);
}

void World::switch_to(Fiber& next) {
    give_steps();
    if (&next == current) return;
    Fiber& before = *current;
    save(before);
    // The threads of a PE take turns with its thread-local variables.
    for (Fiber* fiber : {&before, &next}) {
        auto& saved = fiber->thread_locals;
        if (fiber == &before) {
            std::copy_n(fiber->pe->thread_locals, saved.size(), saved.begin());
        } else {
            std::ranges::copy(saved, fiber->pe->thread_locals);
        }
    }
    current = &next;
    restore(next);
    tessera_sim_switch(&before.stack_pointer, next.stack_pointer);
}

void World::out_of_steps(const void* place) {
    if (current == nullptr || is_in_event_) {
        steps_left = 1'000'000;
        granted_ = 1'000'000;
        return;
    }
    steps_left = 0;
    place_ = place;
    switch_away();
}

void World::yield(std::uint64_t ns) {
    if (current == nullptr || is_in_event_) return;
    pass_time();
    clock_ += ns;
    switch_away();
}

bool World::wait(Key key, std::uint64_t until, const char* what) {
    if (current == nullptr || is_in_event_) {
        show("sim: an event of the network waits\n");
        std::abort();
    }
    Fiber& me = *current;
    me.is_waiting = true;
    me.was_woken = false;
    me.key = key;
    me.until = until;
    me.what = what;
    switch_away();
    me.key = {};
    me.what = "";
    me.looks = me.was_woken ? 0 : me.looks + 1;
    return me.was_woken;
}

void World::wake(Key key, std::uint64_t count) {
    // Which sleepers wake is not promised: begin at any of them.
    const std::size_t first = fibers_.empty() ? 0 : random_below(fibers_.size());
    for (std::size_t i = 0; i < fibers_.size() && count > 0; ++i) {
        Fiber& fiber = fibers_[(first + i) % fibers_.size()];
        if (!fiber.is_waiting || fiber.key != key) continue;
        fiber.is_waiting = false;
        fiber.was_woken = true;
        progress_at_ = clock_;
        --count;
    }
}

// ---- Ends ----

void World::end_fiber() {
    current->has_ended = true;
    wake(key_of_object(current), kNever);
    if (current->number == 0) end_pe(0);
    switch_away();
    std::abort();
}

// As oshrun does, the run ends with the first PE that fails.
void World::end_pe(int status) {
    Pe& pe = *current->pe;
    if (status != 0) {
        std::fprintf(stderr, "sim: PE %d has ended with status %d\n", pe.number, status);
        finish(status);
    }
    end_fibers(pe);
    if (std::ranges::all_of(pes, [](const Pe& other) { return other.has_ended; })) finish(0);
    switch_away();
    std::abort();
}

void World::end_fibers(Pe& pe) {
    pe.has_ended = true;
    for (Fiber& fiber : fibers_)
        fiber.has_ended = fiber.has_ended || (fiber.pe == &pe && !fiber.is_helper);
    progress_at_ = clock_;
}

void World::kill_pe(Pe& pe) {
    if (pe.has_ended) return;
    end_fibers(pe);
    note_death(pe);
    if (current != nullptr && current->pe == &pe && !is_in_event_) switch_away();
}

void World::finish(int status) {
    current = nullptr;
    std::fflush(nullptr);
    if (is_verbose) {
        std::fprintf(stderr, "sim: %llu us, %llu switches, trace %016llx\n",
                     static_cast<unsigned long long>((now() - kBeginNs) / 1000),
                     static_cast<unsigned long long>(switches_),
                     static_cast<unsigned long long>(trace_));
        std::fflush(stderr);
    }
    remove_copies();
    real_exit(status);
}

void World::fail(const char* why) {
    std::fprintf(stderr, "sim: %s, %llu us after the start\n", why,
                 static_cast<unsigned long long>((now() - kBeginNs) / 1000));
    for (const Fiber& fiber : fibers_) {
        if (fiber.has_ended) continue;
        std::fprintf(stderr, "sim: PE %d, thread %d: %s%s\n", fiber.pe->number, fiber.number,
                     fiber.is_waiting ? "waits for " : "runs", fiber.is_waiting ? fiber.what : "");
    }
    current = nullptr;  // The functions of the program, called now, do not switch.
    show_waits();
    finish(kHangs);
}

// ---- Shared memory ----

Key World::key_of(const void* address) const {
    const auto at = reinterpret_cast<std::uint64_t>(address);
    auto mapping = mappings_.upper_bound(at);
    if (mapping == mappings_.begin()) return {0, at};
    --mapping;
    if (at >= mapping->second.end) return {0, at};
    return {mapping->second.inode, mapping->second.offset + (at - mapping->first)};
}

void* World::map_shared(void* address, std::size_t bytes, int file, std::int64_t offset,
                        bool is_fixed) {
    void* mapped = real_mmap(address, bytes, PROT_READ | PROT_WRITE,
                             MAP_SHARED | (is_fixed ? MAP_FIXED : 0), file, offset);
    if (mapped != MAP_FAILED) note_mapping(mapped, bytes, file, static_cast<std::uint64_t>(offset));
    return mapped;
}

int World::unmap(void* address, std::size_t bytes) {
    forget_mapping(address, bytes);
    return REAL(munmap)(address, bytes);
}

// Each PE's variables have addresses of their own.
void World::act_for(Pe& /*pe*/) {}

void World::note_mapping(void* address, std::size_t bytes, int file, std::uint64_t offset) {
    struct stat status {};
    if (::fstat(file, &status) != 0) return;
    forget_mapping(address, bytes);
    const auto begin = reinterpret_cast<std::uint64_t>(address);
    mappings_[begin] = {begin + bytes, status.st_ino, offset};
}

void World::forget_mapping(void* address, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uint64_t>(address);
    const std::uint64_t end = begin + bytes;
    auto mapping = mappings_.upper_bound(begin);
    if (mapping != mappings_.begin()) --mapping;
    while (mapping != mappings_.end() && mapping->first < end) {
        const std::uint64_t first = mapping->first;
        const SharedMapping old = mapping->second;
        if (old.end <= begin) {
            ++mapping;
            continue;
        }
        mapping = mappings_.erase(mapping);
        if (first < begin) mappings_[first] = {begin, old.inode, old.offset};
        if (old.end > end) mappings_[end] = {old.end, old.inode, old.offset + (end - first)};
    }
}

}  // namespace sim
