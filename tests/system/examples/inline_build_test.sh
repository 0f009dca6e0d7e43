#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Breaks when a program of several sources and a shared library, all with SHMEM_INLINE, does not
# link, has more than one map in each, or puts words to the wrong place: with and without
# optimization, link-time optimization and the static library, gcc and clang (where found).
#
# Usage: inline_build_test.sh PREFIX WORK_FOLDER
set -euo pipefail

bin=$(cd "$1/bin" && pwd -P)
rm -rf "$2/inline_build"
mkdir -p "$2/inline_build"
cd "$2/inline_build"

# Each part puts four words; part 2 is the shared library.
cat >part.c <<'EOF'
#define SHMEM_INLINE
#include <shmem.h>
void PUT(long* words, int pe);
void PUT(long* words, int pe) {
    for (long i = 4 * PART; i < 4 * PART + 4; ++i) shmem_long_p(words + i, 100 * pe + i, pe);
}
EOF
cat >main.c <<'EOF'
#define SHMEM_INLINE
#include <shmem.h>
#include <stdio.h>
void put_0(long* words, int pe);
void put_1(long* words, int pe);
void put_2(long* words, int pe);
int main(void) {
    int wrong = 0;
    shmem_init();
    const int me = shmem_my_pe();
    const int right = (me + 1) % shmem_n_pes();
    long* words = shmem_calloc(12, sizeof *words);
    put_0(words, right);
    put_1(words, right);
    put_2(words, right);
    shmem_barrier_all();
    for (long i = 0; i < 12; ++i) {
        if (words[i] == 100 * me + i && shmem_long_g(words + i, me) == words[i]) continue;
        fprintf(stderr, "PE %d: word %ld is %ld\n", me, i, words[i]);
        wrong = 1;
    }
    shmem_finalize();
    return wrong;
}
EOF

builds=0
# build COMPILER PIE OPTIONS...: PIE is for the program only.
build() {
    local compiler=$1 pie=$2
    shift 2
    export OSHCC_CC=$compiler
    rm -f ./*.o ./*.so program
    "$bin/oshcc" -fPIC -shared -DPART=2 -DPUT=put_2 "$@" part.c -o libpart.so
    "$bin/oshcc" -c -DPART=0 -DPUT=put_0 "$pie" "$@" part.c -o part_0.o
    "$bin/oshcc" -c -DPART=1 -DPUT=put_1 "$pie" "$@" part.c -o part_1.o
    "$bin/oshcc" "$pie" "${pie/#-f/-}" "$@" main.c part_0.o part_1.o \
        -L. -Wl,-rpath,"$PWD" -lpart -o program
    for module in program libpart.so; do
        [ "$(nm "$module" | grep -c ' shmem_internal_inline_map$')" -eq 1 ] || {
            echo "FAILED: $compiler $*: maps in $module"
            exit 1
        }
    done
    "$bin/oshrun" -n 3 ./program || {
        echo "FAILED: $compiler $*"
        exit 1
    }
    builds=$((builds + 1))
}

for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    build "$compiler" -fpie -O0
    build "$compiler" -fpie -O2
    build "$compiler" -fno-pie -O3
done
build gcc -fpie -O2 -flto
build gcc -fpie -O2 -flto -flto-partition=none
echo "inline_build: passed ($builds builds)"
