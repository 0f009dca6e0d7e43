// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of another process of this node that could not be mapped (static data with
// SHMEM_STATIC_DATA=cma, or where the system refuses). The kernel copies; a call costs about a
// microsecond. Atomics read, compute and write under the owner's lock in shared memory; the owner
// takes the same lock (transports/self), so the words are atomic for all. THREADS: any.
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/fatal.hpp"
#include "base/shared_lock.hpp"
#include "transports/apply_atomic.hpp"
#include "transports/node_transports.hpp"

namespace tessera {
namespace {

using ProcessCopy = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long,
                                unsigned long);

class CmaTransport final : public Transport {
  public:
    CmaTransport(std::vector<CmaTarget> targets, int first_pe, std::uintptr_t local_base)
        : targets_(std::move(targets)), first_pe_(first_pe), local_base_(local_base) {}

    const char* name() const override { return "cma"; }

    void put(TransportContext&, void* dest, const void* source, std::size_t bytes,
             int pe) override {
        copy(::process_vm_writev, const_cast<void*>(source), dest, bytes, pe);
    }
    void get(TransportContext&, void* dest, const void* source, std::size_t bytes,
             int pe) override {
        copy(::process_vm_readv, dest, source, bytes, pe);
    }
    void put_nbi(TransportContext&, void* dest, const void* source, std::size_t bytes,
                 int pe) override {
        copy(::process_vm_writev, const_cast<void*>(source), dest, bytes, pe);
    }
    void get_nbi(TransportContext&, void* dest, const void* source, std::size_t bytes,
                 int pe) override {
        copy(::process_vm_readv, dest, source, bytes, pe);
    }

    std::uint64_t atomic(TransportContext&, const AtomicRequest& request, int pe) override {
        SharedLock guard(*target(pe).lock, "an atomic on static data");
        std::uint64_t old = 0;
        copy(::process_vm_readv, &old, request.dest, request.bytes, pe);
        std::uint64_t word = atomic_result(request, old);
        if (word != old) copy(::process_vm_writev, &word, request.dest, request.bytes, pe);
        return old;
    }
    void accumulate(TransportContext&, const Accumulation& what, int pe) override {
        accumulate_in_pieces(
            what, [&] { return SharedLock(*target(pe).lock, "an accumulate on static data"); },
            [&](char* piece, char* dest, std::size_t bytes) {
                copy(::process_vm_readv, piece, dest, bytes, pe);
            },
            [&](char* dest, char* piece, std::size_t bytes) {
                copy(::process_vm_writev, piece, dest, bytes, pe);
            });
    }

    // The kernel has finished a copy when the call returns.
    void fence(TransportContext&) override {}
    void quiet(TransportContext&) override {}
    void progress() override {}

  private:
    const CmaTarget& target(int pe) const {
        return targets_[static_cast<std::size_t>(pe - first_pe_)];
    }

    // The kernel may copy less than asked for; the rest is asked for again.
    void copy(ProcessCopy call, void* local, const void* symmetric, std::size_t bytes, int pe) {
        char* here = static_cast<char*>(local);
        std::uintptr_t there =
            reinterpret_cast<std::uintptr_t>(symmetric) - local_base_ + target(pe).base;
        while (bytes > 0) {
            iovec ours{.iov_base = here, .iov_len = bytes};
            iovec theirs{.iov_base = reinterpret_cast<void*>(there), .iov_len = bytes};
            ssize_t copied = call(target(pe).pid, &ours, 1, &theirs, 1, 0);
            if (copied <= 0) fail(pe, bytes);
            here += copied;
            there += static_cast<std::uintptr_t>(copied);
            bytes -= static_cast<std::size_t>(copied);
        }
    }

    [[noreturn]] void fail(int pe, std::size_t bytes) const {
        fatal(
            "cannot copy %zu bytes of static data of PE %d (pid %d): %s; allow process_vm_readv "
            "between the PEs (ptrace_scope, containers), or use memory from shmem_malloc",
            bytes, pe, target(pe).pid, std::strerror(errno));
    }

    std::vector<CmaTarget> targets_;
    int first_pe_;
    std::uintptr_t local_base_;
};

}  // namespace

std::unique_ptr<Transport> make_cma_transport(std::vector<CmaTarget> targets, int first_pe,
                                              std::uintptr_t local_base) {
    return std::make_unique<CmaTransport>(std::move(targets), first_pe, local_base);
}

}  // namespace tessera
