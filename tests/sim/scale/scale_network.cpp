// SPDX-License-Identifier: BSD-3-Clause
//
// The network of large jobs: LogGP, with one card a node. A letter costs its sender and its
// receiver o; the card sends one after g, and a byte after G; the first letter between two PEs
// waits for the round trip that makes their connection. Answers cost no PE time: the card gives
// them. transports/sim/world.hpp has the contract.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>

#include "../world.hpp"
#include "scale.hpp"
#include "transports/sim/world.hpp"

// NOLINTBEGIN: the names are those of the contract.
#define EXPORTED extern "C" __attribute__((visibility("default")))

using sim::world;

namespace sim::scale {

Network network;

namespace {

struct Parcel {
    Parcel* next = nullptr;
    void* letter;
    std::uint64_t id;
    int to;
    bool is_answer;
};
struct Inbox {
    Parcel* first = nullptr;
    Parcel* last = nullptr;
};
std::vector<Inbox> inboxes;
std::vector<Traffic> traffic;
std::vector<std::vector<int>> contacts;
std::vector<std::uint64_t> card_free_at;  // by node

// RETURNS: whether the two are connected for the first time.
bool note_contact(int from, int to) {
    std::vector<int>& mine = contacts[static_cast<std::size_t>(from)];
    const auto place = std::ranges::lower_bound(mine, to);
    if (place != mine.end() && *place == to) return false;
    mine.insert(place, to);
    std::vector<int>& theirs = contacts[static_cast<std::size_t>(to)];
    theirs.insert(std::ranges::lower_bound(theirs, from), from);
    ++traffic[static_cast<std::size_t>(from)].contacts;
    ++traffic[static_cast<std::size_t>(to)].contacts;
    return true;
}

}  // namespace

void make_network(int npes, int nodes) {
    inboxes.resize(static_cast<std::size_t>(npes));
    traffic.resize(static_cast<std::size_t>(npes));
    contacts.resize(static_cast<std::size_t>(npes));
    card_free_at.resize(static_cast<std::size_t>(nodes));
}

const Traffic& traffic_of(int pe) { return traffic[static_cast<std::size_t>(pe)]; }

void deliver(void* arrived) {
    auto* parcel = static_cast<Parcel*>(arrived);
    Inbox& inbox = inboxes[static_cast<std::size_t>(parcel->to)];
    (inbox.first == nullptr ? inbox.first : inbox.last->next) = parcel;
    inbox.last = parcel;
    notice(parcel->to, world.now());
}

}  // namespace sim::scale

using sim::scale::card_free_at;
using sim::scale::charge;
using sim::scale::Inbox;
using sim::scale::inboxes;
using sim::scale::network;
using sim::scale::next_trace_id;
using sim::scale::note_contact;
using sim::scale::Parcel;
using sim::scale::send_at;
using sim::scale::trace;
using sim::scale::traffic;

// A tree of the nodes' servers gathers and spreads what all PEs have published.
std::uint64_t sim::fence_ends_at(std::size_t bytes) {
    const auto levels =
        static_cast<std::uint64_t>(std::bit_width(static_cast<unsigned>(world.nodes - 1)));
    return world.now() + 2 * levels * (network.latency + 2 * network.overhead) +
           static_cast<std::uint64_t>(static_cast<double>(bytes) * network.gap_of_byte);
}

EXPORTED std::uint64_t tessera_sim_send(int to, void* letter, std::size_t bytes,
                                        std::uint64_t not_before, bool is_answer) {
    const sim::Pe& from = *world.current->pe;
    const auto byte_ns =
        static_cast<std::uint64_t>(static_cast<double>(bytes) * network.gap_of_byte);
    std::uint64_t leaves = world.now();
    if (!is_answer) {
        charge(network.overhead);
        std::uint64_t& free = card_free_at[static_cast<std::size_t>(from.node)];
        leaves = std::max(world.now(), free);
        free = leaves + std::max(network.gap, byte_ns);
        ++traffic[static_cast<std::size_t>(from.number)].sent;
        if (note_contact(from.number, to)) leaves += 2 * (network.latency + 2 * network.overhead);
    }
    const std::uint64_t id = next_trace_id();
    trace(is_answer ? 'A' : 'S', id, world.pes[static_cast<std::size_t>(to)].node, bytes);
    const std::uint64_t arrival = std::max(leaves + network.latency + byte_ns, not_before + 1);
    send_at(arrival, new Parcel{.letter = letter, .id = id, .to = to, .is_answer = is_answer});
    return arrival;
}

EXPORTED void* tessera_sim_receive() {
    Inbox& inbox = inboxes[static_cast<std::size_t>(world.current->pe->number)];
    Parcel* parcel = inbox.first;
    if (parcel == nullptr) return nullptr;
    inbox.first = parcel->next;
    trace(parcel->is_answer ? 'T' : 'R', parcel->id, world.current->pe->node, 0);
    if (!parcel->is_answer) {
        charge(network.overhead);
        ++traffic[static_cast<std::size_t>(parcel->to)].received;
    }
    void* letter = parcel->letter;
    delete parcel;
    return letter;
}

EXPORTED void tessera_sim_wait(std::uint64_t nanoseconds) {
    const sim::Pe& pe = *world.current->pe;
    if (inboxes[static_cast<std::size_t>(pe.number)].first == nullptr) {
        world.wait({0, reinterpret_cast<std::uint64_t>(&pe)}, world.now() + nanoseconds,
                   "the network");
    }
}

// No PE has a thread for the network.
EXPORTED void tessera_sim_wait_in_thread(std::uint64_t) { std::abort(); }
EXPORTED void tessera_sim_wake() {}
EXPORTED std::uint64_t tessera_sim_random(std::uint64_t) { return 1; }
// NOLINTEND
