// SPDX-License-Identifier: BSD-3-Clause
//
// The opened objects of libfabric: one fabric, domain, address vector, completion queue and
// endpoint for this PE, and its registered memory. The other files of this folder send and receive
// through them.
#pragma once

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "transports/ofi/admission.hpp"
#include "transports/ofi/capabilities.hpp"
#include "transports/ofi/operation_contexts.hpp"

namespace tessera::ofi {

// Closes any object of libfabric.
struct CloseFid {
    template <class Object>
    void operator()(Object* object) const {
        close(&object->fid);
    }
    static void close(fid* object);
};
template <class Object>
using Fid = std::unique_ptr<Object, CloseFid>;

// Memory that peers may read and write. They address byte i of it as `remote_base + i`.
struct Region {
    fid_mr* handle = nullptr;
    std::uint64_t key = 0;
    std::uint64_t remote_base = 0;
};

class Fabric {
  public:
    // Ends the job where something cannot be opened.
    explicit Fabric(const Hints& hints);
    Fabric(const Fabric&) = delete;
    Fabric& operator=(const Fabric&) = delete;
    // REQUIRES: no thread uses the objects. Outstanding operations are dropped.
    ~Fabric();

    const Capabilities& capabilities() const { return choice_.capabilities; }
    // One endpoint, one queue of FI_CQ_FORMAT_MSG for everything it does: each operation gives one
    // entry with the context that start() gave it; injected ones give none. THREADS: any, both.
    fid_ep* endpoint() const { return endpoint_.get(); }
    fid_cq* queue() const { return queue_.get(); }
    fid_domain* domain() const { return domain_.get(); }

    // `call(context)` asks the provider for an operation that completes `completion`.
    template <class Call>
    ssize_t start(void* completion, Call call) {
        if (!capabilities().needs_contexts) [[likely]]
            return call(completion);
        void* const context = contexts_.take(completion);
        const ssize_t result = call(context);
        if (result != 0) contexts_.put_back(context);
        return result;
    }
    // RETURNS: the `completion` of an operation, by the context that its entry in the queue has.
    // REQUIRES: the caller asks once per entry.
    void* completion_of(void* context) {
        if (!capabilities().needs_contexts || context == nullptr) return context;
        return contexts_.put_back(context);
    }

    // This endpoint's address; peers give it to add_peer().
    std::vector<std::byte> address() const;
    // The key that peers prove to know when they connect to this PE; 0: they need not.
    std::uint64_t admission_key() const { return admission_ ? admission_->key() : 0; }
    // RETURNS: the number by which operations name the peer. Contacts no peer.
    // THREADS: one at a time.
    fi_addr_t add_peer(std::span<const std::byte> address, std::uint64_t admission_key = 0);

    // Lets peers that know the key read and write [start, start + bytes). Keys are 64 random bits
    // where the provider lets the library choose. Ends the job where it cannot be done.
    // THREADS: one at a time.
    Region register_memory(void* start, std::size_t bytes);
    // REQUIRES: no peer uses it any more. Regions that are left are closed with the fabric.
    void unregister_memory(const Region& region);

    // Sleeps until the queue may have entries or there is work for the provider (then read the
    // queue), wake() is called, or the time is over; may return early for no reason. Where neither
    // sockets nor a descriptor of the queue tell, a timed sleep: the longer, the more often in a
    // row the caller found nothing (`idle_count`). THREADS: any.
    // RETURNS: kSocket: sockets or the queue's descriptor have called. kStuck: the descriptor no
    // longer lets the caller sleep; then call reset_descriptor().
    enum class Event : std::uint8_t { kNone, kSocket, kStuck };
    enum class Waiter : std::uint8_t { kThread, kProgram };  // wake() is for the thread
    Event wait_for_events(int timeout_ms, int idle_count = 0, Waiter waiter = Waiter::kThread);
    // Makes the descriptor useful again where that takes a read that sleeps, for up to a ms
    // (Capabilities::cq_read_resets). RETURNS: the entry that it took out, now the caller's.
    // THREADS: the one that reads the queue, so that entries keep their order.
    std::optional<fi_cq_msg_entry> reset_descriptor();
    // RETURNS: whether wait_for_events() would not sleep, as far as descriptors tell.
    // THREADS: any.
    bool is_called();
    // Ends the wait_for_events() or sleep() of the thread that is under way, or the next one.
    // THREADS: any.
    void wake();
    // RETURNS when: the time is over, or wake() was called.
    void sleep(std::uint64_t nanoseconds);

  private:
    void open_queue();
    void open_endpoint();

    Choice choice_;
    std::unique_ptr<SocketWatch> sockets_;  // to sleep on; nullptr: the queue's descriptor
    std::unique_ptr<Admission> admission_;  // nullptr: all are admitted
    OperationContexts contexts_;
    // Closed from the last to the first.
    Fid<fid_fabric> fabric_;
    Fid<fid_domain> domain_;
    Fid<fid_av> peers_;
    Fid<fid_cq> queue_;
    Fid<fid_ep> endpoint_;
    std::vector<Fid<fid_mr>> regions_;
    int queue_descriptor_ = -1;  // belongs to queue_
    // In a row, by sockets or the queue's descriptor. A hint: threads that sleep at once may
    // miscount it.
    std::atomic<int> calls_at_once_{0};
    Fd wake_descriptor_;
};

}  // namespace tessera::ofi
