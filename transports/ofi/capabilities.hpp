// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of libfabric's provider, and its capabilities. The one place that reads fi_getinfo's
// answers and a provider's name: all other files of this folder ask Capabilities and make up for
// missing features. The table in capabilities.cpp has the promises that providers do not keep
// (measured with libfabric 1.17).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "transports/ofi/library.hpp"

namespace tessera::ofi {

// Preferences of the user and of the launcher. An empty string: none.
struct Hints {
    std::string provider = {};   // SHMEM_OFI_PROVIDER, such as "tcp;ofi_rxm", or "tcp" for short
    std::string fabric = {};     // SHMEM_OFI_FABRIC
    std::string domain = {};     // SHMEM_OFI_DOMAIN
    std::string interface = {};  // SHMEM_OFI_INTERFACE: "eth0", "10.1.0.0/16" or "10.1.2.3"
    std::string address = {};    // this host's IPv4 address towards the launcher, where known
    bool rma = true;             // use the provider's reads and writes, if it has them
    bool atomics = false;        // use the provider's atomics
    bool own_contexts = false;   // as with a provider that needs them (operation_contexts.hpp)
    // A thread is going to sleep until the queue has entries.
    bool sleeps = true;
    bool members_only = false;  // only PEs of the job may connect (admission.hpp)
    int npes = 0;               // PEs of the job; 0: unknown
    int local_index = 0;        // this PE's number on its host: spreads PEs over equal NICs
};

// The most pieces of one vector operation, local and remote, that any Capabilities names.
inline constexpr std::size_t kPiecesMax = 8;

// How memory is registered.
struct RegistrationFacts {
    bool virtual_addresses = false;  // remote addresses are the target's own; else offsets from 0
    bool provider_keys = false;      // the provider chooses keys; else we do, of key_bytes
    bool mr_endpoint = false;        // a region is bound to the endpoint and enabled
    bool mr_allocated = false;       // registering needs (and pins) real memory
    std::size_t key_bytes = 8;
};

// Sizes. Clamped to what works where the provider promises more.
struct SizeFacts {
    std::size_t inject_write_bytes = 0;    // fi_inject_write
    std::size_t inject_message_bytes = 0;  // fi_inject
    std::size_t eager_message_bytes = 0;   // fi_send up to this costs no further round trip
    std::size_t packet_bytes = 0;          // the longest message of ours
    std::size_t max_rma_bytes = 0;         // one fi_write or fi_read
    std::size_t iov_max = 1;               // local pieces of one fi_writemsg, fi_readmsg
    std::size_t rma_iov_max = 1;           // remote pieces
    std::size_t tx_size = 0;               // operations that fit the queues
    std::size_t rx_size = 0;
};

// Orders at the target, for operations of one endpoint to one peer. A write is ordered
// up to ordered_write_bytes, before a read up to ordered_read_bytes.
struct OrderFacts {
    bool write_after_write = false;
    bool send_after_write = false;
    bool read_after_write = false;
    bool send_after_send = false;
    std::size_t ordered_write_bytes = 0;
    std::size_t ordered_read_bytes = 0;
};

struct Capabilities : RegistrationFacts, SizeFacts, OrderFacts {
    std::string provider;  // "tcp;ofi_rxm"
    std::string fabric;    // "10.99.0.0/24"
    std::string domain;    // "eth0"
    std::string address;   // "10.99.0.1" where addresses are IP addresses, else ""
    std::uint32_t library_version = 0;

    // The provider reads and writes. Else it has messages only.
    bool has_rma = true;

    // Each operation needs a context of its own (operation_contexts.hpp).
    bool needs_contexts = false;

    // A write of 1, 2, 4 or 8 bytes to an aligned address is one store. Where the CPU of the target
    // copies, as a rule it is not: the memcpy of glibc stores such words twice.
    bool writes_words_whole = false;

    // FI_DELIVERY_COMPLETE means "in the target's memory" when given to fi_writemsg (not as a
    // default of the endpoint: `net` forgets that).
    bool delivery_complete = false;

    bool atomics = false;  // Hints asked for FI_ATOMIC, the provider grants it, and it works
    bool atomics_are_cpu_atomics = false;  // and may be mixed with the CPU's on one word

    bool cq_has_fd = false;  // the completion queue has a descriptor that sleeps and wakes
    // The descriptor stays readable once there was an entry, until fi_cq_sread has slept on it.
    bool cq_read_resets = false;
    // A thread may sleep on the provider's sockets instead (socket_watch.hpp): all that the
    // provider waits for comes through them.
    bool sockets_tell = false;
};

// A provider's offer (one fi_info), and its meaning.
struct Choice {
    Info info;
    Capabilities capabilities;
};

// The best provider that meets the hints: real fabrics before Ethernet, tcp;ofi_rxm first there,
// shm and other tools of one host only if named. Ends the job, with the list of available
// ones, when none meets the hints.
// THREADS: any. COST: 0.1 s the first time in a process, then 1 ms.
Choice choose(const Hints& hints);

// One line for SHMEM_INFO: "tcp;ofi_rxm on 10.99.0.1 (eth0), libfabric 1.17, ...".
std::string describe(const Capabilities& capabilities);

// Every provider, fabric and domain that hints can name, a line each.
std::string list_offers();

}  // namespace tessera::ofi
