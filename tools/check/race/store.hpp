// SPDX-License-Identifier: BSD-3-Clause
//
// Where the race detector keeps what all PEs need: one block per PE, which describes the symmetric
// memory of that PE. PEs of one host map each other's blocks (host_memory.hpp), also those of
// virtual nodes. A job of several hosts has the blocks in team memory; there pshmem_ routines on a
// context of the checker's own reach them, so that the program's operations stay as incomplete as
// they are. Blocks are sparse: pages that no access touches cost nothing.
//
//   | lock | sites: texts | deliveries: of each sender | released: by word | cells: by word |
//
// A word's cell and record are found by its number, modulo theirs. Two words that share a cell
// forget each other's accesses; two that share a record synchronize more than they should. Both
// may hide a race, and invent none.
//
// THREADS: one at a time (detector.cpp has a mutex); other PEs are kept out by the block's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/check/race/clocks.hpp"
#include "tools/check/race/host_memory.hpp"
#include "tools/check/race/shadow.hpp"
#include "tools/interpose/call.hpp"

namespace tessera::check::race {

class Store {
  public:
    static constexpr std::size_t kCells = std::size_t{1} << 20;  // for 8 MiB of each PE
    static constexpr std::size_t kRecords = 4096;
    static constexpr std::size_t kSites = 4096;
    static constexpr std::size_t kSiteBytes = 256;
    static constexpr int kPesMax = 1024;
    // The record of long puts, whose words have none of their own.
    static constexpr std::size_t kLongPuts = kRecords;
    // The record of calls that have no word (of PE 0).
    static constexpr std::size_t kForAll = kRecords + 1;

    // Collective over all PEs. False: there is no memory for it.
    bool open(int pe, int n_pes);
    void close();

    // Both nest, for one PE at a time.
    void lock(int pe);
    void unlock(int pe);

    // REQUIRES, from here on: the caller has locked `pe`.
    // The cells of consecutive words, which do not wrap around the table; they may be changed until
    // write_cells(), which must follow.
    std::span<Cell> read_cells(int pe, std::uint64_t word, std::size_t count);
    void write_cells();
    static std::size_t words_to_wrap(std::uint64_t word) { return kCells - word % kCells; }

    std::span<const Released> read_record(int pe, std::size_t record);
    // Adds what `from` releases, with all that it knows, to consecutive records.
    void join_records(int pe, std::size_t record, std::size_t count, int from, const Clock& clock,
                      const Progress& delivered);

    Deliveries read_deliveries(int target, int sender);
    void write_deliveries(int target, int sender, const Deliveries& deliveries);

    // The text of a site needs no lock: its PE writes it before the first access that names it.
    void write_site(std::size_t site, const std::string& text);
    std::string read_site(int pe, std::size_t site);

  private:
    bool open_team_memory(std::size_t bytes);
    std::size_t record_at(std::size_t record) const;
    char* direct(int pe, std::size_t offset) const;
    void complete_writes();
    void read(int pe, std::size_t offset, void* into, std::size_t bytes);
    void write(int pe, std::size_t offset, const void* from, std::size_t bytes);

    int pe_ = 0;
    int n_pes_ = 0;
    HostMemory host_memory_;
    char* base_ = nullptr;       // in team memory; null: all blocks are mapped
    std::vector<char*> mapped_;  // null: the PE's block is on another node
    shmem_ctx_t context_ = SHMEM_CTX_INVALID;
    std::size_t deliveries_at_ = 0;
    std::size_t records_at_ = 0;
    std::size_t cells_at_ = 0;
    int locks_ = 0;
    // Puts under way to the locked PE of another node, from the first to behind the last byte.
    std::size_t written_begin_ = 0;
    std::size_t written_end_ = 0;
    // Copies for PEs of other nodes.
    std::vector<Cell> cells_;
    std::size_t cells_offset_ = 0;
    int cells_pe_ = -1;
    std::vector<Released> records_;
};

}  // namespace tessera::check::race
