// SPDX-License-Identifier: BSD-3-Clause
//
// Makes the transport of a non-coherent heap (SHMEM_HEAP) from the node's files: see coherence.hpp.
#include "core/coherence.hpp"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/cache_lines.hpp"
#include "base/fatal.hpp"
#include "core/background.hpp"
#include "core/config.hpp"
#include "core/context_without_stores.hpp"
#include "core/live.hpp"
#include "core/local_memory.hpp"

namespace tessera {
namespace {

[[noreturn]] TESSERA_COLD void fail_file(const std::string& path, const char* what) {
    fatal("shmem_init: SHMEM_HEAP=noncoherent:%s: %s: %s", path.c_str(), what,
          std::strerror(errno));
}

// This PE's part of the file is its own while the process lives. Another job that uses the file
// would share memory with this one.
void lock_part(int file, const std::string& path, std::uint64_t begin, std::uint64_t bytes) {
    struct flock part {};
    part.l_type = F_WRLCK;
    part.l_whence = SEEK_SET;
    part.l_start = static_cast<off_t>(begin);
    part.l_len = static_cast<off_t>(bytes);
    if (::fcntl(file, F_OFD_SETLK, &part) == 0) return;
    if (errno != EAGAIN && errno != EACCES) return;  // Some devices have no locks.
    fatal("shmem_init: SHMEM_HEAP=noncoherent:%s: another job uses the file; give each job its own",
          path.c_str());
}

// The heap's parts. Nothing lies behind what their allocators have handed out.
std::vector<noncoherent::UsedPart> parts_of_heap(const heap::MemoryRange& range) {
    return {
        {.begin = 0, .end = [] { return live->allocator ? live->allocator->highest_end() : 0; }},
        {.begin = range.team_begin(),
         .end = [] { return live->team_memory ? live->team_memory->highest_end() : 0; }},
        {.begin = range.local_begin(), .end = local_memory_end}};
}

}  // namespace

Fd open_public_heaps(const std::string& path, std::uint64_t bytes) {
    if (drop_instruction() == LineInstruction::kNone) {
        fatal(
            "shmem_init: SHMEM_HEAP=noncoherent:%s: this processor does not let programs "
            "maintain its caches",
            path.c_str());
    }
    Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!file) fail_file(path, "cannot open the file");
    struct stat facts {};
    if (::fstat(file.get(), &facts) != 0) fail_file(path, "cannot look at the file");
    if (S_ISREG(facts.st_mode) && static_cast<std::uint64_t>(facts.st_size) < bytes &&
        ::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) {
        fail_file(path, "cannot make the file large enough for the heaps of all PEs");
    }
    return file;
}

void empty_public_heap(int file, const std::string& path, const PublicHeap& mine) {
    lock_part(file, path, mine.offset, mine.bytes);
    if (::fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    static_cast<off_t>(mine.offset), static_cast<off_t>(mine.bytes)) == 0) {
        return;
    }
    // A device: all of it, because it has no holes.
    constexpr std::size_t kStepBytes = 4096;
    static constexpr char kZeros[kStepBytes] = {};
    for (std::size_t at = 0; at < mine.bytes; at += kStepBytes) {
        store_past_cache(mine.start + at, kZeros, kStepBytes);
    }
    finish_stores_past_cache();
}

std::unique_ptr<noncoherent::NoncoherentTransport> make_coherence(const CoherenceParts& parts) {
    const Node& node = parts.node;
    const launch::Job& job = parts.job;
    const heap::StaticData& statics = heap::static_data();
    noncoherent::Setup setup{
        .pe = job.pe,
        .neighbours = {},
        .heap = {.own = parts.own_heap,
                 .bytes = node.header().range.bytes(),
                 .pe = job.pe,
                 .publics = {},
                 .parts = parts_of_heap(node.header().range),
                 .access = config().heap.kind == HeapKind::kFile ? noncoherent::Access::kPastCache
                                                                 : noncoherent::Access::kCoherent},
        .statics = {.own = reinterpret_cast<char*>(statics.base),
                    .bytes = statics.bytes,
                    .pe = job.pe,
                    .publics = parts.public_statics,
                    .parts = {{.begin = 0, .end = [bytes = statics.bytes] { return bytes; }}}},
        .seed = config().eviction_seed.value};
    for (int i = 0; i < job.nlocal; ++i) {
        InternalSegment& internal = node.internal(i);
        setup.heap.publics.push_back(node.heap(i));
        setup.neighbours.push_back(
            {.sleeper = &internal.sleeper,
             .lock = &internal.static_lock,
             .internal = reinterpret_cast<char*>(&internal),
             .runs_my_program = parts.public_statics[static_cast<std::size_t>(i)] != nullptr});
    }
    auto made = noncoherent::make_transport(std::move(setup));
    if (!made) fatal("shmem_init: out of address space for copies of the symmetric heap");
    return made;
}

TransportContext& context_without_stores() {
    static TransportContext& context = *new TransportContext;
    return context;
}

void drive_coherence() {
    address_map.coherence->progress();
    advance_background();
}

void add_duties_to_sync(Team& team) {
    if (address_map.coherence == nullptr) return;
    team.plain_sync = team.sync;
    team.sync = [](Team& of, const char* where) {
        perform_duty(SyncPoint::kSyncBegin);
        of.plain_sync(of, where);
        perform_duty(SyncPoint::kSyncEnd);
    };
}

}  // namespace tessera
