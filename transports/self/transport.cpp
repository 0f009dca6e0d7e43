// SPDX-License-Identifier: BSD-3-Clause
//
// The smallest complete transport: this PE's own memory. In use when the PE's static data is not
// mapped by the others: their atomics on it are done under a lock, so ours must be as well. Start
// here to write another transport; README.md lists what to change. THREADS: any.
#include <atomic>
#include <cstring>

#include "base/shared_lock.hpp"
#include "transports/node_transports.hpp"

namespace tessera {
namespace {

class SelfTransport final : public Transport {
  public:
    explicit SelfTransport(std::atomic<std::uint32_t>& lock) : lock_(lock) {}

    const char* name() const override { return "self"; }

    void put(TransportContext&, void* dest, const void* source, std::size_t bytes, int) override {
        std::memcpy(dest, source, bytes);
    }
    void get(TransportContext&, void* dest, const void* source, std::size_t bytes, int) override {
        std::memcpy(dest, source, bytes);
        // Later loads must not pass a get. Pairs with core/context.hpp:fence.
        std::atomic_thread_fence(std::memory_order_acquire);
    }
    void put_nbi(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                 int pe) override {
        put(context, dest, source, bytes, pe);
    }
    void get_nbi(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                 int pe) override {
        get(context, dest, source, bytes, pe);
    }

    std::uint64_t atomic(TransportContext&, const AtomicRequest& request, int) override {
        SharedLock guard(lock_, "an atomic on static data");
        std::uint64_t old = 0;
        std::memcpy(&old, request.dest, request.bytes);
        const std::uint64_t word = atomic_result(request, old);
        // A fetch must not write: a put, which takes no lock, may have arrived in between.
        if (word != old) std::memcpy(request.dest, &word, request.bytes);
        return old;
    }
    void accumulate(TransportContext&, const Accumulation& what, int) override {
        SharedLock guard(lock_, "an accumulate on static data");
        const ElementKernel& kernel = *what.element.kernel();
        if (what.result != nullptr) std::memcpy(what.result, what.dest, what.nelems * kernel.bytes);
        kernel.combine(static_cast<char*>(what.dest), static_cast<const char*>(what.source),
                       what.nelems);
    }

    void fence(TransportContext&) override {}  // Program order is enough within a PE.
    void quiet(TransportContext&) override {}
    void progress() override {}

  private:
    std::atomic<std::uint32_t>& lock_;
};

}  // namespace

std::unique_ptr<Transport> make_self_transport(std::atomic<std::uint32_t>& lock) {
    return std::make_unique<SelfTransport>(lock);
}

}  // namespace tessera
