// SPDX-License-Identifier: BSD-3-Clause
//
// See command.hpp.
#include "tools/osh_info/doctor/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>

#include "base/environment.hpp"
#include "base/fd.hpp"

namespace tessera::osh_info {
namespace {

using Clock = std::chrono::steady_clock;

// RETURNS: the pid, or -1.
pid_t start(const std::vector<std::string>& words, int output) {
    std::vector<char*> pointers;
    // posix_spawn takes pointers to char for historical reasons; it does not write.
    for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t pid = -1;
    const int error = ::posix_spawnp(&pid, pointers[0], &files, &attributes, pointers.data(),
                                     const_cast<char* const*>(environment_entries()));
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
    return error == 0 ? pid : -1;
}

// RETURNS: false if the output was still open at `end`.
bool read_until(int fd, Clock::time_point end, std::string& text) {
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
        if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) <= 0) return false;
        char buffer[4096];
        const ssize_t got = ::read(fd, buffer, sizeof buffer);
        if (got <= 0) return true;
        text.append(buffer, static_cast<std::size_t>(got));
    }
}

}  // namespace

Outcome run(const std::vector<std::string>& words, int seconds) {
    Outcome outcome;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return outcome;
    const Fd reader(ends[0]);
    pid_t pid = -1;
    {
        const Fd writer(ends[1]);
        pid = start(words, writer.get());
    }
    if (pid < 0) return outcome;
    outcome.timed_out =
        !read_until(reader.get(), Clock::now() + std::chrono::seconds(seconds), outcome.out);
    if (outcome.timed_out) ::kill(-pid, SIGKILL);
    int status = 0;
    ::waitpid(pid, &status, 0);
    outcome.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return outcome;
}

std::string path_of(const std::string& program) {
    const char* value = environment("PATH");
    std::string_view folders = value != nullptr ? value : "";
    while (!folders.empty()) {
        const std::string_view folder = folders.substr(0, folders.find(':'));
        folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
        std::string path = std::string(folder) + "/" + program;
        if (::access(path.c_str(), X_OK) == 0) return path;
    }
    return "";
}

std::string own_path() {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error);
}

std::string oshrun_path() {
    const std::string beside = std::filesystem::path(own_path()).parent_path() / "oshrun";
    return ::access(beside.c_str(), X_OK) == 0 ? beside : path_of("oshrun");
}

std::string last_lines(const std::string& text, int count) {
    std::size_t end = text.find_last_not_of(" \t\n");
    if (end == std::string::npos) return "";
    std::size_t start = end;
    while (start > 0) {
        if (text[start] == '\n' && --count == 0) break;
        --start;
    }
    if (text[start] == '\n') ++start;
    return text.substr(start, end + 1 - start);
}

}  // namespace tessera::osh_info
