// SPDX-License-Identifier: BSD-3-Clause
//
// See address_space.hpp.
#include "heap/address_space.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/fd.hpp"
#include "base/number_in_file.hpp"

namespace tessera::heap {
namespace {

constexpr char kMaps[] = "/proc/self/maps";
constexpr std::size_t kUsualMappingsMax = 65530;

// struct procmap_query of the kernel's headers, which older systems lack.
struct MappingQuery {
    std::uint64_t size;
    std::uint64_t query_flags;
    std::uint64_t query_address;
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t flags;
    std::uint64_t page_bytes;
    std::uint64_t offset;
    std::uint64_t inode;
    std::uint32_t device[2];
    std::uint32_t name_bytes;
    std::uint32_t build_id_bytes;
    std::uint64_t name;
    std::uint64_t build_id;
};
static_assert(sizeof(MappingQuery) == 104);
constexpr unsigned long kQueryCall = _IOWR('f', 17, MappingQuery);
enum QueryFlag : std::uint64_t { kReadable = 1, kWritable = 2, kExecutable = 4, kShared = 8 };

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Whether the kernel told the mapping that holds the address.
bool query(const Fd& maps, std::uintptr_t address, MappedRange& range) {
    MappingQuery mapping{};
    mapping.size = sizeof mapping;
    mapping.query_address = address;
    if (::ioctl(maps.get(), kQueryCall, &mapping) != 0) return false;
    const std::uint64_t access = mapping.flags & (kReadable | kWritable | kExecutable);
    range = {.begin = mapping.begin,
             .end = mapping.end,
             .is_data = access == (kReadable | kWritable),
             .is_shared = (mapping.flags & kShared) != 0,
             .inode = mapping.inode,
             .offset = mapping.offset};
    return true;
}

bool parse(const char* line, MappedRange& range) {
    char flags[5] = "";
    if (std::sscanf(line, "%lx-%lx %4s %lx %*s %lu", &range.begin, &range.end, flags, &range.offset,
                    &range.inode) != 5) {
        return false;
    }
    range.is_data = std::strncmp(flags, "rw-", 3) == 0;
    range.is_shared = flags[3] == 's';
    return true;
}

// The name in a line of /proc/self/maps, which five words precede; "": there is none.
std::string name_in(const char* line) {
    constexpr int kWordsBefore = 5;
    for (int word = 0; word < kWordsBefore; ++word) {
        line += std::strcspn(line, " \n");
        line += std::strspn(line, " ");
    }
    return std::string(line, std::strcspn(line, "\n"));
}

// Calls visit(mapping, line) in ascending order, until it returns false.
template <class Visit>
void for_each_line(Visit visit) {
    const File maps(std::fopen(kMaps, "re"));
    if (!maps) return;
    char* text = nullptr;
    std::size_t capacity = 0;
    MappedRange range;
    while (::getline(&text, &capacity, maps.get()) > 0) {
        if (parse(text, range) && !visit(range, text)) break;
    }
    std::free(text);
}

// Cuts the mapping and appends it, where it continues the ones before.
bool append(std::vector<MappedRange>& all, MappedRange range, std::uintptr_t begin,
            std::uintptr_t end) {
    const std::uintptr_t wanted = all.empty() ? begin : all.back().end;
    if (range.begin > wanted || range.end <= wanted) return false;
    range.offset += wanted - range.begin;
    range.begin = wanted;
    range.end = std::min(range.end, end);
    all.push_back(range);
    return true;
}

}  // namespace

std::vector<MappedRange> mappings_of(std::uintptr_t begin, std::uintptr_t end) {
    std::vector<MappedRange> all;
    if (has_mapping_query()) {
        const Fd maps(::open(kMaps, O_RDONLY | O_CLOEXEC));
        MappedRange range;
        for (std::uintptr_t next = begin; next < end; next = all.back().end) {
            if (!query(maps, next, range) || !append(all, range, begin, end)) return {};
        }
        return all;
    }
    for_each_line([&](const MappedRange& range, const char* /*line*/) {
        if (range.end <= begin) return true;
        return append(all, range, begin, end) && all.back().end < end;
    });
    if (all.empty() || all.back().end < end) return {};
    return all;
}

std::string describe_mapping_in(std::uintptr_t begin, std::uintptr_t end) {
    std::string text;
    for_each_line([&](const MappedRange& range, const char* line) {
        if (range.end <= begin) return true;
        if (range.begin >= end) return false;
        const std::string name = name_in(line);
        char place[64];
        std::snprintf(place, sizeof place, " at [0x%lx, 0x%lx)", range.begin, range.end);
        text = (name.empty() ? "memory without a name" : name) + place;
        return false;
    });
    return text;
}

std::size_t count_mappings() {
    std::size_t count = 0;
    for_each_line([&](const MappedRange&, const char* /*line*/) {
        ++count;
        return true;
    });
    return count;
}

std::size_t mappings_max() {
    const std::uint64_t count = number_in_file("/proc/sys/vm/max_map_count");
    return count != 0 ? count : kUsualMappingsMax;
}

bool has_mapping_query() {
    static const bool has = [] {
        const Fd maps(::open(kMaps, O_RDONLY | O_CLOEXEC));
        MappedRange range;
        return query(maps, reinterpret_cast<std::uintptr_t>(&kMaps), range);
    }();
    return has;
}

}  // namespace tessera::heap
