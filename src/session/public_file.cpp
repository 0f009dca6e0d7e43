// SPDX-License-Identifier: BSD-3-Clause
//
// See public_file.hpp.
#include "session/public_file.hpp"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "base/cache_lines.hpp"
#include "base/fatal.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kBlockOfStat = 512;
constexpr const char* kNeedLess =
    "lower SHMEM_SYMMETRIC_SIZE, SHMEM_TEAM_MEMORY_SIZE and SHMEM_LOCAL_MEMORY_SIZE";

const char* remedy_of_open(int error) {
    switch (error) {
        case ENOENT:
        case ENODEV:
        case ENXIO: return "name the memory as this host does, or load the device's driver";
        case EACCES:
        case EPERM:
        case EROFS: return "give the user of the job the right to read and write it on each host";
        default: return "name a file, a DAX device, or the memory of a PCI device (resourceN)";
    }
}

PublicPart read_at(const char* part) {
    PublicPart seen;
    drop_lines(part, sizeof seen);
    std::memcpy(&seen, part, sizeof seen);
    return seen;
}

std::string name_on_host(const std::string& path) {
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    return "SHMEM_HEAP=noncoherent:" + path + " on " + host;
}

}  // namespace

PublicFile::PublicFile(Setup setup) : setup_(std::move(setup)), name_(name_on_host(setup_.path)) {
    stamps_offset_ = kLinesOffset;
    heap_offset_ = kPageBytes;
    if (setup_.nodes > 1) {
        const std::uint64_t lines =
            static_cast<std::uint64_t>(setup_.nodes) * sizeof(noncoherent::BakeryLine);
        stamps_offset_ = round_up(kLinesOffset + lines, kPageBytes);
        stamps_bytes_ = noncoherent::page_stamps_bytes(setup_.range_bytes) +
                        noncoherent::page_stamps_bytes(setup_.static_bytes_max);
        heap_offset_ = round_up(
            stamps_offset_ + static_cast<std::uint64_t>(setup_.npes) * stamps_bytes_, kPageBytes);
    }
    statics_offset_ = heap_offset_ + setup_.range_bytes;
    // DAX devices map whole huge pages.
    part_bytes_ = round_up(statics_offset_ + setup_.static_bytes_max, kHugePageBytes);
    open();
    lock_my_part();
    make_large_enough();
    map_ = Mapping::share(file_.get(), 0, bytes(), {.aligned_to = kHugePageBytes, .wanted = {}});
    if (!map_.is_mapped()) {
        fail("cannot map the file for all PEs",
             "take a file system with shared mappings, e.g. /dev/shm, or a device of memory");
    }
    wait_for_other_jobs();
    empty_my_part();
    setup_.mine.npes = static_cast<std::uint64_t>(setup_.npes);
    setup_.mine.part_bytes = part_bytes_;
    store_past_cache(part(setup_.pe), &setup_.mine, sizeof setup_.mine);
    finish_stores_past_cache();
}

void PublicFile::fail(const char* what, const char* remedy) const {
    fatal("shmem_init: %s: %s: %s; %s", name_.c_str(), what, std::strerror(errno), remedy);
}

void PublicFile::open() {
    if (drop_instruction() == LineInstruction::kNone) {
        fatal("shmem_init: %s: this processor does not let programs maintain its caches",
              name_.c_str());
    }
    const int create = may_create_public_file(setup_.path) ? O_CREAT : 0;
    file_ = Fd(::open(setup_.path.c_str(), O_RDWR | create | O_CLOEXEC, 0600));
    if (!file_) fail("cannot open the file", remedy_of_open(errno));
    kind_ = public_file_kind(setup_.path, file_.get());
    if (kind_ == PublicFileKind::kOther) {
        fatal(
            "shmem_init: %s: this is neither a file nor a device of characters, such as a DAX "
            "device, nor the memory of a PCI device",
            name_.c_str());
    }
    // Arm's processors fault where a program loads or stores such memory unaligned.
    if (kind_ == PublicFileKind::kPci && drop_instruction() == LineInstruction::kDc) {
        fatal(
            "shmem_init: %s: on Arm, the memory of a PCI device must be mapped write-combining; "
            "take its file resourceN_wc",
            name_.c_str());
    }
}

void PublicFile::make_large_enough() const {
    const std::uint64_t has = public_file_bytes(file_.get());
    if (kind_ == PublicFileKind::kFile) {
        if (has < bytes() && ::ftruncate(file_.get(), static_cast<off_t>(bytes())) != 0)
            fail("cannot make the file large enough for the memory of all PEs", kNeedLess);
        return check_free_blocks();
    }
    if (has == 0 || has >= bytes()) return;
    fatal("shmem_init: %s: the device has %llu bytes, but %d PEs need %llu; %s", name_.c_str(),
          static_cast<unsigned long long>(has), setup_.npes,
          static_cast<unsigned long long>(bytes()), kNeedLess);
}

// The file gets its blocks one by one, when they are touched first, and a PE dies by SIGBUS where
// there is none. Memory of default sizes is larger than any program needs, so it need not fit.
void PublicFile::check_free_blocks() const {
    struct statfs system {};
    struct stat facts {};
    if (::fstatfs(file_.get(), &system) != 0 || ::fstat(file_.get(), &facts) != 0) return;
    if (system.f_blocks == 0) return;  // a tmpfs without a limit
    const std::uint64_t has = static_cast<std::uint64_t>(facts.st_blocks) * kBlockOfStat +
                              system.f_bavail * static_cast<std::uint64_t>(system.f_bsize);
    const std::uint64_t needed = static_cast<std::uint64_t>(setup_.npes) *
                                 (heap_offset_ + setup_.asked_bytes + setup_.static_bytes_max);
    if (has >= needed) return;
    fatal(
        "shmem_init: %s: the file system has room for %llu bytes, but %d PEs need %llu; %s, or "
        "take a file system with more room",
        name_.c_str(), static_cast<unsigned long long>(has), setup_.npes,
        static_cast<unsigned long long>(needed), kNeedLess);
}

