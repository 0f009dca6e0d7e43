// SPDX-License-Identifier: BSD-3-Clause
//
// See helpers.hpp: the process of a helper.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/clock.hpp"
#include "base/copy.hpp"
#include "base/fatal.hpp"
#include "base/fd.hpp"
#include "heap/helper_copy.hpp"
#include "heap/node_file.hpp"
#include "helpers.hpp"
#include "topology/topology.hpp"

namespace tessera::oshrun {
namespace {

using heap::HelperRing;

// A helper with a core of its own polls so long after a copy; waking it costs a PE 2 to 5 us.
constexpr std::uint64_t kLingerNs = 1'000'000;

class Helper {
  public:
    Helper(int node_fd, int heap_fd, int number) : number_(number) {
        heap::NodeLayout layout;
        if (::pread(node_fd, static_cast<void*>(&layout), sizeof layout, 0) !=
            static_cast<ssize_t>(sizeof layout)) {
            fail("cannot read the shared file of the node");
        }
        const std::size_t heaps_bytes = static_cast<std::size_t>(layout.npes) * layout.heap_stride;
        heaps_ = Mapping::share(heap_fd, 0, heaps_bytes, {.aligned_to = kHugePageBytes});
        node_ = Mapping::share(node_fd, 0, layout.static_offset);
        if (!heaps_.is_mapped() || !node_.is_mapped()) fail("cannot map the memory of the node");
        if (layout.page_kind == heap::PageKind::kTransparentHuge) {
            ::madvise(heaps_.data(), heaps_.bytes(), MADV_HUGEPAGE);
        }
        // A crash must not write the heaps.
        ::madvise(heaps_.data(), heaps_.bytes(), MADV_DONTDUMP);
        ::madvise(node_.data(), node_.bytes(), MADV_DONTDUMP);
        maps_ = {.node = node_.data(), .heaps = heaps_.data()};
        board_ = reinterpret_cast<heap::HelperBoard*>(maps_.node + helpers_offset(layout));
        const auto* facts =
            reinterpret_cast<const topology::Facts*>(maps_.node + layout.facts_offset);
        choose_copy_routine(facts->l3_bytes);
        looked_up_to_.resize(static_cast<std::size_t>(layout.npes));
    }

    [[noreturn]] void run() {
        // One that the bell has not.
        std::uint32_t heard = board_->bell.load(std::memory_order_acquire) - 1;
        std::uint64_t worked_at = now_ns();
        for (;;) {
            // Acquire: pairs with ring_bell(): the entries of all posts before are there.
            const std::uint32_t bell = board_->bell.load(std::memory_order_acquire);
            if (bell != heard) {
                heard = bell;
                while (look_at_rings()) {
                }
                worked_at = now_ns();
            } else if (board_->plan.have_cores != 0 && now_ns() - worked_at < kLingerNs) {
                cpu_pause();
            } else {
                board_->sleep_at(heard);
            }
        }
    }

  private:
    // RETURNS: whether there was something to copy.
    bool look_at_rings() {
        bool has_copied = false;
        const std::size_t count = looked_up_to_.size();
        // Helpers begin at different rings.
        for (std::size_t i = 0; i < count; ++i) {
            has_copied |= look_at((i + static_cast<std::size_t>(number_)) % count);
        }
        return has_copied;
    }

    bool look_at(std::size_t index) {
        HelperRing& ring = board_->ring(static_cast<int>(index));
        ring.answer_if_asked(heap::can_read);
        const std::uint64_t tickets = ring.tickets();
        std::uint64_t& first = looked_up_to_[index];
        first = std::max(first, HelperRing::first_open(tickets));
        bool has_copied = false;
        for (std::uint64_t ticket = first; ticket < tickets; ++ticket) {
            while (const auto piece = ring.claim(ticket)) {
                copy(ring, *piece);
                has_copied = true;
            }
            // Not so if a thread has taken the ticket, but not posted yet.
            if (ticket == first && ring.is_claimed(ticket)) ++first;
        }
        return has_copied;
    }

    void copy(HelperRing& ring, const HelperRing::Piece& piece) const {
        const int error = copy_piece_of_other(ring, piece, maps_);
        if (error == 0) return;
        warn(
            "cannot %s %llu bytes at %#llx in process %d: %s; memory of put_nbi and get_nbi must "
            "stay until shmem_quiet",
            piece.copy.kind == heap::HelperCopy::Kind::kPut ? "read" : "write",
            static_cast<unsigned long long>(piece.bytes()),
            static_cast<unsigned long long>(piece.copy.local + piece.offset()), piece.copy.pid,
            std::strerror(error));
        ::_exit(1);
    }

    [[noreturn]] static void fail(const char* what) {
        warn("%s: %s", what, std::strerror(errno));
        ::_exit(1);
    }

    int number_;
    Mapping heaps_;
    Mapping node_;
    heap::NodeMaps maps_;
    heap::HelperBoard* board_ = nullptr;
    std::vector<std::uint64_t> looked_up_to_;  // by ring: all tickets before are claimed
};

}  // namespace

void run_helper(int argc, char** argv) {
    if (argc != 4 || std::strcmp(argv[0], kHelperName) != 0) return;
    ::prctl(PR_SET_NAME, kHelperName);
    set_message_prefix("oshrun: progress helper: ");
    Helper helper(std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3]));
    // Among them pipes of oshrun, whose other ends wait for the last writer.
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    helper.run();
}

}  // namespace tessera::oshrun
