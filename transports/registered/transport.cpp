// SPDX-License-Identifier: BSD-3-Clause
//
// Registered segments of the other PEs of this node (README.md). The kernel copies; the owner's CPU
// does the rest, asked by the messages of another transport. THREADS: any.
#include <sys/uio.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/copy.hpp"
#include "base/fatal.hpp"
#include "transports/node_transports.hpp"

namespace tessera {
namespace {

using ProcessCopy = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long,
                                unsigned long);
enum class Direction : std::uint8_t { kPut, kGet };

// Shorter transfers are cheaper by one copy of the kernel.
constexpr std::size_t kSplitBytesMin = std::size_t{16} << 10;

// Runs for one call of the kernel, nearest first.
struct Batch {
    static constexpr std::size_t kRunsMax = 64;
    iovec here[kRunsMax];
    iovec there[kRunsMax];
    std::size_t count = 0;

    void add(char* local, std::uintptr_t remote, std::size_t bytes) {
        here[count] = {.iov_base = local, .iov_len = bytes};
        there[count++] = {.iov_base = reinterpret_cast<void*>(remote), .iov_len = bytes};
    }
};

class RegisteredTransport final : public Transport {
  public:
    RegisteredTransport(const SegmentNames& names, Transport& helper,
                        std::function<NodeProcess(int)> process_of, int npes)
        : names_(names),
          helper_(helper),
          process_of_(std::move(process_of)),
          ways_(static_cast<std::size_t>(npes)) {}

    const char* name() const override { return "registered"; }

    void put(TransportContext&, void* dest, const void* source, std::size_t bytes,
             int pe) override {
        transfer(Direction::kPut, dest, const_cast<void*>(source), bytes, pe);
    }
    void get(TransportContext&, void* dest, const void* source, std::size_t bytes,
             int pe) override {
        transfer(Direction::kGet, const_cast<void*>(source), dest, bytes, pe);
    }
    void put_nbi(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                 int pe) override {
        put(context, dest, source, bytes, pe);
    }
    void get_nbi(TransportContext& context, void* dest, const void* source, std::size_t bytes,
                 int pe) override {
        get(context, dest, source, bytes, pe);
    }
    void put_section(TransportContext&, char* remote, const char* local, const Section& section,
                     Returns, int pe) override {
        section_of(Direction::kPut, remote, const_cast<char*>(local), section, pe);
    }
    void get_section(TransportContext&, const char* remote, char* local, const Section& section,
                     Returns, int pe) override {
        section_of(Direction::kGet, const_cast<char*>(remote), local, section, pe);
    }
    void get_section_tracked(TransportContext&, const char* remote, char* local,
                             const Section& section, int pe, Operation&) override {
        section_of(Direction::kGet, const_cast<char*>(remote), local, section, pe);
    }

    void put_pieces(TransportContext&, char* remote, const char* local, BlockPairs pieces, Returns,
                    int pe) override {
        pieces_of(Direction::kPut, remote, const_cast<char*>(local), pieces, pe);
    }
    void get_pieces(TransportContext&, const char* remote, char* local, BlockPairs pieces, Returns,
                    int pe) override {
        pieces_of(Direction::kGet, const_cast<char*>(remote), local, pieces, pe);
    }
    void get_pieces_tracked(TransportContext&, const char* remote, char* local, BlockPairs pieces,
                            int pe, Operation&) override {
        pieces_of(Direction::kGet, const_cast<char*>(remote), local, pieces, pe);
    }

    std::uint64_t atomic(TransportContext&, const AtomicRequest& request, int pe) override {
        const auto context = helper_.make_context({});
        return helper_.atomic(*context, request, pe);
    }
    void accumulate(TransportContext&, const Accumulation& what, int pe) override {
        const auto context = helper_.make_context({});
        helper_.accumulate(*context, what, pe);
        helper_.quiet(*context);
    }

    // Every operation is complete when its call returns.
    void fence(TransportContext&) override {}
    void quiet(TransportContext&) override {}
    void progress() override { helper_.progress(); }

  private:
    enum class Way : std::uint8_t { kUnknown, kCopies, kMessages };

    // Reads the other process's random number: so its number is that of the right process, and the
    // kernel lets this one copy.
    bool may_copy(int pe) {
        std::atomic<Way>& way = ways_[static_cast<std::size_t>(pe)];
        const Way known = way.load(std::memory_order_relaxed);
        if (known != Way::kUnknown) return known == Way::kCopies;
        const NodeProcess process = process_of_(pe);
        std::uint64_t seen = 0;
        iovec here{.iov_base = &seen, .iov_len = sizeof seen};
        iovec there{.iov_base = reinterpret_cast<void*>(process.proof), .iov_len = sizeof seen};
        const bool is_it = ::process_vm_readv(process.pid, &here, 1, &there, 1, 0) ==
                               static_cast<ssize_t>(sizeof seen) &&
                           seen == process.random_number;
        way.store(is_it ? Way::kCopies : Way::kMessages, std::memory_order_relaxed);
        return is_it;
    }

