// SPDX-License-Identifier: BSD-3-Clause
//
// The arrays of all members of a team on one node, within reach of loads and stores: each member
// announces its source and its dest in the note of its mailbox (messaging/mailboxes.hpp), and all
// members read the announcements. Then each member reads its parts of the sources, or writes its
// parts to the dests. A short source lies in the note or in the mailbox's buffer, so the member may
// go on at once. A longer one is read in place, if it is heap memory, at any address; or it is
// copied to the buffer, if it fits. A source that fits nowhere is out of reach, as all members see.
//
//   note     Header | the copied source, if that is short and there are no tables
//   buffer   displacements of the source, if there are some | those of the dest, if members may
//            write to it: one word for each member | the copied source
//
// THREADS: like collectives. Lives for one call; made by all members.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/streams/call.hpp"
#include "messaging/mailboxes.hpp"
#include "messaging/operands.hpp"

namespace tessera::collectives {

// Where members read their parts, sources of up to so many bytes are copied first. A program writes
// to its source between two calls, and stores to lines that others have read wait one for the
// other; the copy's do not (docs/measurements/runtime-layer.md).
inline constexpr std::size_t kLongCopyBytesMax = std::size_t{128} << 10;

// Announcing and finding the arrays, in latencies.
inline constexpr double kExposing = 0.2;

class SharedArrays {
  public:
    struct Source {
        const void* start = nullptr;
        std::size_t bytes = 0;  // all of the array
        // In bytes, of the part of each member; nullptr: member i's part is at stride * i.
        const std::size_t* displacements = nullptr;
        std::size_t element_bytes = 1;  // unit of the displacements
        std::size_t stride = 0;
        bool changes = false;  // The call writes to it, so it cannot be read in place.
        // A source of up to so many bytes is rather copied than read in place.
        std::size_t copied_bytes_max = kSlotBytes;
        void* dest = nullptr;  // if others write to it
        std::size_t dest_bytes = 0;
        // Where each of them writes; nullptr: they know. They write to all dests or to none, and
        // to none if all sources are short.
        const MemberParts* dest_parts = nullptr;
    };

    // REQUIRES: a team with mailboxes on one node.
    // RETURNS when: all members have announced their arrays.
    SharedArrays(Team& team, const Source& source, const char* where);
    SharedArrays(const SharedArrays&) = delete;
    SharedArrays& operator=(const SharedArrays&) = delete;

    bool is_complete() const { return out_of_reach_ == 0; }
    // Every source has been copied.
    bool has_only_copies() const { return not_copied_ == 0; }
    bool has_all_dests() const { return private_dests_ == 0; }
    // Byte `offset` of the part that member `index` has for this one.
    const char* part_of(int index, std::size_t offset) const;
    // Byte `offset` of member `index`'s source.
    const char* source_of(int index, std::size_t offset) const {
        return source_in(announced_by(index), index) + offset;
    }
    // The dest that the member has named, at `offset`. REQUIRES: has_dest_of(index).
    char* dest_of(int index, std::size_t offset) const {
        return mapped_heap_at(header_in(announced_by(index)).dest_at + offset,
                              team_.world_pe(index));
    }
    bool has_dest_of(int index) const {
        return header_in(announced_by(index)).dest_at != kNotInHeap;
    }
    // Where this member's part goes in that dest. REQUIRES: dest_parts on that member.
    char* place_in(int index) const;
    // RETURNS when: this member may change its source, and all that others wrote to its dest is
    // there.
    void finish(bool has_written_dests = false) const;

  private:
    enum class Reach : std::uint16_t { kInNote, kInBuffer, kInPlace, kOutOfReach };
    struct Header {
        Reach place;
        std::uint16_t has_displacements;
        std::uint32_t has_dest_places;
        std::size_t stride;
        std::size_t source_at;  // in the heap
        std::size_t dest_at;    // in the heap; kNotInHeap: out of reach

        std::uint32_t tables() const { return has_displacements + has_dest_places; }
    };
    // The rest of the line of the gate: the next one would be one more to fetch.
    static constexpr std::size_t kBytesInNoteMax =
        kCacheLineBytes - kNoteAlignment - sizeof(Header);
    static_assert(sizeof(Header) % kNoteAlignment == 0);
    using Announced = Mailboxes::Announced;
    // The announcements of so many members are looked up once.
    static constexpr int kKept = 16;

    Reach place_of(const Source& source, const Header& mine) const;
    Reach announce(const Source& source);
    void announce_tables(const Source& source, const Header& mine) const;
    std::size_t reachable_dest(const Source& source) const;
    Announced announced_by(int index) const {
        return index < kKept ? kept_[index] : mailboxes_.announced_by(index);
    }
    static const Header& header_in(const Announced& announced) {
        return *reinterpret_cast<const Header*>(announced.note);
    }
    const char* source_in(const Announced& announced, int index) const;
    // Bytes of a table in the buffer, whole lines; and of all in front of the copied source.
    std::size_t table_bytes() const;
    std::size_t tables_bytes(std::uint32_t tables) const {
        return tables == 0 ? 0 : tables * table_bytes();
    }

    Team& team_;
    const char* where_;
    Mailboxes mailboxes_;
    int not_copied_ = 0;  // members; with those out of reach
    int out_of_reach_ = 0;
    int private_dests_ = 0;
    std::uint32_t tables_;  // this member's tables
    std::size_t stride_;    // likewise
    Announced kept_[kKept];
};

}  // namespace tessera::collectives
