// SPDX-License-Identifier: BSD-3-Clause
//
// Measures the phases of the program (program.cpp). All PEs begin a phase at the same
// virtual time, without messages: the world holds them until all have come.
#include "phases.hpp"

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../world.hpp"
#include "scale.hpp"

using sim::world;

namespace sim::scale {
namespace {

struct Phase {
    std::string name;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    double real_s = 0;
    std::uint64_t messages = 0;
    std::uint64_t new_contacts = 0;
    std::uint64_t contacts_max = 0;      // the most that a PE has, since the start
    std::uint64_t hottest_messages = 0;  // sent and received
    int hottest_pe = 0;
    double private_bytes = 0;  // a PE's
    double shared_bytes = 0;   // a PE's part of the node's files
};

std::vector<Phase> phases;
std::vector<Traffic> before;  // by PE
std::int64_t allocated = 0;
double begin_real = 0;
std::size_t arrived = 0;
std::uint64_t latest = 0;
std::uint64_t meetings = 0;

std::string traced_phase;
std::FILE* trace_file = nullptr;
std::vector<bool> is_traced;  // by PE: it is in that phase
std::uint64_t last_trace_id = 0;

double seconds_now() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void add_up(Phase& phase) {
    for (std::size_t i = 0; i < before.size(); ++i) {
        const Traffic& now = traffic_of(static_cast<int>(i));
        const std::uint64_t messages =
            now.sent - before[i].sent + (now.received - before[i].received);
        phase.messages += now.sent - before[i].sent;
        phase.new_contacts += now.contacts - before[i].contacts;
        phase.contacts_max = std::max(phase.contacts_max, now.contacts);
        if (messages <= phase.hottest_messages) continue;
        phase.hottest_messages = messages;
        phase.hottest_pe = static_cast<int>(i);
    }
    const auto npes = static_cast<double>(before.size());
    const NodeBytes files = node_bytes();
    phase.private_bytes = (static_cast<double>(allocated) + static_cast<double>(image_bytes()) +
                           touched_large_bytes()) /
                          npes;
    phase.shared_bytes = static_cast<double>(files.node_files + files.heap_files) / npes;
}

void note_all() {
    before.clear();
    for (std::size_t i = 0; i < world.pes.size(); ++i)
        before.push_back(traffic_of(static_cast<int>(i)));
}

// RETURNS when: all PEs have come, at the time of the last one. `last_one` runs then.
void meet(void (*drive)(), void (*last_one)()) {
    const std::uint64_t mine = meetings;
    latest = std::max(latest, world.now());
    if (++arrived == world.pes.size()) {
        arrived = 0;
        ++meetings;
        last_one();
        for (std::size_t i = 0; i < world.pes.size(); ++i) notice(static_cast<int>(i), latest);
        return;
    }
    while (meetings == mine) {
        world.wait({1, reinterpret_cast<std::uint64_t>(&arrived)}, sim::kNever, "the next phase");
        drive();
        latest = std::max(latest, world.now());
    }
}

}  // namespace

void trace_phase(const std::string& phase, const std::string& file) {
    traced_phase = phase;
    trace_file = std::fopen(file.c_str(), "w");
    if (trace_file != nullptr) return;
    std::fprintf(stderr, "scale: cannot write to %s\n", file.c_str());
    std::exit(2);
}

std::uint64_t next_trace_id() { return ++last_trace_id; }

void trace(char step, std::uint64_t id, int to_node, std::size_t bytes) {
    const Pe* pe = world.acting();
    if (is_traced.empty() || pe == nullptr || !is_traced[static_cast<std::size_t>(pe->number)])
        return;
    std::fprintf(trace_file, "%d %d %c %llu %d %zu\n", pe->number, pe->node, step,
                 static_cast<unsigned long long>(id), to_node, bytes);
}

void print_phases() {
    std::printf("%-24s %12s %12s %10s %8s %10s %10s %9s %9s %8s\n", "phase", "virtual us",
                "messages", "contacts", "most", "hottest", "its msgs", "private", "shared",
                "real s");
    for (const Phase& phase : phases) {
        std::printf("%-24s %12.1f %12llu %10llu %8llu %10d %10llu %9.0f %9.0f %8.2f\n",
                    phase.name.c_str(), static_cast<double>(phase.end - phase.begin) / 1000,
                    static_cast<unsigned long long>(phase.messages),
                    static_cast<unsigned long long>(phase.new_contacts),
                    static_cast<unsigned long long>(phase.contacts_max), phase.hottest_pe,
                    static_cast<unsigned long long>(phase.hottest_messages), phase.private_bytes,
                    phase.shared_bytes, phase.real_s);
    }
    std::printf("%llu switches, %llu events, %llu waits ended by their limit\n",
                static_cast<unsigned long long>(counts.switches),
                static_cast<unsigned long long>(counts.events),
                static_cast<unsigned long long>(counts.timed_looks));
}

}  // namespace sim::scale

using sim::scale::add_up;
using sim::scale::allocated;
using sim::scale::begin_real;
using sim::scale::is_traced;
using sim::scale::meet;
using sim::scale::note_all;
using sim::scale::Phase;
using sim::scale::phases;
using sim::scale::seconds_now;
using sim::scale::take_first_image;
using sim::scale::trace;
using sim::scale::trace_file;
using sim::scale::traced_phase;

// NOLINTBEGIN: the names are those of phases.hpp.
#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void tessera_scale_begin(const char* name, void (*drive)()) {
    meet(drive, note_all);
    if (phases.empty() || phases.back().end != 0) {
        phases.push_back({.name = name, .begin = world.now()});
        begin_real = seconds_now();
    }
    phases.back().begin = std::max(phases.back().begin, world.now());
    is_traced.resize(world.pes.size());
    is_traced[static_cast<std::size_t>(world.current->pe->number)] =
        trace_file != nullptr && traced_phase == name;
}

EXPORTED void tessera_scale_end(void (*drive)()) {
    static std::uint64_t last = 0;
    last = std::max(last, world.now());
    trace('E', 0, 0, 0);
    meet(drive, [] {
        Phase& phase = phases.back();
        phase.end = last;
        phase.real_s = seconds_now() - begin_real;
        add_up(phase);
        is_traced.clear();
        last = 0;
    });
}

EXPORTED void tessera_scale_take_image(const void* place) { take_first_image(place); }

EXPORTED void tessera_scale_allocated(long bytes) {
    if (world.acting() != nullptr) allocated += bytes;
}
// NOLINTEND
