// SPDX-License-Identifier: BSD-3-Clause
//
// See system_call_filter.hpp. A seccomp filter: loads the call's number (and for mmap its flags and
// length), compares, and answers "allow" or "fail with this errno".
#include "system_call_filter.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <vector>

#include "meeting.hpp"

namespace static_test {
namespace {

constexpr unsigned kLarge = 256 << 10;
constexpr unsigned kMedium = 768 << 10;

struct Denial {
    const char* name;
    long call;
    unsigned error;
    unsigned flags;      // flags of mmap that must all be set; 0: any call
    unsigned bytes_min;  // length for mmap
    unsigned bytes_max;
};

const Denial kDenials[] = {
    {"memfd_create", SYS_memfd_create, EPERM, 0, 0, 0},
    {"fallocate", SYS_fallocate, EPERM, 0, 0, 0},
    {"pwrite64", SYS_pwrite64, ENOSPC, 0, 0, 0},
    {"mmap-shared", SYS_mmap, ENOMEM, MAP_SHARED, 0, ~0U},
    {"mmap-replace", SYS_mmap, ENOMEM, MAP_SHARED | MAP_FIXED, 0, ~0U},
    {"mmap-replace-large", SYS_mmap, ENOMEM, MAP_SHARED | MAP_FIXED, kLarge, ~0U},
    {"mmap-replace-second", SYS_mmap, ENOMEM, MAP_SHARED | MAP_FIXED, kLarge, kMedium},
};

unsigned argument_offset(unsigned index) {
    return static_cast<unsigned>(offsetof(seccomp_data, args)) + 8 * index;
}

std::vector<sock_filter> program_for(const Denial& denial) {
    const auto number = static_cast<unsigned>(offsetof(seccomp_data, nr));
    std::vector<sock_filter> program = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(denial.call), 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    if (denial.flags != 0) {
        program.insert(program.end(),
                       {
                           BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument_offset(3)),
                           BPF_STMT(BPF_ALU | BPF_AND | BPF_K, denial.flags),
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, denial.flags, 1, 0),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                           BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument_offset(1)),
                           BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, denial.bytes_min, 1, 0),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                           BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, denial.bytes_max, 0, 1),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                       });
    }
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | denial.error));
    return program;
}

}  // namespace

void deny(const char* what) {
    const Denial* denial = nullptr;
    for (const Denial& known : kDenials) {
        if (std::string(what) == known.name) denial = &known;
    }
    CHECK(denial != nullptr);
    std::vector<sock_filter> program = program_for(*denial);
    sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
}

}  // namespace static_test
