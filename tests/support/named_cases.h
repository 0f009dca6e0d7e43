// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of cases: each case is a function, mostly one that makes one mistake, and an argument of
// the program names it. A constructor puts it on the list.
#pragma once

#include <stddef.h>
#include <string.h>

struct named_case {
    const char* name;
    void (*run)(void);
    const struct named_case* next;
};
static const struct named_case* all_cases;

// Not inlined, so that reports name the case.
#define CASE(NAME)                                                     \
    static void NAME(void);                                            \
    __attribute__((constructor)) static void add_##NAME(void) {        \
        static struct named_case added = {.name = #NAME, .run = NAME}; \
        added.next = all_cases;                                        \
        all_cases = &added;                                            \
    }                                                                  \
    __attribute__((noinline)) static void NAME(void)

// RETURNS: whether there is such a case, which has run.
static inline int run_case(const char* name) {
    for (const struct named_case* one = all_cases; one != NULL; one = one->next) {
        if (strcmp(one->name, name) != 0) continue;
        one->run();
        return 1;
    }
    return 0;
}
