// SPDX-License-Identifier: BSD-3-Clause
//
// See locations.hpp.
#include "session/locations.hpp"

#include <unistd.h>

#include <cstring>

#include "base/wait.hpp"
#include "core/context.hpp"
#include "session/session.hpp"
#include "topology/location.hpp"

namespace tessera {
namespace {

using heap::PeLocation;

bool is_published(const PeLocation& location) {
    // Pairs with session/locations.cpp:publish.
    return location.state.load(std::memory_order_acquire) == PeLocation::kPublished;
}

// Pairs with session/locations.cpp:is_published.
void publish(PeLocation& location) {
    location.state.store(PeLocation::kPublished, std::memory_order_release);
}

// All but the state. REQUIRES: `from` is published.
void copy_place(PeLocation& to, const PeLocation& from) {
    to.node = from.node;
    to.package = from.package;
    to.numa_domain = from.numa_domain;
    to.cache_cluster = from.cache_cluster;
    to.core = from.core;
    std::memcpy(to.host_name, from.host_name, sizeof to.host_name);
}

PlaceOfPe place_from(const PeLocation& location) {
    // The bytes may come from another node: the name ends in any case.
    const std::size_t length = ::strnlen(location.host_name, sizeof location.host_name - 1);
    return {.node = location.node,
            .package = location.package,
            .numa_domain = location.numa_domain,
            .cache_cluster = location.cache_cluster,
            .core = location.core,
            .host_name = std::string(location.host_name, length)};
}

// Asks the PE until it has published its place.
void fetch_from_other_node(PeLocation& location, int pe, const char* where) {
    const PeLocation& name = session->node->internal(session->job.local_index).location;
    wait_until(
        [&] {
            address_map.fabric->get(collective_context.transport_context(), &location, &name,
                                    sizeof location, pe);
            return is_published(location);
        },
        where);
}

// A PE of another node. The first PE of this node that asks fills the table; others that ask at the
// same time use what they have fetched themselves.
PlaceOfPe place_on_other_node(int pe, const char* where) {
    PeLocation& kept = session->node->location_of_other_node(pe);
    if (is_published(kept)) return place_from(kept);
    PeLocation fetched{};
    fetch_from_other_node(fetched, pe, where);
    std::uint32_t empty = PeLocation::kEmpty;
    // Relaxed: only one PE may fill it; publish() orders the rest.
    if (kept.state.compare_exchange_strong(empty, PeLocation::kFilling,
                                           std::memory_order_relaxed)) {
        copy_place(kept, fetched);
        publish(kept);
    }
    return place_from(fetched);
}

}  // namespace

void publish_my_place() {
    const topology::Location place =
        topology::locate(session->node->facts(), topology::affinity_of(0));
    PeLocation& mine = session->node->internal(session->job.local_index).location;
    mine.node = session->job.node;
    mine.package = place.package;
    mine.numa_domain = place.numa_domain;
    mine.cache_cluster = place.cache_cluster;
    mine.core = place.core;
    if (::gethostname(mine.host_name, sizeof mine.host_name) != 0) mine.host_name[0] = '\0';
    mine.host_name[sizeof mine.host_name - 1] = '\0';
    publish(mine);
}

PlaceOfPe place_of_pe(int pe, const char* where) {
    if (!is_on_this_node(pe)) return place_on_other_node(pe, where);
    const PeLocation& location = session->node->internal_of(pe).location;
    wait_until([&] { return is_published(location); }, where);
    return place_from(location);
}

}  // namespace tessera
