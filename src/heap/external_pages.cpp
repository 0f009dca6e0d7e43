// SPDX-License-Identifier: BSD-3-Clause
//
// See external_pages.hpp. The inode tells whether /proc/PID/fd/N is the file that was offered: with
// a process number of another namespace it could be anything.
#include "heap/external_pages.hpp"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/platform.hpp"
#include "heap/static_pages.hpp"

namespace tessera::heap {
namespace {

constexpr unsigned kMemfdNoExecSeal = 0x8;  // MFD_NOEXEC_SEAL of Linux 6.3; some sites demand it
constexpr char kFileName[] = "tessera-external";
// The name of such a file in /proc/self/maps.
constexpr char kMappedName[] = "/memfd:tessera-external";

std::string text_of_errno(const char* what) {
    return std::string(what) + ": " + std::strerror(errno);
}

// The present state of the memory.
struct Memory {
    bool could_look = false;
    bool is_complete = false;  // all of it is mapped
    bool is_ordinary = true;   // private, for reading and writing; or shared by an earlier heap
    bool is_anonymous = true;  // pages that were never touched are zero
};

struct Line {
    unsigned long begin = 0;
    unsigned long end = 0;
    char flags[5] = "";
    unsigned long inode = 0;
    int name_at = 0;
};

void judge(Memory& memory, const Line& line, const char* name) {
    const bool is_data = std::strncmp(line.flags, "rw-", 3) == 0;
    const bool is_private = line.flags[3] == 'p';
    // A program that initializes again may give the same memory again.
    const bool is_ours = std::strncmp(name, kMappedName, sizeof kMappedName - 1) == 0;
    memory.is_ordinary = memory.is_ordinary && is_data && (is_private || is_ours);
    memory.is_anonymous = memory.is_anonymous && is_private && line.inode == 0;
}

Memory look_at(std::uintptr_t begin, std::uintptr_t end) {
    Memory memory;
    std::FILE* maps = std::fopen("/proc/self/maps", "re");
    if (maps == nullptr) return memory;
    memory.could_look = true;
    char* text = nullptr;
    std::size_t capacity = 0;
    std::uintptr_t covered = begin;  // everything below is
    while (covered<end&& ::getline(&text, &capacity, maps)> 0) {
        Line line;
        if (std::sscanf(text, "%lx-%lx %4s %*x %*s %lu %n", &line.begin, &line.end, line.flags,
                        &line.inode, &line.name_at) < 4) {
            continue;
        }
        if (line.begin > covered || line.end <= covered) continue;
        judge(memory, line, text + line.name_at);
        covered = line.end;
    }
    std::free(text);
    std::fclose(maps);
    memory.is_complete = covered >= end;
    return memory;
}

// Why the pages cannot be replaced, or "".
std::string obstacle(const Memory& memory, std::uintptr_t begin, std::uintptr_t end) {
    auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (begin <= here && here < end) return "it holds the stack of the calling thread";
    if (!memory.could_look) return text_of_errno("cannot read /proc/self/maps");
    if (!memory.is_complete) return "part of it is not mapped";
    if (!memory.is_ordinary) return "part of it is not private memory for reading and writing";
    rlimit limit{};
    const bool is_limited = ::getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
                            limit.rlim_cur != RLIM_INFINITY &&
                            limit.rlim_cur < end - begin + kHugePageBytes;
    // A write beyond the limit would kill the program, memfd or not.
    if (is_limited) return "the file size limit (ulimit -f) is smaller";
    return "";
}

Fd make_file(std::uint64_t bytes) {
    Fd file(::memfd_create(kFileName, MFD_CLOEXEC | kMemfdNoExecSeal));
    if (!file) file = Fd(::memfd_create(kFileName, MFD_CLOEXEC));
    if (file && ::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) file.reset();
    return file;
}

// One part after the other, so that only one of them exists twice.
bool copy_and_replace(std::uintptr_t begin, std::uintptr_t end, const PageFile& file,
                      bool is_anonymous) {
    while (begin < end) {
        const std::uintptr_t part_end = std::min(end, begin + kCopyBytes);
        const PageRange part{begin, is_anonymous ? begin : part_end, part_end};
        if (!copy_to_file(part, file)) return false;
        if (::mmap(reinterpret_cast<void*>(begin), part_end - begin, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED, file.fd,
                   static_cast<off_t>(file.offset + (begin - file.base))) == MAP_FAILED) {
            return false;
        }
        begin = part_end;
    }
    return true;
}

}  // namespace

ExternalPages share_external_pages(void* base, std::size_t bytes) {
    ExternalPages pages;
    const auto begin = reinterpret_cast<std::uintptr_t>(base);
    const Memory memory = look_at(begin, begin + bytes);
    pages.error = obstacle(memory, begin, begin + bytes);
    if (!pages.error.empty()) return pages;
    pages.offset = begin % kHugePageBytes;
    pages.file = make_file(pages.offset + bytes);
    if (!pages.file) {
        pages.error = text_of_errno("cannot make a shared memory file");
        return pages;
    }
    const PageFile file = page_file(pages.file.get(), pages.offset, begin);
    if (!copy_and_replace(begin, begin + bytes, file, memory.is_anonymous)) {
        pages.error = text_of_errno("cannot put a shared memory file in its place");
        pages.file.reset();
        return pages;
    }
    if (bytes >= kHugePageBytes) ::madvise(base, bytes, MADV_HUGEPAGE);
    return pages;
}

PagesOffer offer_of(const ExternalPages& pages) {
    struct stat status {};
    ::fstat(pages.file.get(), &status);
    return {.pid = ::getpid(), .fd = pages.file.get(), .inode = status.st_ino};
}

PeerPages map_external_pages(const PagesOffer& offer, std::size_t bytes) {
    PeerPages pages;
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/fd/%d", offer.pid, offer.fd);
    Fd file(::open(path, O_RDWR | O_CLOEXEC));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0) {
        pages.error = text_of_errno(("cannot open " + std::string(path)).c_str());
        return pages;
    }
    const auto file_bytes = static_cast<std::size_t>(status.st_size);
    if (status.st_ino != offer.inode || file_bytes < bytes) {
        pages.error = std::string(path) +
                      " is another file; do the PEs see different process "
                      "numbers (containers)?";
        return pages;
    }
    pages.mapping = Mapping::share(file.get(), 0, file_bytes, {.aligned_to = kHugePageBytes});
    if (!pages.mapping.is_mapped()) {
        pages.error = text_of_errno("cannot map it");
        return pages;
    }
    pages.start = pages.mapping.data() + (file_bytes - bytes);
    return pages;
}

}  // namespace tessera::heap
