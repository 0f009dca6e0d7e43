// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded by pmix_port_test.py: PE 1 is late behind its connect to the PMIx server, as a process
// of a busy host may be. It goes on at once when the server hangs up.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { kLateMs = 5000 };

int connect(int socket, const struct sockaddr* address, socklen_t bytes) {
    static int is_late;
    int (*next)(int, const struct sockaddr*, socklen_t) =
        (int (*)(int, const struct sockaddr*, socklen_t))dlsym(RTLD_NEXT, "connect");
    int result = next(socket, address, bytes);
    const char* rank = getenv("PMIX_RANK");
    if (result == 0 && address->sa_family == AF_INET && !is_late && rank != NULL &&
        strcmp(rank, "1") == 0) {
        is_late = 1;
        struct pollfd server = {.fd = socket, .events = POLLIN | POLLRDHUP};
        poll(&server, 1, kLateMs);
    }
    return result;
}
