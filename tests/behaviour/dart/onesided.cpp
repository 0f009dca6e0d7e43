// SPDX-License-Identifier: BSD-3-Clause
//
// Groups, teams, memory and one-sided communication of DART. Any program of DASH would break.
// Arguments name the parts to run; without any, all.
#include "onesided.hpp"

int main(int argc, char** argv) {
    test_groups();  // Before the start, any number may be a unit.
    dart_thread_support_level_t level = DART_THREAD_SINGLE;
    OK(dart_init_thread(&argc, &argv, &level));
    CHECK(level == DART_THREAD_MULTIPLE);
    run_parts({{"group_range", test_group_range},
               {"teams", test_teams},
               {"memory", test_memory},
               {"transfers", test_transfers},
               {"types", test_types},
               {"completion", test_completion},
               {"notify", test_notify},
               {"atomics", test_atomics},
               {"threads", test_threads},
               {"windows", test_windows}},
              {argv + 1, argv + argc});
    OK(dart_exit());
    return 0;
}
