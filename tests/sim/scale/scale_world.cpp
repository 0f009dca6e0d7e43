// SPDX-License-Identifier: BSD-3-Clause
//
// The world of large jobs: see scale.hpp and ../world.hpp, whose functions are defined here in
// another way. Each PE has a core and a clock of its own, and runs until it waits. The network
// alone says how long its steps take. Events are done in the order of their times.
#include "../world.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "../real_calls.hpp"
#include "scale.hpp"

namespace sim {
namespace {

using scale::counts;
using scale::deliver;
using scale::load_image;
using scale::network;
using scale::next_trace_id;
using scale::print_phases;
using scale::trace;

constexpr std::size_t kTaskStackBytes = std::size_t{128} << 10;
constexpr int kYieldsMax = 100'000;  // without a wait: then the PE gives way

struct Task : Fiber {
    std::uint64_t clock = kBeginNs;
    // In its bucket.
    Task* next = nullptr;
    Task* previous = nullptr;
    char* stack = nullptr;
    int yields = 0;
    std::uint64_t woken_by = 0;  // trace_phase()
};

struct Happening {
    std::uint64_t time;
    std::uint64_t number;
    enum class Kind : std::uint8_t { kRun, kLetter, kCall } kind;
    void* object;
    void (*function)(void*);
    // The heap of the standard library has the largest one first.
    bool operator<(const Happening& other) const {
        return time != other.time ? time > other.time : number > other.number;
    }
};

std::deque<Task> tasks;
std::vector<Task*> first_tasks;  // by PE: the one that runs main
std::vector<Happening> events;   // a heap
std::uint64_t clock_now = kBeginNs;
std::uint64_t last_time = kBeginNs;
std::vector<Task*> buckets(std::size_t{1} << 16);  // waiting tasks by key
std::size_t ended = 0;
void* scheduler = nullptr;  // stack pointer
bool is_in_event = false;
char* stacks = nullptr;
std::size_t stacks_made = 0;
std::vector<char*> free_stacks;
char* thread_locals = nullptr;

Task& running() { return static_cast<Task&>(*world.current); }

void push(std::uint64_t time, Happening::Kind kind, void* object,
          void (*function)(void*) = nullptr) {
    events.push_back({time, counts.events++, kind, object, function});
    std::push_heap(events.begin(), events.end());
}

// ---- Waiting tasks ----

// A word of memory that only its PE sees is at the same address in all PEs.
Key own_key(Key key) {
    auto& [group, at] = key;
    if (group != 1 && at != 0) group = 2 + static_cast<std::uint64_t>(world.current->pe->number);
    return key;
}
Task*& bucket_of(const Key& key) {
    const auto& [group, at] = key;
    const std::uint64_t mixed = (group * 0x9e3779b97f4a7c15 + at) * 0xbf58476d1ce4e5b9;
    return buckets[(mixed >> 40) % buckets.size()];
}
void go_on(Task& task, std::uint64_t time) {
    (task.previous == nullptr ? bucket_of(task.key) : task.previous->next) = task.next;
    if (task.next != nullptr) task.next->previous = task.previous;
    task.is_waiting = false;
    task.was_woken = true;
    push(std::max(task.clock, time), Happening::Kind::kRun, &task);
}

// ---- Fibers ----

void begin_task() {
    Task& task = running();
    task.result = task.body(task.argument);
    world.end_fiber();
}

char* make_stack() {
    if (!free_stacks.empty()) {
        char* stack = free_stacks.back();
        free_stacks.pop_back();
        return stack;
    }
    // One mapping for all: the system limits their number.
    constexpr std::size_t kStacksMax = std::size_t{1} << 21;
    if (stacks == nullptr) {
        stacks = static_cast<char*>(real_mmap(nullptr, kStacksMax * kTaskStackBytes,
                                              PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        ::madvise(stacks, kStacksMax * kTaskStackBytes, MADV_NOHUGEPAGE);
    }
    return stacks + stacks_made++ * kTaskStackBytes;
}

void run_task(Task& task) {
    load_image(task.pe->number);
    world.current = &task;
    std::copy(task.thread_locals.begin(), task.thread_locals.end(), thread_locals);
    ++counts.switches;
    errno = task.saved_errno;
    tessera_sim_switch(&scheduler, task.stack_pointer);
    task.saved_errno = errno;
    world.current = nullptr;
    std::copy_n(thread_locals, task.thread_locals.size(), task.thread_locals.begin());
    last_time = std::max(last_time, task.clock);
    if (!task.has_ended) return;
    ::madvise(task.stack, kTaskStackBytes, MADV_DONTNEED);
    free_stacks.push_back(task.stack);
    task.thread_locals = {};
}

// All wait with a time limit, or for ever: the limits end. RETURNS: whether there were any.
bool end_limits() {
    std::uint64_t first = kNever;
    for (const Task& task : tasks) {
        if (task.is_waiting) first = std::min(first, task.until);
    }
    if (first == kNever) return false;
    ++counts.timed_looks;
    for (Task& task : tasks) {
        if (!task.is_waiting || task.until > first) continue;
        go_on(task, first);
        task.was_woken = false;
    }
    return true;
}

void do_event(const Happening& event) {
    switch (event.kind) {
        case Happening::Kind::kRun: {
            auto& task = *static_cast<Task*>(event.object);
            task.clock = std::max(task.clock, event.time);
            return run_task(task);
        }
        case Happening::Kind::kLetter: return deliver(event.object);
        case Happening::Kind::kCall:
            is_in_event = true;
            event.function(event.object);
            is_in_event = false;
            world.current = nullptr;
            return;
    }
}

union Storage {
    constexpr Storage() : is_made(false) {}
    ~Storage() {}
    bool is_made;
    World world;
};
constinit Storage storage;

}  // namespace

constinit World& world = storage.world;
std::int64_t steps_left = INT64_MAX;

namespace scale {

Counts counts;

void notice(int pe, std::uint64_t time) {
    Task& task = *first_tasks[static_cast<std::size_t>(pe)];
    if (!task.has_ended && task.is_waiting) go_on(task, time);
}
void send_at(std::uint64_t time, void* parcel) { push(time, Happening::Kind::kLetter, parcel); }
void charge(std::uint64_t ns) { running().clock += ns; }

std::size_t stack_bytes() {
    constexpr std::size_t kPageBytes = 4096;
    std::size_t pages = 0;
    std::vector<unsigned char> is_there(kTaskStackBytes / kPageBytes);
    for (const Task& task : tasks) {
        if (task.has_ended || task.number != 0) continue;
        ::mincore(task.stack, kTaskStackBytes, is_there.data());
        pages += static_cast<std::size_t>(
            std::ranges::count_if(is_there, [](unsigned char each) { return (each & 1) != 0; }));
    }
    return pages * kPageBytes;
}

}  // namespace scale

// ---- World ----

void World::seed(std::uint64_t value) { random_state_.fill(value); }

// Never a multiple of two: the random failures of tests/sim/system_calls.cpp do not happen.
std::uint64_t World::random() {
    auto& state = random_state_[0];
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 11) | 1;
}

std::uint64_t World::now() const {
    return current != nullptr && !is_in_event ? static_cast<const Task*>(current)->clock
                                              : clock_now;
}

Fiber& World::add_fiber(Pe& pe, void* (*body)(void*), void* argument) {
    Task& task = tasks.emplace_back();
    first_tasks.resize(pes.size());
    Task*& first = first_tasks[static_cast<std::size_t>(pe.number)];
    task.number = first == nullptr ? 0 : 1;
    if (first == nullptr) first = &task;
    task.pe = &pe;
    task.clock = now();
    task.body = body;
    task.argument = argument;
    task.thread_locals = pes.front().initial_thread_locals;
    thread_locals = pes.front().thread_locals;
    task.stack = make_stack();
    task.stack_top = task.stack + kTaskStackBytes;
    task.stack_pointer = prepare_stack(task.stack + kTaskStackBytes, begin_task);
    push(task.clock, Happening::Kind::kRun, &task);
    return task;
}

void World::run() {
    for (;;) {
        while (!events.empty()) {
            std::pop_heap(events.begin(), events.end());
            const Happening event = events.back();
            events.pop_back();
            clock_now = std::max(clock_now, event.time);
            do_event(event);
        }
        if (!end_limits()) fail("no PE can go on, and nothing is under way");
        if (clock_now > time_max) fail("a wait does not end");
    }
}

void World::out_of_steps(const void* /*place*/) { steps_left = INT64_MAX; }

// A PE that looks again has a core of its own, and nothing changes while it runs.
void World::yield(std::uint64_t /*ns*/) {
    if (current == nullptr || is_in_event || ++running().yields < kYieldsMax) return;
    running().yields = 0;
    wait({0, 0}, now() + 1000, "the others");
}

bool World::wait(Key key, std::uint64_t until, const char* what) {
    Task& me = running();
    me.yields = 0;
    me.key = own_key(key);
    me.until = until;
    me.what = what;
    if (me.key == Key{0, 0}) {
        push(until, Happening::Kind::kRun, &me);
    } else {
        me.is_waiting = true;
        Task*& bucket = bucket_of(me.key);
        me.next = bucket;
        me.previous = nullptr;
        if (bucket != nullptr) bucket->previous = &me;
        bucket = &me;
    }
    tessera_sim_switch(&me.stack_pointer, scheduler);
    me.until = kNever;
    if (const std::uint64_t id = std::exchange(me.woken_by, 0); id != 0)
        trace('G', id, me.pe->node, 0);
    return me.was_woken;
}

void World::wake(Key key, std::uint64_t count) {
    const Key wanted = own_key(key);
    const std::uint64_t time = now() + network.on_node;
    while (count > 0) {
        Task* task = bucket_of(wanted);
        while (task != nullptr && task->key != wanted) task = task->next;
        if (task == nullptr) return;
        if (current != nullptr && !is_in_event) {
            task->woken_by = next_trace_id();
            trace('P', task->woken_by, task->pe->node, 0);
        }
        go_on(*task, time);
        --count;
    }
}

void World::at(std::uint64_t time, void (*event)(void*), void* argument) {
    push(time, Happening::Kind::kCall, argument, event);
}

void World::act_for(Pe& pe) {
    load_image(pe.number);
    current = first_tasks[static_cast<std::size_t>(pe.number)];
}

void World::end_fiber() {
    Task& me = running();
    me.has_ended = true;
    wake({0, reinterpret_cast<std::uint64_t>(static_cast<Fiber*>(&me))}, kNever);
    if (me.number == 0) end_pe(0);
    tessera_sim_switch(&me.stack_pointer, scheduler);
    std::abort();
}

void World::end_pe(int status) {
    Pe& pe = *current->pe;
    if (status != 0) {
        std::fprintf(stderr, "scale: PE %d has ended with status %d\n", pe.number, status);
        finish(status);
    }
    pe.has_ended = true;
    running().has_ended = true;
    if (++ended == pes.size()) finish(0);
    tessera_sim_switch(&running().stack_pointer, scheduler);
    std::abort();
}

void World::kill_pe(Pe& pe) {
    std::fprintf(stderr, "scale: PE %d dies, which large jobs do not simulate\n", pe.number);
    finish(2);
}

void World::finish(int status) {
    current = nullptr;
    std::fflush(nullptr);
    if (status == 0) print_phases();
    std::fflush(nullptr);
    remove_copies();
    real_exit(status);
}

void World::fail(const char* why) {
    std::fprintf(stderr, "scale: %s, %llu us after the start\n", why,
                 static_cast<unsigned long long>((clock_now - kBeginNs) / 1000));
    constexpr int kShownMax = 20;
    int shown = 0;
    for (const Task& task : tasks) {
        if (task.has_ended || ++shown > kShownMax) continue;
        std::fprintf(stderr, "scale: PE %d waits for %s\n", task.pe->number, task.what);
    }
    current = nullptr;
    show_waits();
    finish(kHangs);
}

// ---- Shared memory: the PEs of a node use one mapping of each of its files ----

namespace {

struct NodeMapping {
    char* address;
    int users;
};
struct FilePart {
    ino_t file;
    std::int64_t offset;
    std::size_t bytes;
    auto operator<=>(const FilePart&) const = default;
};
std::map<FilePart, NodeMapping> mappings;
std::map<char*, FilePart> file_parts;  // by address

}  // namespace

void* World::map_shared(void* address, std::size_t bytes, int file, std::int64_t offset,
                        bool is_fixed) {
    struct stat status {};
    if (::fstat(file, &status) != 0) return MAP_FAILED;
    const FilePart place{status.st_ino, offset, bytes};
    const auto known = mappings.find(place);
    if (known != mappings.end()) {
        if (is_fixed) REAL(munmap)(address, bytes);  // It was only reserved.
        ++known->second.users;
        return known->second.address;
    }
    void* mapped = real_mmap(address, bytes, PROT_READ | PROT_WRITE,
                             MAP_SHARED | (is_fixed ? MAP_FIXED : 0), file, offset);
    if (mapped == MAP_FAILED) return mapped;
    mappings[place] = {static_cast<char*>(mapped), 1};
    file_parts[static_cast<char*>(mapped)] = place;
    return mapped;
}

int World::unmap(void* address, std::size_t bytes) {
    const auto place = file_parts.find(static_cast<char*>(address));
    if (place == file_parts.end() || place->second.bytes != bytes)
        return REAL(munmap)(address, bytes);
    const auto mapping = mappings.find(place->second);
    if (--mapping->second.users > 0) return 0;
    mappings.erase(mapping);
    file_parts.erase(place);
    return REAL(munmap)(address, bytes);
}

Key World::key_of(const void* address) const {
    auto* at = static_cast<char*>(const_cast<void*>(address));
    auto place = file_parts.upper_bound(at);
    if (place != file_parts.begin() && at < (--place)->first + place->second.bytes)
        return {1, reinterpret_cast<std::uint64_t>(at)};
    return {0, reinterpret_cast<std::uint64_t>(at)};
}

}  // namespace sim
