// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an operation on mapped memory takes more instructions than it has been given: times
// depend on the machine, counts do not. One process, a PE without a launcher, makes the calls
// between breakpoints; this one steps it from one breakpoint to the next and counts what it
// executes inside the library. Built for x86-64 releases by gcc only (CMakeLists.txt).
#include <gtest/gtest.h>
#include <shmem.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

namespace {

constexpr std::size_t kBytes = 64;
char static_block[kBytes];
long static_word;
std::uint64_t static_signal;
char* block;
long* word;
std::uint64_t* signal_word;
char local_block[kBytes];
volatile long sink;

struct Call {
    const char* name;
    void (*make)();
};
const Call kCalls[] = {
    {"p", [] { shmem_long_p(word, 1, 0); }},
    {"g", [] { sink = shmem_long_g(word, 0); }},
    {"put 8", [] { shmem_putmem(block, local_block, 8, 0); }},
    {"put 64", [] { shmem_putmem(block, local_block, 64, 0); }},
    {"put_nbi 8", [] { shmem_putmem_nbi(block, local_block, 8, 0); }},
    {"get 8", [] { shmem_getmem(local_block, block, 8, 0); }},
    {"get_nbi 8", [] { shmem_getmem_nbi(local_block, block, 8, 0); }},
    {"fetch-add", [] { sink = shmem_long_atomic_fetch_add(word, 1, 0); }},
    {"add", [] { shmem_uint64_atomic_add(signal_word, 1, 0); }},
    {"set", [] { shmem_uint64_atomic_set(signal_word, 1, 0); }},
    {"static p", [] { shmem_long_p(&static_word, 1, 0); }},
    {"static g", [] { sink = shmem_long_g(&static_word, 0); }},
    {"static put 8", [] { shmem_putmem(static_block, local_block, 8, 0); }},
    {"static put_nbi 8", [] { shmem_putmem_nbi(static_block, local_block, 8, 0); }},
    {"static get 8", [] { shmem_getmem(local_block, static_block, 8, 0); }},
    {"static get_nbi 8", [] { shmem_getmem_nbi(local_block, static_block, 8, 0); }},
    {"static fetch-add", [] { sink = shmem_long_atomic_fetch_add(&static_word, 1, 0); }},
    {"put_signal set",
     [] { shmem_putmem_signal(block, local_block, 64, signal_word, 1, SHMEM_SIGNAL_SET, 0); }},
    {"put_signal add",
     [] { shmem_putmem_signal(block, local_block, 64, signal_word, 1, SHMEM_SIGNAL_ADD, 0); }},
    {"static put_signal add",
     [] {
         shmem_putmem_signal(static_block, local_block, 64, &static_signal, 1, SHMEM_SIGNAL_ADD, 0);
     }},
};

void breakpoint() { asm volatile("int3" ::: "memory"); }

// The process that is counted.
constexpr int kRefused = 77;
int be_a_pe() {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) return kRefused;
    shmem_init();
    block = static_cast<char*>(shmem_align(64, kBytes));
    word = static_cast<long*>(shmem_malloc(sizeof *word));
    signal_word = static_cast<std::uint64_t*>(shmem_malloc(sizeof *signal_word));
    *word = 0;
    *signal_word = 0;
    for (const Call& call : kCalls) call.make();  // The loader finds the routines now.
    for (const Call& call : kCalls) {
        breakpoint();
        call.make();
        breakpoint();
    }
    shmem_finalize();
    return 0;
}

// The process under PTRACE_TRACEME, which a test lets run from breakpoint to breakpoint.
class Traced {
  public:
    Traced() : pid_(::fork()) {
        if (pid_ != 0) return;
        ::execl("/proc/self/exe", "instruction_counts_test", "pe", nullptr);
        ::_exit(127);
    }
    ~Traced() {
        ::ptrace(PTRACE_KILL, pid_, nullptr, nullptr);
        ::waitpid(pid_, nullptr, 0);
    }
    Traced(const Traced&) = delete;
    Traced& operator=(const Traced&) = delete;

    // RETURNS: whether it has stopped at a breakpoint or after a step.
    bool wait_for_stop() {
        int status = 0;
        const bool has_changed = ::waitpid(pid_, &status, 0) == pid_;
        is_refused = has_changed && WIFEXITED(status) && WEXITSTATUS(status) == kRefused;
        return has_changed && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
    }
    // From a breakpoint to behind the next one. RETURNS: instructions within the library.
    int count_to_next_breakpoint() {
        find_library();
        int count = 0;
        for (;;) {
            user_regs_struct registers;
            ::ptrace(PTRACE_GETREGS, pid_, nullptr, &registers);
            if (registers.rip - first_ < last_ - first_) ++count;
            ::ptrace(PTRACE_SINGLESTEP, pid_, nullptr, nullptr);
            if (!wait_for_stop()) return -1;
            siginfo_t info;
            ::ptrace(PTRACE_GETSIGINFO, pid_, nullptr, &info);
            // Steps have other codes; which one depends on what a hypervisor passes on.
            if (info.si_code == SI_KERNEL) return count;
        }
    }
    void run() { ::ptrace(PTRACE_CONT, pid_, nullptr, nullptr); }

    bool is_refused = false;  // The system lets no process trace another one.

  private:
    // Where the code of libtessera.so is.
    void find_library() {
        if (last_ != 0) return;
        std::ifstream maps("/proc/" + std::to_string(pid_) + "/maps");
        for (std::string line; std::getline(maps, line);) {
            if (line.find("libtessera.so") == std::string::npos ||
                line.find(" r-xp ") == std::string::npos) {
                continue;
            }
            std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &first_, &last_);
        }
    }

    pid_t pid_;
    std::uintptr_t first_ = 0;
    std::uintptr_t last_ = 0;
};

TEST(InstructionCounts, StayWithinLimits) {
    std::map<std::string, int> counts;
    Traced pe;
    for (const Call& call : kCalls) {
        const bool has_stopped = pe.wait_for_stop();
        if (pe.is_refused) GTEST_SKIP() << "no process may trace another one here";
        ASSERT_TRUE(has_stopped) << "before " << call.name;
        counts[call.name] = pe.count_to_next_breakpoint();
        ASSERT_GT(counts[call.name], 0) << call.name;
        std::printf("%-22s %3d\n", call.name, counts[call.name]);
        pe.run();
    }
    EXPECT_LE(counts["p"], 19);
    EXPECT_LE(counts["g"], 14);
    // Static data is the second case of the same path: no call, no look at a table of segments.
    constexpr int kSecondCase = 10;
    for (const char* name : {"p", "g", "put 8", "put_nbi 8", "get 8", "get_nbi 8", "fetch-add"})
        EXPECT_LE(counts[std::string("static ") + name], counts[name] + kSecondCase) << name;
    // One call, the checks of two.
    EXPECT_LE(counts["put_signal add"], (counts["put 64"] + counts["add"]) * 1.2);
    EXPECT_LE(counts["put_signal set"], (counts["put 64"] + counts["set"]) * 1.2);
    EXPECT_LE(counts["static put_signal add"], counts["put_signal add"] + 2 * kSecondCase);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "pe") == 0) return be_a_pe();
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
