// SPDX-License-Identifier: BSD-3-Clause
//
// A preloaded library: the machine has MEMORY_GIB of memory.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/sysinfo.h>

int sysinfo(struct sysinfo* info) {
    int (*real)(struct sysinfo*) = (int (*)(struct sysinfo*))dlsym(RTLD_NEXT, "sysinfo");
    const int status = real(info);
    info->totalram = strtoul(getenv("MEMORY_GIB"), NULL, 10) << 30;
    info->mem_unit = 1;
    return status;
}
