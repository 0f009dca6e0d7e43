// SPDX-License-Identifier: BSD-3-Clause
//
// The pages of the main program's writable data, and copying them into a file and back. Used by
// the three parts of static data sharing: the constructor, freezing, and the fork handlers.
// While pages are copied to be replaced, nothing may write to them. Therefore the copying code uses
// system calls only, stays out of reach of sanitizers and coverage counters, and keeps its state on
// the stack: in a static library the library's own variables are among the pages being replaced.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

// For code that runs while the data pages are being replaced. ASan's pwrite would also complain
// about its own redzones.
#define TESSERA_UNINSTRUMENTED                                              \
    __attribute__((noinline, no_sanitize("address", "thread", "undefined"), \
                   no_profile_instrument_function))

namespace tessera::heap {

static_assert(sizeof(long) == 8, "offsets are passed to system calls as one argument");

// Whole pages of one writable segment. From `anonymous` on they started as zeros.
struct PageRange {
    std::uintptr_t begin = 0;
    std::uintptr_t anonymous = 0;
    std::uintptr_t end = 0;
};

struct PageRanges {
    static constexpr int kCountMax = 8;
    PageRange list[kCountMax];
    int count = 0;
    bool is_complete = true;  // false: the program has more than kCountMax
    bool is_executable = false;

    std::uintptr_t base() const { return count == 0 ? 0 : list[0].begin; }
    std::size_t bytes() const { return count == 0 ? 0 : list[count - 1].end - list[0].begin; }
};

// Address a lies at offset + (a - base) of file fd. Device and inode tell whether the descriptor is
// still that file: programs exist that close every descriptor they find.
struct PageFile {
    int fd = -1;
    std::uint64_t offset = 0;
    std::uintptr_t base = 0;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uintptr_t page_bytes = 0;
};

PageFile page_file(int fd, std::uint64_t offset, std::uintptr_t base);

// The main program's writable pages in ascending order, without those that the dynamic linker has
// made read-only after relocation.
PageRanges program_data_pages();

// Whether [begin, end) lies in a segment of the main program that was never writable.
bool is_in_program_constants(const PageRange& range);

// False when part of the pages is not ordinary private memory: already shared by another copy of
// the library, or changed by the program before the library was loaded.
bool is_private_memory(const PageRanges& ranges);

// A system call that touches no memory of the program besides errno.
TESSERA_UNINSTRUMENTED long raw_call(long number, long a = 0, long b = 0, long c = 0, long d = 0,
                                     long e = 0, long f = 0);

// Writes the pages to the file, leaving out those that were never touched.
// RETURNS false with errno when the file cannot take them.
TESSERA_UNINSTRUMENTED bool copy_to_file(const PageRange& range, const PageFile& file);

// Copies the pages to zero-filled memory at `destination`: from the file that holds them, or from
// the mapping when the program has closed the file.
TESSERA_UNINSTRUMENTED bool copy_to_memory(const PageRange& range, const PageFile& file,
                                           char* destination);

}  // namespace tessera::heap
