// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives, messages, locks, allocators and localities of DART: any program of DASH needs them.
// DART starts twice, because the second start must find the state that the first one left.
// Arguments name the parts to run; without any, all.
#include "together.hpp"

int main(int argc, char** argv) {
    for (int start = 0; start < 2; ++start) {
        OK(dart_init(&argc, &argv));
        run_parts({{"moves", test_moves},
                   {"nonblocking", test_nonblocking},
                   {"reductions", test_reductions},
                   {"messages", test_messages},
                   {"locks", test_locks},
                   {"allocators", test_allocators},
                   {"places", test_places},
                   {"domains", test_domains},
                   {"locality_split", test_locality_split},
                   {"handles", test_handles},
                   {"mistakes", test_mistakes}},
                  {argv + 1, argv + argc});
        OK(dart_exit());
    }
    return 0;
}
