// SPDX-License-Identifier: BSD-3-Clause
//
// The minimal process of a parallel job: it connects to its launcher, makes one fence that collects
// data, and disconnects. bench/startup_pmix_server.cpp starts it; bench/startup.py compares the two
// with an empty OpenSHMEM program.
#include <pmix.h>

#include <cstdio>

static int fail(const char* call, pmix_status_t status) {
    std::fprintf(stderr, "startup_pmix_client: %s: %s\n", call, PMIx_Error_string(status));
    return 1;
}

int main() {
    pmix_proc_t me;
    pmix_status_t status = PMIx_Init(&me, nullptr, 0);
    if (status != PMIX_SUCCESS) return fail("PMIx_Init", status);
    bool is_collecting = true;
    pmix_info_t info;
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &is_collecting, PMIX_BOOL);
    status = PMIx_Fence(nullptr, 0, &info, 1);
    if (status != PMIX_SUCCESS) return fail("PMIx_Fence", status);
    status = PMIx_Finalize(nullptr, 0);
    return status == PMIX_SUCCESS ? 0 : fail("PMIx_Finalize", status);
}
