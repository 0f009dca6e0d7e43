// SPDX-License-Identifier: BSD-3-Clause
//
// describe() of topology.hpp: facts as lines for people.
#include <cstdio>

#include "topology/topology.hpp"

namespace tessera::topology {
namespace {

// "48 KiB", "32 MiB", "23.5 GiB"; whole numbers without a fraction.
std::string bytes_text(std::uint64_t bytes) {
    static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < std::size(kUnits)) {
        value /= 1024;
        ++unit;
    }
    char text[40];
    const bool is_whole = value == static_cast<double>(static_cast<std::uint64_t>(value));
    std::snprintf(text, sizeof text, is_whole ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
    return text;
}

std::string count_text(std::uint64_t count, const char* thing) {
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string line(const char* name, const std::string& value) {
    char text[256];
    std::snprintf(text, sizeof text, "  %-18s %s\n", name, value.c_str());
    return text;
}

std::string cache_text(const Facts& facts) {
    std::string text;
    const auto add = [&text](const char* name, std::uint64_t bytes) {
        if (bytes == 0) return;
        if (!text.empty()) text += ", ";
        text.append(name).append(" ").append(bytes_text(bytes));
    };
    add("L1d", facts.l1d_bytes);
    add("L2", facts.l2_bytes);
    add("L3", facts.l3_bytes);
    if (facts.l3_bytes > 0) text += " for " + count_text(facts.cores_per_l3, "core");
    add("line", facts.line_bytes);
    return text.empty() ? "not known" : text;
}

}  // namespace

std::string describe(const Facts& facts) {
    std::string usable =
        count_text(facts.usable_cores, "core") + ", " + count_text(facts.usable_pus, "PU");
    if (facts.usable_pus < facts.allowed_pus) {
        char text[80];
        std::snprintf(text, sizeof text, " (CPU quota %.1f, affinity allows %u)",
                      static_cast<double>(facts.cpu_quota_milli) / 1000.0, facts.allowed_pus);
        usable += text;
    }
    std::string memory = bytes_text(facts.machine_memory_bytes);
    if (facts.memory_bytes < facts.machine_memory_bytes)
        memory += ", the job may use " + bytes_text(facts.memory_bytes);
    return line("machine", count_text(facts.packages, "package") + ", " +
                               count_text(facts.numa_nodes, "NUMA node") + ", " +
                               count_text(facts.cores, "core") + ", " +
                               count_text(facts.pus, "PU")) +
           line("usable", usable) + line("caches", cache_text(facts)) + line("memory", memory);
}

}  // namespace tessera::topology
