// SPDX-License-Identifier: BSD-3-Clause
//
// See deferred_transfers.hpp.
#include "progress/deferred_transfers.hpp"

#include <algorithm>
#include <utility>

#include "progress/request.hpp"

namespace tessera {

// Acquire: pairs with release(): the previous transfer has left the object.
bool DeferredTransfers::Work::take(std::uintptr_t owner) {
    std::uintptr_t none = 0;
    return owner_.load(std::memory_order_relaxed) == 0 &&
           owner_.compare_exchange_strong(none, owner, std::memory_order_acquire,
                                          std::memory_order_relaxed);
}

// A post waits where the provider is busy, and drives progress meanwhile.
void DeferredTransfers::Work::post() {
    FabricTransport& fabric = home_->setup_.fabric;
    TransportContext& context = *home_->context_;
    const auto& [kind, dest, source, bytes, pe, signal] = transfer_;
    switch (kind) {
        case Transfer::Kind::kPut:
            return fabric.put_tracked(context, dest, source, bytes, pe, operation_);
        case Transfer::Kind::kGet:
            return fabric.get_tracked(context, dest, source, bytes, pe, operation_);
        case Transfer::Kind::kPutSignal:
            return fabric.put_signal_tracked(context, dest, source, bytes, signal, pe, operation_);
    }
}

bool DeferredTransfers::Work::advance() {
    if (!std::exchange(is_posted_, true)) post();
    return operation_.is_remote();
}

void DeferredTransfers::Work::release() {
    is_posted_ = false;
    // Release: pairs with complete(): the data is there.
    home_->under_way_.fetch_sub(1, std::memory_order_release);
    // Release: pairs with owner() and take(). The last use of this object and its home.
    owner_.store(0, std::memory_order_release);
}

DeferredTransfers::DeferredTransfers(Setup setup)
    : setup_(std::move(setup)), context_(setup_.fabric.make_context({})) {
    for (Work& work : works_) work.belong_to(*this);
}

DeferredTransfers::Work* DeferredTransfers::reserve(const Transfer& transfer,
                                                    TransportContext& context) {
    if (transfer.bytes < bytes_min_) return nullptr;
    if (std::ranges::find(setup_.excluded, &context) != setup_.excluded.end()) return nullptr;
    // The transfer would go on another context, which does not know of the fence.
    if (setup_.fabric.is_behind_fence(context, transfer.pe)) return nullptr;
    const bool is_get = transfer.kind == Transfer::Kind::kGet;
    const std::uintptr_t owner = owner_of(context) | (is_get ? kGetBit : 0);
    for (Work& work : works_) {
        if (!work.take(owner)) continue;
        work.describe(transfer);
        return &work;
    }
    return nullptr;
}

void DeferredTransfers::start(Work& work, Operation& operation) {
    // Relaxed: only a thread that knows of this transfer completes it.
    under_way_.fetch_add(1, std::memory_order_relaxed);
    add_background(work, operation);
    setup_.fabric.wake_thread();
}

bool DeferredTransfers::take(const Transfer& transfer, TransportContext& context) {
    Work* work = reserve(transfer, context);
    if (work != nullptr) start(*work, operation_);
    return work != nullptr;
}

bool DeferredTransfers::take(const Transfer& transfer, TransportContext& context, shmemx_req_t* req,
                             const char* where) {
    Work* work = reserve(transfer, context);
    if (work == nullptr) return false;
    Request& request = open_request(where);
    start(*work, request.operation);
    *req = publish(request);
    return true;
}

template <class IsMeant>
bool DeferredTransfers::is_any(IsMeant is_meant) const {
    return std::ranges::any_of(works_, [&](const Work& work) { return is_meant(work.owner()); });
}

void DeferredTransfers::complete(const TransportContext& context, Which which) {
    // Acquire: pairs with release().
    if (under_way_.load(std::memory_order_acquire) == 0) return;
    const std::uintptr_t puts = owner_of(context);
    const auto is_meant = [&](std::uintptr_t owner) {
        return owner == puts || (which == Which::kAll && owner == (puts | kGetBit));
    };
    drive_until([&] { return !is_any(is_meant); }, "a transfer by the fabric's thread");
}

void DeferredTransfers::complete_all() {
    drive_until(
        [&] {
            // The count of the operation goes down behind release().
            return !is_any([](std::uintptr_t owner) { return owner != 0; }) &&
                   operation_.is_remote();
        },
        "a transfer by the fabric's thread");
    setup_.fabric.quiet(*context_);
}

}  // namespace tessera
