// SPDX-License-Identifier: BSD-3-Clause
//
// See hosts.hpp.
#include "hosts.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

namespace tessera::oshrun {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr int kSlotsMax = 1 << 20;
constexpr std::size_t kFileBytesMax = std::size_t{64} << 20;  // a line of a million hosts each

// Removes the part of `text` up to one of `separators`, with the separator. RETURNS: the part.
std::string_view take_word(std::string_view& text, std::string_view separators) {
    std::string_view word = text.substr(0, text.find_first_of(separators));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    return word;
}

// `word` in quotes, and the complaint about it.
std::string complaint_about(std::string_view word, std::string_view what) {
    return std::string("\"").append(word).append("\" ").append(what);
}

bool parse_slots(std::string_view text, int& slots) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slots);
    return error == std::errc() && end == text.data() + text.size() && slots > 0 &&
           slots <= kSlotsMax;
}

std::string add_host(std::string_view name, int slots, std::vector<Host>& hosts) {
    auto known = std::find_if(hosts.begin(), hosts.end(),
                              [name](const Host& host) { return host.name == name; });
    if (known == hosts.end()) {
        hosts.push_back({.name = std::string(name), .slots = slots});
        return "";
    }
    // A name alone stands for one slot.
    const int sum = std::max(known->slots, 1) + std::max(slots, 1);
    if (sum > kSlotsMax)
        return complaint_about(name, "has more slots than " + std::to_string(kSlotsMax));
    known->slots = sum;
    return "";
}

// "a" or "b:2"; an address in brackets may contain colons.
std::string add_item(std::string_view item, std::vector<Host>& hosts) {
    std::size_t search_from = item.starts_with('[') ? item.find(']') : 0;
    std::size_t colon =
        search_from == std::string_view::npos ? search_from : item.find(':', search_from);
    std::string_view name = item.substr(0, colon);
    int slots = 0;
    bool is_good = !name.empty() && name[0] != '-' && name.find('=') == std::string_view::npos;
    if (colon != std::string_view::npos)
        is_good = is_good && parse_slots(item.substr(colon + 1), slots);
    if (!is_good) return complaint_about(item, "is not HOST or HOST:SLOTS");
    return add_host(name, slots, hosts);
}

// A line of a host file; `line` has no comment.
std::string add_line(std::string_view line, std::vector<Host>& hosts) {
    std::vector<Host> named;
    while (!line.empty()) {
        std::string_view word = take_word(line, kBlanks);
        if (word.empty()) continue;
        if (named.empty()) {
            std::string complaint = add_item(word, named);
            if (!complaint.empty()) return complaint;
        } else if (word.starts_with("slots=")) {
            if (!parse_slots(word.substr(word.find('=') + 1), named[0].slots))
                return complaint_about(word, "is not slots=NUMBER");
        } else if (!word.starts_with("max_slots=") && !word.starts_with("max-slots=")) {
            return complaint_about(word, "after a host is not slots=NUMBER");
        }
    }
    return named.empty() ? "" : add_host(named[0].name, named[0].slots, hosts);
}

}  // namespace

std::string add_hosts(const std::string& list, std::vector<Host>& hosts) {
    std::string_view rest = list;
    do {
        std::string complaint = add_item(take_word(rest, ","), hosts);
        if (!complaint.empty()) return complaint;
    } while (!rest.empty());
    return "";
}

std::string add_host_file(const std::string& path, std::vector<Host>& hosts) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                         std::fclose);
    if (file == nullptr) return std::strerror(errno);
    std::string text;
    char buffer[4096];
    for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, file.get())) > 0;) {
        text.append(buffer, got);
        if (text.size() > kFileBytesMax) return "it has more than 64 MiB, so it is no host file";
    }
    if (std::ferror(file.get()) != 0) return "it cannot be read";
    std::string_view rest = text;
    for (int number = 1; !rest.empty(); ++number) {
        std::string_view line = take_word(rest, "\n");
        std::string complaint = add_line(line.substr(0, line.find('#')), hosts);
        if (!complaint.empty()) return "line " + std::to_string(number) + ": " + complaint;
    }
    return hosts.empty() ? "it names no host" : "";
}

std::string host_list(const std::vector<Host>& hosts) {
    std::string list;
    for (const Host& host : hosts) {
        if (!list.empty()) list += ",";
        list += host.name;
        if (host.slots > 0) list.append(":").append(std::to_string(host.slots));
    }
    return list;
}

std::vector<std::string> hosts_of_pes(const std::vector<Host>& hosts, int npes, bool in_turn) {
    std::vector<std::string> result;
    std::size_t slots = 0;
    int most = 1;
    for (const Host& host : hosts) {
        slots += static_cast<std::size_t>(std::max(host.slots, 1));
        most = std::max(most, host.slots);
    }
    const std::size_t count = npes > 0 ? static_cast<std::size_t>(npes) : slots;
    // Rounds of all slots; in each of them, when in turn, rounds of one slot.
    while (result.size() < count) {
        for (int taken = 0; taken < (in_turn ? most : 1) && result.size() < count; ++taken) {
            for (const Host& host : hosts) {
                int here = std::max(host.slots, 1);
                if (in_turn) here = taken < here ? 1 : 0;
                result.insert(result.end(),
                              std::min(static_cast<std::size_t>(here), count - result.size()),
                              host.name);
            }
        }
    }
    return result;
}

}  // namespace tessera::oshrun
