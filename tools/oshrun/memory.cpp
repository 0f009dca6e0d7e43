// SPDX-License-Identifier: BSD-3-Clause
//
// See memory.hpp.
#include "memory.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/fatal.hpp"
#include "core/config.hpp"

namespace tessera::oshrun {
namespace {

heap::NodeLayout layout_of(const heap::NodeFiles& files) {
    heap::NodeLayout layout{};
    if (::pread(files.node.get(), &layout, sizeof layout, 0) !=
        static_cast<ssize_t>(sizeof layout)) {
        fatal("cannot read the shared file of the job: %s", std::strerror(errno));
    }
    return layout;
}

}  // namespace

heap::NodeFiles make_node_files(const topology::Facts& facts, int npes) {
    std::size_t heap_bytes = config().symmetric_size;
    if (heap_bytes == 0) heap_bytes = heap::default_heap_bytes(facts.memory_bytes, npes);
    std::string error = heap::heap_size_complaint(heap_bytes, facts.memory_bytes, npes);
    if (!error.empty()) fatal("%s", error.c_str());
    heap::NodeFiles files = heap::create_node_files({.npes = npes,
                                                     .heap_bytes = heap_bytes,
                                                     .try_huge_pages = config().huge_pages,
                                                     .facts_bytes = sizeof facts,
                                                     .usable_cores = facts.usable_cores},
                                                    error);
    if (!files.node) fatal("%s", error.c_str());
    auto offset = static_cast<off_t>(layout_of(files).facts_offset);
    if (::pwrite(files.node.get(), &facts, sizeof facts, offset) !=
        static_cast<ssize_t>(sizeof facts)) {
        fatal("cannot write the shared file of the job: %s", std::strerror(errno));
    }
    return files;
}

Mapping map_records(const heap::NodeFiles& files, heap::PeRecord*& records) {
    heap::NodeLayout layout = layout_of(files);
    std::size_t bytes =
        layout.records_offset + static_cast<std::size_t>(layout.npes) * sizeof(heap::PeRecord);
    Mapping map = Mapping::share(files.node.get(), 0, bytes);
    if (!map.is_mapped()) fatal("cannot map the shared file of the job: %s", std::strerror(errno));
    records = reinterpret_cast<heap::PeRecord*>(map.data() + layout.records_offset);
    return map;
}

std::string memory_text(const heap::NodeFiles& files) {
    heap::NodeLayout layout = layout_of(files);
    char text[128];
    std::snprintf(text, sizeof text, "%d PEs with %.3g GiB of symmetric heap each, in %s",
                  layout.npes, static_cast<double>(layout.heap_bytes) / (1 << 30),
                  heap::page_kind_name(layout.page_kind));
    return text;
}

}  // namespace tessera::oshrun
