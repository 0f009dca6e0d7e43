// SPDX-License-Identifier: BSD-3-Clause
//
// See info.hpp. One write, so that lines of the program do not come between.
#include "session/info.hpp"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <string>

#include "base/copy.hpp"
#include "core/address_map.hpp"
#include "progress/offload.hpp"
#include "shmem/setup.h"
#include "teams/team.hpp"
#include "transports/noncoherent_transport.hpp"

namespace tessera {
namespace {

const char* launcher_name(launch::Launcher launcher) {
    switch (launcher) {
        case launch::Launcher::kNone: return "none (one PE)";
        case launch::Launcher::kOshrun: return "oshrun";
        case launch::Launcher::kPmix: return "PMIx";
        case launch::Launcher::kGroup: return "none (a unique id)";
    }
    return "?";
}

__attribute__((format(printf, 1, 2))) std::string text_of(const char* format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}

std::string line(const char* name, const std::string& value) {
    return text_of("  %-18s %s\n", name, value.c_str());
}

std::string nodes_text(const launch::Job& job) {
    if (job.nnodes == 1) return "1";
    return text_of("%d, %d on this host; between them %s", job.nnodes, job.nodes_of_host,
                   address_map.fabric->description().c_str());
}

std::string mebibytes_text(std::uint64_t bytes) {
    return text_of("%.1f MiB for each PE, sparse", static_cast<double>(bytes) / (1024.0 * 1024.0));
}

std::string heap_text(const heap::NodeLayout& layout) {
    std::string text = mebibytes_text(layout.range.heap_bytes) + ", ";
    if (address_map.coherence != nullptr) return text + address_map.coherence->description();
    return text + heap::page_kind_name(layout.page_kind);
}

std::string static_text(const Node& node) {
    const heap::StaticData& statics = heap::static_data();
    if (statics.shared && node.statics_are_mapped())
        return text_of("%zu KiB shared by load and store", statics.bytes / 1024);
    return text_of("%zu KiB not shared: %s", statics.bytes / 1024,
                   statics.shared ? "a peer could not share its own" : statics.reason);
}

}  // namespace

void print_info(const Node& node, const launch::Job& job, std::span<const Outcome> outcomes) {
    if (!config().version && !config().info) return;
    std::string text = text_of("%s, OpenSHMEM %d.%d\n", SHMEM_VENDOR_STRING, SHMEM_MAJOR_VERSION,
                               SHMEM_MINOR_VERSION);
    if (config().info) {
        text += "Job\n";
        text += line("launcher", launcher_name(job.launcher));
        text += line("PEs", text_of("%d, %d on this node", job.npes, job.nlocal));
        text += line("nodes", nodes_text(job));
        text += line("symmetric heap", heap_text(node.header()));
        text += line("heap address", node.heap_address_text());
        text += line("team memory", mebibytes_text(node.header().range.team_bytes));
        text += line("local memory", mebibytes_text(node.header().range.local_bytes));
        text += line("static data", static_text(node));
        text += line("waiting", world_team.more_members_than_cores
                                    ? "more PEs than usable cores: yield, then sleep"
                                    : "a core for each PE: pause, yield, then sleep");
        text += line("large copies", copy_routine_name());
        const Offload* offload = address_map.offload;
        if (offload != nullptr && offload->has_helpers()) {
            text += line("helpers", text_of("put_nbi and get_nbi on the node from %zu bytes on",
                                            offload->node_bytes_min()));
        }
        if (offload != nullptr && offload->has_fabric()) {
            text += line("helpers", text_of("put_nbi and get_nbi to other nodes from %zu bytes on",
                                            offload->fabric_bytes_min()));
        }
        text += "Topology\n" + topology::describe(node.facts());
        text += "Settings\n" + settings_text(config(), outcomes);
    }
    ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    static_cast<void>(written);  // Information only: the program may close stdout.
}

}  // namespace tessera
