// SPDX-License-Identifier: BSD-3-Clause
//
// See placement_words.hpp. Words are separated by ":" or ","; upper and lower case mean the same.
#include "placement_words.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <span>
#include <utility>
#include <vector>

namespace tessera::oshrun {
namespace {

using topology::BindTo;
using topology::MapBy;
using Words = std::vector<std::string>;

constexpr int kCountMax = 65536;

constexpr std::pair<std::string_view, BindTo> kBindings[] = {
    {"auto", BindTo::kAuto},      {"hwthread", BindTo::kHwthread}, {"core", BindTo::kCore},
    {"l3", BindTo::kL3},          {"numa", BindTo::kNuma},         {"package", BindTo::kPackage},
    {"none", BindTo::kNone},      {"slot", BindTo::kCore},         {"l1cache", BindTo::kCore},
    {"l2cache", BindTo::kCore},   {"l3cache", BindTo::kL3},        {"socket", BindTo::kPackage},
    {"machine", BindTo::kNone},   {"board", BindTo::kNone},        {"node", BindTo::kNone},
    {"thread", BindTo::kHwthread}};
constexpr std::pair<std::string_view, MapBy> kMappings[] = {
    {"hwthread", MapBy::kHwthread}, {"core", MapBy::kCore},       {"l3", MapBy::kL3},
    {"numa", MapBy::kNuma},         {"package", MapBy::kPackage}, {"node", MapBy::kNode},
    {"slot", MapBy::kCore},         {"l1cache", MapBy::kCore},    {"l2cache", MapBy::kCore},
    {"l3cache", MapBy::kL3},        {"socket", MapBy::kPackage},  {"board", MapBy::kNode}};
// srun's, with and without "s".
constexpr std::pair<std::string_view, BindTo> kCpuBindings[] = {
    {"none", BindTo::kNone},     {"no", BindTo::kNone},         {"threads", BindTo::kHwthread},
    {"cores", BindTo::kCore},    {"sockets", BindTo::kPackage}, {"ldoms", BindTo::kNuma},
    {"rank", BindTo::kHwthread}, {"rank_ldom", BindTo::kNuma}};
// They say that PEs may share cores, which oshrun allows anyway, or ask for messages.
constexpr std::string_view kHarmless[] = {"overload-allowed",
                                          "no-overload",
                                          "span",
                                          "oversubscribe",
                                          "nooversubscribe",
                                          "if-supported",
                                          "hwtcpus",
                                          "corecpus",
                                          "verbose",
                                          "noverbose",
                                          "quiet",
                                          "v",
                                          "q",
                                          "inherit",
                                          "noinherit"};
constexpr const char* kBindingWords = "auto, hwthread, core, l3, numa, package (or socket), none";
constexpr const char* kMappingWords =
    "core (or slot), hwthread, l3, numa, package (or socket), node, ppr:N:PART; behind it :pe=N "
    "for N cores a PE";

Words split(std::string_view text) {
    Words words(1);
    for (const char c : text) {
        if (c == ':' || c == ',') {
            words.emplace_back();
        } else {
            words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return words;
}

template <class Value>
bool find(std::span<const std::pair<std::string_view, Value>> table, std::string_view word,
          Value& value) {
    const auto found = std::ranges::find(table, word, [](const auto& row) { return row.first; });
    if (found == table.end()) return false;
    value = found->second;
    return true;
}

bool read_count(std::string_view text, int& count) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, count);
    return error == std::errc() && stop == end && count >= 1 && count <= kCountMax;
}

bool is_harmless(std::string_view word) {
    return std::ranges::find(kHarmless, word) != std::end(kHarmless);
}

std::string complaint(std::string_view text, const char* words) {
    return "\"" + std::string(text) + "\" is none of " + words;
}

bool read_part(std::string_view word, int pes, Placement& placement) {
    if (!find<MapBy>(kMappings, word, placement.map_by)) return false;
    if (placement.map_by == MapBy::kHwthread && placement.bind_to == BindTo::kAuto)
        placement.bind_to = BindTo::kHwthread;
    if (pes == 0) return true;
    const bool is_host = placement.map_by == MapBy::kNode;
    if (is_host) placement.map_by = MapBy::kCore;
    (is_host ? placement.pes_per_host : placement.pes_per_part) = pes;
    return true;
}

}  // namespace

std::string read_binding(std::string_view text, Placement& placement) {
    const Words words = split(text);
    bool is_good = find<BindTo>(kBindings, words[0], placement.bind_to);
    for (std::size_t i = 1; i < words.size(); ++i) {
        is_good =
            is_good && (is_harmless(words[i]) || read_count(words[i], placement.cores_per_pe));
    }
    return is_good ? "" : complaint(text, kBindingWords);
}

std::string read_mapping(std::string_view text, Placement& placement) {
    const Words words = split(text);
    std::size_t at = 0;
    int pes = 0;
    bool is_good = true;
    if (words[0] == "ppr") {
        is_good = words.size() > 2 && read_count(words[1], pes);
        at = 2;
    }
    // "mpirun --map-by :pe=2" names no part.
    is_good = is_good && (words[at].empty() || read_part(words[at], pes, placement));
    for (++at; is_good && at < words.size(); ++at) {
        const std::string& word = words[at];
        const bool is_width = word.starts_with("pe=");
        is_good = is_width ? read_count(std::string_view(word).substr(3), placement.cores_per_pe)
                           : is_harmless(word);
    }
    return is_good ? "" : complaint(text, kMappingWords);
}

std::string read_cpu_bind(std::string_view text, Placement& placement) {
    for (std::string& word : split(text)) {
        if (find<BindTo>(kCpuBindings, word, placement.bind_to)) continue;
        if (find<BindTo>(kCpuBindings, word + "s", placement.bind_to) || is_harmless(word))
            continue;
        return complaint(text, "threads, cores, sockets, ldoms, none");
    }
    return "";
}

}  // namespace tessera::oshrun
