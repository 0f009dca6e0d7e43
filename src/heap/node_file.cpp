// SPDX-License-Identifier: BSD-3-Clause
//
// See node_file.hpp. Called once per node, by oshrun or by the first local PE.
#include "heap/node_file.hpp"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/bits.hpp"
#include "base/endpoint_slot.hpp"
#include "base/number_in_file.hpp"

namespace tessera::heap {
namespace {

constexpr std::size_t kDefaultHeapBytesMax = std::size_t{64} << 30;

bool shmem_thp_is_offered() {
    std::FILE* file = std::fopen("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "re");
    if (file == nullptr) return false;
    char text[128] = "";
    std::size_t bytes = std::fread(text, 1, sizeof text - 1, file);
    text[bytes] = '\0';
    std::fclose(file);
    return std::strstr(text, "[never]") == nullptr && std::strstr(text, "[deny]") == nullptr;
}

// The file size limit holds for memory files, too; to go beyond it is a deadly signal.
std::string file_limit_complaint(std::uint64_t bytes) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= bytes) return "";
    char text[256];
    std::snprintf(text, sizeof text,
                  "the limit of file sizes (ulimit -f) is %llu KiB, but the PEs of a node share "
                  "memory through files of up to %llu KiB, most of them holes; set it to unlimited",
                  static_cast<unsigned long long>(limit.rlim_cur / 1024),
                  static_cast<unsigned long long>(bytes / 1024));
    return text;
}

// Tier 1: reserved huge pages, only when enough are free for every page that could be touched; a
// shortage would surface as SIGBUS in the middle of the program.
Fd make_hugetlb_file(std::uint64_t bytes) {
    std::uint64_t free_pages =
        number_in_file("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
    if (free_pages * kHugePageBytes < bytes || !file_limit_complaint(bytes).empty()) return {};
    Fd file(::memfd_create("tessera-heap", MFD_HUGETLB | MFD_HUGE_2MB));
    if (!file || ::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) return {};
    void* probe =
        ::mmap(nullptr, kHugePageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (probe == MAP_FAILED) return {};
    ::munmap(probe, kHugePageBytes);
    return file;
}

Fd make_file(const char* name, std::uint64_t bytes, std::string& error) {
    error = file_limit_complaint(bytes);
    if (!error.empty()) return {};
    Fd file(::memfd_create(name, 0));
    if (file && ::ftruncate(file.get(), static_cast<off_t>(bytes)) == 0) return file;
    char text[256];
    std::snprintf(text, sizeof text, "cannot make a shared memory file of %llu bytes: %s",
                  static_cast<unsigned long long>(bytes), std::strerror(errno));
    error = text;
    return {};
}

NodeLayout plan_layout(const NodePlan& plan) {
    NodeLayout header{};
    auto npes = static_cast<std::uint64_t>(plan.npes);
    header.magic = kNodeMagic;
    header.npes = plan.npes;
    header.range = memory_range(plan.heap_bytes, plan.team_memory_bytes, plan.local_memory_bytes);
    header.heap_stride = header.range.bytes();
    header.records_offset = round_up(sizeof(NodeHeader), kFalseSharingBytes);
    header.facts_offset =
        round_up(header.records_offset + npes * sizeof(PeRecord), kFalseSharingBytes);
    header.facts_bytes = plan.facts_bytes;
    header.npes_of_job = static_cast<std::uint32_t>(plan.npes_of_job);
    header.endpoints_offset = round_up(header.facts_offset + plan.facts_bytes, kEndpointSlotBytes);
    header.inline_limits_offset =
        round_up(header.endpoints_offset + header.npes_of_job * kEndpointSlotBytes, kHugePageBytes);
    header.internal_offset =
        round_up(offload_offset(header) + offload_board_bytes(npes), kHugePageBytes);
    header.internal_bytes =
        round_up(kInternalBytes + header.npes_of_job * kEpochSlotsOfPair * sizeof(EpochSlot),
                 kHugePageBytes);
    header.static_offset = header.internal_offset + npes * header.internal_bytes;
    header.static_slot_bytes = kStaticSlotBytes;
    header.usable_cores = plan.usable_cores;
    return header;
}

}  // namespace

const char* page_kind_name(PageKind kind) {
    switch (kind) {
        case PageKind::kSmall: return "4 KiB pages";
        case PageKind::kTransparentHuge: return "transparent huge pages";
        case PageKind::kHugetlb: return "2 MiB huge pages (hugetlb)";
    }
    return "?";
}

NodeFiles create_node_files(const NodePlan& plan, std::string& error) {
    NodeLayout header = plan_layout(plan);
    auto npes = static_cast<std::uint64_t>(plan.npes);
    NodeFiles files;
    files.node =
        make_file("tessera-node", header.static_offset + npes * header.static_slot_bytes, error);
    if (!files.node) return {};
    std::uint64_t heaps_bytes = npes * header.heap_stride;
    header.page_kind = PageKind::kSmall;
    if (plan.try_huge_pages) {
        files.heap = make_hugetlb_file(heaps_bytes);
        if (files.heap) {
            header.page_kind = PageKind::kHugetlb;
        } else if (shmem_thp_is_offered()) {
            header.page_kind = PageKind::kTransparentHuge;
        }
    }
    if (!files.heap) files.heap = make_file("tessera-heap", heaps_bytes, error);
    if (!files.heap) return {};
    static_assert(offsetof(OffloadBoard, plan) == 0);
    if (::pwrite(files.node.get(), &header, sizeof header, 0) !=
            static_cast<ssize_t>(sizeof header) ||
        ::pwrite(files.node.get(), &plan.helpers, sizeof plan.helpers,
                 static_cast<off_t>(offload_offset(header))) !=
            static_cast<ssize_t>(sizeof plan.helpers)) {
        error = std::string("cannot write to a shared memory file: ") + std::strerror(errno);
        return {};
    }
    return files;
}

MemoryRange memory_range(std::size_t heap_bytes, std::size_t team_memory_bytes,
                         std::size_t local_memory_bytes) {
    auto whole_pages = [](std::uint64_t bytes) {
        return round_up(std::max<std::uint64_t>(bytes, 1), kHugePageBytes);
    };
    return {.heap_bytes = whole_pages(heap_bytes),
            .team_bytes = whole_pages(team_memory_bytes != 0 ? team_memory_bytes : heap_bytes),
            .local_bytes = whole_pages(local_memory_bytes != 0 ? local_memory_bytes : heap_bytes)};
}

std::size_t default_heap_bytes(std::uint64_t memory_bytes, int npes_local) {
    std::uint64_t share = memory_bytes / 2 / static_cast<std::uint64_t>(std::max(npes_local, 1));
    share = share / kHugePageBytes * kHugePageBytes;
    return std::clamp<std::uint64_t>(share, kHugePageBytes, kDefaultHeapBytesMax);
}

std::string heap_size_complaint(std::size_t heap_bytes, std::uint64_t memory_bytes, int npes_local,
                                const char* variable) {
    auto npes = static_cast<std::uint64_t>(std::max(npes_local, 1));
    if (memory_bytes == 0 || heap_bytes <= memory_bytes / npes) return "";
    constexpr double kMebi = 1024.0 * 1024.0;
    char text[320];
    std::snprintf(
        text, sizeof text,
        "%s asks for %.1f MiB in each of %d PEs on this node, but the job "
        "may use only %.1f MiB of memory here; set it to at most %.0fM, or start fewer PEs",
        variable, static_cast<double>(heap_bytes) / kMebi, npes_local,
        static_cast<double>(memory_bytes) / kMebi,
        static_cast<double>(memory_bytes / npes) / kMebi);
    return text;
}

std::string choose_sizes(NodePlan& plan, std::uint64_t memory_bytes, int npes_of_host) {
    if (plan.heap_bytes == 0) plan.heap_bytes = default_heap_bytes(memory_bytes, npes_of_host);
    std::string complaint = heap_size_complaint(plan.heap_bytes, memory_bytes, npes_of_host);
    if (complaint.empty()) {
        complaint = heap_size_complaint(plan.team_memory_bytes, memory_bytes, npes_of_host,
                                        "SHMEM_TEAM_MEMORY_SIZE");
    }
    if (complaint.empty()) {
        complaint = heap_size_complaint(plan.local_memory_bytes, memory_bytes, npes_of_host,
                                        "SHMEM_LOCAL_MEMORY_SIZE");
    }
    return complaint;
}

}  // namespace tessera::heap
