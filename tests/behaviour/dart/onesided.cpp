// SPDX-License-Identifier: BSD-3-Clause
//
// Groups, teams, memory and one-sided communication of DART. Any program of DASH would break.
#include "onesided.hpp"

int main(int argc, char** argv) {
    test_groups();  // Before the start, any number may be a unit.
    dart_thread_support_level_t level = DART_THREAD_SINGLE;
    OK(dart_init_thread(&argc, &argv, &level));
    CHECK(level == DART_THREAD_MULTIPLE);
    for (auto part : {test_group_range, test_teams, test_memory, test_transfers, test_types,
                      test_completion, test_notify, test_atomics, test_threads}) {
        check_meet();
        part();
        check_meet();
    }
    OK(dart_exit());
    return 0;
}
