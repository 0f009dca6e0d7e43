// SPDX-License-Identifier: BSD-3-Clause
//
// A program without SHMEM for the launch tests. The first argument chooses the trick:
//   signals [FILE]    prints "ready", then the name of each signal it gets, also into FILE; exits
//                     with 0 after TERM
//   stubborn          prints "ready", ignores INT, TERM and HUP, and waits for ever
//   lines N LENGTH    N lines of LENGTH 'x' after "PE:INDEX:", written in pieces that fit no line
//   bytes N           N bytes without a newline
//   orphan            leaves a process in a session of its own behind, prints its pid, exits
//   cpus              the number of PUs it may run on
//   files             the numbers of its open descriptors
//   limit RESOURCE    its soft limit of that RLIMIT_
//   close_input       closes stdin, prints "closed", and waits for SIGTERM
#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char* pe(void) {
    const char* rank = getenv("PMIX_RANK");
    return rank != NULL ? rank : "?";
}

static void say(const char* text) {
    printf("%s\n", text);
    fflush(stdout);
}

static void wait_for_ever(void) {
    for (;;) pause();
}

static int signals(const char* path) {
    FILE* copy = path != NULL ? fopen(path, "a") : NULL;
    sigset_t set;
    sigemptyset(&set);
    const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP};
    for (size_t i = 0; i < sizeof handled / sizeof *handled; ++i) sigaddset(&set, handled[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    say("ready");
    for (;;) {
        int signal = sigwaitinfo(&set, NULL);
        if (signal <= 0) continue;
        say(sigabbrev_np(signal));
        if (copy != NULL) {
            fprintf(copy, "%s\n", sigabbrev_np(signal));
            fflush(copy);
        }
        if (signal == SIGTERM) return 0;
    }
}

static int stubborn(void) {
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    say("ready");
    wait_for_ever();
    return 0;
}

static void write_all(const char* bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written <= 0) exit(1);
        bytes += written;
        count -= (size_t)written;
    }
}

static int lines(long count, long length) {
    const size_t piece = 1000;  // No multiple of any line.
    char* buffer = malloc((size_t)length + 64 + piece);
    size_t used = 0;
    for (long i = 0; i < count; ++i) {
        used += (size_t)sprintf(buffer + used, "%s:%ld:", pe(), i);
        memset(buffer + used, 'x', (size_t)length);
        used += (size_t)length;
        buffer[used++] = '\n';
        size_t done = 0;
        for (; used - done >= piece; done += piece) write_all(buffer + done, piece);
        used -= done;
        memmove(buffer, buffer + done, used);
    }
    write_all(buffer, used);
    free(buffer);
    return 0;
}

static int bytes(long count) {
    char block[4096];
    memset(block, 'y', sizeof block);
    for (; count > 0; count -= (long)sizeof block)
        write_all(block, count < (long)sizeof block ? (size_t)count : sizeof block);
    return 0;
}

static int orphan(void) {
    int ready[2];
    if (pipe(ready) != 0) return 1;
    if (fork() == 0) {
        setsid();
        pid_t grandchild = fork();
        if (grandchild == 0) wait_for_ever();
        dprintf(ready[1], "%d\n", (int)grandchild);
        _exit(0);
    }
    char text[32] = "";
    if (read(ready[0], text, sizeof text - 1) <= 0) return 1;
    write_all(text, strlen(text));
    return 0;
}

static int cpus(void) {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    printf("%d\n", CPU_COUNT(&set));
    return 0;
}

static int files(void) {
    DIR* folder = opendir("/proc/self/fd");
    int own = dirfd(folder);
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != own) printf("%s ", entry->d_name);
    }
    printf("\n");
    closedir(folder);
    return 0;
}

static int limit(int resource) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return 1;
    printf("%lld\n", (long long)limit.rlim_cur);
    return 0;
}

static int close_input(void) {
    close(STDIN_FILENO);
    return signals(NULL);
}

int main(int argc, char** argv) {
    const char* trick = argc > 1 ? argv[1] : "";
    if (strcmp(trick, "signals") == 0) return signals(argc > 2 ? argv[2] : NULL);
    if (strcmp(trick, "stubborn") == 0) return stubborn();
    if (strcmp(trick, "lines") == 0 && argc > 3) return lines(atol(argv[2]), atol(argv[3]));
    if (strcmp(trick, "bytes") == 0 && argc > 2) return bytes(atol(argv[2]));
    if (strcmp(trick, "orphan") == 0) return orphan();
    if (strcmp(trick, "cpus") == 0) return cpus();
    if (strcmp(trick, "files") == 0) return files();
    if (strcmp(trick, "limit") == 0 && argc > 2) return limit(atoi(argv[2]));
    if (strcmp(trick, "close_input") == 0) return close_input();
    fprintf(stderr, "plain_probe: no such trick: %s\n", trick);
    return 2;
}
