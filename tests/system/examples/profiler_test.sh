#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds examples/profiler with an installed oshcc and counts the calls of profiled.c, preloaded and
# linked. It breaks when a routine is not counted, is counted twice, or cannot be replaced; when the
# table differs from what the program does; or when shmem_pcontrol does not steer it.
#
# Usage: profiler_test.sh PREFIX WORK_FOLDER SOURCE...    the profiler's sources, without .c
# OSHCC and OSHRUN in the environment name others than those of PREFIX.
set -euo pipefail

prefix=$(realpath -m "$1")
oshcc=${OSHCC:-$prefix/bin/oshcc}
oshrun=${OSHRUN:-$prefix/bin/oshrun}
here=$(cd "$(dirname "$0")" && pwd)
source_dir=$(cd "$here/../../.." && pwd)
work=$(realpath -m "$2/profiler")
export LC_ALL=C SHMEM_SYMMETRIC_SIZE=16M
# A library built with the address sanitizer would refuse to run behind what is preloaded.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
sources=("${@:3}")
sources=("${sources[@]/#/$source_dir/examples/profiler/}")
rm -rf "$work"
mkdir -p "$work"
cd "$work"

failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

flags=(-std=c11 -O2 -Wall -Wextra -pedantic -Werror)
"$oshcc" "${flags[@]}" -fPIC -shared "${sources[@]/%/.c}" -o libprofiler.so
"$oshcc" "${flags[@]}" "$here/profiled.c" -o plain
"$oshcc" "${flags[@]}" "$here/profiled.c" -L. -Wl,-rpath,"$work" -lprofiler -o linked

# Every routine is there, but for those that only tell something.
nm -D --defined-only libprofiler.so | awk '$2 == "T" { print $3 }' | sort >defined
told='^(_my_pe|_num_pes|shmem_(global_exit|my_pe|n_pes|ptr|(pe|addr)_accessible'
told+='|(info_get|query)_.*|ctx_get_team|team_(my_pe|n_pes|ptr|get_config|translate_pe)))$'
names=$source_dir/tests/behaviour/headers/symbols.txt
grep -v '^#' "$names" | cut -f1 | grep -vE "$told" | sort >wanted
comm -13 defined wanted >missing
[ ! -s missing ] || fail "not counted: $(tr '\n' ' ' <missing)"

# The table that profiled.c must give on n PEs: for each operation, its calls and bytes as
# expressions of n and me, the PE.
operations='
put                 me+4 40*(me+1)+24+16+7
p                   1 8
iput                2 8+16
ibput               1 6
get                 me+2 20*(me+1)
g                   2 8
iget                1 6
ibget               1 16
put_nbi             1 16
get_nbi             1 9
put_signal          1 16
put_signal_nbi      1 9
signal_add          2 16
signal_set          1 8
signal_fetch        1 0
signal_wait_until   1 0
atomic_swap         1 4
atomic_compare_swap 1 8
atomic_inc          me+1 4*(me+1)
atomic_fetch_add    2 8+4
atomic_and          1 8
atomic_fetch_xor    1 4
atomic_fetch_nbi    1 8
wait_until          1 0
wait_until_all      1 0
test                2 0
test_some           1 0
fence               1 0
quiet               2 0
pe_quiet            1 0
barrier_all         2 0
sync_all            1 0
team_sync           1 0
barrier             1 0
broadcast           2 16*(me==0)+12*(me==n-1)
collect             1 me+1
fcollect            1 3
alltoall            1 8*n
alltoalls           1 n
max_reduce          1 8
sum_reduce          2 20+8
sum_exscan          1 8
set_lock            1 0
test_lock           (me==0) 0
clear_lock          1+(me==0) 0
malloc              1 1000
free                1 0
team_split_strided  1 0
team_destroy        1 0
ctx_create          1 0
ctx_destroy         1 0
'

expected_table() {
    local n=$1 operation calls bytes me all_calls all_bytes
    while read -r operation calls bytes; do
        [ -n "$operation" ] || continue
        all_calls=0 all_bytes=0
        for ((me = 0; me < n; me++)); do
            if ((calls == 0)); then continue; fi
            echo "$operation $me $((calls)) $((bytes))"
            all_calls=$((all_calls + calls)) all_bytes=$((all_bytes + bytes))
        done
        echo "$operation all $all_calls $all_bytes"
    done <<<"$operations"
}

# compare WHAT: the lines of the table, in the file out, with the file expected.
compare() {
    sed 1,2d out | awk '{ print $1, $2, $3, $4 }' >table
    sort expected | diff - <(sort table) || fail "$1: the table is wrong (<: expected)"
}

# run HOW N ARGUMENT...: stdout and stderr to the file out.
run() {
    local how=$1 n=$2 preload=()
    shift 2
    [ "$how" = linked ] || preload=(-x LD_PRELOAD=./libprofiler.so)
    timeout 120 "$oshrun" -n "$n" "${preload[@]}" "./$how" "$@" >out 2>&1 ||
        { fail "$how on $n PEs $*"; cat out; }
}

for how in plain linked; do
    for n in 1 2 4; do
        run "$how" "$n"
        expected_table "$n" >expected
        head -n 1 out | grep -qE "^OpenSHMEM calls of $n PEs?$" || fail "$how: no heading"
        compare "$how on $n PEs"
    done
    printf 'p 0 2 8\np 1 2 8\np all 4 16\n' >expected
    run "$how" 2 nested
    compare "$how nested"
    printf 'p 0 1 4\np 1 1 4\np all 2 8\n' >expected
    run "$how" 2 old
    compare "$how old"
    # The first output of the last PE goes to the file, too.
    PROFILER_OUTPUT=$work/file run "$how" 3 flush
    [ ! -s out ] || fail "$how: PROFILER_OUTPUT is set, and something else is written"
    printf 'p 2 1 4\nOpenSHMEM calls of 3\noperation PE calls bytes\n' >expected
    printf 'p 0 2 8\np 1 2 8\np 2 2 8\np all 6 24\n' >>expected
    awk '{ print $1, $2, $3, $4 }' file | diff expected - || fail "$how: flush"
done

# Without it, nothing is printed.
timeout 120 "$oshrun" -n 2 ./plain >out 2>&1
[ ! -s out ] || fail "a table without the profiler"

if [ "$failures" -ne 0 ]; then
    echo "$failures failures; the files are in $work"
    exit 1
fi
echo "profiler: passed on 1, 2, 4 PEs, preloaded and linked; $(wc -l <wanted) routines"
