// SPDX-License-Identifier: BSD-3-Clause
//
// A mistake of one unit in a collective while the others make the right call: they wait for it, so
// the job has to end with the message of that unit. The argument says which mistake.
#include <cstring>

#include "onesided.hpp"

int main(int argc, char** argv) {
    OK(dart_init(&argc, &argv));
    const char* const mistake = argc > 1 ? argv[1] : "";
    const bool is_mine = me() == units() - 1;
    std::vector<long> values(static_cast<std::size_t>(units()) + 1);
    check_meet();
    if (std::strcmp(mistake, "type") == 0) {
        (void)dart_allreduce(values.data(), values.data(), 1, is_mine ? 77 : DART_TYPE_LONG,
                             DART_OP_SUM, DART_TEAM_ALL);
    } else if (std::strcmp(mistake, "root") == 0) {
        (void)dart_bcast(values.data(), 1, DART_TYPE_LONG, is_mine ? -1 : units() - 1,
                         DART_TEAM_ALL);
    } else if (std::strcmp(mistake, "buffer") == 0) {
        (void)dart_gather(values.data(), is_mine ? nullptr : values.data(), 1, DART_TYPE_LONG,
                          units() - 1, DART_TEAM_ALL);
    } else if (std::strcmp(mistake, "allocation") == 0) {
        dart_gptr_t gptr = DART_GPTR_NULL;
        (void)dart_team_memalloc_aligned(DART_TEAM_ALL, 1,
                                         is_mine ? DART_TYPE_UNDEFINED : DART_TYPE_LONG, &gptr);
    } else {
        dart_lock_t lock = DART_LOCK_NULL;
        OK(dart_team_lock_init(DART_TEAM_ALL, &lock));
        if (is_mine) OK(dart_lock_acquire(lock));
        (void)dart_team_lock_destroy(&lock);
    }
    check_meet();
    OK(dart_exit());
    return 0;
}
