// SPDX-License-Identifier: BSD-3-Clause
//
// See images.hpp.
#include "tools/osh_hang/images.hpp"

#include <algorithm>
#include <string_view>

#include "runtimes/caf/core/hang_note.hpp"
#include "tools/osh_hang/processes.hpp"

namespace tessera::osh_hang {
namespace {

constexpr std::string_view kEntry = "_gfortran_caf_";
constexpr std::string_view kDart = "dart_";

struct Statement {
    std::string_view entry;
    std::string_view name;
    bool is_collective;
};
constexpr Statement kStatements[] = {
    {"sync_all", "sync all", true},
    {"sync_team", "sync team", true},
    {"sync_images", "sync images", false},
    {"sync_memory", "sync memory", false},
    {"register", "allocate", true},
    {"deregister", "deallocate", true},
    {"form_team", "form team", true},
    {"change_team", "change team", true},
    {"end_team", "end team", true},
    {"co_broadcast", "co_broadcast", true},
    {"co_sum", "co_sum", true},
    {"co_min", "co_min", true},
    {"co_max", "co_max", true},
    {"co_reduce", "co_reduce", true},
    {"event_wait", "event wait", false},
    {"event_post", "event post", false},
    {"error_stop", "error stop", false},
    {"error_stop_str", "error stop", false},
    {"stop_numeric", "stop", true},
    {"stop_str", "stop", true},
    {"finalize", "the end of the program", true},
    {"fail_image", "fail image", false},
    {"init", "the start of the program", true},
};

}  // namespace

std::optional<Image> read_image(call_sites::Process& process, pid_t pid) {
    const std::uint64_t address = process.address_of(TESSERA_CAF_HANG_NOTE);
    caf::HangNote note{};
    if (address == 0 || !read_memory(pid, address, &note, sizeof note)) return {};
    Image image{.arrived = reinterpret_cast<std::uint64_t>(note.arrived), .team = {}};
    for (int i = 0; i < note.images && i < kImagesMax; ++i) {
        int pe = note.first_pe + i * note.pe_stride;
        const auto entry = reinterpret_cast<std::uint64_t>(note.pes + i);
        if (note.pes != nullptr) read_memory(pid, entry, &pe, sizeof pe);
        image.team.push_back(pe);
    }
    return image;
}

bool is_of_runtime(const std::string& routine) {
    return routine.starts_with(kEntry) || routine.starts_with(kDart);
}

std::string statement_of(const std::string& routine) {
    if (!routine.starts_with(kEntry)) return routine;
    const std::string_view entry = std::string_view(routine).substr(kEntry.size());
    for (const Statement& statement : kStatements) {
        if (statement.entry == entry) return std::string(statement.name);
    }
    if (entry.starts_with("get") || entry.starts_with("send")) return "an access to another image";
    return std::string(entry);
}

bool is_collective(const std::string& statement) {
    return std::ranges::any_of(kStatements, [&](const Statement& one) {
        return one.is_collective && one.name == statement;
    });
}

}  // namespace tessera::osh_hang
