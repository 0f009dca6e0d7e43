// SPDX-License-Identifier: BSD-3-Clause
//
// The simulated world: PEs and their threads as fibers of one thread of one process, one scheduler,
// one virtual clock, and one random sequence that all decisions come from. A fiber runs until a
// switch point: an atomic, a fence or another access that the compiler has told (accesses.cpp), a
// system call that would wait, or a lock of the C library (threads.cpp). THREADS: one.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace sim {

inline constexpr std::uint64_t kNever = ~std::uint64_t{0};
inline constexpr std::size_t kStackBytes = std::size_t{2} << 20;
inline constexpr std::uint64_t kBeginNs = 1'000'000'000;  // the virtual clock's first value

struct Pe;

// Names what a fiber waits for: a byte of a file that PEs share, or, with inode 0, an address of
// this process. No fiber wakes {0, 0}.
struct Key {
    std::uint64_t inode = 0;
    std::uint64_t at = 0;
    bool operator==(const Key&) const = default;
};
inline Key key_of_object(const volatile void* object) {
    return {0, reinterpret_cast<std::uint64_t>(object)};
}

// A thread of a PE.
struct Fiber {
    Pe* pe = nullptr;
    int number = 0;          // in the PE; 0: the thread that runs main
    bool is_helper = false;  // a process of its own, which uses the PE's copy of the program
    char* stack_top = nullptr;
    void* stack_pointer = nullptr;
    void* (*body)(void*) = nullptr;
    void* argument = nullptr;
    void* result = nullptr;
    bool has_ended = false;
    bool is_waiting = false;
    bool was_woken = false;
    Key key;                          // the word or object that it waits for
    std::uint64_t until = kNever;     // a wait ends by itself
    std::uint64_t stopped_until = 0;  // as after SIGSTOP and SIGCONT
    std::uint32_t looks = 0;          // waits that ended by themselves since the last progress
    const char* what = "";            // it waits for; for messages
    // What all threads of the process share, and each thread of a PE must have for itself.
    std::vector<char> thread_locals;
    std::array<void*, 4> of_cxx_library{};
    int saved_errno = 0;
    std::map<pthread_key_t, const void*> specifics;
};

struct ExitHandler {
    void (*function)(void*) = nullptr;
    void (*with_status)(int, void*) = nullptr;
    void* argument = nullptr;
};

// A PE is a copy of the program with the library in it, so each has its own variables.
struct Pe {
    int number = 0;
    int node = 0;
    std::string job;      // TESSERA_JOB
    std::string rank;     // PMIX_RANK
    int control_fd = -1;  // the launcher's pipe
    bool has_ended = false;
    std::vector<ExitHandler> exit_handlers;
    std::deque<void*> letters;  // letters that have arrived
    bool must_look = false;     // its network thread is asked to look
    std::string file;           // the copy of the program
    std::span<void (*const)(int, char**, char**)> constructors;  // main() comes behind them
    char* thread_locals = nullptr;                               // the running fiber's
    std::vector<char> initial_thread_locals;
    int (*main)(int, char**, char**) = nullptr;
};

// All random decisions about time and order, chosen by the seed.
struct Character {
    std::uint64_t steps_mean = 50;    // switch points that a fiber passes until another one runs
    bool counts_plain = false;        // accesses that are not atomic are switch points, too
    std::uint64_t latency_ns = 1000;  // network
    std::uint64_t jitter_ns = 1000;
    std::uint64_t gap_ns = 50;  // between two letters of a node
    std::uint64_t bytes_per_us = 10'000;
    std::uint64_t letters_max = 64;  // under way from a PE; then its sends fail
    int slow_pe = -1;                // it seldom runs
    std::uint64_t stops_one_in = 0;  // turns, after one of which the fiber stops for a while
    int usable_cores = 1;            // decides how PEs wait
    std::uint64_t yield_ns = 300;    // a call of sched_yield takes so long
    std::uint64_t cut_from = 0;      // between these times no letter passes between two nodes
    std::uint64_t cut_to = 0;
};

class World {
  public:
    static constexpr std::uint64_t kStepNs = 10;

    std::deque<Pe> pes;
    int nodes = 1;
    Character character;
    Fiber* current = nullptr;
    std::uint64_t time_max = 0;
    bool is_verbose = false;
    // Random switches only from this one to that one; before and behind them fibers take turns.
    std::uint64_t random_from = 0;
    std::uint64_t random_to = kNever;
    bool shows_switches = false;  // prints those

    void seed(std::uint64_t value);
    std::uint64_t random();
    std::uint64_t random_below(std::uint64_t bound) { return random() % bound; }

    // The PE that the running code belongs to; nullptr: the simulator's.
    Pe* acting() const { return current != nullptr ? current->pe : nullptr; }
    std::uint64_t now() const;

