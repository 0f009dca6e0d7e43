// SPDX-License-Identifier: BSD-3-Clause
//
// See session_directory.hpp. The process that holds the flock owns the directory. If a maker finds
// its new directory locked or gone, a cleaner was faster, and the maker makes another one.
#include "session_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/environment.hpp"

namespace tessera::oshrun {
namespace {

constexpr std::string_view kPrefix = "oshrun-";
constexpr int kAttempts = 10;

std::string parent_directory() {
    const char* chosen = environment("TMPDIR");
    if (chosen != nullptr && chosen[0] == '/' && ::access(chosen, W_OK | X_OK) == 0) return chosen;
    return "/tmp";
}

Fd lock_directory(const std::string& path) {
    Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory || ::flock(directory.get(), LOCK_EX | LOCK_NB) != 0) return {};
    // The lock is on the directory that had this name at open(); the name must still stand for it,
    // and this user must own it.
    struct stat opened {};
    struct stat named {};
    if (::fstat(directory.get(), &opened) != 0 || ::lstat(path.c_str(), &named) != 0) return {};
    if (opened.st_ino != named.st_ino || opened.st_dev != named.st_dev) return {};
    if (opened.st_uid != ::geteuid()) return {};
    return directory;
}

void remove_stale(const std::string& parent) {
    std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(parent.c_str()), ::closedir);
    if (entries == nullptr) return;
    while (const dirent* entry = ::readdir(entries.get())) {
        if (!std::string_view(entry->d_name).starts_with(kPrefix)) continue;
        std::string path = parent + "/" + entry->d_name;
        if (Fd lock = lock_directory(path)) remove_session_directory(path);
    }
}

}  // namespace

SessionDirectory SessionDirectory::make() {
    std::string parent = parent_directory();
    remove_stale(parent);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        SessionDirectory session;
        session.path_ = parent + "/" + std::string(kPrefix) + "XXXXXX";
        if (::mkdtemp(session.path_.data()) == nullptr) break;
        session.lock_ = lock_directory(session.path_);
        if (session.lock_) return session;
        remove_session_directory(session.path_);
    }
    return {};
}

void remove_session_directory(const std::string& path) {
    if (path.empty()) return;
    std::error_code ignored;  // Another process may have removed it already.
    std::filesystem::remove_all(path, ignored);
}

}  // namespace tessera::oshrun