void PublicFile::explain_missing_memory(const void* address) const {
    if (!map_.is_mapped() || address < map_.data() || address >= map_.data() + bytes()) return;
    warn("%s: the file system is full, so the file gets no more memory; %s, or make room",
         name_.c_str(), kNeedLess);
}

// The part is this PE's own while the process lives: another job that uses the file would share
// memory with this one.
void PublicFile::lock_my_part() const {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<off_t>(static_cast<std::uint64_t>(setup_.pe) * part_bytes_);
    lock.l_len = static_cast<off_t>(part_bytes_);
    if (::fcntl(file_.get(), F_OFD_SETLK, &lock) == 0) return;
    if (errno != EAGAIN && errno != EACCES) return;  // Some devices have no locks.
    fatal("shmem_init: %s: another job uses the file; give each job its own", name_.c_str());
}

void PublicFile::empty_my_part() const {
    const std::uint64_t begin = static_cast<std::uint64_t>(setup_.pe) * part_bytes_;
    if (::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    static_cast<off_t>(begin), static_cast<off_t>(part_bytes_)) == 0) {
        return;
    }
    // A device: all of it, because it has no holes.
    static constexpr char kZeros[kPageBytes] = {};
    for (std::uint64_t at = 0; at < part_bytes_; at += kPageBytes)
        store_past_cache(part(setup_.pe) + at, kZeros, kPageBytes);
    finish_stores_past_cache();
}

void PublicFile::remove_signature() const {
    const PublicPart none{};
    store_past_cache(part(setup_.pe), &none, sizeof none);
    finish_stores_past_cache();
}

PublicPart PublicFile::read(int pe) const { return read_at(part(pe)); }

// The first part of another job begins the file, whatever the sizes of its memory are. Each of its
// PEs that does not compute shows life.
void PublicFile::wait_for_other_jobs() const {
    constexpr int kLooks = 100;
    constexpr std::chrono::milliseconds kBetweenLooks{20};
    const PublicPart first = read(0);
    if (first.magic != kPublicMagic || first.job == setup_.mine.job) return;
    const std::uint64_t has = public_file_bytes(file_.get());
    const bool is_whole = first.part_bytes > 0 && first.npes <= has / first.part_bytes;
    const std::uint64_t npes = is_whole ? first.npes : 1;
    const Mapping theirs = Mapping::share(file_.get(), 0, npes * first.part_bytes,
                                          {.aligned_to = kHugePageBytes, .wanted = {}});
    const auto part_of = [&](std::uint64_t pe) {
        return read_at(theirs.is_mapped() ? theirs.data() + pe * first.part_bytes : part(0));
    };
    std::vector<std::uint64_t> pulses;
    for (std::uint64_t pe = 0; pe < npes; ++pe) pulses.push_back(part_of(pe).pulse);
    for (int look = 0; look < kLooks; ++look) {
        std::this_thread::sleep_for(kBetweenLooks);
        const PublicPart now = read(0);
        if (now.magic != kPublicMagic || now.job == setup_.mine.job) return;
        if (now.job != first.job) fail_used();
        for (std::uint64_t pe = 0; pe < npes; ++pe) {
            const PublicPart seen = part_of(pe);
            // PEs of this job may have taken some parts already.
            if (seen.job == first.job && seen.pulse != pulses[pe]) fail_used();
        }
    }
}

void PublicFile::fail_used() const {
    fatal(
        "shmem_init: %s: another job uses this memory, perhaps on another host; give each job its "
        "own",
        name_.c_str());
}

void PublicFile::show_life(const char* where) {
    if (read(setup_.pe).job != setup_.mine.job) {
        fatal("%s: %s: another job has overwritten this memory; give each job its own", where,
              name_.c_str());
    }
    const std::uint64_t pulse = pulse_.fetch_add(1, std::memory_order_relaxed) + 1;
    auto* const mine = reinterpret_cast<PublicPart*>(part(setup_.pe));
    store_past_cache(&mine->pulse, &pulse, sizeof pulse);
    finish_stores_past_cache();
}

void PublicFile::check_parts() const {
    for (int pe = 0; pe < setup_.npes; ++pe) {
        const PublicPart theirs = read(pe);
        if (theirs.job == setup_.mine.job) continue;
        if (theirs.magic == kPublicMagic) fail_used();
        fatal(
            "shmem_init: %s: PE %d has stored to its part of the file, but this PE does not see "
            "it; the name must lead to the same memory on all hosts",
            name_.c_str(), pe);
    }
}

char* PublicFile::statics(int pe) const {
    const PublicPart theirs = read(pe);
    const bool is_my_program =
        theirs.program == setup_.mine.program && theirs.static_bytes == setup_.mine.static_bytes;
    return is_my_program && theirs.static_bytes > 0 ? part(pe) + statics_offset_ : nullptr;
}

noncoherent::BakeryLine* PublicFile::lines(int pe) const {
    if (setup_.nodes == 1) return nullptr;
    return reinterpret_cast<noncoherent::BakeryLine*>(part(pe) + kLinesOffset);
}

char* PublicFile::stamps(int owner, int pe) const {
    if (setup_.nodes == 1) return nullptr;
    return part(owner) + stamps_offset_ + static_cast<std::uint64_t>(pe) * stamps_bytes_;
}

}  // namespace tessera
