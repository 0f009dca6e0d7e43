// SPDX-License-Identifier: BSD-3-Clause
//
// See pe_record_lock.hpp. The kernel keeps the lock. It ends with the process, and when the process
// closes a descriptor of the node file, which shmem_finalize does.
#include "session/pe_record_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/fatal.hpp"
#include "base/fd.hpp"
#include "base/inherited.hpp"
#include "base/virtual_nodes.hpp"
#include "heap/node_file.hpp"

namespace tessera {
namespace {

// RETURNS: 0, or the process that holds the lock.
pid_t lock_record(int file, off_t offset) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = offset;
    lock.l_len = sizeof(heap::PeRecord);
    if (::fcntl(file, F_SETLK, &lock) == 0) return 0;
    if (errno != EACCES && errno != EAGAIN) return 0;  // No locks here: the answer is unknown.
    return ::fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? lock.l_pid : 0;
}

// Not with pwrite(): under a small limit of file sizes that is deadly.
void note_start(int file, off_t offset) {
    const Mapping map =
        Mapping::share(file, 0, static_cast<std::size_t>(offset) + sizeof(heap::PeRecord));
    if (!map.is_mapped()) return;
    auto* record = reinterpret_cast<heap::PeRecord*>(map.data() + offset);
    // Pairs with tools/oshrun/ending.cpp:activity_text.
    record->state.store(heap::PeState::kStarting, std::memory_order_release);
}

}  // namespace

void lock_pe_record(const char* where) {
    const Inherited* job = inherited();
    if (job == nullptr) return;
    heap::NodeLayout layout;
    if (::pread(job->node_fd, static_cast<void*>(&layout), sizeof layout, 0) !=
            static_cast<ssize_t>(sizeof layout) ||
        layout.magic != heap::kNodeMagic) {
        return;  // Node::map_files will complain.
    }
    const int index = job->pe - virtual_node_of(job->pe, job->npes, job->nodes).first;
    const auto offset = static_cast<off_t>(layout.records_offset + static_cast<std::size_t>(index) *
                                                                       sizeof(heap::PeRecord));
    const pid_t other = lock_record(job->node_fd, offset);
    if (other != 0) {
        fatal(
            "%s: another program of this PE, process %d, is between shmem_init and shmem_finalize; "
            "run one after the other, or each with an oshrun of its own",
            where, static_cast<int>(other));
    }
    note_start(job->node_fd, offset);
}

}  // namespace tessera
