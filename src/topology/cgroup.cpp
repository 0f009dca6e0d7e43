// SPDX-License-Identifier: BSD-3-Clause
//
// See cgroup.hpp. /proc/self/cgroup says in which group of each hierarchy the process is,
// /proc/self/mountinfo where each hierarchy, or a part of it, is mounted.
#include "topology/cgroup.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/fd.hpp"

namespace tessera::topology {
namespace {

// The whole file; empty when it cannot be read.
std::string read_file(const std::string& path) {
    std::string text;
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return text;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(file.get(), buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(got));
    return text;
}

// The text is cut at every `separator`; "a,,b" has an empty piece, a trailing separator adds none.
std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> pieces;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        pieces.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return pieces;
}

bool has_item(std::string_view list, std::string_view item) {
    const std::vector<std::string_view> items = split(list, ',');
    return std::find(items.begin(), items.end(), item) != items.end();
}

// mountinfo writes blanks and backslashes of a path as three octal digits.
std::string decode_path(std::string_view text) {
    std::string path;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 3 < text.size()) {
            path += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                      (text[i + 3] - '0'));
            i += 3;
        } else {
            path += text[i];
        }
    }
    return path;
}

// A mounted hierarchy. `controllers` is empty for v2, "rw,memory" or the like for v1.
struct Mount {
    std::string root;  // the group that is visible at `point`
    std::string point;
    std::string controllers;
};

// Lines are "36 35 98:0 ROOT POINT OPTIONS [TAG...] - TYPE DEVICE SUPER_OPTIONS".
std::vector<Mount> read_mounts(const std::string& proc) {
    const std::string text = read_file(proc + "/self/mountinfo");
    std::vector<Mount> mounts;
    for (const std::string_view line : split(text, '\n')) {
        const std::vector<std::string_view> fields = split(line, ' ');
        const auto dash = std::find(fields.begin(), fields.end(), "-");
        if (dash - fields.begin() < 6 || fields.end() - dash < 4) continue;
        const std::string_view type = dash[1];
        if (type != "cgroup" && type != "cgroup2") continue;
        mounts.push_back({.root = decode_path(fields[3]),
                          .point = decode_path(fields[4]),
                          .controllers = type == "cgroup" ? std::string(dash[3]) : ""});
    }
    return mounts;
}

// The process's group in the hierarchy that has `controller`; "" asks for v2.
// Lines are "4:cpu,cpuacct:/path" for v1 and "0::/path" for v2.
std::string group_of(std::string_view self_cgroup, std::string_view controller) {
    for (const std::string_view line : split(self_cgroup, '\n')) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string_view::npos || second == std::string_view::npos) continue;
        const std::string_view controllers = line.substr(first + 1, second - first - 1);
        const bool wanted =
            controller.empty() ? controllers.empty() : has_item(controllers, controller);
        if (wanted) return std::string(line.substr(second + 1));
    }
    return "/";
}

// Directories of the group and its parents as far as they are mounted, innermost first.
std::vector<std::string> levels(const Mount& mount, const std::string& group) {
    std::string below = group;
    if (mount.root != "/") {
        const bool is_below = group.starts_with(mount.root) && (group.size() == mount.root.size() ||
                                                                group[mount.root.size()] == '/');
        below = is_below ? group.substr(mount.root.size()) : "";
    }
    // A group outside of our cgroup namespace reads "/../..": nothing of it is visible here.
    if (!below.starts_with('/') || below.find("/..") != std::string::npos) below.clear();

    std::vector<std::string> directories;
    while (below.size() > 1) {
        directories.push_back(mount.point + below);
        below.erase(below.rfind('/'));
    }
    directories.push_back(mount.point);
    return directories;
}

// Leading number of the text; kNone for "max", "-1", nothing, or another text.
std::uint64_t parse_number(std::string_view text) {
    const std::string digits(
        text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size())));
    return digits.empty() ? CgroupLimits::kNone : std::strtoull(digits.c_str(), nullptr, 10);
}

// A quota of microseconds of CPU time in each period, as thousandths of a PU.
std::uint64_t parse_quota(std::string_view quota_text, std::string_view period_text) {
    const std::uint64_t quota = parse_number(quota_text);
    const std::uint64_t period = parse_number(period_text);
    constexpr std::uint64_t kSaneMax = std::uint64_t{1} << 50;  // times 1000 still fits
    if (quota == 0 || quota > kSaneMax) return CgroupLimits::kNone;
    if (period == 0 || period > kSaneMax) return CgroupLimits::kNone;
    return (quota * 1000 + period - 1) / period;
}

void limit(std::uint64_t& value, std::uint64_t most) { value = std::min(value, most); }

// The two versions have the same files.
void apply_tasks(CgroupLimits& limits, const std::string& directory) {
    const std::uint64_t most = parse_number(read_file(directory + "/pids.max"));
    if (most == CgroupLimits::kNone) return;
    const std::uint64_t now = parse_number(read_file(directory + "/pids.current"));
    limit(limits.new_tasks, now >= most ? 0 : most - now);
}

void apply_v2(CgroupLimits& limits, const std::string& directory) {
    limit(limits.memory_bytes, parse_number(read_file(directory + "/memory.max")));
    apply_tasks(limits, directory);
    const std::string cpu_max = read_file(directory + "/cpu.max");  // "QUOTA PERIOD", "max PERIOD"
    const std::size_t blank = cpu_max.find(' ');
    if (blank == std::string::npos) return;
    const std::string_view text = cpu_max;
    limit(limits.cpu_milli, parse_quota(text.substr(0, blank), text.substr(blank + 1)));
}

void apply_v1_memory(CgroupLimits& limits, const std::string& directory) {
    const std::uint64_t bytes = parse_number(read_file(directory + "/memory.limit_in_bytes"));
    constexpr std::uint64_t kNoneFrom = std::uint64_t{1} << 62;  // "none" is 2^63 less one page
    if (bytes < kNoneFrom) limit(limits.memory_bytes, bytes);
}

void apply_v1_cpu(CgroupLimits& limits, const std::string& directory) {
    limit(limits.cpu_milli, parse_quota(read_file(directory + "/cpu.cfs_quota_us"),
                                        read_file(directory + "/cpu.cfs_period_us")));
}

}  // namespace

CgroupLimits read_cgroup_limits(const std::string& proc) {
    CgroupLimits limits;
    const std::string self_cgroup = read_file(proc + "/self/cgroup");
    if (self_cgroup.empty()) return limits;
    for (const Mount& mount : read_mounts(proc)) {
        if (mount.controllers.empty()) {
            for (const std::string& level : levels(mount, group_of(self_cgroup, "")))
                apply_v2(limits, level);
        }
        if (has_item(mount.controllers, "memory")) {
            for (const std::string& level : levels(mount, group_of(self_cgroup, "memory")))
                apply_v1_memory(limits, level);
        }
        if (has_item(mount.controllers, "pids")) {
            for (const std::string& level : levels(mount, group_of(self_cgroup, "pids")))
                apply_tasks(limits, level);
        }
        if (has_item(mount.controllers, "cpu")) {
            for (const std::string& level : levels(mount, group_of(self_cgroup, "cpu")))
                apply_v1_cpu(limits, level);
        }
    }
    return limits;
}

}  // namespace tessera::topology
