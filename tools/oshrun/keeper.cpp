// SPDX-License-Identifier: BSD-3-Clause
//
// See keeper.hpp. oshrun and keeper share one anonymous mapping:
//   +0     directory   path, written before the first PE starts
//   +4096  groups      process group per PE; 0 when there is none
#include "keeper.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

#include "base/fatal.hpp"
#include "fabric_files.hpp"
#include "session_directory.hpp"

namespace tessera::oshrun {

struct Keeper::Table {
    char directory[4096];
    std::atomic<pid_t> groups[1];  // npes of them
};

Keeper::Keeper(int npes) : npes_(npes) {
    std::size_t bytes = sizeof(Table) + static_cast<std::size_t>(npes) * sizeof(Table::groups[0]);
    void* shared =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int ends[2];
    if (shared == MAP_FAILED || ::pipe2(ends, O_CLOEXEC) != 0)
        fatal("cannot prepare the job: %s", std::strerror(errno));
    table_ = static_cast<Table*>(shared);
    life_read_ = Fd(ends[0]);
    life_write_ = Fd(ends[1]);
    pid_ = ::fork();
    if (pid_ < 0) fatal("cannot start a process: %s", std::strerror(errno));
    if (pid_ == 0) keep();
}

void Keeper::keep() {
    ::setsid();  // A signal to oshrun's process group or terminal is not for the keeper.
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    ::prctl(PR_SET_NAME, "tessera-keeper");
    // Holds nothing that a process could wait for: no pipe of the user, no directory.
    int life = ::dup2(life_read_.get(), STDERR_FILENO + 1);
    ::close_range(static_cast<unsigned>(life) + 1, ~0U, 0);
    int null = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= STDERR_FILENO; ++fd) ::dup2(null, fd);
    if (null > life) ::close(null);
    if (::chdir("/") != 0) ::_exit(1);  // Else a mounted directory could not be unmounted.
    char byte;
    while (::read(life, &byte, 1) < 0 && errno == EINTR) {
    }
    std::vector<pid_t> killed;
    for (int pe = 0; pe < npes_; ++pe) {
        // Pairs with tools/oshrun/keeper.cpp:set_group.
        pid_t group = table_->groups[pe].load(std::memory_order_acquire);
        if (group <= 0) continue;
        ::kill(-group, SIGKILL);
        killed.push_back(group);
    }
    remove_session_directory(table_->directory);
    remove_fabric_files(killed);
    ::_exit(0);
}

void Keeper::set_group(int pe, pid_t group) {
    // Pairs with tools/oshrun/keeper.cpp:keep.
    table_->groups[pe].store(group, std::memory_order_release);
}

void Keeper::set_directory(const std::string& path) {
    std::snprintf(table_->directory, sizeof table_->directory, "%s", path.c_str());
}

void Keeper::dismiss() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
}

}  // namespace tessera::oshrun
