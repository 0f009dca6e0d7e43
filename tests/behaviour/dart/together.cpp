// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives, messages, locks, allocators and localities of DART: any program of DASH needs them.
// DART starts twice, because the second start must find the state that the first one left.
#include "together.hpp"

int main(int argc, char** argv) {
    for (int start = 0; start < 2; ++start) {
        OK(dart_init(&argc, &argv));
        for (auto part : {test_moves, test_nonblocking, test_reductions, test_messages, test_locks,
                          test_allocators, test_places, test_domains, test_locality_split,
                          test_handles, test_mistakes}) {
            check_meet();
            part();
            check_meet();
        }
        OK(dart_exit());
    }
    return 0;
}
