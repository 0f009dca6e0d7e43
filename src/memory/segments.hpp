// SPDX-License-Identifier: BSD-3-Clause
//
// The table of registered segments of this PE (include/shmemx/segments.h). A segment has a range of
// names, at the same offsets on all members of its team, in address space that is reserved for
// names and mapped nowhere. Each member's part has names from the start of the range on, moved by
// as much as the part's address is beyond a multiple of kPartAlignment: so a name is as aligned as
// the byte that it names. Operations look names up on their slow path, when the address is neither
// in the heap nor in static data. collectives/segments.cpp fills the table. THREADS: any.
//
// The pages of a part that the owner could share (heap/shared_pages.hpp) are mapped by the other
// PEs of the node, each at its first access. The rest is reached by transports/registered.
//
// Memory: a map node for each segment, and a table of the parts, 48 bytes for each member. Teams of
// kSharedTableMembers have the table once for a node, in shared pages of its first member.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <span>
#include <vector>

#include "base/mutexes.hpp"
#include "heap/peer_pages.hpp"
#include "heap/shared_pages.hpp"
#include "memory/external_heap.hpp"
#include "teams/team.hpp"
#include "transports/fabric_transport.hpp"
#include "transports/segment_names.hpp"

namespace tessera {

inline constexpr std::size_t kPartAlignment = 16;  // alignment of the largest atomic element

// The memory of a member.
struct SegmentPart {
    std::uintptr_t address = 0;
    std::size_t bytes = 0;
    heap::PageSpan pages{};  // pages that PEs of the owner's node can map; empty: none
    // As other nodes name it.
    std::uint64_t fabric_address = 0;
    std::uint64_t key = 0;
};

// The parts of all members, by number in the team. An owner of one of the three.
struct SegmentTable {
    std::vector<SegmentPart> own{};
    heap::PeerPages::View view{};   // the table of another PE of the node
    SegmentPart* shared = nullptr;  // this PE's, for the node
    std::size_t count = 0;

    const SegmentPart& operator[](int index) const {
        const auto at = static_cast<std::size_t>(index);
        if (!own.empty()) return own[at];
        const void* start = shared != nullptr ? shared : static_cast<const void*>(view.start);
        return static_cast<const SegmentPart*>(start)[at];
    }
};
inline constexpr int kSharedTableMembers = 16;

struct RegisteredSegment {
    std::size_t begin = 0;  // names
    std::size_t end = 0;
    const Team* team = nullptr;
    int my_index = 0;  // this PE's number in it
    SegmentPart mine{};
    SegmentTable table{};
    FabricTransport::Region region{};  // region of this PE's part
    // Of the PEs of this node whose part has been accessed, by their number in the world.
    mutable std::map<int, heap::PeerPages::View> views{};

    // This PE's is there from claim() on, the others' from complete() on.
    const SegmentPart& part(int index) const { return index == my_index ? mine : table[index]; }
    // The name of the first byte of a member's part.
    std::size_t first_name(int index) const;
};

struct SegmentTransport;

class Segments final : public SegmentNames {
  public:
    static constexpr std::size_t kNone = ~std::size_t{0};
    static constexpr std::size_t kBehindLast = kNone - 1;  // a hint: behind the last claimed names

    // The first place, from `from` on, of `bytes` names that are free here; kNone: there is none.
    // Behind the last ones a later proposal gets other names, so that threads hardly ever collide.
    std::size_t propose(std::size_t from, std::size_t bytes);
    // False: some of the names are in use.
    bool try_claim(RegisteredSegment&& segment);
    // Adds the parts of the other members.
    void complete(std::size_t begin, SegmentTable&& table);
    // Gives the names back. RETURNS: the segment whose names begin there.
    std::optional<RegisteredSegment> try_take(std::size_t begin);
    // Gives back all names of a team that ends.
    void forget_all_of(const Team* team);

    // Ends what a segment holds besides its names.
    void release(RegisteredSegment& segment);

    // A table in this PE's shared pages; `shared` is nullptr where that is not possible.
    SegmentTable share_table(std::span<const SegmentPart> parts);
    // The table that `pe` has at `address`; view.start is nullptr where it cannot be mapped.
    SegmentTable view_table(int pe, std::uintptr_t address, std::size_t count);

    // Counts a part of this PE, before it is claimed, and shares its pages where that is possible
    // and they have at least so many bytes. release_part() ends that.
    void share_part(SegmentPart& part, std::size_t pages_min);
    void release_part(const SegmentPart& part);
    heap::SharedPages& pages() { return pages_; }
    // For finalize: no PE uses a name any more.
    void close();

