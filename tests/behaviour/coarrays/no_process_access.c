// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded: the kernel refuses access to other processes, as with ptrace_scope 1 and in
// some containers.
#include <errno.h>
#include <sys/uio.h>

static ssize_t refuse(void) {
    errno = EPERM;
    return -1;
}

ssize_t process_vm_readv(pid_t pid, const struct iovec* local, unsigned long local_count,
                         const struct iovec* remote, unsigned long remote_count,
                         unsigned long flags) {
    (void)pid, (void)local, (void)local_count, (void)remote, (void)remote_count, (void)flags;
    return refuse();
}

ssize_t process_vm_writev(pid_t pid, const struct iovec* local, unsigned long local_count,
                          const struct iovec* remote, unsigned long remote_count,
                          unsigned long flags) {
    (void)pid, (void)local, (void)local_count, (void)remote, (void)remote_count, (void)flags;
    return refuse();
}
