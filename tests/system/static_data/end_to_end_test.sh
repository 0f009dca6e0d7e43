#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Static variables in OpenSHMEM programs, built with the installed oshcc and oshc++ in one of the
# ways that users build programs, run with 1, 2, 4 and 7 PEs. statics.c, objects.cpp and stacks.c
# say what breaks when this fails.
#
# Usage: end_to_end_test.sh PREFIX WORK_FOLDER WAY
# Prints "left out: ..." and ends with 77 when the compiler or linker of that way is not there.
set -euo pipefail

prefix=$(cd "$1" && pwd -P)
way=$3
sources=$(cd "$(dirname "$0")" && pwd -P)
mkdir -p "$2/end_to_end/$way"
work=$(cd "$2/end_to_end/$way" && pwd -P)
PATH=$prefix/bin:$PATH

flags=()
expected=shared
counts=(1 2 4 7)
launcher=(oshrun --timeout 200 -n)
case $way in
    pie) flags=(-fPIE -pie) ;;
    no_pie) flags=(-fno-pie -no-pie) ;;
    norelro) flags=(-fno-pie -no-pie "-Wl,-z,norelro") ;;
    static_library) flags=(-static-libtessera) ;;
    static_library_no_pie) flags=(-static-libtessera -fno-pie -no-pie) ;;
    static_library_norelro) flags=(-static-libtessera -fPIE -pie "-Wl,-z,norelro,-z,lazy") ;;
    clang) export OSHCC_CC=clang OSHCXX_CXX=clang++ ;;
    lld) flags=(-fuse-ld=lld) ;;
    gold) flags=(-fuse-ld=gold) ;;
    # The program has a sanitizer, the library has not.
    asan) flags=(-fsanitize=address) ;;
    # Not shared at all: the system calls for another process's memory take over.
    fabric)
        export SHMEM_STATIC_DATA=cma
        expected=fabric
        ;;
    # The system refuses one PE, the others could share: atomics must still be atomic.
    one_refused)
        expected=one
        counts=(2 4 7)
        ;;
    # A launcher that brings PMIx; every PE has a shared file of its own.
    mpirun)
        launcher=(mpirun --oversubscribe -n)
        if [ "$(id -u)" = 0 ]; then launcher=(mpirun --allow-run-as-root --oversubscribe -n); fi
        counts=(1 2 4)
        # Under a sanitizer: libpmix does not free everything.
        export ASAN_OPTIONS=detect_leaks=0
        ;;
    *)
        echo "no such way: $way"
        exit 2
        ;;
esac
for tool in "${OSHCC_CC:-}" "${OSHCXX_CXX:-}" "${launcher[0]}"; do
    if [ -n "$tool" ] && ! command -v "$tool" >/dev/null; then
        echo "left out: there is no $tool"
        exit 77
    fi
done
case $way in
    lld | gold)
        if ! command -v "ld.$way" >/dev/null; then
            echo "left out: there is no ld.$way"
            exit 77
        fi
        ;;
esac

oshcc -O2 -Wall "${flags[@]}" "$sources/statics.c" -o "$work/statics"
oshc++ -std=c++17 -O2 -Wall "${flags[@]}" "$sources/objects.cpp" -pthread -o "$work/objects"
oshcc -O2 -Wall "${flags[@]}" "$sources/stacks.c" -pthread -o "$work/stacks"
case $way in
    static_library*)
        if ldd "$work/statics" | grep libtessera; then
            echo "the program is not linked statically"
            exit 1
        fi
        ;;
esac

# A process whose file size limit is small cannot take its part of the shared file.
cat >"$work/refuse_one" <<'SCRIPT'
#!/bin/sh
mkdir "$1" 2>/dev/null && ulimit -f 100
shift
exec "$@"
SCRIPT
chmod +x "$work/refuse_one"

for count in "${counts[@]}"; do
    wrapper=()
    if [ "$way" = one_refused ]; then
        wrapper=("$work/refuse_one" "$work/first.$count")
        rm -rf "$work/first.$count"
    fi
    echo "== $way, $count PEs"
    "${launcher[@]}" "$count" "${wrapper[@]}" "$work/statics" "$expected"
    if [ "$way" = one_refused ]; then rmdir "$work/first.$count"; fi
    rm -f "$work/destroyed"
    "${launcher[@]}" "$count" "${wrapper[@]}" "$work/objects" "$work/destroyed"
    # Each PE and each forked child destroys its own object, once.
    for who in pe child; do
        lines=$(grep -c "^$who destroyed\$" "$work/destroyed")
        if [ "$lines" != "$count" ]; then
            echo "$lines instead of $count: $who destroyed"
            exit 1
        fi
    done
    if [ "$way" = one_refused ]; then rmdir "$work/first.$count"; fi
done
"${launcher[@]}" 2 "$work/stacks"
