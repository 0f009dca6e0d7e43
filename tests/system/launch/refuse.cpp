// SPDX-License-Identifier: BSD-3-Clause
//
// refuse CALL PROGRAM [ARGUMENT]...: the program runs where the kernel refuses that system call, as
// a filter of a container may. For refused_calls_test.py.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "support/refused_calls.hpp"

namespace {

struct Call {
    const char* name;
    unsigned number;
    unsigned error;
};
constexpr Call kCalls[] = {
    {"accept4", SYS_accept4, EPERM},
    {"bind", SYS_bind, EPERM},
    {"clone3", SYS_clone3, EAGAIN},
    {"getrandom", SYS_getrandom, EPERM},
    {"getsockname", SYS_getsockname, EPERM},
    {"listen", SYS_listen, EPERM},
    {"memfd_create", SYS_memfd_create, EPERM},
    {"setsockopt", SYS_setsockopt, EPERM},
    {"socket", SYS_socket, EPERM},
};

}  // namespace

int main(int, char** arguments) {
    for (const Call& call : kCalls) {
        if (std::strcmp(call.name, arguments[1]) != 0) continue;
        tessera::test::refuse_call(call.number, call.error);
        ::execvp(arguments[2], arguments + 2);
    }
    std::perror(arguments[1]);
    return 1;
}
