// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded into PEs: the system forbids sequenced-packet sockets, as a sandbox might. Everything
// else about sockets stays, the launcher's own connections need it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>

int socket(int domain, int type, int protocol) {
    if (domain == AF_UNIX && (type & SOCK_SEQPACKET) == SOCK_SEQPACKET) {
        errno = EACCES;
        return -1;
    }
    int (*real)(int, int, int) = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
    return real(domain, type, protocol);
}
