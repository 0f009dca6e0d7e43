// SPDX-License-Identifier: BSD-3-Clause
//
// See helpers.hpp: the process of a helper.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/copy.hpp"
#include "base/fatal.hpp"
#include "base/fd.hpp"
#include "heap/helper_loop.hpp"
#include "heap/node_file.hpp"
#include "helpers.hpp"
#include "topology/topology.hpp"

namespace tessera::oshrun {
namespace {

[[noreturn]] void end(const char* message) {
    warn("%s", message);
    ::_exit(1);
}

[[noreturn]] void fail(const char* what) {
    warn("%s: %s", what, std::strerror(errno));
    ::_exit(1);
}

// The files of the node as the helper maps them, for its whole life.
struct MappedNode {
    heap::NodeLayout layout;
    Mapping heaps;
    Mapping node;

    MappedNode(int node_fd, int heap_fd) {
        if (::pread(node_fd, static_cast<void*>(&layout), sizeof layout, 0) !=
            static_cast<ssize_t>(sizeof layout)) {
            fail("cannot read the shared file of the node");
        }
        const std::size_t heaps_bytes = static_cast<std::size_t>(layout.npes) * layout.heap_stride;
        heaps = Mapping::share(heap_fd, 0, heaps_bytes, {.aligned_to = kHugePageBytes});
        node = Mapping::share(node_fd, 0, layout.static_offset);
        if (!heaps.is_mapped() || !node.is_mapped()) fail("cannot map the memory of the node");
        if (layout.page_kind == heap::PageKind::kTransparentHuge)
            ::madvise(heaps.data(), heaps.bytes(), MADV_HUGEPAGE);
    }
};

}  // namespace

void run_helper(int argc, char** argv) {
    if (argc != 4 || std::strcmp(argv[0], kHelperName) != 0) return;
    ::prctl(PR_SET_NAME, kHelperName);
    set_message_prefix("oshrun: ");
    const MappedNode memory(std::atoi(argv[1]), std::atoi(argv[2]));
    // Among them pipes of oshrun, whose other ends wait for the last writer.
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    char* node = memory.node.data();
    choose_copy_routine(
        reinterpret_cast<const topology::Facts*>(node + memory.layout.facts_offset)->l3_bytes);
    heap::HelperLoop loop(
        {.board = *reinterpret_cast<heap::OffloadBoard*>(node + offload_offset(memory.layout)),
         .maps = {.node = node, .heaps = memory.heaps.data()},
         .npes = static_cast<std::size_t>(memory.layout.npes),
         .number = static_cast<std::size_t>(std::atoi(argv[3])),
         .fail = end});
    loop.run();
}

}  // namespace tessera::oshrun