    // segment_transport.cpp. Lets PEs of this node reach this PE's segments, and this PE theirs,
    // from the next sync with them on. Does nothing the second time.
    void open_transport();
    // The way to segments of another PE. REQUIRES: the operation is checked.
    Transport& transport_to(int pe) const;

    // Calls visit(segment) with the segment whose names begin there. RETURNS: whether it exists.
    template <class Visit>
    bool with_segment(std::size_t begin, Visit visit) const {
        std::shared_lock guard(lock_);
        const auto found = by_begin_.find(begin);
        if (found == by_begin_.end()) return false;
        visit(found->second);
        return true;
    }

    // REQUIRES, for all below: contains(name).
    // Memory that this PE can load and store, or nullptr: a transport reaches it. An access that
    // is not to registered memory of `pe` alone ends the job.
    // COST: some ns where the thread has accessed the part before; else two searches.
    char* remote(const void* name, std::size_t bytes, int pe, const char* where) const;
    // The same of one byte, without messages: nullptr also where it is not registered.
    char* find(const void* name, int pe) const;
    // The same of this PE's memory, without messages: nullptr, it is none.
    char* find_here(const void* name, std::size_t bytes) const;
    // Whether `pe` has registered the byte.
    bool has(const void* name, int pe) const;
    // The PE whose part is mapped at the address, which is not this PE's own, or -1.
    int owner_of_view(std::uintptr_t address) const;
    [[noreturn]] void fail(const void* name, std::size_t bytes, int pe, const char* where) const;

    char* memory_here(std::size_t offset, std::size_t bytes) const override;
    RemoteByte find_there(std::size_t offset, int pe) const override;
    MappedBytes mapped_there(std::size_t offset, std::size_t bytes, int pe) const override;
    std::size_t position_of_memory(const void* address) const override;

    char* address_of(std::size_t offset) const {
        return reinterpret_cast<char*>(start_.load(std::memory_order_relaxed) + offset);
    }

  private:
    struct Found {
        const RegisteredSegment* segment = nullptr;  // nullptr: the names are free
        int index = -1;                              // -1: the PE is no member
        std::size_t offset = 0;  // in the part; huge where the name is before it
    };
    bool reserve();
    // Bytes that this PE can load and store, from a name on.
    struct Here {
        std::size_t first = 0;
        std::size_t bytes = 0;  // 0: it cannot
        char* memory = nullptr;
    };
    Here mapped_part(const Found& found, int pe) const;
    std::size_t first_free(std::size_t from, std::size_t bytes) const;
    // All with lock_.
    Found find(std::size_t offset, int pe) const;
    static bool holds(const Found& found, std::size_t bytes);

    mutable ShortSharedMutex lock_;
    std::map<std::size_t, RegisteredSegment> by_begin_;
    std::size_t next_ = 0;
    heap::SharedPages pages_;  // this PE's pages
    // Taken with lock_. The pages of other PEs, by world PE.
    mutable ShortMutex views_lock_;
    mutable std::map<int, heap::PeerPages> peers_;
    void close_transport();
    ShortMutex opening_;
    std::atomic<SegmentTransport*> transport_{nullptr};
};

namespace internal {
extern Segments& the_segments;
}
inline Segments& segments() { return internal::the_segments; }

// Whether an address is a name. COST: three loads and a compare.
TESSERA_INLINE bool is_segment_name(const void* address) { return segments().contains(address); }
// Whether an address is a name, or lies in an external heap. COST: three loads and a compare more.
TESSERA_INLINE bool is_registered(const void* address) {
    return is_segment_name(address) || find_external_heap(address, 1) != nullptr;
}

// All three take an external heap that has the address. RETURNS: pe's copy of the object at
// `address`, or nullptr when it is not mapped.
char* mapped_of(const ExternalHeap& heap, const void* address, int pe);
// Whether operations reach it.
bool is_registered_by(int pe, const ExternalHeap& heap, const void* address);
// The same as mapped_of() where an operation needs it: nullptr where a transport reaches it. The
// job ends where the memory is a device's, or the PE's heap does not have all the bytes.
char* remote_of(const ExternalHeap& heap, const void* address, std::size_t count, int pe,
                const char* where);

// segment_transport.cpp.
// The member that has the table for this node: the first one here.
int keeper_of_table(const Team& team);
// Publishes where the PEs of this node find this PE's shared pages, from the next sync on.
void publish_pages(const heap::PagesOffer& offer);
heap::PagesOffer published_pages(int pe);
// Lets other nodes reach this PE's part, and ends that. Nothing where the members are on one node.
FabricTransport::Region open_region(const Team& team, const SegmentPart& mine);
void close_region(const FabricTransport::Region& region);

}  // namespace tessera
