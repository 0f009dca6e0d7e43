#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Compiles one program of examples/chapters with an installed oshcc, without a warning, and runs it
# on 1 to 8 PEs. It breaks when a chapter of the specification does not work for a small program as
# people write it. The program checks itself; that it can fail is shown with broken_library.c.
#
# Usage: chapters_test.sh PREFIX WORK_FOLDER NAME
# OSHCC and OSHRUN in the environment name others than those of PREFIX.
set -euo pipefail

prefix=$(realpath -m "$1")
oshcc=${OSHCC:-$prefix/bin/oshcc}
oshrun=${OSHRUN:-$prefix/bin/oshrun}
here=$(cd "$(dirname "$0")" && pwd)
name=$3
work=$(realpath -m "$2/chapters/$name")
source=$here/../../../examples/chapters/$name.c
export LC_ALL=C SHMEM_SYMMETRIC_SIZE=64M
# A library built with the address sanitizer would refuse to run behind what is preloaded.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
rm -rf "$work"
mkdir -p "$work"
cd "$work"

failures=0
fail() {
    echo "FAILED: $*"
    cat out
    failures=$((failures + 1))
}

flags=(-std=c11 -O2 -Wall -Wextra -pedantic -Werror)
"$oshcc" "${flags[@]}" "$source" -o "$name" -pthread
# Once with the checks of all calls.
for setting in 1 2 3 4 5 7 8 5:SHMEM_DEBUG=1; do
    n=${setting%%:*} variable=${setting#"$n"} status=0
    timeout 120 "$oshrun" -n "$n" ${variable:+-x "${variable#:}"} "./$name" >out 2>&1 || status=$?
    [ $status -eq 0 ] || fail "$name with $setting PEs ended with $status"
    [[ $(cat out) == "$name: right"* ]] || fail "$name with $setting PEs printed something else"
    [ "$(wc -l <out)" -eq 1 ] || fail "$name with $setting PEs printed more than one line"
done

# With a library that does something wrong, it must say so. "profiling" takes no part: it replaces
# the routines itself.
if [ "$name" != profiling ]; then
    "$oshcc" "${flags[@]}" -fPIC -shared "$here/broken_library.c" -o libbroken.so
    if timeout 120 "$oshrun" -n 4 --timeout 60 -x LD_PRELOAD=./libbroken.so "./$name" \
        >out 2>&1; then
        fail "$name does not notice a library that is broken"
    fi
    grep -q "^$name: wrong: " out || fail "$name does not say what is wrong in a broken library"
fi

[ "$failures" -eq 0 ] || exit 1
echo "$name: passed"
