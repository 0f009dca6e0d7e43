// SPDX-License-Identifier: BSD-3-Clause
//
// See inherited.hpp.
#include "base/inherited.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdio>

#include "base/environment.hpp"

namespace tessera {
namespace {

struct Found {
    Inheritance state = Inheritance::kNone;
    Inherited job;
};

// The inode of an open descriptor, or 0.
unsigned long long inode_of(int fd) {
    struct stat status {};
    return ::fstat(fd, &status) == 0 ? static_cast<unsigned long long>(status.st_ino) : 0;
}

Found look() {
    Found found;
    const char* text = environment(kJobVariable);
    if (text == nullptr) return found;
    found.state = Inheritance::kStale;
    Inherited job;
    unsigned long long inodes[4] = {};
    int launcher_pid = 0;
    int fields =
        std::sscanf(text, "2,%d,%d,%d,%d,%d:%llu,%d:%llu,%d:%llu,%d:%llu", &job.pe, &job.npes,
                    &job.nodes, &launcher_pid, &job.node_fd, &inodes[0], &job.heap_fd, &inodes[1],
                    &job.control_fd, &inodes[2], &job.life_fd, &inodes[3]);
    if (fields != 12 || job.pe < 0 || job.pe >= job.npes) return found;
    if (job.nodes < 1 || job.nodes > job.npes) return found;
    job.launcher_pid = launcher_pid;
    const int descriptors[4] = {job.node_fd, job.heap_fd, job.control_fd, job.life_fd};
    for (int i = 0; i < 4; ++i) {
        if (inode_of(descriptors[i]) != inodes[i] || inodes[i] == 0) return found;
    }
    for (int fd : descriptors) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    found.state = Inheritance::kPe;
    found.job = job;
    return found;
}

const Found& found() {
    static const Found once = look();
    return once;
}

}  // namespace

Inheritance inheritance() { return found().state; }

const Inherited* inherited() { return found().state == Inheritance::kPe ? &found().job : nullptr; }

std::string job_variable_value(const Inherited& job) {
    char text[256];
    std::snprintf(text, sizeof text, "2,%d,%d,%d,%d,%d:%llu,%d:%llu,%d:%llu,%d:%llu", job.pe,
                  job.npes, job.nodes, static_cast<int>(job.launcher_pid), job.node_fd,
                  inode_of(job.node_fd), job.heap_fd, inode_of(job.heap_fd), job.control_fd,
                  inode_of(job.control_fd), job.life_fd, inode_of(job.life_fd));
    return text;
}

}  // namespace tessera
