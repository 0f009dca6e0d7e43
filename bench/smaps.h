// SPDX-License-Identifier: BSD-3-Clause
//
// How much memory does this process use? From /proc/self/smaps, for bench/micro.
#pragma once

#include "bench/measure.h"

struct memory {
    double resident;      // bytes of pages that the process has touched
    double proportional;  // the same, shared pages divided by the processes that share them
    double is_private;    // bytes of pages that no other process has
};

// The mappings that hold one of `excluded` (addresses, `count` of them) are left out.
static inline struct memory memory_in_use(void* const* excluded, int count) {
    struct memory sum = {0, 0, 0};
    char line[512];
    int is_counted = 1;
    FILE* file = fopen("/proc/self/smaps", "r");
    if (!file) give_up("cannot read /proc/self/smaps");
    while (fgets(line, sizeof line, file)) {
        unsigned long begin_at, end_at, kib;
        if (sscanf(line, "%lx-%lx ", &begin_at, &end_at) == 2) {
            is_counted = 1;
            for (int i = 0; i < count; ++i) {
                const uintptr_t address = (uintptr_t)excluded[i];
                if (address >= begin_at && address < end_at) is_counted = 0;
            }
        } else if (is_counted && sscanf(line, "Rss: %lu", &kib) == 1) {
            sum.resident += (double)kib * 1024;
        } else if (is_counted && sscanf(line, "Pss: %lu", &kib) == 1) {
            sum.proportional += (double)kib * 1024;
        } else if (is_counted && (sscanf(line, "Private_Clean: %lu", &kib) == 1 ||
                                  sscanf(line, "Private_Dirty: %lu", &kib) == 1)) {
            sum.is_private += (double)kib * 1024;
        }
    }
    fclose(file);
    return sum;
}
