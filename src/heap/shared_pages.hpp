// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that the program has allocated itself, made into memory that other PEs of the node can
// map: its whole pages are replaced by those of a file with the same contents, as static_data.hpp
// does for static data. A PE has one file for all, without a name and mostly holes: the page at
// address A lies at offset A. So neighbours are one mapping, here and in other processes, and
// memory that is shared twice is the same bytes. Other PEs map the file by peer_pages.hpp.
//
//   addresses    |  a  |  b  |  c  |  d  |  e  |        ranges share() got: [a.., ..d), [c, e)
//   users           1     1     2     2     1           pages that a range touches
//   the file           |  b  |  c  |  d  |              own pages of some range, if replaced
//
// A page has users while a range that was given to share() touches it. A page that had a user
// before it could be replaced stays as it is: that user may have registered it with a device.
// The last user's end brings private pages back, with the contents that the page has by then. So
// memory that the program frees, or a child of fork() gets, is ordinary again.
// Children of fork() get a private view of the pages that are shared at that time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "base/fd.hpp"
#include "base/mutexes.hpp"

namespace tessera::heap {

// Where the memory of a process can be opened. pid 0: it shares no pages.
struct PagesOffer {
    std::int32_t pid = 0;
    std::int32_t fd = -1;
    std::uint64_t inode = 0;
};

// Whole pages, by their addresses.
struct PageSpan {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::size_t bytes() const { return end - begin; }
    bool holds(std::uintptr_t address, std::size_t count) const {
        return address >= begin && address < end && count <= end - address;
    }
};
PageSpan pages_touched_by(std::uintptr_t address, std::size_t bytes);
// The pages that hold nothing else: maybe none. A block of glibc's malloc that has a mapping of its
// own (the usual case from 128 KiB on) owns its first page, too, and its last one if the memory
// reaches into it.
PageSpan own_pages_of(std::uintptr_t address, std::size_t bytes);

class SharedPages {
  public:
    // Smaller ranges do not pay: replacing pages takes as long as some ten copies by the kernel
    // (docs/measurements/runtime-layer.md).
    static constexpr std::size_t kBytesMin = std::size_t{16} << 10;
    static constexpr std::size_t kNever = ~std::size_t{0};

    SharedPages() = default;
    SharedPages(const SharedPages&) = delete;
    SharedPages& operator=(const SharedPages&) = delete;

    // Counts a user of the memory, and replaces its own pages if they have `bytes_min` bytes.
    // RETURNS: those that are in the file: all of them or none. The contents stay.
    // REQUIRES: during the call no other thread and no other process writes to the memory.
    // COST: copies the touched pages, 0.3 us a KiB; at most kCopyBytes exist twice.
    PageSpan share(std::uintptr_t address, std::size_t bytes, std::size_t bytes_min);
    // Ends that use. REQUIRES: as share(). COST: as share(), where it was the last one.
    void end(std::uintptr_t address, std::size_t bytes);
    // Ends all.
    void close();

    // Constant from the first shared page to close().
    PagesOffer offer();

    // fork() handlers: the child replaces the shared pages by private ones of the same contents.
    void before_fork() { lock_.lock(); }
    void after_fork() { lock_.unlock(); }
    void make_private_in_child();

  private:
    static constexpr std::size_t kCopyBytes = std::size_t{64} << 20;
    // Mappings are counted after as many pieces.
    static constexpr std::size_t kPiecesPerCount = 512;

    // Successive pages with the same users.
    struct Use {
        std::uintptr_t end = 0;
        std::size_t users = 0;
        bool is_in_file = false;
    };
    using Uses = std::map<std::uintptr_t, Use>;

    // All with lock_.
    bool replace(const PageSpan& pages);
    bool replace_part(std::uintptr_t begin, std::uintptr_t end);
    bool has_earlier_user(const PageSpan& pages) const;
    bool has_file();
    bool has_room_for_mappings();
    void count_user(const PageSpan& pages);
    void mark_in_file(const PageSpan& pages);
    void split_at(std::uintptr_t address);
    void bring_back(std::uintptr_t begin, std::uintptr_t end);
    bool bring_back_part(std::uintptr_t begin, std::uintptr_t end);

    ShortMutex lock_;
    Uses uses_;
    Fd file_;
    std::uint64_t inode_ = 0;
    std::size_t pieces_until_count_ = kPiecesPerCount;
    bool has_room_ = true;
};

}  // namespace tessera::heap
