// SPDX-License-Identifier: BSD-3-Clause
//
// See drawing.hpp.
#include "topology/drawing.hpp"

#include <algorithm>
#include <vector>

#include "topology/location.hpp"

namespace tessera::topology {
namespace {

constexpr std::size_t kMappedCoresMax = 128;

// "0-7,64-71"
std::string ranges_text(std::vector<std::uint32_t> numbers) {
    std::ranges::sort(numbers);
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t end = i + 1;
        while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
        if (!text.empty()) text += ",";
        text += std::to_string(numbers[i]);
        if (end > i + 1) text.append("-").append(std::to_string(numbers[end - 1]));
        i = end;
    }
    return text;
}

// "core 3", "cores 3-5"
std::string numbers_text(const char* thing, const std::vector<std::uint32_t>& numbers) {
    std::string text(thing);
    return text.append(numbers.size() == 1 ? " " : "s ").append(ranges_text(numbers));
}

char symbol_of(const Facts& facts, const CoreFacts& core, std::span<const std::uint32_t> bound) {
    const auto pus = pus_of(facts, core);
    const auto count = std::ranges::count_if(
        pus, [&](std::uint32_t pu) { return std::ranges::binary_search(bound, pu); });
    if (count == 0) return '.';
    return count == static_cast<std::ptrdiff_t>(pus.size()) ? 'B' : 'b';
}

// The cores in the order of the machine; they are listed in the order in which PEs get them.
std::vector<CoreFacts> cores_by_number(const Facts& facts) {
    const std::span<const CoreFacts> listed = cores_of(facts);
    std::vector<CoreFacts> cores(listed.begin(), listed.end());
    std::ranges::sort(cores, {}, &CoreFacts::number);
    return cores;
}

std::string map_text(const Facts& facts, std::span<const std::uint32_t> bound) {
    std::string text;
    const std::vector<CoreFacts> cores = cores_by_number(facts);
    for (std::size_t i = 0; i < cores.size(); ++i) {
        if (i == 0) {
            text += "[";
        } else if (cores[i].package != cores[i - 1].package) {
            text += "][";
        } else if (cores[i].l3 != cores[i - 1].l3) {
            text += " ";
        }
        text += symbol_of(facts, cores[i], bound);
    }
    return text + "]";
}

void add_part(std::string& text, const char* name, std::int32_t number) {
    if (number == Location::kNotBound) return;
    text.append(text.empty() ? "" : ", ").append(name).append(" ").append(std::to_string(number));
}

// Cores that share package, NUMA node and L3: one line of the drawing.
struct Leaf {
    CoreFacts first;
    std::vector<std::uint32_t> cores;
    std::vector<std::uint32_t> pus;
};

std::vector<Leaf> leaves_of(const Facts& facts) {
    std::vector<Leaf> leaves;
    for (const CoreFacts& core : cores_by_number(facts)) {
        const bool goes_on = !leaves.empty() && leaves.back().first.package == core.package &&
                             leaves.back().first.numa_node == core.numa_node &&
                             leaves.back().first.l3 == core.l3;
        if (!goes_on) leaves.push_back({.first = core, .cores = {}, .pus = {}});
        leaves.back().cores.push_back(core.number);
        const auto pus = pus_of(facts, core);
        leaves.back().pus.insert(leaves.back().pus.end(), pus.begin(), pus.end());
    }
    return leaves;
}

}  // namespace

std::string binding_text(const Facts& facts, std::span<const std::uint32_t> pus) {
    if (pus.empty()) return "not bound";
    const Location location = locate(facts, pus);
    std::string parts;
    add_part(parts, "package", location.package);
    add_part(parts, "NUMA node", location.numa_domain);
    add_part(parts, "L3", location.cache_cluster);
    add_part(parts, "core", location.core);
    if (parts.empty()) parts = "several packages";
    std::string text("bound to ");
    text.append(parts).append(" (").append(numbers_text("PU", {pus.begin(), pus.end()}));
    text += ")";
    if (facts.ncores_listed <= kMappedCoresMax) text.append(": ").append(map_text(facts, pus));
    return text;
}

std::string drawing(const Facts& facts) {
    std::string text;
    const CoreFacts* previous = nullptr;
    const std::vector<Leaf> leaves = leaves_of(facts);
    for (const Leaf& leaf : leaves) {
        const bool new_package = previous == nullptr || previous->package != leaf.first.package;
        const bool new_node = new_package || previous->numa_node != leaf.first.numa_node;
        if (new_package) text += "  package " + std::to_string(leaf.first.package) + "\n";
        if (new_node) text += "    NUMA node " + std::to_string(leaf.first.numa_node) + "\n";
        text += "      ";
        text += leaf.first.l3 == kNoL3 ? "no L3:" : "L3 " + std::to_string(leaf.first.l3) + ":";
        text.append(" ").append(numbers_text("core", leaf.cores)).append(", ");
        text.append(numbers_text("PU", leaf.pus)).append("\n");
        previous = &leaf.first;
    }
    if (facts.allowed_cores > facts.ncores_listed) {
        text += "  and " + std::to_string(facts.allowed_cores - facts.ncores_listed) +
                " more cores, which this library does not bind PEs to\n";
    }
    return text;
}

}  // namespace tessera::topology
