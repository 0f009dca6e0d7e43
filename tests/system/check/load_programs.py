# SPDX-License-Identifier: BSD-3-Clause
"""Programs of load_test.py in other languages. Each has one race, between lines marked A and B, if
its argument is "wrong", and none otherwise."""

CXX = """\
#include <shmem.h>
#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <numeric>
#include <vector>

struct Cell {
    virtual ~Cell() = default;
    long value = 0;
};

static long data[64];
static std::atomic<long> arrived;

int main(int argc, char** argv) {
    bool is_wrong = argc > 1 && std::strcmp(argv[1], "wrong") == 0;
    shmem_init();
    int me = shmem_my_pe();
    int next = (me + 1) % shmem_n_pes();
    auto* cell = new (shmem_malloc(sizeof(Cell))) Cell;
    cell->value = me;
    std::vector<long> mine(64, 1);
    shmem_long_put(data, mine.data(), 64, next);       // A
    if (!is_wrong) shmem_barrier_all();
    std::copy(data, data + 64, mine.begin());          // B
    shmem_barrier_all();
    long sum = std::accumulate(mine.begin(), mine.end(), 0L);
    arrived.fetch_add(1);
    std::sort(data, data + 64);
    shmem_barrier_all();
    cell->~Cell();
    shmem_free(cell);
    shmem_finalize();
    return is_wrong || (sum == 64 && arrived == 1) ? 0 : 3;
}
"""

FORTRAN = """\
program loads
    use shmem
    use, intrinsic :: iso_c_binding, only: c_int64_t
    implicit none
    integer(c_int64_t), save, target :: values(64)
    integer(c_int64_t), save, target :: mine(64)
    integer :: next
    character(8) :: argument
    call get_command_argument(1, argument)
    call shmem_init()
    next = mod(shmem_my_pe() + 1, shmem_n_pes())
    mine = 1
    call shmem_put(values, mine, size(mine), next)  ! A
    if (argument /= "wrong") call shmem_barrier_all()
    mine(1:32) = 2 * values(1:32)                   ! B
    call shmem_barrier_all()
    if (argument /= "wrong" .and. sum(mine(1:32)) /= 64) error stop 3
    call shmem_finalize()
end program
"""
