// SPDX-License-Identifier: BSD-3-Clause
//
// The file or device of SHMEM_HEAP=noncoherent:PATH, by which the PEs of all nodes reach each
// other's public copies (transports/noncoherent). Each PE maps all of it and owns a part.
//
//   file                           part of a PE
//   +--------------+ 0             +-----------------+ 0
//   | part of PE 0 |               | PublicPart      |  its owner and its job
//   +--------------+ part_bytes    +-----------------+ kLinesOffset
//   | part of PE 1 |               | BakeryLine      |  of atomics on the PE's memory; only where
//   +--------------+               |     x nodes     |  there are several nodes
//   | ...          |               +-----------------+ stamps_offset
//   +--------------+               | tables of heap  |  what each PE has changed here; only where
//                                  | and static data |  there are several nodes
//                                  |     x PEs       |
//                                  +-----------------+ heap_offset
//                                  | copy of a range |  heap/node_file.hpp
//                                  +-----------------+ statics_offset
//                                  | copy of static  |
//                                  | data            |
//                                  +-----------------+
// Nothing here is coherent: PEs store past the caches, and drop lines before they load.
//
// Two jobs must not use the memory at the same time. On one host locks of the file keep them apart.
// Between hosts, and on devices without locks, the owner of a part counts its pulse up while it
// lives; a job that starts waits for the pulse of any PE, and one whose part has got another owner
// ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/fd.hpp"
#include "session/public_mapping.hpp"
#include "transports/noncoherent_transport.hpp"

namespace tessera {

// A PE describes its part by it, before others look.
struct alignas(kCacheLineBytes) PublicPart {
    std::uint64_t magic;  // kPublicMagic while a job uses the memory
    std::uint64_t job;    // a random number of this job, so that PEs know that they share the file
    std::uint64_t program;  // Node's digest of the program
    std::uint64_t static_bytes;
    std::uint64_t pulse;
    std::uint64_t npes;  // Other jobs find all parts by these.
    std::uint64_t part_bytes;
};
inline constexpr std::uint64_t kPublicMagic = 0x31424c4250534554;  // "TESPBLB1" in memory
static_assert(sizeof(PublicPart) == kCacheLineBytes);

class PublicFile {
  public:
    struct Setup {
        std::string path;
        int pe = 0;
        int npes = 1;
        int nodes = 1;
        std::uint64_t range_bytes = 0;
        std::uint64_t static_bytes_max = 0;  // static data of the PE that has most
        std::uint64_t asked_bytes = 0;       // memory of a PE that the user has set a size for
        PublicPart mine{};
    };
    // Maps the file, which it makes large enough, locks this PE's part against other jobs, fills it
    // with zeros and signs it. Errors end the job.
    explicit PublicFile(Setup setup);
    // Ends the job unless every PE has signed its part of the file that this PE sees. REQUIRES: all
    // PEs have made their objects.
    void check_parts() const;
    // Counts the pulse up. Ends the job if another one has taken this PE's part. `where`: the
    // routine, for the message. THREADS: any. COST: a load and a store of a line in the file.
    void show_life(const char* where);
    // Gives the pages of this PE's part back. REQUIRES: no PE uses it any more.
    void empty_my_part() const;
    // Lets a job that starts find the memory free at once. REQUIRES: this PE uses no memory of the
    // file any more; others may.
    void remove_signature() const;

    // Says why an access to this address is a SIGBUS, if the address is in the file. THREADS: any,
    // also in a handler of the signal.
    void explain_missing_memory(const void* address) const;

    noncoherent::Access access() const { return access_of(kind_); }
    char* heap(int pe) const { return part(pe) + heap_offset_; }
    // nullptr: that PE runs another program. REQUIRES: check_parts().
    char* statics(int pe) const;
    // nullptr, both: there is one node.
    noncoherent::BakeryLine* lines(int pe) const;
    // The tables in `owner`'s part that `pe` writes: that of the heap, behind it that of static
    // data.
    char* stamps(int owner, int pe) const;

  private:
    static constexpr std::size_t kLinesOffset = sizeof(PublicPart);

    char* part(int pe) const {
        return map_.data() + static_cast<std::size_t>(pe) * static_cast<std::size_t>(part_bytes_);
    }
    std::uint64_t bytes() const { return static_cast<std::uint64_t>(setup_.npes) * part_bytes_; }
    PublicPart read(int pe) const;
    void wait_for_other_jobs() const;
    void open();
    void make_large_enough() const;
    void check_free_blocks() const;
    void lock_my_part() const;
    // With the reason of the system call that has just failed.
    [[noreturn]] void fail(const char* what, const char* remedy) const;
    [[noreturn]] void fail_used() const;

    Setup setup_;
    std::string name_;  // the setting, and the host that has this PE, for messages
    PublicFileKind kind_ = PublicFileKind::kFile;
    std::uint64_t stamps_offset_ = 0;
    std::uint64_t stamps_bytes_ = 0;  // bytes of the tables that one PE writes
    std::uint64_t heap_offset_ = 0;
    std::uint64_t statics_offset_ = 0;
    std::uint64_t part_bytes_ = 0;
    Fd file_;
    Mapping map_;
    std::atomic<std::uint64_t> pulse_{0};  // relaxed: any larger number will do
};

}  // namespace tessera
