// SPDX-License-Identifier: BSD-3-Clause
//
// As crash_probe.c, for mistakes in the overloads of C++ and in functions that are inlined.
#include <shmem.h>

#include <cstring>
#include <vector>

namespace {

long word;
int* volatile nowhere = reinterpret_cast<int*>(16);

[[gnu::always_inline]] inline void write_nowhere() {
    *nowhere = 1;  // HERE inlined
}

struct Model {
    std::vector<long> values = {1, 2, 3};

    void put() const {
        shmem_put(&word, values.data(), values.size(), 99);  // HERE overload
        shmem_quiet();
    }
    void crash() const {
        write_nowhere();  // HERE caller
        shmem_quiet();
    }
};

}  // namespace

int main(int argc, char** argv) {
    const char* kind = argc > 1 ? argv[1] : "";
    shmem_init();
    const Model model;
    if (shmem_my_pe() == shmem_n_pes() - 1) {
        if (std::strcmp(kind, "overload") == 0) model.put();
        if (std::strcmp(kind, "inlined") == 0) model.crash();
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
