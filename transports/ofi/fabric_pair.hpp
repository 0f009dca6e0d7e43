// SPDX-License-Identifier: BSD-3-Clause
//
// A pair of endpoints of this process, each with memory that the other one reaches. By it osh_info
// --check-fabric and the unit tests see a provider keep its promises or break them. One thread
// reads both queues, unless a check says otherwise.
#pragma once

#include <rdma/fi_rma.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "transports/ofi/fabric.hpp"

namespace tessera::ofi {

// The provider has refused an operation, or has reported its failure.
struct ProviderError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// An endpoint with registered memory, and the other side's number.
struct PairSide {
    static constexpr std::size_t kBytes = std::size_t{1} << 20;

    explicit PairSide(const Hints& hints) : fabric(hints), memory(kBytes) {
        region = fabric.register_memory(memory.data(), kBytes);
    }
    // Reads the queue once. RETURNS: whether there was an entry, which is then counted for the int
    // that its context points at.
    bool progress() {
        fi_cq_msg_entry entry{};
        const ssize_t got = fi_cq_read(fabric.queue(), &entry, 1);
        if (got == -FI_EAGAIN) return false;
        if (got != 1) throw ProviderError(queue_error(got));
        void* const completion = fabric.completion_of(entry.op_context);
        if (completion != nullptr) ++*static_cast<int*>(completion);
        return true;
    }

    Fabric fabric;
    std::vector<unsigned char> memory;
    Region region;
    fi_addr_t other = FI_ADDR_NOTAVAIL;

  private:
    std::string queue_error(ssize_t got) {
        fi_cq_err_entry failed{};
        if (got != -FI_EAVAIL || fi_cq_readerr(fabric.queue(), &failed, 0) != 1)
            return error_text(got);
        return error_text(failed.err);
    }
};

class FabricPair {
  public:
    explicit FabricPair(const Hints& hints) : here(hints), there(hints) {
        here.other = here.fabric.add_peer(there.fabric.address(), there.fabric.admission_key());
        there.other = there.fabric.add_peer(here.fabric.address(), here.fabric.admission_key());
    }

    void progress() {
        for (PairSide* side : {&here, &there}) entries += side->progress() ? 1 : 0;
    }
    // Calls `operation()` until the provider takes it. `drive()` makes progress meanwhile.
    template <class Operation, class Drive>
    static void post(Operation operation, Drive drive) {
        ssize_t result = 0;
        while ((result = operation()) == -FI_EAGAIN) drive();
        if (result != 0) throw ProviderError(error_text(result));
    }
    template <class Operation>
    void post(Operation operation) {
        post(operation, [this] { progress(); });
    }
    // Calls `operation(int* done)` likewise. RETURNS when: it has ended.
    template <class Operation>
    void run(Operation operation) {
        int done = 0;
        post([&] { return operation(&done); });
        while (done == 0) progress();
    }
    // Starts a write from `here` to offset `at` of `there`, for post() and run().
    ssize_t start_write(const void* source, std::size_t bytes, std::size_t at, int* done) {
        return here.fabric.start(done, [&](void* context) {
            return fi_write(here.fabric.endpoint(), source, bytes, nullptr, here.other,
                            there.region.remote_base + at, there.region.key, context);
        });
    }
    ssize_t start_read(void* dest, std::size_t bytes, std::size_t at, int* done) {
        return here.fabric.start(done, [&](void* context) {
            return fi_read(here.fabric.endpoint(), dest, bytes, nullptr, here.other,
                           there.region.remote_base + at, there.region.key, context);
        });
    }
    // A message to `there`, and its receive.
    ssize_t start_send(const void* message, std::size_t bytes, int* sent) {
        return here.fabric.start(sent, [&](void* context) {
            return fi_send(here.fabric.endpoint(), message, bytes, nullptr, here.other, context);
        });
    }
    ssize_t start_receive(void* message, std::size_t bytes, int* received) {
        return there.fabric.start(received, [&](void* context) {
            return fi_recv(there.fabric.endpoint(), message, bytes, nullptr, FI_ADDR_UNSPEC,
                           context);
        });
    }
    // The whole write. RETURNS when: it is in the memory there.
    void write_delivered(const void* source, std::size_t bytes, std::size_t at) {
        iovec local{.iov_base = const_cast<void*>(source), .iov_len = bytes};
        fi_rma_iov remote{
            .addr = there.region.remote_base + at, .len = bytes, .key = there.region.key};
        fi_msg_rma message{};
        message.msg_iov = &local;
        message.iov_count = 1;
        message.addr = here.other;
        message.rma_iov = &remote;
        message.rma_iov_count = 1;
        run([&](int* done) {
            return here.fabric.start(done, [&](void* context) {
                message.context = context;
                return fi_writemsg(here.fabric.endpoint(), &message,
                                   FI_COMPLETION | FI_DELIVERY_COMPLETE);
            });
        });
    }
    void read(void* dest, std::size_t bytes, std::size_t at) {
        run([&](int* done) { return start_read(dest, bytes, at, done); });
    }

    PairSide here;
    PairSide there;
    int entries = 0;  // entries that progress() has read
};

}  // namespace tessera::ofi
