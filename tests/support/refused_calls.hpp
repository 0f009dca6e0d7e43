// SPDX-License-Identifier: BSD-3-Clause
//
// Lets the kernel refuse system calls to this process and its children, from now on, as another
// kernel or a container may. Ends the program where that is impossible.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace tessera::test {

template <std::size_t kCount>
void install_filter(sock_filter (&filter)[kCount]) {
    const sock_fprog program = {kCount, filter};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        std::perror("cannot refuse system calls");
        std::exit(1);
    }
}

inline void refuse_call(unsigned number, unsigned error) {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offsetof(seccomp_data, nr))),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
    };
    install_filter(filter);
}

// As a kernel that does not know this request.
inline void refuse_ioctl(unsigned request) {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offsetof(seccomp_data, nr))),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offsetof(seccomp_data, args[1]))),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, request, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
    };
    install_filter(filter);
}

// The query for one mapping (PROCMAP_QUERY), which kernels before 6.11 do not have.
inline void refuse_mapping_query() { refuse_ioctl(_IOWR('f', 17, char[104])); }

}  // namespace tessera::test
