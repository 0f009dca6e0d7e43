// SPDX-License-Identifier: BSD-3-Clause
//
// A thread's part of the trace: the mapped file of format.hpp, and what the thread notes in it. The
// number of records is fixed, so a trace of any length takes the same memory. When a table is full,
// half of its records make room: of the long calls the shorter ones, of the collectives those with
// odd numbers, which are the same on all PEs.
// THREADS: one thread writes a part. `heap`, `teams` and `choices` have a lock of their callers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "format.hpp"
#include "operations.hpp"
#include "tools/interpose/counted.hpp"
#include "waiting.hpp"

namespace tessera::trace {

// The calls with one peer, as interpose/counted.hpp lays them out.
struct Row {
    alignas(kLineBytes) const WaitingPe* waiting;  // its first word is the observer's watch
    Cell cells[kOperationCount];
};
inline constexpr std::uint32_t kRowCells = sizeof(Row) / sizeof(Cell);
static_assert(kRowCells == 1 + kOperationCount && sizeof(Row) % sizeof(Cell) == 0);
static_assert(offsetof(Row, cells) == interpose::kCountLineBytes);

class Part {
  public:
    struct Identity {
        std::string directory;
        int pe = 0;
        int npes = 0;
        std::uint32_t thread = 0;
        std::uint32_t records_max = 0;
    };

    // RETURNS: the part, or nullptr and the reason in `error`.
    static Part* make(const Identity& identity, std::string& error);

    Header& header() { return *header_; }

    Row* rows() { return entries_of<Row>(kCellTable); }

    void note_bandwidth(Direction direction, bool is_off_node, std::uint64_t bytes,
                        std::uint64_t ns);
    void note_long(const Record& record) {
        if (record.duration_ns >= header_->long_from_ns) append_long(record);
    }
    void note_collective(const Record& record);
    void note_release(const Release& release);
    void note_heap(const HeapUse& use);
    void note_maps();
    // RETURNS: false if there is no room.
    bool note_team(const TeamEntry& team);
    // RETURNS: the new entry, or nullptr if there is no room.
    ChoiceEntry* add_choice(const ChoiceEntry& choice);

  private:
    template <class Entry>
    Entry* entries_of(TableNumber number) {
        return reinterpret_cast<Entry*>(reinterpret_cast<char*>(header_) +
                                        header_->tables[number].offset);
    }
    template <class Entry>
    bool append(TableNumber number, const Entry& entry);
    void append_long(const Record& record);
    // Drops the entries of a full table whose `measure` is below the limit, which rises until half
    // of the table is free.
    template <class Entry>
    void thin(TableNumber number, std::uint64_t Entry::*measure, std::uint64_t& limit_ns);
    void thin_matched();

    Header* header_ = nullptr;
    std::uint64_t release_from_ns_ = 0;
};

}  // namespace tessera::trace
