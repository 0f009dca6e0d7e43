// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a PE does not recognize what oshrun handed to it, or another program takes it for its
// own. A process looks once, so each case runs this program again.
#include "base/inherited.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

namespace tessera {
namespace {

constexpr const char* kLook = "--look";

// The output of the program when it is run again: the state, and the job.
void look() {
    const Inherited* job = inherited();
    std::printf("%d", static_cast<int>(inheritance()));
    if (job != nullptr) {
        const int fds[] = {job->node_fd, job->heap_fd, job->control_fd, job->life_fd};
        bool all_close_on_exec = true;
        for (int fd : fds)
            all_close_on_exec = all_close_on_exec && (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
        std::printf(" pe %d of %d in %d nodes by %d fds %d %d %d %d %s", job->pe, job->npes,
                    job->nodes, static_cast<int>(job->launcher_pid), fds[0], fds[1], fds[2], fds[3],
                    all_close_on_exec ? "closed on exec" : "open");
    }
    std::fflush(stdout);
}

// Runs `prepare` in a child, then this program again; its output.
std::string look_after(const std::function<void()>& prepare) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], STDOUT_FILENO);
        prepare();
        ::execl("/proc/self/exe", "inherited_test", kLook, nullptr);
        ::_exit(127);
    }
    ::close(ends[1]);
    std::string text;
    char buffer[256];
    for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(got));
    ::close(ends[0]);
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    return text;
}

class InheritedTest : public testing::Test {
  protected:
    InheritedTest() {
        int life[2];
        EXPECT_EQ(::pipe(life), 0);
        job_ = {.pe = 3,
                .npes = 7,
                .nodes = 2,
                .launcher_pid = 4711,
                .node_fd = ::memfd_create("node", 0),
                .heap_fd = ::memfd_create("heap", 0),
                .control_fd = life[1],
                .life_fd = life[0]};
    }
    ~InheritedTest() override {
        for (int fd : {job_.node_fd, job_.heap_fd, job_.control_fd, job_.life_fd}) ::close(fd);
    }
    void announce() const { ::setenv(kJobVariable, job_variable_value(job_).c_str(), 1); }

    Inherited job_;
};

constexpr const char* kNone = "0";
constexpr const char* kStale = "2";

TEST_F(InheritedTest, NothingWithoutTheVariable) {
    EXPECT_EQ(look_after([] { ::unsetenv(kJobVariable); }), kNone);
}

TEST_F(InheritedTest, TakesTheJob) {
    char expected[128];
    std::snprintf(expected, sizeof expected,
                  "1 pe 3 of 7 in 2 nodes by 4711 fds %d %d %d %d closed on exec", job_.node_fd,
                  job_.heap_fd, job_.control_fd, job_.life_fd);
    EXPECT_EQ(look_after([this] { announce(); }), expected);
}

// As in a program that a PE has started: the variable is there, the files are not.
TEST_F(InheritedTest, RefusesClosedDescriptors) {
    for (int fd : {job_.node_fd, job_.heap_fd, job_.control_fd, job_.life_fd}) {
        EXPECT_EQ(look_after([&] {
                      announce();
                      ::close(fd);
                  }),
                  kStale)
            << fd;
    }
}

TEST_F(InheritedTest, RefusesOtherFilesUnderTheSameNumbers) {
    EXPECT_EQ(look_after([this] {
                  announce();
                  ::dup2(STDERR_FILENO, job_.heap_fd);
              }),
              kStale);
}

TEST_F(InheritedTest, RefusesImpossibleNumbers) {
    for (auto [pe, nodes] : {std::pair{-1, 1}, {7, 1}, {0, 0}, {0, 8}}) {
        job_.pe = pe;
        job_.nodes = nodes;
        EXPECT_EQ(look_after([this] { announce(); }), kStale) << pe << " " << nodes;
    }
}

TEST_F(InheritedTest, RefusesWhatItCannotRead) {
    for (const char* text :
         {"", "2", "garbage", "1,0,1,1,3:1,4:1,5:1,6:1", "2,0,1,1,99,3:1,4:1,5:1"}) {
        EXPECT_EQ(look_after([&] { ::setenv(kJobVariable, text, 1); }), kStale) << text;
    }
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], tessera::kLook) == 0) {
        tessera::look();
        return 0;
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