    // A long one across the edges of the mapped pages: this PE copies these pages itself.
    void transfer(Direction direction, void* remote, void* local, std::size_t bytes, int pe) {
        const std::size_t at = names_.position_of(remote);
        auto* const here = static_cast<char*>(local);
        SegmentNames::MappedBytes pages{.first = bytes};
        if (bytes >= kSplitBytesMin) pages = names_.mapped_there(at, bytes, pe);
        if (pages.bytes > 0) {
            char* const part = here + pages.first;
            if (direction == Direction::kPut) copy_bytes(pages.memory, part, pages.bytes);
            if (direction == Direction::kGet) copy_bytes(part, pages.memory, pages.bytes);
        }
        const std::size_t behind = pages.first + pages.bytes;
        const std::uintptr_t there = names_.find_there(at, pe).address;
        const bool copies = may_copy(pe);
        Batch batch;
        const auto edge = [&](std::size_t begin, std::size_t count) {
            if (count == 0) return;
            if (copies) return batch.add(here + begin, there + begin, count);
            ask(direction, static_cast<char*>(remote) + begin, here + begin, count, pe);
        };
        edge(0, pages.first);
        edge(behind, bytes - behind);
        if (batch.count > 0) copy(direction, batch, pe);
    }
    void section_of(Direction direction, char* remote, char* local, const Section& section,
                    int pe) {
        if (!may_copy(pe)) {
            return for_each_index(section, 0, [&](std::ptrdiff_t there, std::ptrdiff_t here) {
                ask(direction, remote + there, local + here, section.run_bytes, pe);
            });
        }
        const std::uintptr_t first = address_of(remote, pe);
        Batch batch;
        for_each_index(section, 0, [&](std::ptrdiff_t there, std::ptrdiff_t here) {
            batch.add(local + here, first + static_cast<std::uintptr_t>(there), section.run_bytes);
            if (batch.count == Batch::kRunsMax) copy(direction, batch, pe);
        });
        if (batch.count > 0) copy(direction, batch, pe);
    }
    void pieces_of(Direction direction, char* remote, char* local, BlockPairs pieces, int pe) {
        const bool copies = may_copy(pe);
        Batch batch;
        for (; !pieces.is_at_end(); pieces.advance()) {
            const auto [there, here, bytes] = pieces.piece();
            if (!copies) {
                ask(direction, remote + there, local + here, bytes, pe);
                continue;
            }
            batch.add(local + here, address_of(remote + there, pe), bytes);
            if (batch.count == Batch::kRunsMax) copy(direction, batch, pe);
        }
        if (batch.count > 0) copy(direction, batch, pe);
    }
    std::uintptr_t address_of(const void* name, int pe) const {
        return names_.find_there(names_.position_of(name), pe).address;
    }

    void ask(Direction direction, void* remote, void* local, std::size_t bytes, int pe) {
        const auto context = helper_.make_context({});
        if (direction == Direction::kGet) return helper_.get(*context, local, remote, bytes, pe);
        helper_.put(*context, remote, local, bytes, pe);
        helper_.quiet(*context);
    }

    // Empties the batch. The kernel may copy less than asked for; the rest is asked for again.
    void copy(Direction direction, Batch& batch, int pe) {
        const ProcessCopy call =
            direction == Direction::kPut ? ::process_vm_writev : ::process_vm_readv;
        const pid_t pid = process_of_(pe).pid;
        for (std::size_t first = 0; first < batch.count;) {
            const std::size_t count = batch.count - first;
            const ssize_t copied =
                call(pid, batch.here + first, count, batch.there + first, count, 0);
            if (copied <= 0) fail(direction, pe, pid);
            auto left = static_cast<std::size_t>(copied);
            for (; first < batch.count && left >= batch.here[first].iov_len; ++first)
                left -= batch.here[first].iov_len;
            if (first == batch.count) break;
            advance(batch.here[first], left);
            advance(batch.there[first], left);
        }
        batch.count = 0;
    }
    static void advance(iovec& run, std::size_t bytes) {
        run.iov_base = static_cast<char*>(run.iov_base) + bytes;
        run.iov_len -= bytes;
    }

    [[noreturn]] void fail(Direction direction, int pe, pid_t pid) const {
        const int error = errno;
        const char* way = direction == Direction::kPut ? "to" : "from";
        if (error == ESRCH) {
            fatal_lost_peer(
                "cannot copy %s registered memory of PE %d (pid %d): %s; did that PE "
                "die?",
                way, pe, pid, std::strerror(error));
        }
        fatal(
            "cannot copy %s registered memory of PE %d (pid %d): %s; both memories must be mapped, "
            "readable and writable, the registered one until shmemx_deregister",
            way, pe, pid, std::strerror(error));
    }

    const SegmentNames& names_;
    Transport& helper_;
    const std::function<NodeProcess(int)> process_of_;
    std::vector<std::atomic<Way>> ways_;
};

}  // namespace

std::unique_ptr<Transport> make_registered_transport(const SegmentNames& names, Transport& helper,
                                                     std::function<NodeProcess(int)> process_of,
                                                     int npes) {
    return std::make_unique<RegisteredTransport>(names, helper, std::move(process_of), npes);
}

}  // namespace tessera
