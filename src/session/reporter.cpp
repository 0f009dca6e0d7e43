// SPDX-License-Identifier: BSD-3-Clause
//
// See reporter.hpp. Makes system calls only, but for posix_spawn, which glibc makes of them: its
// child has a stack of its own, and shares no page with a stack that lies in static data.
#include "session/reporter.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/clock.hpp"
#include "base/environment.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kAnswerNanoseconds = 20'000'000'000;
constexpr const char* kWays[] = {"/../bin/", "/../../bin/"};

char reporter_path_texts[std::size(kWays)][PATH_MAX];
// Its environment: without the variables that make a process a PE, and without libraries that are
// preloaded.
char reporter_libraries[PATH_MAX];

struct Paths {
    const char* paths[std::size(kWays)];
    std::size_t count = 0;

    Paths() {
        const char* libraries = environment("LD_LIBRARY_PATH");
        std::snprintf(reporter_libraries, sizeof reporter_libraries, "LD_LIBRARY_PATH=%s",
                      libraries != nullptr ? libraries : "");
        Dl_info library;
        if (::dladdr(reinterpret_cast<void*>(&reporter_paths), &library) == 0) return;
        const char* slash = std::strrchr(library.dli_fname, '/');
        if (slash == nullptr) return;
        for (const char* way : kWays) {
            char* text = reporter_path_texts[count];
            std::snprintf(text, PATH_MAX, "%.*s%s%s", static_cast<int>(slash - library.dli_fname),
                          library.dli_fname, way, kReporter);
            paths[count++] = text;
        }
    }
};

// For a signal handler, in which another thread may be inside dlopen().
[[gnu::constructor]] void find_reporter() { reporter_paths(); }

pid_t start(std::span<const char*> arguments) {
    posix_spawnattr_t attributes;
    if (::posix_spawnattr_init(&attributes) != 0) return -1;
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    char* variables[] = {reporter_libraries, nullptr};
    auto* words = const_cast<char* const*>(arguments.data());
    pid_t child = -1;
    for (const char* where : reporter_paths()) {
        if (::posix_spawn(&child, where, nullptr, &attributes, words, variables) == 0) return child;
    }
    return ::posix_spawnp(&child, kReporter, nullptr, &attributes, words, variables) == 0 ? child
                                                                                          : -1;
}

// Up to the 0 that ends the answer, the end of its writer, or the end of patience.
void read_answer(int pipe, std::span<char> answer) {
    std::size_t used = 0;
    const std::uint64_t end = now_ns() + kAnswerNanoseconds;
    while (used + 1 < answer.size()) {
        const std::uint64_t now = now_ns();
        pollfd writer{.fd = pipe, .events = POLLIN, .revents = 0};
        const int ready =
            now < end ? ::poll(&writer, 1, static_cast<int>((end - now) / 1'000'000) + 1) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) break;
        const ssize_t got = ::read(pipe, answer.data() + used, answer.size() - used - 1);
        if (got <= 0) break;
        used += static_cast<std::size_t>(got);
        if (answer[used - 1] == '\0') return;
    }
    answer[used] = '\0';
}

}  // namespace

std::span<const char* const> reporter_paths() {
    static const Paths paths;
    return {paths.paths, paths.count};
}

void ask_reporter(std::span<const char*> arguments, std::span<char> answer) {
    answer[0] = '\0';
    int pipe[2];
    // Inherited: the program learns its number. Other children keep it open at most for as long as
    // it takes them to start; the answer ends with a 0.
    if (::pipe2(pipe, 0) != 0) return;
    ::fcntl(pipe[0], F_SETFD, FD_CLOEXEC);
    char option[32];
    std::snprintf(option, sizeof option, "--answer-to=%d", pipe[1]);
    arguments[0] = kReporter;
    arguments[1] = option;
    const pid_t child = start(arguments);
    ::close(pipe[1]);
    if (child > 0) {
        read_answer(pipe[0], answer);
        ::kill(child, SIGKILL);
        while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    ::close(pipe[0]);
}

}  // namespace tessera
