// SPDX-License-Identifier: BSD-3-Clause
//
// If this breaks, a program that follows another in the same PE (oshrun sh -c "./a; ./b") starts
// with the other's data, or one that runs beside it overwrites the other's data.
//   slot_test dirty   fills its .bss and ends
//   slot_test clean   finds zeros
//   slot_test hold    fills its .bss, prints a line, and ends when the reader of stdout is gone
#include <poll.h>

#include <cstring>
#include <string>

#include "heap/static_data.hpp"
#include "meeting.hpp"

namespace {

char zeros[4 << 20];

bool holds_only(char wanted) {
    for (char c : zeros) {
        if (c != wanted) return false;
    }
    return true;
}

}  // namespace

int main(int argument_count, char** arguments) {
    CHECK(argument_count == 2);
    std::string mode = arguments[1];
    CHECK(tessera::heap::static_data().shared);
    CHECK(holds_only(0));
    if (mode != "clean") std::memset(zeros, 5, sizeof zeros);
    if (mode == "hold") {
        std::puts("holding");
        std::fflush(stdout);
        pollfd reader = {STDOUT_FILENO, 0, 0};
        CHECK(poll(&reader, 1, -1) == 1);
        CHECK(holds_only(5));
    }
    return 0;
}
