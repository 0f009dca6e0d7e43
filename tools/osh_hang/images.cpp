// SPDX-License-Identifier: BSD-3-Clause
//
// See images.hpp.
#include "tools/osh_hang/images.hpp"

#include <algorithm>
#include <string_view>

#include "runtimes/caf/core/hang_note.hpp"
#include "tools/osh_hang/snapshot.hpp"

namespace tessera::osh_hang {
namespace {

constexpr std::string_view kEntry = "_gfortran_caf_";
constexpr std::string_view kDart = "dart_";
constexpr std::uint64_t kCoarrayBytesMax = std::uint64_t{1} << 20;  // for a name behind the start
constexpr int kImagesMax = 1 << 20;

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

bool is_collective(const std::string& statement) {
    return std::ranges::any_of(kStatements, [&](const Statement& one) {
        return one.is_collective && one.name == statement;
    });
}

std::string statement_in(const Snapshot& pe) { return pe.entry ? pe.entry->routine : ""; }

const Snapshot* find_pe(const std::vector<Snapshot>& pes, int pe) {
    const auto found =
        std::ranges::find_if(pes, [=](const Snapshot& one) { return one.process.pe == pe; });
    return found != pes.end() ? &*found : nullptr;
}

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
    if (entry.starts_with("get") || entry.starts_with("send")) {
        return "an access to another image";
    }
    return std::string(entry);
}

std::vector<int> awaited_by(const Snapshot& image, const std::vector<Snapshot>& pes) {
    if (!image.image || !image.is_waiting()) return {};
    const std::string statement = statement_in(image);
    if (statement == "sync images" && image.wait.kind == WaitKind::kWords) {
        const std::uint64_t offset = image.wait.address - image.image->arrived;
        const std::uint64_t index = offset / sizeof(std::uint64_t);
        if (index < kImagesMax) return {static_cast<int>(index)};
    }
    std::vector<int> awaited;
    if (!is_collective(statement)) return awaited;
    for (int pe : image.image->team) {
        const Snapshot* other = find_pe(pes, pe);
        if (other == nullptr || (other->ended.empty() && !is_collective(statement_in(*other)))) {
            awaited.push_back(pe);
        }
    }
    return awaited;
}

std::string coarray_at(const Snapshot& pe, std::uint64_t address) {
    std::string best;
    std::uint64_t distance = kCoarrayBytesMax;
    call_sites::Process process(pe.process.pid);
    process.for_each_variable([&](const char* name, std::uint64_t variable, std::uint64_t bytes) {
        const bool is_inner =
            name[0] == '_' && std::string_view(name).find("_MOD_") == std::string_view::npos;
        const bool is_static = variable - pe.static_base < pe.static_bytes;
        const std::string_view text = name;
        if (!is_static || bytes < sizeof address || is_inner) return;
        if (text.find("caf_token") != std::string_view::npos) return;
        std::uint64_t base = 0;  // of the coarray: a pointer, or the start of a descriptor
        if (!read_memory(pe.process.pid, variable, &base, sizeof base)) return;
        if (base < pe.heap_base || address - base >= distance) return;
        distance = address - base;
        best = call_sites::readable_name(name);
    });
    if (best.empty() || distance == 0) return best;
    return best + "+" + std::to_string(distance);
}

}  // namespace tessera::osh_hang