    Fiber& add_fiber(Pe& pe, void* (*body)(void*), void* argument);
    // Runs all fibers. RETURNS: never; the process exits.
    [[noreturn]] void run();

    // ---- For the running fiber ----
    // `place`: of the code that the fiber stops at.
    void out_of_steps(const void* place);
    // Lets others run. `ns`: how long the call takes.
    void yield(std::uint64_t ns);
    // RETURNS: whether it was woken; false: the time is over.
    bool wait(Key key, std::uint64_t until, const char* what);
    void wake(Key key, std::uint64_t count);
    // Runs `event(argument)` at that time, on any fiber's stack; it must not wait.
    void at(std::uint64_t time, void (*event)(void*), void* argument);
    [[noreturn]] void end_fiber();
    [[noreturn]] void end_pe(int status);
    // The running PE, or another one, dies: no code of it runs any more.
    void kill_pe(Pe& pe);
    // Something has changed that a waiter may look for.
    void note_progress() { progress_at_ = now(); }
    // `status` is that of the process: the run is over.
    [[noreturn]] void finish(int status);
    // No wait of the run can end.
    [[noreturn]] void fail(const char* why);

    // The same word of shared memory has the same key, wherever PEs have mapped it.
    Key key_of(const void* address) const;
    // mmap of a file, for reading and writing, and munmap, of the acting PE.
    void* map_shared(void* address, std::size_t bytes, int file, std::int64_t offset,
                     bool is_fixed);
    int unmap(void* address, std::size_t bytes);
    // From here on the running event acts for this PE.
    void act_for(Pe& pe);

  private:
    struct Event {
        void (*function)(void*);
        void* argument;
    };
    struct SharedMapping {
        std::uint64_t end;
        std::uint64_t inode;
        std::uint64_t offset;
    };

    Fiber& choose();
    void switch_to(Fiber& next);
    void give_steps();
    bool is_random() const { return switches_ >= random_from && switches_ < random_to; }
    void show_switch(const Fiber& next) const;
    void pass_time();
    bool run_due();
    std::uint64_t next_time() const;
    void stop_now_and_then();
    bool only_looks() const;
    void end_fibers(Pe& pe);
    void switch_away();
    void note_mapping(void* address, std::size_t bytes, int file, std::uint64_t offset);
    void forget_mapping(void* address, std::size_t bytes);

    std::deque<Fiber> fibers_;
    std::vector<Fiber*> ready_;
    std::multimap<std::uint64_t, Event> events_;
    std::map<std::uint64_t, SharedMapping> mappings_;
    std::array<std::uint64_t, 4> random_state_{};
    std::uint64_t clock_ = kBeginNs;
    std::int64_t granted_ = 0;
    const void* place_ = nullptr;  // where the running fiber has stopped; nullptr: it waits
    std::uint64_t progress_at_ = kBeginNs;  // the last wake-up, event, or end of a fiber
    std::size_t turn_ = 0;
    std::uint64_t switches_ = 0;
    std::uint64_t trace_ = 0;  // hash of all decisions: equal for equal runs
    bool is_in_event_ = false;
};

extern World& world;

// Switch points until the fiber has had its turn.
extern std::int64_t steps_left;
// A switch point. `place`: of the code that the fiber stops at.
[[gnu::always_inline]] inline void step_at(const void* place) {
    if (--steps_left < 0) [[unlikely]]
        world.out_of_steps(place);
}
// A switch point of the function that calls it.
[[gnu::always_inline]] inline void step() { step_at(__builtin_return_address(0)); }

// The number of process that the PE has.
inline pid_t pid_of(const Pe& pe) {
    constexpr pid_t kFirst = 100'000'000;  // larger than any of the system's
    return kFirst + pe.number * 100;
}

// context_switch.cpp
extern "C" void tessera_sim_switch(void** from, void* to);
void* prepare_stack(char* top, void (*entry)());

// network.cpp. RETURNS: when a PE learns that all have entered a fence of the launcher, which gives
// all of them the `bytes` that PEs have published.
std::uint64_t fence_ends_at(std::size_t bytes);

// loading.cpp. Loads a copy of the program for each PE.
void load(const std::string& program, bool keeps_files);
// Gives each collective an algorithm by chance, or leaves it the automatic choice.
void choose_algorithms();
// Makes the files of the nodes.
void make_node_files(std::size_t heap_bytes);
// Starts the helpers of the nodes. The PEs' own fibers come first.
void add_helpers();
void remove_copies();
// The descriptor of the node's file.
int node_file(const Pe& pe);

// deaths.cpp. Appends the PE, which has died, to the logs of all nodes some time from now. Ends
// the run where the program does not survive it, as oshrun does.
void note_death(const Pe& pe);
// A PE chosen by chance dies when all PEs have asked to survive it.
void kill_some_pe();

}  // namespace sim
