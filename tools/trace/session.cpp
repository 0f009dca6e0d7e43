// SPDX-License-Identifier: BSD-3-Clause
//
// See session.hpp: the start, the end, and the threads between.
#include "session.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "tools/interpose/begun.hpp"

namespace tessera::trace {

thread_local constinit Recorder recorder;

namespace {

constexpr std::uint32_t kRecords = 32'768;
constexpr std::uint32_t kRecordsMin = 16;
constexpr std::size_t kThreadsMax = 256;

// Never deleted: threads may call at any time, also while the process exits.
struct Session {
    std::mutex lock;
    Part::Identity identity;
    std::vector<std::uint8_t> is_off_node;
    std::vector<Part*> parts;
    std::vector<Part*> unused;  // parts of threads that have ended
    int inits = 0;
    bool has_warned = false;
};
Session& session = *new Session;

__attribute__((constructor)) void note_begin() { interpose::has_begun = true; }
// Whether calls are recorded. Release after the session is filled, acquire in attach().
std::atomic<bool> is_active{false};

void warn_once(const std::string& text) {
    if (session.has_warned) return;
    session.has_warned = true;
    std::fprintf(stderr, "[pe %d] trace: %s; this PE will be missing in it\n", session.identity.pe,
                 text.c_str());
}

// The folder of the parts, or "" if no trace is wanted. oshrun names it; without oshrun it follows
// from the name of the trace.
std::string directory() {
    if (const char* given = environment("TESSERA_TRACE_PARTS"); given != nullptr) return given;
    const char* trace = environment("SHMEM_TRACE");
    return trace == nullptr || *trace == '\0' ? "" : std::string(trace) + ".parts";
}

std::uint32_t records_max() {
    const char* text = environment("SHMEM_TRACE_EVENTS");
    const long wanted = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
    if (wanted <= 0) return kRecords;
    return std::max(kRecordsMin, static_cast<std::uint32_t>(std::min(wanted, 100'000'000L)));
}

// Gives a thread's part to the next new thread when the thread ends.
struct Lease {
    Part* held = nullptr;
    ~Lease() {
        if (held == nullptr) return;
        interpose::table = {};
        const std::lock_guard guard(session.lock);
        session.unused.push_back(held);
    }
};
thread_local Lease lease;

// REQUIRES: session.lock is held. RETURNS: nullptr after a warning if there is no part to be had.
Part* make_part() {
    if (!session.unused.empty()) {
        Part* old = session.unused.back();
        session.unused.pop_back();
        return old;
    }
    if (session.parts.size() == kThreadsMax) {
        warn_once("more than 256 threads call the library");
        return nullptr;
    }
    std::string error;
    session.identity.thread = static_cast<std::uint32_t>(session.parts.size());
    Part* part = Part::make(session.identity, error);
    if (part == nullptr) {
        warn_once(error);
    } else {
        session.parts.push_back(part);
    }
    return part;
}

// The calling thread records from now on. REQUIRES: session.lock is held.
bool record_here() {
    Part* part = make_part();
    if (part == nullptr) return false;
    lease.held = part;
    open_waiting(session.identity.directory, session.identity.pe, session.identity.npes);
    interpose::table = {.rows = reinterpret_cast<char*>(part->rows()),
                        .row_bytes = sizeof(Row),
                        .npes = static_cast<std::uint32_t>(session.identity.npes)};
    for (int pe = 0; pe <= session.identity.npes; ++pe)
        part->rows()[pe].waiting = waiting_pe(pe < session.identity.npes ? pe : -1);
    recorder = {.random = session.identity.thread + 1,
                .part = part,
                .is_off_node = session.is_off_node.data()};
    return true;
}

// The lowest PE of this PE's node; fills is_off_node.
int find_node() {
    const int npes = session.identity.npes;
    session.is_off_node.assign(static_cast<std::size_t>(npes), 0);
    int lowest = session.identity.pe;
    for (int pe = npes - 1; pe >= 0; --pe) {
        const bool is_here = pshmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, SHMEM_TEAM_SHARED) >= 0;
        session.is_off_node[static_cast<std::size_t>(pe)] = is_here ? 0 : 1;
        if (is_here) lowest = pe;
    }
    return lowest;
}

void set_state(State state) {
    session.parts.front()->note_maps();
    for (Part* part : session.parts) {
        part->header().state = state;
        if (state != State::kRunning) part->header().end_ns = now_ns();
    }
}

// Pairs with tools/trace/session.cpp:begin_session.
[[gnu::destructor]] void note_exit() {
    if (!is_active.exchange(false, std::memory_order_acquire)) return;
    set_state(State::kExited);
}

}  // namespace

// Pairs with tools/trace/session.cpp:begin_session.
Part* main_part() {
    return is_active.load(std::memory_order_acquire) ? session.parts.front() : nullptr;
}

// Pairs with tools/trace/session.cpp:begin_session.
bool attach() {
    if (!is_active.load(std::memory_order_acquire)) return false;
    const std::lock_guard guard(session.lock);
    return record_here();
}

void begin_session(std::uint64_t start_ns) {
    int is_initialized = 0;
    pshmem_query_initialized(&is_initialized);
    if (is_initialized == 0) return;
    interpose::require_begun("--trace");
    {
        const std::lock_guard guard(session.lock);
        if (session.inits++ > 0) return;
        session.identity.directory = directory();
        if (session.identity.directory.empty()) return;
        session.identity.pe = pshmem_my_pe();
        session.identity.npes = pshmem_n_pes();
        session.identity.records_max = records_max();
        const int node = find_node();
        if (session.parts.empty()) {
            if (!record_here()) return;
            Header& header = session.parts.front()->header();
            header.node = node;
            header.begin_ns = start_ns;
            header.aligned_begin_ns = now_ns();
        }
        set_state(State::kRunning);
        // Pairs with tools/trace/session.cpp:main_part and tools/trace/session.cpp:attach.
        is_active.store(true, std::memory_order_release);
    }
    forget_teams();
    end_timed({.operation = Operation::init, .pe = -1, .bytes = 0, .start_ns = start_ns});
}

// Pairs with tools/trace/session.cpp:begin_session.
void end_session(std::uint64_t start_ns) {
    const std::lock_guard guard(session.lock);
    if (session.inits > 0 && --session.inits > 0) return;
    if (!is_active.exchange(false, std::memory_order_acquire)) return;
    session.parts.front()->header().aligned_end_ns = now_ns();
    end_timed({.operation = Operation::finalize, .pe = -1, .bytes = 0, .start_ns = start_ns});
    set_state(State::kFinalized);
}

}  // namespace tessera::trace
