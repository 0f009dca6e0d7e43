// SPDX-License-Identifier: BSD-3-Clause
//
// The simulated network: letters between PEs, with latency, jitter, gap and bandwidth, each with a
// time of its own, so that they overtake each other. transports/sim/world.hpp has its contract.
#include <algorithm>

#include "transports/sim/world.hpp"
#include "world.hpp"

// NOLINTBEGIN: the names are those of the contract.
#define EXPORTED extern "C" __attribute__((visibility("default")))

using sim::Pe;
using sim::world;

namespace {

struct Parcel {
    int from;
    int to;
    void* letter;
    bool is_answer;
};

std::map<int, std::uint64_t> free_at;    // the network card of a node
std::map<int, std::uint64_t> under_way;  // letters of a PE

sim::Key key_of(const Pe& pe) { return sim::key_of_object(&pe.letters); }
sim::Key key_of_thread(const Pe& pe) { return sim::key_of_object(&pe.must_look); }

void arrive(void* argument) {
    const auto* parcel = static_cast<Parcel*>(argument);
    Pe& pe = world.pes[static_cast<std::size_t>(parcel->to)];
    if (!parcel->is_answer) --under_way[parcel->from];
    if (!pe.has_ended) pe.letters.push_back(parcel->letter);
    world.wake(key_of(pe), sim::kNever);
    world.wake(key_of_thread(pe), sim::kNever);
    delete parcel;
}

}  // namespace

std::uint64_t sim::fence_ends_at(std::size_t /*bytes*/) {
    constexpr std::uint64_t kAnswerNs = 20'000;  // at most, from the server
    return world.now() + world.random_below(kAnswerNs);
}

EXPORTED std::uint64_t tessera_sim_send(int to, void* letter, std::size_t bytes,
                                        std::uint64_t not_before, bool is_answer) {
    const sim::Character& network = world.character;
    const Pe& from = *world.current->pe;
    const bool fails = world.random_below(50) == 0;
    if (!is_answer && (fails || under_way[from.number] >= network.letters_max)) return 0;
    if (!is_answer) ++under_way[from.number];
    const std::uint64_t now = world.now();
    std::uint64_t& free = free_at[from.node];
    const std::uint64_t leaves = std::max(now, free);
    free = leaves + network.gap_ns + bytes * 1000 / network.bytes_per_us;
    std::uint64_t jitter = world.random_below(network.jitter_ns + 1);
    if (world.random_below(50) == 0) jitter *= 20;
    std::uint64_t arrival = std::max(free + network.latency_ns + jitter, not_before + 1);
    // A connection that breaks loses nothing: the sender's side repeats what was under way.
    if (arrival >= network.cut_from && arrival < network.cut_to)
        arrival += network.cut_to - network.cut_from;
    world.at(arrival, arrive, new Parcel{from.number, to, letter, is_answer});
    return arrival;
}

EXPORTED void* tessera_sim_receive() {
    auto& letters = world.current->pe->letters;
    if (letters.empty()) return nullptr;
    void* letter = letters.front();
    letters.pop_front();
    return letter;
}

EXPORTED void tessera_sim_wait(std::uint64_t nanoseconds) {
    const Pe& pe = *world.current->pe;
    if (pe.letters.empty()) world.wait(key_of(pe), world.now() + nanoseconds, "the network");
}

EXPORTED void tessera_sim_wait_in_thread(std::uint64_t nanoseconds) {
    Pe& pe = *world.current->pe;
    if (pe.letters.empty() && !pe.must_look)
        world.wait(key_of_thread(pe), world.now() + nanoseconds, "letters");
    pe.must_look = false;
}

EXPORTED void tessera_sim_wake() {
    Pe& pe = *world.current->pe;
    pe.must_look = true;
    world.wake(key_of_thread(pe), sim::kNever);
}

EXPORTED std::uint64_t tessera_sim_random(std::uint64_t bound) { return world.random_below(bound); }
// NOLINTEND
