// SPDX-License-Identifier: BSD-3-Clause
//
// Long nonblocking operations to other nodes with SHMEM_PROGRESS=helpers (docs/progress.md). The PE
// only notes them; the fabric's thread posts and completes them, on the processors of the helpers.
// They are background work, so a PE that waits posts itself what the thread has not begun. They go
// on a TransportContext of their own: that of a program may have one user at a time.
// THREADS: any, but for the constructor and the destructor.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "progress/background.hpp"
#include "shmemx/requests.h"
#include "transports/fabric_transport.hpp"

namespace tessera {

class DeferredTransfers {
  public:
    struct Setup {
        FabricTransport& fabric;
        // Contexts of the library, which look at what they put before any quiet.
        std::vector<const TransportContext*> excluded;
    };
    explicit DeferredTransfers(Setup setup);
    DeferredTransfers(const DeferredTransfers&) = delete;
    DeferredTransfers& operator=(const DeferredTransfers&) = delete;

    struct Transfer {
        enum class Kind : std::uint8_t { kPut, kGet, kPutSignal };
        Kind kind = Kind::kPut;
        void* dest = nullptr;
        const void* source = nullptr;
        std::size_t bytes = 0;
        int pe = 0;
        AtomicRequest signal{};  // kPutSignal
    };
    // Both RETURN: whether the transfer is taken. If not, the caller does it. REQUIRES: the fabric
    // reaches the memory of the PE.
    bool take(const Transfer& transfer, TransportContext& context);
    bool take(const Transfer& transfer, TransportContext& context, shmemx_req_t* req,
              const char* where);

    // RETURNS when: the transfers of the context are complete at the target; kPuts: only its puts
    // and signals. COST with nothing under way: a load.
    enum class Which : std::uint8_t { kPuts, kAll };
    void complete(const TransportContext& context, Which which);
    // The same for all contexts; nothing uses this object any more.
    void complete_all();

    // The size from which on the thread transfers.
    std::size_t bytes_min() const { return bytes_min_; }
    // REQUIRES: init has not ended.
    void set_bytes_min(std::size_t bytes) { bytes_min_ = bytes; }

  private:
    static constexpr std::size_t kTransfersMax = 64;
    static constexpr std::uintptr_t kGetBit = 1;

    class Work final : public BackgroundWork {
      public:
        void belong_to(DeferredTransfers& home) { home_ = &home; }
        // The context | kGetBit for a get; 0: free. Acquire: pairs with release().
        std::uintptr_t owner() const { return owner_.load(std::memory_order_acquire); }
        bool take(std::uintptr_t owner);
        // REQUIRES: take().
        void describe(const Transfer& transfer) { transfer_ = transfer; }
        bool advance() override;
        void release() override;

      private:
        void post();

        DeferredTransfers* home_ = nullptr;
        Transfer transfer_;
        bool is_posted_ = false;
        Operation operation_;  // the parts of the fabric
        std::atomic<std::uintptr_t> owner_{0};
    };

    static std::uintptr_t owner_of(const TransportContext& context) {
        return reinterpret_cast<std::uintptr_t>(&context);
    }
    // nullptr: the caller does the transfer.
    Work* reserve(const Transfer& transfer, TransportContext& context);
    void start(Work& work, Operation& operation);
    template <class IsMeant>
    bool is_any(IsMeant is_meant) const;

    const Setup setup_;
    std::size_t bytes_min_ = 0;
    const std::unique_ptr<TransportContext> context_;
    std::array<Work, kTransfersMax> works_;
    std::atomic<std::uint32_t> under_way_{0};
    Operation operation_;  // of those without a request
};

}  // namespace tessera
