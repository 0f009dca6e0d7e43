// SPDX-License-Identifier: BSD-3-Clause
//
// See transport.hpp. Plain reads and writes by the provider (rma.hpp); single words, atomics and
// short puts by active messages (messages.hpp, updates.hpp), words and short puts by the provider
// where its hardware writes words whole, atomics where the user wants that.
//
// COST: p, put of at most 2020 bytes: a message, or a part of one; a short get right behind it,
// too. put: one write. get, fetch: a round trip. fence: nothing; but when messages to a PE are
// under way, the next put of more than a word to it is a message, too, or beyond 4 KiB waits until
// they are acknowledged. quiet: a round trip to each PE, all at the same time. THREADS: any; a
// context that is not shared has one user at a time, and takes no lock.
#include "transports/ofi/transport.hpp"

#include <cstring>
#include <utility>

#include "transports/ofi/interfaces.hpp"

namespace tessera::ofi {
namespace {

// Longer data is a write in front of the message: two copies take longer then.
constexpr std::size_t kGatedBytesMax = 8192;

Hints hints_of(const FabricSetup& setup) {
    return {.provider = setup.setting("SHMEM_OFI_PROVIDER"),
            .fabric = setup.setting("SHMEM_OFI_FABRIC"),
            .domain = setup.setting("SHMEM_OFI_DOMAIN"),
            .interface = setup.setting("SHMEM_OFI_INTERFACE"),
            .address = setup.address,
            .rma = setup.setting("SHMEM_OFI_RMA") == "on",
            .atomics = setup.provider_atomics,
            .sleeps = setup.has_progress_thread,
            .members_only = setup.setting("SHMEM_OFI_ADMISSION") == "on",
            .npes = setup.npes,
            .local_index = setup.index_on_host};
}

FabricOutlook look(const FabricSetup& setup) {
    const Capabilities chosen = choose(hints_of(setup)).capabilities;
    // A card without IP addresses is not reached by TCP, but the launcher's network is.
    return {.text = describe(chosen),
            .address = chosen.address.empty() ? choose_address("", setup.address) : chosen.address};
}

}  // namespace

OfiTransport::OfiTransport(FabricSetup setup)
    : setup_(std::move(setup)),
      fabric_(hints_of(setup_)),
      endpoint_info_(describe_endpoint(setup_, fabric_)),
      peers_(setup_, endpoint_info_, fabric_),
      sender_(setup_.pe, fabric_, peers_, pool_),
      watchdog_(setup_.timeout_s, peers_, sender_),
      handlers_(setup_, endpoint_info_.message_key, fabric_, pool_, sender_, watchdog_),
      queue_(setup_.is_oversubscribed, fabric_, pool_, handlers_),
      rma_(setup_, fabric_, peers_, queue_),
      puts_(rma_, pool_, sender_, queue_),
      gets_(rma_, pool_, sender_, queue_),
      messages_(rma_, puts_, gets_, pool_, sender_, queue_),
      updates_(rma_, messages_, sender_),
      sections_(rma_, messages_, pool_, sender_, queue_),
      tracked_(rma_, puts_, messages_, updates_),
      progress_thread_(queue_, fabric_, watchdog_, setup_.background, setup_.prepare_thread) {}

void OfiTransport::put(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                       int pe) {
    OfiContext& mine = own(context);
    if (try_put_by_message(mine, dest, source, bytes, Returns::kComplete, pe)) return;
    if (!fabric_.capabilities().has_rma)
        return sections_.put_run(mine, dest, source, bytes, Returns::kComplete, pe);
    rma_.put(mine, dest, source, bytes, Returns::kComplete, pe);
}

void OfiTransport::put_nbi(TransportContext& context, void* dest, const void* source,
                           std::size_t bytes, int pe) {
    OfiContext& mine = own(context);
    if (try_put_by_message(mine, dest, source, bytes, Returns::kAtOnce, pe)) return;
    if (puts_.try_put(mine, dest, source, bytes, pe)) return;
    if (!fabric_.capabilities().has_rma)
        return sections_.put_run(mine, dest, source, bytes, Returns::kAtOnce, pe);
    rma_.put(mine, dest, source, bytes, Returns::kAtOnce, pe);
}

// A get behind packets of updates is a message, too, and so behind these.
void OfiTransport::get(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                       int pe) {
    OfiContext& mine = own(context);
    puts_.send_all(mine);
    if (!mine.is_internal && Messages::has_packets(mine, mine.slot_of(pe))) [[unlikely]] {
        if (is_word(source, bytes)) {
            const AtomicRequest request{
                .dest = const_cast<void*>(source), .bytes = bytes, .op = AtomicOp::kFetch};
            const std::uint64_t value = messages_.fetch(mine, request, pe);
            std::memcpy(dest, &value, bytes);
            return;
        }
        if (sections_.try_get_behind(mine, dest, source, bytes, pe)) return;
    }
    if (!fabric_.capabilities().has_rma)
        return sections_.get_run(mine, dest, source, bytes, Returns::kComplete, pe);
    rma_.get(mine, dest, source, bytes, Returns::kComplete, pe);
}

void OfiTransport::get_nbi(TransportContext& context, void* dest, const void* source,
                           std::size_t bytes, int pe) {
    OfiContext& mine = own(context);
    puts_.send_all(mine);
    if (gets_.try_get(mine, dest, source, bytes, pe)) return;
    if (!fabric_.capabilities().has_rma)
        return sections_.get_run(mine, dest, source, bytes, Returns::kAtOnce, pe);
    rma_.get(mine, dest, source, bytes, Returns::kAtOnce, pe);
}

void OfiTransport::put_tracked(TransportContext& context, void* dest, const void* source,
                               std::size_t bytes, int pe, Operation& operation) {
    if (fabric_.capabilities().has_rma)
        return tracked_.put(own(context), dest, source, bytes, pe, operation);
    put(context, dest, source, bytes, pe);
    tracked_.track_issued(own(context), pe, operation);
}

void OfiTransport::get_tracked(TransportContext& context, void* dest, const void* source,
                               std::size_t bytes, int pe, Operation& operation) {
    if (fabric_.capabilities().has_rma)
        return tracked_.get(own(context), dest, source, bytes, pe, operation);
    Section run;
    run.run_bytes = bytes;
    get_section_tracked(context, static_cast<const char*>(source), static_cast<char*>(dest), run,
                        pe, operation);
}

void OfiTransport::put_signal_tracked(TransportContext& context, void* dest, const void* source,
                                      std::size_t bytes, const AtomicRequest& signal, int pe,
                                      Operation& operation) {
    if (bytes > 0) put_tracked(context, dest, source, bytes, pe, operation);
    tracked_.signal(own(context), bytes, signal, pe, operation);
}

// Long runs are reads of their own.
void OfiTransport::get_section_tracked(TransportContext& context, const char* remote, char* local,
                                       const Section& section, int pe, Operation& operation) {
    if (sections_.try_get_tracked(own(context), remote, local, section, pe, operation)) return;
    Transport::get_section_tracked(context, remote, local, section, pe, operation);
}

std::uint64_t OfiTransport::atomic(TransportContext& context, const AtomicRequest& request,
                                   int pe) {
    if (!rma_.takes_atomics(request)) return messages_.fetch(own(context), request, pe);
    std::uint64_t old = 0;
    rma_.atomic(request, &old, pe);
    return old;
}

void OfiTransport::atomic_nbi(TransportContext& context, const AtomicRequest& request, void* result,
                              int pe) {
    OfiContext& mine = own(context);
    if (rma_.takes_atomics(request)) return rma_.atomic(request, result, pe);
    const bool is_update = result == nullptr && request.op != AtomicOp::kElement;
    if (is_update) return updates_.update(mine, request, pe);
    messages_.post_fetch(mine, request, {.result = result}, pe);
}

void OfiTransport::put_signal(TransportContext& context, void* dest, const void* source,
                              std::size_t bytes, const AtomicRequest& signal, int pe) {
    OfiContext& mine = own(context);
    if (updates_.takes_put(mine, bytes))
        return updates_.put_signal(mine, dest, source, bytes, signal, pe);
    put(context, dest, source, bytes, pe);
    const bool is_ordered = bytes <= fabric_.capabilities().ordered_write_bytes;
    if (!rma_.keeps_order || !is_ordered) messages_.quiet(mine);
    atomic_nbi(context, signal, nullptr, pe);
}

void OfiTransport::post_gate(const Gate& gate, std::uint32_t number, int pe) {
    GateMessage message{};
    message.kind = MessageKind::kGate;
    message.offset = rma_.offset_of(&gate).offset;
    message.number = number;
    messages_.send(message, sizeof message, pe);
}

void OfiTransport::post_gate_behind(TransportContext& context, const Gate& gate,
                                    std::uint32_t number, int pe) {
    if (!messages_.keeps_order(own(context))) quiet(context);
    post_gate(gate, number, pe);
}

void OfiTransport::put_with_gates(TransportContext& context, const PutWithGates& what, int pe) {
    if (!messages_.keeps_order(own(context)))
        return FabricTransport::put_with_gates(context, what, pe);
    struct {
        PutWithGatesMessage head{};
        std::byte data[kGatedBytesMax];
    } message;
    message.head.kind = MessageKind::kPutWithGates;
    message.head.gate = rma_.offset_of(what.gate).offset;
    message.head.number = what.number;
    message.head.other_gate = PutWithGatesMessage::kNoGate;
    if (what.other_gate != nullptr) {
        message.head.other_gate = rma_.offset_of(what.other_gate).offset;
        message.head.other_number = what.other_number;
    }
    const std::size_t packet_bytes = fabric_.capabilities().packet_bytes;
    if (what.bytes > std::min(kGatedBytesMax, packet_bytes - sizeof message.head)) {
        put(context, what.dest, what.data, what.bytes, pe);
        if (own(context).has_unordered_writes()) quiet(context);
        return messages_.send(message.head, sizeof message.head, pe);
    }
    if (what.bytes > 0) {
        message.head.dest = rma_.offset_of(what.dest).offset;
        std::memcpy(message.data, what.data, what.bytes);
    }
    messages_.send(message.head, sizeof message.head + what.bytes, pe);
}

FabricTransport::Region OfiTransport::register_memory(void* start, std::size_t bytes) {
    const NoCancellation no_cancellation;
    std::lock_guard guard(registering_);
    const ofi::Region region = fabric_.register_memory(start, bytes);
    return {.handle = region.handle, .key = region.key, .base = region.remote_base};
}
void OfiTransport::unregister_memory(const Region& region) {
    const NoCancellation no_cancellation;
    std::lock_guard guard(registering_);
    fabric_.unregister_memory({.handle = static_cast<fid_mr*>(region.handle)});
}

extern const FabricEntry kFabric;
const FabricEntry kFabric = {
    .name = "ofi",
    .probe = [](const FabricSetup&) { return true; },  // If libfabric is missing, it says so.
    .make = [](FabricSetup setup) -> std::unique_ptr<FabricTransport> {
        return std::make_unique<OfiTransport>(std::move(setup));
    },
    .look = look};

}  // namespace tessera::ofi
