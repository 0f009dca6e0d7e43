// SPDX-License-Identifier: BSD-3-Clause
//
// See static_pages.hpp. A page counts as touched when it holds something else than zeros.
// /proc/self/pagemap says which pages are present or swapped out, so that only these are looked at;
// it cannot be read in a program without read permission.
#include "heap/static_pages.hpp"

#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/fd.hpp"

namespace tessera::heap {
namespace {

constexpr char kPagemap[] = "/proc/self/pagemap";
constexpr std::uint64_t kPageTouched = std::uint64_t{3} << 62;  // present, or swapped out
constexpr std::size_t kEntriesPerRead = 1024;

std::uintptr_t page_floor(std::uintptr_t address) { return address & ~(page_bytes() - 1); }
std::uintptr_t page_ceil(std::uintptr_t address) { return page_floor(address + page_bytes() - 1); }

void add(PageRanges& ranges, PageRange range) {
    if (range.begin >= range.end) return;
    range.anonymous = std::clamp(range.anonymous, range.begin, range.end);
    if (ranges.count == PageRanges::kCountMax) {
        ranges.is_complete = false;
        return;
    }
    ranges.list[ranges.count++] = range;
}

// For dl_iterate_phdr: both look at the first object only, which is the main program.
constexpr int kStop = 1;

// RETURNS: kStop + 1 if the range lies in a segment of constants.
int look_for_constants(dl_phdr_info* info, std::size_t, void* range) {
    const auto& [begin, anonymous, end] = *static_cast<const PageRange*>(range);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = info->dlpi_phdr[i];
        if (header.p_type != PT_LOAD || (header.p_flags & PF_W) != 0) continue;
        const std::uintptr_t address = info->dlpi_addr + header.p_vaddr;
        if (begin >= address && begin <= end && end <= address + header.p_filesz) return kStop + 1;
    }
    return kStop;
}

int take_program_header(dl_phdr_info* info, std::size_t, void* result) {
    auto& ranges = *static_cast<PageRanges*>(result);
    std::uintptr_t relro_begin = 0;
    std::uintptr_t relro_end = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = info->dlpi_phdr[i];
        if (header.p_type != PT_GNU_RELRO) continue;
        relro_begin = page_floor(info->dlpi_addr + header.p_vaddr);
        relro_end = page_floor(info->dlpi_addr + header.p_vaddr + header.p_memsz);
    }
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = info->dlpi_phdr[i];
        if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
        if ((header.p_flags & PF_X) != 0) ranges.is_executable = true;
        std::uintptr_t address = info->dlpi_addr + header.p_vaddr;
        PageRange whole{page_floor(address), page_ceil(address + header.p_filesz),
                        page_ceil(address + header.p_memsz)};
        if (relro_end <= whole.begin || relro_begin >= whole.end) {
            add(ranges, whole);
        } else {
            add(ranges, {whole.begin, whole.anonymous, std::max(whole.begin, relro_begin)});
            add(ranges, {std::min(relro_end, whole.end), whole.anonymous, whole.end});
        }
    }
    std::sort(ranges.list, ranges.list + ranges.count,
              [](const PageRange& a, const PageRange& b) { return a.begin < b.begin; });
    return kStop;
}

// Reads "begin-end rwxp ..." lines and hands the first three fields to `line(begin, end, flags)`.
template <class Line>
bool for_each_mapping(Line line) {
    int fd = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    char buffer[512];  // Small: the program comes first, and the kernel prints only what is read.
    std::uintptr_t bounds[2] = {0, 0};
    char flags[4] = {};
    int field = 0;  // 0 and 1: bounds; 2: flags; 3: the rest of the line
    int flag_count = 0;
    bool wants_more = true;
    ssize_t bytes = 0;
    while (wants_more && (bytes = ::read(fd, buffer, sizeof buffer)) > 0) {
        for (ssize_t i = 0; i < bytes && wants_more; ++i) {
            char c = buffer[i];
            if (c == '\n') {
                bounds[0] = bounds[1] = 0;
                field = flag_count = 0;
            } else if (field < 2 && (c == '-' || c == ' ')) {
                ++field;
            } else if (field < 2) {
                auto digit = static_cast<std::uintptr_t>(c <= '9' ? c - '0' : c - 'a' + 10);
                bounds[field] = bounds[field] * 16 + digit;
            } else if (field == 2) {
                flags[flag_count++] = c;
                if (flag_count < 4) continue;
                field = 3;
                wants_more = line(bounds[0], bounds[1], flags);
            }
        }
    }
    ::close(fd);
    return true;
}

TESSERA_UNINSTRUMENTED bool is_zero_page(std::uintptr_t page, std::uintptr_t bytes) {
    const auto* words = reinterpret_cast<const volatile std::uint64_t*>(page);
    for (std::uintptr_t i = 0; i < bytes / sizeof(std::uint64_t); ++i) {
        if (words[i] != 0) return false;
    }
    return true;
}

TESSERA_UNINSTRUMENTED bool write_pages(std::uintptr_t begin, std::uintptr_t end,
                                        const PageFile& file) {
    while (begin < end) {
        long written = raw_call(SYS_pwrite64, file.fd, static_cast<long>(begin),
                                static_cast<long>(end - begin),
                                static_cast<long>(file.offset + (begin - file.base)));
        if (written <= 0) return false;
        begin += static_cast<std::uintptr_t>(written);
    }
    return true;
}

