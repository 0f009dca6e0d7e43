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
#include "settings/config.hpp"

namespace tessera::collectives {
namespace {

constexpr const char* kCommonPath = "/etc/tessera/profile";
constexpr std::size_t kFileBytesMax = std::size_t{1} << 20;  // a profile has some thousand

struct Parameter {
    std::string_view name;
    double MachineParameters::*value;
    bool is_off_node;
    const char* meaning;
};
constexpr Parameter kParameters[] = {
    {"alpha", &MachineParameters::alpha, false, "s, a flag until another PE of the node sees it"},
    {"context_switch", &MachineParameters::context_switch, false,
     "s, switching to another PE on the same core"},
    {"beta", &MachineParameters::beta, false, "s, copying a byte, from cache"},
    {"beta_memory", &MachineParameters::beta_memory, false, "s, copying a byte, from memory"},
    {"gamma", &MachineParameters::gamma, false, "s, combining a byte with another"},
    {"cache_bytes", &MachineParameters::cache_bytes, false, "bytes that stay in cache"},
    {"off_node_latency", &MachineParameters::off_node_latency, true,
     "s, a short message to another node"},
    {"off_node_gap_per_byte", &MachineParameters::off_node_gap_per_byte, true,
     "s, a byte through a node's link"},
    {"off_node_overhead", &MachineParameters::off_node_overhead, true,
     "s, handing an operation to the fabric"},
    {"helper_bytes", &MachineParameters::helper_bytes, false,
     "bytes from which on a helper of the node saves time"},
    {"off_node_helper_bytes", &MachineParameters::off_node_helper_bytes, true,
     "bytes from which on helpers save time between nodes"},
};
static_assert(sizeof(MachineParameters) == std::size(kParameters) * sizeof(double));

std::string_view trim(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r";
    const std::size_t first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

bool set_parameter(std::string_view name, std::string_view value, MachineParameters& machine) {
    for (const Parameter& parameter : kParameters) {
        if (name != parameter.name) continue;
        double number = 0;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc{} || end != value.data() + value.size()) return false;
        if (!(number > 0 && number < 1e15)) return false;
        machine.*parameter.value = number;
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
    while ((bytes = std::fread(part, 1, sizeof part, file.get())) > 0) {
        text.append(part, bytes);
        errno = EFBIG;
        if (text.size() > kFileBytesMax) return false;
    }
    return std::ferror(file.get()) == 0;
}

}  // namespace

std::string own_profile_path() {
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    const char* config_home = environment("XDG_CONFIG_HOME");
    if (config_home != nullptr && *config_home == '/')
        return std::string(config_home) + "/tessera/" + host + ".profile";
    const char* home = environment("HOME");
    if (home == nullptr || *home != '/') return {};
    return std::string(home) + "/.config/tessera/" + host + ".profile";
}

std::string parse_profile(const std::string& text, std::string_view provider,
                          MachineParameters& machine) {
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
        MachineParameters ignored;
        if (!set_parameter(name, value, counts ? machine : ignored)) {
            return "line " + std::to_string(number) + ": '" + std::string(content) +
                   "' is not the name of a parameter and a positive number";
        }
    }
    return {};
}

std::string print_profile(const MachineParameters& machine,
                          const std::vector<FabricParameters>& fabrics) {
    std::string text =
        "# Parameters of the cost model of Tessera's collectives (docs/code/collectives.md).\n";
    const auto print = [&](bool is_off_node, const MachineParameters& values) {
        for (const Parameter& parameter : kParameters) {
            if (parameter.value == &MachineParameters::cache_bytes) continue;
            if (parameter.is_off_node != is_off_node) continue;
            if (values.*parameter.value == 0) continue;  // Not measured.
            const double value = values.*parameter.value;
            const int digits = value < 1 ? 4 : 10;  // bytes: all
            char line[160];
            std::snprintf(line, sizeof line, "%-21s %-10.*g # %s\n",
                          std::string(parameter.name).c_str(), digits, value, parameter.meaning);
            text += line;
        }
    };
    print(false, machine);
    for (const FabricParameters& fabric : fabrics) {
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
