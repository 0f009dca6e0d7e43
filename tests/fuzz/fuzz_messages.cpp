// SPDX-License-Identifier: BSD-3-Clause
//
// Messages from other nodes' PEs, with packed frames: the handlers of the fabric ofi, and the
// EndpointInfo by which PEs find each other. Input: messages, each behind its length in two
// bytes. A fetch, a get and a packet of this PE are under way, so that answers may hit them. The
// endpoint is a real one, but nothing leaves it.
#include <algorithm>
#include <memory>
#include <vector>

#include "base/endpoint_slot.hpp"
#include "fuzz/fuzz.hpp"
#include "transports/ofi/endpoint_info.hpp"
#include "transports/ofi/message_handlers.hpp"
#include "transports/ofi/peers.hpp"

namespace tessera::ofi {

namespace {

constexpr std::size_t kHeapBytes = 2048;
constexpr std::size_t kInternalBytes = 1024;
constexpr std::uint64_t kKey = 42;

std::vector<Packet*> sent;  // by fi_send, not complete
bool is_full = false;       // the provider takes nothing

ssize_t send(fid_ep*, const void*, std::size_t, void*, fi_addr_t, void* context) {
    if (is_full) return -FI_EAGAIN;
    sent.push_back(static_cast<Packet*>(static_cast<Completion*>(context)));
    return 0;
}
ssize_t inject(fid_ep*, const void*, std::size_t, fi_addr_t) { return is_full ? -FI_EAGAIN : 0; }
ssize_t receive(fid_ep*, void*, std::size_t, void*, fi_addr_t, void*) { return 0; }

// Opened once, because that takes a second.
struct Network {
    Network() : fabric({.provider = "tcp;ofi_rxm", .address = "127.0.0.1"}) {
        info.message_key = kKey;
        const std::vector<std::byte> address = fabric.address();
        info.address_bytes = static_cast<std::uint32_t>(address.size());
        std::ranges::copy(address, info.address);
        fabric.capabilities().provider.copy(info.provider, sizeof info.provider - 1);
        operations = *fabric.endpoint()->msg;
        operations.send = send;
        operations.inject = inject;
        operations.recv = receive;
        fabric.endpoint()->msg = &operations;
    }
    Fabric fabric;
    EndpointInfo info;
    fi_ops_msg operations{};
};

// A PE of two, for one input. Its memory is on the heap, where sanitizers see its ends.
struct World {
    explicit World(Network& network)
        : peers(setup_of(), network.info, network.fabric),
          sender(0, network.fabric, peers, pool),
          watchdog(0, peers, sender),
          handlers(setup, kKey, network.fabric, pool, sender, watchdog) {
        setup.endpoint_info_of = [&network](int) {
            const auto bytes = std::as_bytes(std::span(&network.info, 1));
            return std::vector<std::byte>(bytes.begin(), bytes.end());
        };
        pool.take_fetch({.result = &fetched, .pending = &pending});
        pool.take_gather({.pending = &pending,
                          .base = reinterpret_cast<char*>(gathered),
                          .bytes = sizeof gathered,
                          .count = 1,
                          .run_bytes = sizeof gathered});
        for (PacketSlot& slot : slots) slot.unacked = &unacked;
        entry = &pool.add_slots(slots);
        slots[0].in_flight = PacketSlot::kOnePacket;
        unacked = 3;
        pending = 2;
    }
    ~World() { pool.remove_slots(*entry); }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    const FabricSetup& setup_of() {
        setup.npes = 2;
        setup.segments = {.heap = {heap.get(), kHeapBytes},
                          .internal = {internal.get(), kInternalBytes}};
        setup.sleeper = &sleeper;
        setup.element_lock = &lock;
        setup.endpoint_table = table.get();
        setup.timeout_s = 0;
        return setup;
    }

    std::unique_ptr<char[]> heap = std::make_unique<char[]>(kHeapBytes);
    std::unique_ptr<char[]> internal = std::make_unique<char[]>(kInternalBytes);
    std::unique_ptr<char[]> table = std::make_unique<char[]>(2 * kEndpointSlotBytes);
    Sleeper sleeper{};
    std::atomic<std::uint32_t> lock{0};
    FabricSetup setup;
    PacketPool pool;
    Peers peers;
    MessageSender sender;
    PeerWatchdog watchdog;
    MessageHandlers handlers;
    std::uint64_t fetched = 0;
    std::uint64_t gathered[4] = {};
    std::atomic<std::uint32_t> pending{0};
    std::atomic<std::uint32_t> unacked{0};
    PacketSlot slots[kSlotsPerContext];
    SlotsEntry* entry = nullptr;
};

void complete_sends(PacketPool& pool) {
    for (Packet* packet : sent) pool.put_back(packet);
    sent.clear();
}

void run(World& world, fuzz::Bytes bytes) {
    const auto receive_buffer = std::make_unique<Receive>();
    while (!bytes.is_empty()) {
        const auto length = bytes.take<std::uint16_t>();
        is_full = (length & 0x8000) != 0;
        const std::string_view message = bytes.take(length % (kPacketBytesMax + 1));
        std::memcpy(receive_buffer->bytes, message.data(), message.size());
        // Otherwise nearly all of them would be those of strangers.
        auto& header = *reinterpret_cast<Header*>(receive_buffer->bytes);
        header.key = kKey;
        header.source &= 1;
        world.handlers.receive(*receive_buffer, message.size());
        complete_sends(world.pool);
    }
    world.handlers.send_ack();
    is_full = false;
    while (world.handlers.has_postponed()) world.handlers.send_postponed();
    complete_sends(world.pool);
}

// An EndpointInfo of the input.
void look_up(World& world, const std::uint8_t* data, std::size_t size) {
    world.setup.endpoint_info_of = [=](int) {
        const auto* bytes = reinterpret_cast<const std::byte*>(data);
        return std::vector<std::byte>(bytes, bytes + size);
    };
    static_cast<void>(world.peers[1]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Network& network = *new Network;
    const fuzz::Input input;
    World world(network);
    try {
        if (size == sizeof(EndpointInfo)) {
            look_up(world, data, size);
        } else {
            run(world, fuzz::Bytes(data, size));
        }
    } catch (const fuzz::Ended&) {
        sent.clear();
    }
    return 0;
}

}  // namespace tessera::ofi