// Fills entries[0, count) for the pages from `page` on: kPageTouched or 0 among other bits.
TESSERA_UNINSTRUMENTED void find_touched(int pagemap_fd, std::uintptr_t page, std::size_t count,
                                         std::uintptr_t bytes, std::uint64_t* entries) {
    const auto wanted = static_cast<long>(count * sizeof *entries);
    if (raw_call(SYS_pread64, pagemap_fd, reinterpret_cast<long>(entries), wanted,
                 static_cast<long>(page / bytes * sizeof *entries)) == wanted) {
        return;
    }
    for (std::size_t i = 0; i < count; ++i)
        entries[i] = is_zero_page(page + i * bytes, bytes) ? 0 : kPageTouched;
}

// Writes the touched pages from `begin` on; neighbours in one call.
TESSERA_UNINSTRUMENTED bool write_touched(std::uintptr_t begin, std::uintptr_t end,
                                          const PageFile& file, int pagemap_fd) {
    std::uint64_t entries[kEntriesPerRead];
    const std::uintptr_t bytes = file.page_bytes;
    std::uintptr_t run = begin;  // pages from here to the current one are touched
    while (begin < end) {
        std::size_t count = (end - begin) / bytes;
        if (count > kEntriesPerRead) count = kEntriesPerRead;
        find_touched(pagemap_fd, begin, count, bytes, entries);
        for (std::size_t i = 0; i < count; ++i, begin += bytes) {
            // Zeros are present, too, around a touched page where the kernel takes huge pages.
            if ((entries[i] & kPageTouched) != 0 && !is_zero_page(begin, bytes)) continue;
            if (run < begin && !write_pages(run, begin, file)) return false;
            run = begin + bytes;
        }
    }
    return write_pages(run, end, file);
}

// Copies from memory; only non-zero pages, so that untouched ones stay untouched at both ends.
TESSERA_UNINSTRUMENTED void copy_non_zero_pages(const PageRange& range, std::uintptr_t bytes,
                                                char* destination) {
    for (std::uintptr_t page = range.begin; page < range.end; page += bytes) {
        if (is_zero_page(page, bytes)) continue;
        const auto* from = reinterpret_cast<const volatile std::uint64_t*>(page);
        auto* to = reinterpret_cast<volatile std::uint64_t*>(destination + (page - range.begin));
        for (std::uintptr_t i = 0; i < bytes / sizeof(std::uint64_t); ++i) to[i] = from[i];
    }
}

}  // namespace

PageRanges program_data_pages() {
    PageRanges ranges;
    ::dl_iterate_phdr(take_program_header, &ranges);
    return ranges;
}

bool is_in_program_constants(const PageRange& range) {
    return ::dl_iterate_phdr(look_for_constants, const_cast<PageRange*>(&range)) != kStop;
}

bool is_private_memory(const PageRanges& ranges) {
    std::uintptr_t covered[PageRanges::kCountMax];
    for (int i = 0; i < ranges.count; ++i) covered[i] = ranges.list[i].begin;
    bool all_private = true;
    bool all_covered = false;
    bool could_read =
        for_each_mapping([&](std::uintptr_t begin, std::uintptr_t end, const char* flags) {
            all_covered = true;
            for (int i = 0; i < ranges.count; ++i) {
                if (begin <= covered[i] && covered[i] < end && covered[i] < ranges.list[i].end) {
                    covered[i] = end;
                    all_private &= flags[0] == 'r' && flags[1] == 'w' && flags[3] == 'p';
                }
                all_covered &= covered[i] >= ranges.list[i].end;
            }
            return all_private && !all_covered;
        });
    return !could_read || (all_private && all_covered);
}

long raw_call(long number, long a, long b, long c, long d, long e, long f) {
    return ::syscall(number, a, b, c, d, e, f);
}

PageFile page_file(int fd, std::uint64_t offset, std::uintptr_t base) {
    PageFile file{fd, offset, base, 0, 0, page_bytes()};
    struct stat status {};
    if (::fstat(fd, &status) == 0) {
        file.device = status.st_dev;
        file.inode = status.st_ino;
    }
    return file;
}

bool copy_to_file(const PageRange& range, const PageFile& file) {
    // The initialised part: an untouched page still has contents.
    if (!write_pages(range.begin, range.anonymous, file)) return false;
    if (range.anonymous == range.end) return true;
    long pagemap_fd =
        raw_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(kPagemap), O_RDONLY | O_CLOEXEC);
    bool is_written = write_touched(range.anonymous, range.end, file, static_cast<int>(pagemap_fd));
    int error = errno;
    if (pagemap_fd >= 0) raw_call(SYS_close, pagemap_fd);
    errno = error;
    return is_written;
}

bool copy_to_memory(const PageRange& range, const PageFile& file, char* destination) {
    PageFile now = page_file(file.fd, file.offset, file.base);
    if (now.inode == 0 || now.inode != file.inode || now.device != file.device) {
        copy_non_zero_pages(range, file.page_bytes, destination);
        return true;
    }
    auto position = static_cast<long>(file.offset + (range.begin - file.base));
    const long first = position;
    const long end = first + static_cast<long>(range.end - range.begin);
    while (position < end) {
        position = raw_call(SYS_lseek, file.fd, position, SEEK_DATA);
        if (position < 0) return errno == ENXIO;
        if (position >= end) return true;
        long hole = raw_call(SYS_lseek, file.fd, position, SEEK_HOLE);
        if (hole < 0) return false;
        if (hole > end) hole = end;
        while (position < hole) {
            long bytes = raw_call(SYS_pread64, file.fd,
                                  reinterpret_cast<long>(destination + (position - first)),
                                  hole - position, position);
            if (bytes <= 0) return false;
            position += bytes;
        }
    }
    return true;
}

}  // namespace tessera::heap
