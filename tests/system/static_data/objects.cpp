// SPDX-License-Identifier: BSD-3-Clause
//
// An OpenSHMEM program in C++ with static objects, which also makes children of all kinds. Built by
// end_to_end_test.sh. If this breaks, sharing the static data damages objects, or a child damages
// its parent. Every PE appends a line to the file given when its static object is destroyed.
//   objects FILE
#include <fcntl.h>
#include <shmem.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace {

int pe;
int npes;

#define CHECK(condition)                                                                         \
    do {                                                                                         \
        if (!(condition)) {                                                                      \
            std::fprintf(stderr, "%s:%d: pe %d, pid %d: not true: %s\n", __FILE__, __LINE__, pe, \
                         getpid(), #condition);                                                  \
            _exit(1);                                                                            \
        }                                                                                        \
    } while (false)

long shared_value = 5;
int shared_zero;
std::string text = "a string that is too long to be kept inside its object";
std::map<std::string, std::vector<int>> dictionary = {{"one", {1}}, {"two", {1, 2}}};

struct Witness {
    std::string path;
    pid_t owner = 0;
    ~Witness() {
        if (path.empty()) return;
        CHECK(dictionary.size() >= 2 && !text.empty());
        int fd = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT, 0666);
        std::string line = std::string(owner == getpid() ? "pe" : "child") + " destroyed\n";
        CHECK(write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
        close(fd);
    }
} witness;

bool ended_with(pid_t child, int code) {
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

void check_fork() {
    shared_value = 100 + pe;
    text = "the parent's text, which is also too long to be kept inside its object";
    const std::string before = text;
    shmem_barrier_all();
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(shared_value == 100 + pe && text == before);
        shared_value = 0;
        text = "the child's text, which is again too long to be kept inside its object";
        dictionary.clear();
        dictionary["child"] = {7};
        dictionary["more"] = {8, 9};
        std::exit(6);  // Static objects are destroyed, the child's.
    }
    shmem_barrier_all();
    // A neighbour's store reaches the parent, and only the parent, while the child runs.
    shmem_int_p(&shared_zero, 200 + pe, (pe + 1) % npes);
    shmem_barrier_all();
    CHECK(ended_with(child, 6));
    CHECK(shared_value == 100 + pe && text == before && dictionary.size() == 2);
    CHECK(shared_zero == 200 + (pe + npes - 1) % npes);
    shmem_barrier_all();
}

void check_programs() {
    CHECK(WEXITSTATUS(std::system("exit 3")) == 3);
    FILE* pipe = popen("echo 17", "r");
    int number = 0;
    CHECK(pipe != nullptr && std::fscanf(pipe, "%d", &number) == 1 && pclose(pipe) == 0);
    CHECK(number == 17);
    char shell[] = "sh";
    char option[] = "-c";
    char command[] = "exit 4";
    char* arguments[] = {shell, option, command, nullptr};
    pid_t child = 0;
    CHECK(posix_spawnp(&child, "sh", nullptr, nullptr, arguments, environ) == 0);
    CHECK(ended_with(child, 4));
}

void check_threads() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([i] { dictionary["one"].size() == 1 ? void(i) : std::abort(); });
    for (std::thread& thread : threads) thread.join();
}

void check_sharing() {
    shmem_barrier_all();
    for (int i = 0; i < npes; ++i) shmem_long_atomic_add(&shared_value, 1, i);
    shmem_barrier_all();
    CHECK(shared_value == 100 + pe + npes);
    dictionary["three"] = {1, 2, 3};
    text += ", and more";
}

}  // namespace

int main(int argument_count, char** arguments) {
    shmem_init();
    pe = shmem_my_pe();
    npes = shmem_n_pes();
    CHECK(argument_count == 2);
    witness.path = arguments[1];
    witness.owner = getpid();
    CHECK(dictionary["two"].size() == 2 && text.size() > 30);
    check_fork();
    check_programs();
    check_threads();
    check_sharing();
    shmem_finalize();
    return 0;
}
