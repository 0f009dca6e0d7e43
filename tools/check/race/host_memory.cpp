// SPDX-License-Identifier: BSD-3-Clause
//
// See host_memory.hpp.
#include "tools/check/race/host_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "base/environment.hpp"
#include "tools/interpose/call.hpp"

namespace tessera::check::race {

namespace {

// Where a PE's part is. The mark stands at the end of the part: other hosts have files of the same
// name.
struct PartLocation {
    std::int64_t pid;
    std::int64_t fd;
    std::uint64_t mark;
};

char* map(int fd, std::size_t bytes) {
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return mapped == MAP_FAILED ? nullptr : static_cast<char*>(mapped);
}

std::uint64_t& mark_of(char* part, std::size_t bytes) {
    return *reinterpret_cast<std::uint64_t*>(part + bytes - sizeof(std::uint64_t));
}

char* open_part(const PartLocation& part, std::size_t bytes) {
    std::string path = "/proc/" + std::to_string(part.pid) + "/fd/" + std::to_string(part.fd);
    int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) return nullptr;
    bool is_long_enough = lseek(fd, 0, SEEK_END) >= static_cast<off_t>(bytes);
    char* mapped = is_long_enough ? map(fd, bytes) : nullptr;
    ::close(fd);
    if (mapped != nullptr && mark_of(mapped, bytes) != part.mark) {
        munmap(mapped, bytes);
        mapped = nullptr;
    }
    return mapped;
}

}  // namespace

std::vector<char*> HostMemory::open(int pe, int n_pes, std::size_t bytes) {
    bytes_ = bytes + sizeof(std::uint64_t);
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    PartLocation mine{.pid = getpid(), .fd = -1, .mark = 0};
    mine.mark = static_cast<std::uint64_t>(now) * 1021 + static_cast<std::uint64_t>(pe) + 1;
    // For tests of the other form.
    bool is_wanted = environment("TESSERA_CHECK_TEAM_MEMORY") == nullptr;
    int fd = is_wanted ? memfd_create("tessera-check", MFD_CLOEXEC) : -1;
    char* part = nullptr;
    if (fd >= 0 && ftruncate(fd, static_cast<off_t>(bytes_)) == 0) part = map(fd, bytes_);
    if (part != nullptr) {
        mark_of(part, bytes_) = mine.mark;
        mine.fd = fd;
    }
    std::vector<PartLocation> all(static_cast<std::size_t>(n_pes));
    pshmemx_allgather(SHMEM_TEAM_WORLD, all.data(), &mine, 1, sizeof mine);
    std::int32_t has_all = 1;
    for (const PartLocation& other : all) {
        parts_.push_back(&other == &all[static_cast<std::size_t>(pe)] ? part
                                                                      : open_part(other, bytes_));
        if (parts_.back() == nullptr) has_all = 0;
    }
    // Behind this all PEs have opened all files.
    pshmemx_allreduce(SHMEM_TEAM_WORLD, &has_all, &has_all, 1, SHMEMX_TYPE_INT32, SHMEMX_OP_MIN);
    if (fd >= 0) ::close(fd);
    if (has_all == 0) close();
    return parts_;
}

void HostMemory::close() {
    for (char* part : parts_) {
        if (part != nullptr) munmap(part, bytes_);
    }
    parts_.clear();
}

}  // namespace tessera::check::race
