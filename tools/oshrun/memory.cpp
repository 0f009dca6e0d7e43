// SPDX-License-Identifier: BSD-3-Clause
//
// See memory.hpp.
#include "memory.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/fatal.hpp"
#include "base/virtual_nodes.hpp"
#include "settings/config.hpp"

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

heap::NodeFiles make_node_files(const topology::Facts& facts, const heap::NodePlan& plan) {
    std::string error;
    heap::NodeFiles files = heap::create_node_files(plan, error);
    if (!files.node) fatal("%s", error.c_str());
    auto offset = static_cast<off_t>(layout_of(files).facts_offset);
    if (::pwrite(files.node.get(), &facts, sizeof facts, offset) !=
        static_cast<ssize_t>(sizeof facts)) {
        fatal("cannot write the shared file of the job: %s", std::strerror(errno));
    }
    for (int fd : {files.node.get(), files.heap.get()}) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    return files;
}

void map_records(NodeMemory& node) {
    heap::NodeLayout layout = layout_of(node.files);
    std::size_t bytes =
        layout.records_offset + static_cast<std::size_t>(layout.npes) * sizeof(heap::PeRecord);
    node.map = Mapping::share(node.files.node.get(), 0, bytes);
    if (!node.map.is_mapped())
        fatal("cannot map the shared file of the job: %s", std::strerror(errno));
    node.header = reinterpret_cast<heap::NodeHeader*>(node.map.data());
    node.records = reinterpret_cast<heap::PeRecord*>(node.map.data() + layout.records_offset);
}

}  // namespace

std::vector<NodeMemory> make_memory(const topology::Facts& facts, int npes, int nodes,
                                    std::span<const heap::HelperPlan> helpers) {
    heap::NodePlan plan{.npes_of_job = npes,
                        .heap_bytes = config().symmetric_size,
                        .team_memory_bytes = config().team_memory_size,
                        .local_memory_bytes = config().local_memory_size,
                        .try_huge_pages = config().huge_pages,
                        .facts_bytes = sizeof facts,
                        .usable_cores = facts.usable_cores,
                        .helpers = {}};
    const std::string error = heap::choose_sizes(plan, facts.memory_bytes, npes);
    if (!error.empty()) fatal("%s", error.c_str());
    std::vector<NodeMemory> memory(static_cast<std::size_t>(nodes));
    for (int number = 0; number < nodes; ++number) {
        NodeMemory& node = memory[static_cast<std::size_t>(number)];
        plan.npes = virtual_node(number, npes, nodes).npes;
        if (!helpers.empty()) plan.helpers = helpers[static_cast<std::size_t>(number)];
        node.files = make_node_files(facts, plan);
        map_records(node);
    }
    return memory;
}

std::string memory_text(std::span<const NodeMemory> nodes) {
    heap::NodeLayout layout = layout_of(nodes[0].files);
    int npes = 0;
    for (const NodeMemory& node : nodes) npes += layout_of(node.files).npes;
    std::string places = nodes.size() > 1 ? " in " + std::to_string(nodes.size()) + " nodes" : "";
    char text[128];
    std::snprintf(text, sizeof text, "%d PEs%s with %.3g GiB of symmetric heap each, in %s", npes,
                  places.c_str(), static_cast<double>(layout.range.heap_bytes) / (1 << 30),
                  heap::page_kind_name(layout.page_kind));
    return text;
}

}  // namespace tessera::oshrun
