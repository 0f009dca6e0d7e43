// SPDX-License-Identifier: BSD-3-Clause
//
// See public_mapping.hpp.
#include "session/public_mapping.hpp"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/number_in_file.hpp"

namespace tessera {
namespace {

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// DAX devices tell it.
std::uint64_t bytes_in_sysfs(dev_t device) {
    char path[64];
    std::snprintf(path, sizeof path, "/sys/dev/char/%u:%u/size", major(device), minor(device));
    return number_in_file(path);
}

}  // namespace

PublicFileKind sysfs_file_kind(std::string_view path) {
    constexpr std::string_view kResource = "resource";
    constexpr std::string_view kCombining = "_wc";
    std::string_view name = path.substr(path.rfind('/') + 1);
    if (!name.starts_with(kResource)) return PublicFileKind::kOther;
    name.remove_prefix(kResource.size());
    const bool is_combining = name.ends_with(kCombining);
    if (is_combining) name.remove_suffix(kCombining.size());
    if (!is_number(name)) return PublicFileKind::kOther;
    return is_combining ? PublicFileKind::kPciCombining : PublicFileKind::kPci;
}

bool may_create_public_file(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    struct statfs system {};
    struct stat facts {};
    struct stat devices {};
    if (::statfs(folder.empty() ? "." : folder.c_str(), &system) != 0) return true;
    if (system.f_type == SYSFS_MAGIC || system.f_type == PROC_SUPER_MAGIC) return false;
    // /dev/shm is another file system, or at least another folder.
    const bool is_known = ::stat(folder.c_str(), &facts) == 0 && ::stat("/dev", &devices) == 0;
    return !is_known || facts.st_dev != devices.st_dev || folder.starts_with("/dev/shm");
}

PublicFileKind public_file_kind(const std::string& path, int file) {
    struct stat facts {};
    struct statfs system {};
    if (::fstat(file, &facts) != 0) return PublicFileKind::kOther;
    if (S_ISCHR(facts.st_mode)) return PublicFileKind::kDevice;
    if (!S_ISREG(facts.st_mode)) return PublicFileKind::kOther;
    const bool is_sysfs = ::fstatfs(file, &system) == 0 && system.f_type == SYSFS_MAGIC;
    if (!is_sysfs) return PublicFileKind::kFile;
    // `path` may be a link with any name.
    std::error_code error;
    return sysfs_file_kind(std::filesystem::canonical(path, error).string());
}

std::uint64_t public_file_bytes(int file) {
    struct stat facts {};
    if (::fstat(file, &facts) != 0) return 0;
    return S_ISCHR(facts.st_mode) ? bytes_in_sysfs(facts.st_rdev)
                                  : static_cast<std::uint64_t>(facts.st_size);
}

noncoherent::Access access_of(PublicFileKind kind) {
    const bool has_no_cache = kind == PublicFileKind::kPci || kind == PublicFileKind::kPciCombining;
    return has_no_cache ? noncoherent::Access::kNoCache : noncoherent::Access::kPastCache;
}

}  // namespace tessera
