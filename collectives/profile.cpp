// SPDX-License-Identifier: BSD-3-Clause
//
// See profile.hpp.
#include "collectives/profile.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "core/config.hpp"

namespace tessera::collectives {
namespace {

constexpr const char* kCommonPath = "/etc/tessera/profile";

struct Price {
    std::string_view name;
    double Machine::*value;
    const char* meaning;
};
constexpr Price kPrices[] = {
    {"alpha", &Machine::alpha, "s, a flag until another PE of the node sees it"},
    {"switching", &Machine::switching, "s, switching to another PE on the same core"},
    {"beta", &Machine::beta, "s, copying a byte, from cache"},
    {"beta_far", &Machine::beta_far, "s, copying a byte, from memory"},
    {"gamma", &Machine::gamma, "s, combining a byte with another"},
    {"cache_bytes", &Machine::cache_bytes, "bytes that stay in cache"},
    {"fabric_alpha", &Machine::fabric_alpha, "s, a short message to another node"},
    {"fabric_beta", &Machine::fabric_beta, "s, a byte through a node's link"},
    {"fabric_ready", &Machine::fabric_ready, "s, handing an operation to the fabric"},
};
static_assert(sizeof(Machine) == std::size(kPrices) * sizeof(double));

std::string_view trim(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r";
    const std::size_t first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

bool set_price(std::string_view name, std::string_view value, Machine& machine) {
    for (const Price& price : kPrices) {
        if (price.name != name) continue;
        double number = 0;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc{} || end != value.data() + value.size()) return false;
        if (!(number > 0 && number < 1e15)) return false;
        machine.*price.value = number;
        return true;
    }
    return false;
}

bool read_file(const std::string& path, std::string& text) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                         std::fclose);
    if (file == nullptr) return false;
    char part[4096];
    std::size_t bytes = 0;
    text.clear();
    while ((bytes = std::fread(part, 1, sizeof part, file.get())) > 0) text.append(part, bytes);
    return std::ferror(file.get()) == 0;
}

}  // namespace

std::string own_profile_path() {
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    const char* config_home = environment("XDG_CONFIG_HOME");
    if (config_home != nullptr && *config_home == '/') {
        return std::string(config_home) + "/tessera/" + host + ".profile";
    }
    const char* home = environment("HOME");
    if (home == nullptr || *home != '/') return {};
    return std::string(home) + "/.config/tessera/" + host + ".profile";
}

std::string parse_profile(const std::string& text, std::string_view provider, Machine& machine) {
    std::string_view rest = text;
    std::string_view first;
    std::string_view section;
    for (int number = 1; !rest.empty(); ++number) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const std::string_view content = trim(line.substr(0, line.find('#')));
        if (content.empty()) continue;
        const std::size_t gap = content.find_first_of(" \t");
        const std::string_view name = content.substr(0, gap);
        const std::string_view value =
            gap == std::string_view::npos ? std::string_view{} : trim(content.substr(gap));
        if (name == "fabric" && !value.empty()) {
            section = value;
            if (first.empty()) first = value;
            continue;
        }
        const bool counts = section.empty() || section == (provider.empty() ? first : provider);
        Machine ignored;
        if (!set_price(name, value, counts ? machine : ignored)) {
            return "line " + std::to_string(number) + ": '" + std::string(content) +
                   "' is not the name of a price and a positive number";
        }
    }
    return {};
}

std::string print_profile(const Machine& machine, const std::vector<FabricPrices>& fabrics) {
    std::string text =
        "# Prices of the cost model of Tessera's collectives (docs/collectives.md).\n";
    const auto print = [&](bool of_fabric, const Machine& prices) {
        for (const Price& price : kPrices) {
            if (price.value == &Machine::cache_bytes) continue;
            if (price.name.starts_with("fabric_") != of_fabric) continue;
            char line[160];
            std::snprintf(line, sizeof line, "%-13s %-10.4g # %s\n",
                          std::string(price.name).c_str(), prices.*price.value, price.meaning);
            text += line;
        }
    };
    print(false, machine);
    for (const FabricPrices& fabric : fabrics) {
        text += "fabric " + fabric.provider + "\n";
        print(true, fabric.machine);
    }
    return text;
}

Profile load_profile(std::size_t cache_bytes, std::string_view provider) {
    Profile profile{.machine = {}, .origin = "no profile: defaults"};
    if (cache_bytes != 0) profile.machine.cache_bytes = static_cast<double>(cache_bytes);
    const std::string& named = config().profile;
    std::string text;
    for (const std::string& path : {named, own_profile_path(), std::string(kCommonPath)}) {
        if (path.empty()) continue;
        if (!read_file(path, text)) {
            if (path != named) continue;
            fatal("SHMEM_PROFILE=%s cannot be read: %s; osh_tune writes profiles", path.c_str(),
                  std::strerror(errno));
        }
        const std::string error = parse_profile(text, provider, profile.machine);
        if (!error.empty()) {
            fatal("the profile %s, %s; write it anew by osh_tune, or remove it", path.c_str(),
                  error.c_str());
        }
        profile.origin = path;
        break;
    }
    return profile;
}

}  // namespace tessera::collectives
