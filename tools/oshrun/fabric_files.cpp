// SPDX-License-Identifier: BSD-3-Clause
//
// See fabric_files.hpp.
#include "fabric_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace tessera::oshrun {
namespace {

constexpr const char* kDirectory = "/dev/shm";

bool is_own_file(int directory, const char* name) {
    struct stat status {};
    return ::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
}

}  // namespace

void remove_fabric_files(const std::vector<pid_t>& pids) {
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(kDirectory), ::closedir);
    if (entries == nullptr) return;
    const int directory = ::dirfd(entries.get());
    while (const dirent* entry = ::readdir(entries.get())) {
        char* end = nullptr;
        const long pid = std::strtol(entry->d_name, &end, 10);
        if (end == entry->d_name || *end != ':') continue;
        if (std::ranges::find(pids, static_cast<pid_t>(pid)) == pids.end()) continue;
        if (is_own_file(directory, entry->d_name)) ::unlinkat(directory, entry->d_name, 0);
    }
}

}  // namespace tessera::oshrun
