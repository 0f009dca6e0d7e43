// SPDX-License-Identifier: BSD-3-Clause
//
// See shared_arrays.hpp.
#include "collectives/shared_arrays/shared_arrays.hpp"

#include <cstring>

#include "base/bits.hpp"
#include "base/copy.hpp"

namespace tessera::collectives {
namespace {

constexpr std::size_t kBufferBytes = kMailboxRounds * kSlotBytes;

std::size_t word_of(const char* table, int index) {
    std::size_t word = 0;
    std::memcpy(&word, table + static_cast<std::size_t>(index) * sizeof word, sizeof word);
    return word;
}

// A value of another member, which is mostly that of this one. The processor predicts the branch,
// so it fetches what lies at an address that follows from the value beside the line of the value.
template <class T>
TESSERA_INLINE T expect(T theirs, T mine) {
    if (theirs == mine) [[likely]]
        return mine;
    asm volatile("" : "+r"(theirs));  // or else the compiler returns `theirs` in both cases
    return theirs;
}

}  // namespace

SharedArrays::SharedArrays(Team& team, const Source& source, const char* where)
    : team_(team), where_(where), mailboxes_(team, where) {
    const Reach mine = announce(source);
    mailboxes_.announce_buffer();
    const std::size_t wanted =
        tables_bytes(tables_) + stride_ * static_cast<std::size_t>(team.my_index);
    for (int i = 0, index = team.my_index; i < team.npes; ++i) {
        index = index + 1 == team.npes ? 0 : index + 1;
        const Announced announced = mailboxes_.announced_by(index);
        if (index < kKept) kept_[index] = announced;
        // Beside the line of the header.
        if (mine == Reach::kInBuffer) __builtin_prefetch(announced.buffer + wanted);
        const Header& theirs = header_in(announced);
        not_copied_ += theirs.place >= Reach::kInPlace ? 1 : 0;
        out_of_reach_ += theirs.place == Reach::kOutOfReach ? 1 : 0;
        private_dests_ += theirs.dest_at == kNotInHeap ? 1 : 0;
    }
}

std::size_t SharedArrays::table_bytes() const {
    return round_up(static_cast<std::size_t>(team_.npes) * sizeof(std::size_t), kCacheLineBytes);
}

// A dest that gets nothing is within reach, too.
std::size_t SharedArrays::reachable_dest(const Source& source) const {
    if (source.dest_parts != nullptr) {
        if (source.dest_bytes == 0) return 0;
        if (2 * table_bytes() > kBufferBytes) return kNotInHeap;
    }
    if (source.dest == nullptr) return kNotInHeap;
    return heap_place_of(source.dest, source.dest_bytes);
}

SharedArrays::Reach SharedArrays::place_of(const Source& source, const Header& mine) const {
    if (source.bytes <= kBytesInNoteMax && mine.has_displacements == 0) return Reach::kInNote;
    const std::size_t data_at = tables_bytes(mine.tables());
    if (data_at > kBufferBytes) return Reach::kOutOfReach;
    const bool is_reachable = !source.changes && mine.source_at != kNotInHeap;
    const bool is_rather_written = source.dest_parts != nullptr && mine.dest_at != kNotInHeap;
    const bool is_copied = source.bytes <= (is_rather_written ? kSlotBytes
                                            : is_reachable    ? source.copied_bytes_max
                                                              : SIZE_MAX);
    if (is_copied && source.bytes <= kBufferBytes - data_at) return Reach::kInBuffer;
    return is_reachable ? Reach::kInPlace : Reach::kOutOfReach;
}

// The note comes last: others look at its line (Mailboxes::note).
SharedArrays::Reach SharedArrays::announce(const Source& source) {
    Header mine{.place = Reach::kOutOfReach,
                .has_displacements = source.displacements != nullptr,
                .has_dest_places = 0,
                .stride = source.stride,
                .source_at = heap_place_of(source.start, source.bytes),
                .dest_at = reachable_dest(source)};
    const bool takes = source.dest_parts != nullptr && source.dest_bytes > 0;
    if (takes && mine.dest_at != kNotInHeap) mine.has_dest_places = 1;
    mine.place = place_of(source, mine);
    tables_ = mine.tables();
    stride_ = mine.stride;
    char* const note = mailboxes_.note();
    announce_tables(source, mine);
    if (mine.place == Reach::kInNote) {
        copy_bytes(note + sizeof mine, source.start, source.bytes);
    } else if (mine.place == Reach::kInBuffer) {
        copy_long(mailboxes_.buffer() + tables_bytes(tables_), source.start, source.bytes);
    }
    // One by one: a copy would wait for the stores to `mine`.
    auto& shown = *reinterpret_cast<Header*>(note);
    shown.place = mine.place;
    shown.has_displacements = mine.has_displacements;
    shown.has_dest_places = mine.has_dest_places;
    shown.stride = mine.stride;
    shown.source_at = mine.source_at;
    shown.dest_at = mine.dest_at;
    return mine.place;
}

void SharedArrays::announce_tables(const Source& source, const Header& mine) const {
    char* const buffer = mailboxes_.buffer();
    if (mine.has_displacements != 0 && mine.place != Reach::kOutOfReach) {
        auto* table = reinterpret_cast<std::size_t*>(buffer);
        for (int i = 0; i < team_.npes; ++i)
            table[i] = source.displacements[i] * source.element_bytes;
    }
    if (mine.has_dest_places == 0) return;
    auto* table = reinterpret_cast<std::size_t*>(buffer + mine.has_displacements * table_bytes());
    for (int i = 0; i < team_.npes; ++i) {
        table[i] = static_cast<std::size_t>(source.dest_parts->at(i, source.element_bytes) -
                                            source.dest_parts->start);
    }
}

const char* SharedArrays::source_in(const Announced& announced, int index) const {
    const Header& theirs = header_in(announced);
    if (theirs.place == Reach::kInNote) return announced.note + sizeof theirs;
    if (theirs.place == Reach::kInBuffer)
        return announced.buffer + tables_bytes(expect(theirs.tables(), tables_));
    return mapped_heap_at(theirs.source_at, team_.world_pe(index));
}

const char* SharedArrays::part_of(int index, std::size_t offset) const {
    const Announced announced = announced_by(index);
    const Header& theirs = header_in(announced);
    const std::size_t begin =
        theirs.has_displacements != 0
            ? word_of(announced.buffer, team_.my_index)
            : expect(theirs.stride, stride_) * static_cast<std::size_t>(team_.my_index);
    return source_in(announced, index) + begin + offset;
}

char* SharedArrays::place_in(int index) const {
    const Announced announced = announced_by(index);
    const Header& theirs = header_in(announced);
    const char* table = announced.buffer + theirs.has_displacements * table_bytes();
    return mapped_heap_at(theirs.dest_at + word_of(table, team_.my_index), team_.world_pe(index));
}

void SharedArrays::finish(bool has_written_dests) const {
    if (not_copied_ > 0 || has_written_dests) team_.sync(team_, where_);
}

}  // namespace tessera::collectives
