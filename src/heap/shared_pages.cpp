// SPDX-License-Identifier: BSD-3-Clause
//
// See shared_pages.hpp.
#include "heap/shared_pages.hpp"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "base/platform.hpp"
#include "heap/address_space.hpp"
#include "heap/static_pages.hpp"

namespace tessera::heap {
namespace {

// All addresses that processes have.
constexpr auto kFileBytes = static_cast<off_t>(std::uint64_t{1} << 57);
constexpr auto kFileBytesUsual = static_cast<off_t>(std::uint64_t{1} << 47);
// Without the kernel's query each registration reads the lines of all mappings.
constexpr std::size_t kMappingsToRead = 2048;

bool is_file_size_limited() {
    rlimit limit{};
    // A file beyond the limit would kill the program, memfd or not.
    return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

Fd make_file() {
    if (is_file_size_limited()) return {};
    Fd file = make_memory_file("tessera-registered");
    if (file && ::ftruncate(file.get(), kFileBytes) != 0 &&
        ::ftruncate(file.get(), kFileBytesUsual) != 0) {
        file.reset();
    }
    return file;
}

void* pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

void forget_contents(const Fd& file, std::uintptr_t begin, std::uintptr_t end) {
    ::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
                static_cast<off_t>(end - begin));
}

// The end of the block of glibc's malloc that begins there and has a mapping of its own; 0: none
// does. Its size stands before it, with bit 1 set, and above that 0, because nothing of the mapping
// lies before.
TESSERA_UNINSTRUMENTED std::uintptr_t end_of_mapped_block(std::uintptr_t address) {
    constexpr std::uintptr_t kHeaderBytes = 16;
    constexpr std::uint64_t kFlags = 7;
    constexpr std::uint64_t kHasOwnMapping = 2;
    if (address % page_bytes() != kHeaderBytes) return 0;
    const auto* header = reinterpret_cast<const volatile std::uint64_t*>(address - kHeaderBytes);
    const std::uint64_t before = header[0];
    const std::uint64_t size = header[1];
    const std::uint64_t bytes = size & ~kFlags;
    const bool is_one = before == 0 && (size & kFlags) == kHasOwnMapping && bytes > 0 &&
                        bytes % page_bytes() == 0 && bytes < kFileBytesUsual;
    return is_one ? address - kHeaderBytes + bytes : 0;
}

bool is_in(const MappedRange& range, std::uint64_t inode) {
    return range.is_shared && range.inode == inode && range.offset == range.begin;
}

}  // namespace

PageSpan pages_touched_by(std::uintptr_t address, std::size_t bytes) {
    const std::uintptr_t mask = page_bytes() - 1;
    return {.begin = address & ~mask, .end = (address + bytes + mask) & ~mask};
}

PageSpan own_pages_of(std::uintptr_t address, std::size_t bytes) {
    if (bytes == 0) return {};
    const PageSpan touched = pages_touched_by(address, bytes);
    const std::uintptr_t mask = page_bytes() - 1;
    const std::uintptr_t block_end = end_of_mapped_block(address);
    const bool begins_block = address + bytes <= block_end;
    const std::uintptr_t begin = begins_block ? touched.begin : (address + mask) & ~mask;
    const std::uintptr_t end = touched.end == block_end ? block_end : (address + bytes) & ~mask;
    return {.begin = begin, .end = std::max(begin, end)};
}

PageSpan SharedPages::share(std::uintptr_t address, std::size_t bytes, std::size_t bytes_min) {
    if (bytes == 0) return {};
    std::lock_guard guard(lock_);
    const PageSpan pages = own_pages_of(address, bytes);
    const bool may_replace = pages.bytes() > 0 && pages.bytes() >= bytes_min &&
                             !has_earlier_user(pages) && has_room_for_mappings() && has_file();
    count_user(pages_touched_by(address, bytes));
    return may_replace && replace(pages) ? pages : PageSpan{};
}

void SharedPages::end(std::uintptr_t address, std::size_t bytes) {
    if (bytes == 0) return;
    std::lock_guard guard(lock_);
    const PageSpan pages = pages_touched_by(address, bytes);
    split_at(pages.begin);
    split_at(pages.end);
    auto next = uses_.find(pages.begin);
    while (next != uses_.end() && next->first < pages.end) {
        if (--next->second.users > 0) {
            ++next;
            continue;
        }
        if (next->second.is_in_file) bring_back(next->first, next->second.end);
        next = uses_.erase(next);
    }
}

void SharedPages::close() {
    std::lock_guard guard(lock_);
    for (const auto& [begin, use] : uses_) {
        if (use.is_in_file) bring_back(begin, use.end);
    }
    uses_.clear();
    file_.reset();
    inode_ = 0;
}

PagesOffer SharedPages::offer() {
    std::lock_guard guard(lock_);
    if (!file_) return {};
    return {.pid = ::getpid(), .fd = file_.get(), .inode = inode_};
}

// ---- Users ----

bool SharedPages::has_earlier_user(const PageSpan& pages) const {
    auto next = uses_.upper_bound(pages.begin);
    if (next != uses_.begin() && std::prev(next)->second.end > pages.begin) --next;
    for (; next != uses_.end() && next->first < pages.end; ++next) {
        if (!next->second.is_in_file) return true;
    }
    return false;
}

void SharedPages::split_at(std::uintptr_t address) {
    auto next = uses_.upper_bound(address);
    if (next == uses_.begin()) return;
    auto& [begin, use] = *std::prev(next);
    if (begin == address || use.end <= address) return;
    uses_.emplace_hint(next, address, use);
    use.end = address;
}

void SharedPages::count_user(const PageSpan& pages) {
    split_at(pages.begin);
    split_at(pages.end);
    std::uintptr_t at = pages.begin;
    for (auto next = uses_.lower_bound(at); at < pages.end; ++next) {
        const std::uintptr_t gap_end =
            next == uses_.end() ? pages.end : std::min(pages.end, next->first);
        if (at < gap_end) next = uses_.emplace_hint(next, at, Use{.end = gap_end});
        ++next->second.users;
        at = next->second.end;
    }
}

// REQUIRES: users of all the pages.
void SharedPages::mark_in_file(const PageSpan& pages) {
    split_at(pages.begin);
    split_at(pages.end);
    for (auto next = uses_.find(pages.begin); next != uses_.end() && next->first < pages.end;
         ++next) {
        next->second.is_in_file = true;
    }
}

// ---- Replacing pages ----

bool SharedPages::has_file() {
    if (file_) return true;
    file_ = make_file();
    struct stat status {};
    if (!file_ || ::fstat(file_.get(), &status) != 0) return false;
    inode_ = status.st_ino;
    return true;
}

bool SharedPages::has_room_for_mappings() {
    if (--pieces_until_count_ == 0) {
        pieces_until_count_ = kPiecesPerCount;
        const std::size_t limit = has_mapping_query() ? mappings_max() / 2 : kMappingsToRead;
        has_room_ = count_mappings() < limit;
    }
    return has_room_;
}

bool SharedPages::replace(const PageSpan& pages) {
    const std::vector<MappedRange> mappings = mappings_of(pages.begin, pages.end);
    const bool is_ordinary = std::ranges::all_of(mappings, [this](const MappedRange& range) {
        return range.is_private_memory() || is_in(range, inode_);
    });
    if (mappings.empty() || !is_ordinary) return false;
    for (const MappedRange& range : mappings) {
        std::uintptr_t begin = range.begin;
        while (begin < range.end && !is_in(range, inode_)) {
            const std::uintptr_t end = std::min(range.end, begin + kCopyBytes);
            if (!replace_part(begin, end)) return false;
            mark_in_file({begin, end});
            begin = end;
        }
        mark_in_file({range.begin, range.end});
    }
    if (pages.bytes() >= kHugePageBytes)
        ::madvise(pointer(pages.begin), pages.bytes(), MADV_HUGEPAGE);
    return true;
}

bool SharedPages::replace_part(std::uintptr_t begin, std::uintptr_t end) {
    forget_contents(file_, begin, end);  // The program has freed the memory too early.
    if (!copy_to_file({.begin = begin, .anonymous = begin, .end = end},
                      page_file(file_.get(), 0, 0))) {
        return false;
    }
    return ::mmap(pointer(begin), end - begin, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                  file_.get(), static_cast<off_t>(begin)) != MAP_FAILED;
}

// Not where the program has put other memory into the place meanwhile.
void SharedPages::bring_back(std::uintptr_t begin, std::uintptr_t end) {
    for (const MappedRange& range : mappings_of(begin, end)) {
        if (is_in(range, inode_) && !bring_back_part(range.begin, range.end)) return;
    }
}

// Other threads may read meanwhile: the kernel changes the mapping in one step.
bool SharedPages::bring_back_part(std::uintptr_t begin, std::uintptr_t end) {
    while (begin < end) {
        const std::size_t bytes = std::min(end - begin, kCopyBytes);
        void* copy = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (copy == MAP_FAILED) return false;
        const bool is_done =
            copy_to_memory({.begin = begin, .anonymous = begin, .end = begin + bytes},
                           page_file(file_.get(), 0, 0), static_cast<char*>(copy)) &&
            ::mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pointer(begin)) !=
                MAP_FAILED;
        if (!is_done) {
            ::munmap(copy, bytes);
            return false;
        }
        forget_contents(file_, begin, begin + bytes);
        begin += bytes;
    }
    return true;
}

// Only system calls, because other threads of the parent may hold any lock of the C library.
void SharedPages::make_private_in_child() {
    constexpr char kFailed[] =
        "tessera: a child process cannot get its own view of registered memory; it ends before it "
        "can damage its parent's\n";
    constexpr int kFailedExitCode = 125;
    for (const auto& [begin, use] : uses_) {
        if (!use.is_in_file) continue;
        if (::mmap(pointer(begin), use.end - begin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
                   file_.get(), static_cast<off_t>(begin)) == MAP_FAILED) {
            (void)!::write(STDERR_FILENO, kFailed, sizeof kFailed - 1);
            ::_exit(kFailedExitCode);
        }
    }
    lock_.unlock();
}

}  // namespace tessera::heap
