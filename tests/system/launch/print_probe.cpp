// SPDX-License-Identifier: BSD-3-Clause
//
// A SHMEM program for the launch tests that prints and never flushes. Every PE prints a line with
// printf and one with std::cout, and then does what the first argument says:
//   wait        waits for ever
//   abort       calls abort()
//   signal N    sends itself signal N
//   own         as wait, but it has given stdout a buffer of its own before
//   again FILE  prints the same to FILE, into which it has reopened stdout, and says on stderr how
//               many bytes have arrived there
#include <shmem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>

namespace {

void print() {
    std::printf("printf of PE %d\n", shmem_my_pe());
    std::cout << "cout of PE " << shmem_my_pe() << '\n';
}

void print_to_file(const char* path) {
    if (std::freopen(path, "w", stdout) == nullptr) std::abort();
    print();
    struct stat status {};
    ::stat(path, &status);
    std::fprintf(stderr, "%lld bytes\n", static_cast<long long>(status.st_size));
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view trick = argc > 1 ? argv[1] : "";
    static char buffer[1 << 16];
    if (trick == "own") std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    shmem_init();
    print();
    if (trick == "abort") std::abort();
    if (trick == "signal" && argc > 2) ::kill(::getpid(), std::atoi(argv[2]));
    if (trick == "again" && argc > 2) print_to_file(argv[2]);
    while (trick == "wait" || trick == "own") ::pause();
    shmem_finalize();
}
