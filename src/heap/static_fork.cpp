// SPDX-License-Identifier: BSD-3-Clause
//
// See static_fork.hpp. The constructor registers these handlers before the program can register
// its own. So these handlers are the last before the fork (the program holds the locks that it
// takes for a fork during the copy) and the first in the child (which releases the locks in its own
// copy). Other threads of the parent go on during the copy, as they do on a page that is not
// locked. A fully static program that has several threads should not fork without exec: the C
// library's own lists are among the shared pages until our handler runs in the child.
#include "heap/static_fork.hpp"

#include <pthread.h>
#include <sys/mman.h>

namespace tessera::heap {
namespace {

constexpr char kNoCopy[] =
    "tessera: a child process cannot get its own copy of the static data (out of memory); "
    "it ends before it can damage its parent's\n";
constexpr int kNoCopyExitCode = 125;

constinit PageRanges g_pages;  // the shared pages; empty in a child
constinit PageFile g_file;
void (*g_before)() = nullptr;
void (*g_in_child)() = nullptr;

// The copy between this thread's fork handlers: all ranges, one after the other.
constinit thread_local char* t_copy = nullptr;

TESSERA_UNINSTRUMENTED char* map_anonymous(std::size_t bytes) {
    long address = raw_call(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return address == -1 ? nullptr : reinterpret_cast<char*>(address);
}

TESSERA_UNINSTRUMENTED bool move_over(char* copy, const PageRange& range) {
    const auto bytes = static_cast<long>(range.end - range.begin);
    return raw_call(SYS_mremap, reinterpret_cast<long>(copy), bytes, bytes,
                    MREMAP_MAYMOVE | MREMAP_FIXED, static_cast<long>(range.begin)) != -1;
}

// The second choice when there is no memory for a copy: pages copied when the child writes to them,
// until then as the parent has them.
TESSERA_UNINSTRUMENTED bool map_copy_on_write(const PageRange& range, const PageFile& file) {
    PageFile now = page_file(file.fd, file.offset, file.base);
    if (now.inode != file.inode || now.device != file.device) return false;
    return raw_call(SYS_mmap, static_cast<long>(range.begin),
                    static_cast<long>(range.end - range.begin), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file.fd,
                    static_cast<long>(file.offset + (range.begin - file.base))) != -1;
}

std::size_t copied_bytes() {
    std::size_t bytes = 0;
    for (int i = 0; i < g_pages.count; ++i) bytes += g_pages.list[i].end - g_pages.list[i].begin;
    return bytes;
}

void drop_copy() {
    if (t_copy == nullptr) return;
    ::munmap(t_copy, copied_bytes());
    t_copy = nullptr;
}

// Just before the fork. A copy that is there already belongs to a fork that a signal interrupted.
void before_fork() {
    if (g_pages.count == 0 || t_copy != nullptr) return;
    g_before();
    t_copy = map_anonymous(copied_bytes());
    if (t_copy == nullptr) return;
    std::size_t position = 0;
    bool is_copied = true;
    for (int i = 0; i < g_pages.count && is_copied; ++i) {
        const PageRange& range = g_pages.list[i];
        is_copied = copy_to_memory(range, g_file, t_copy + position);
        position += range.end - range.begin;
    }
    if (!is_copied) drop_copy();
}

void after_fork_in_parent() { drop_copy(); }

// Static variables may be written only after the copy is in place: before, they are the parent's.
TESSERA_UNINSTRUMENTED void after_fork_in_child() {
    std::size_t position = 0;
    const int count = g_pages.count;
    char* copy = t_copy;
    for (int i = 0; i < count; ++i) {
        const PageRange range = g_pages.list[i];
        bool is_private = copy != nullptr && move_over(copy + position, range);
        if (!is_private && !map_copy_on_write(range, g_file)) {
            raw_call(SYS_write, STDERR_FILENO, reinterpret_cast<long>(kNoCopy), sizeof kNoCopy - 1);
            raw_call(SYS_exit_group, kNoCopyExitCode);
        }
        position += range.end - range.begin;
    }
    t_copy = nullptr;
    g_pages.count = 0;
    g_in_child();
}

}  // namespace

bool watch_forks(void (*before)(), void (*in_child)()) {
    g_before = before;
    g_in_child = in_child;
    return ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
}

void set_forked_pages(const PageRanges& ranges, const PageFile& file) {
    g_file = file;
    g_pages = ranges;
}

bool is_shared_page(std::uintptr_t address) {
    for (int i = 0; i < g_pages.count; ++i) {
        if (g_pages.list[i].begin <= address && address < g_pages.list[i].end) return true;
    }
    return false;
}

bool make_private(const PageRange& range, const PageFile& file) {
    char* copy = map_anonymous(range.end - range.begin);
    return copy != nullptr && copy_to_memory(range, file, copy) && move_over(copy, range);
}

}  // namespace tessera::heap
