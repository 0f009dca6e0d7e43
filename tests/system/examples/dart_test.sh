#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Uses DART as a user does, installed in a folder of its own. It breaks when its library, headers
# and packages do not fit together, or examples/dart, a program in DASH, computes something wrong.
#
# Usage: dart_test.sh PREFIX WORK_FOLDER package|heat_rod
# heat_rod: DASH_DIR in the environment is where DASH is installed.
set -euo pipefail

if [ $# -ne 3 ]; then
    sed -n '/^# Usage/,/^set/p' "$0" | grep '^#' >&2
    exit 2
fi
prefix=$(realpath -m "$1")
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(realpath -m "$2/dart_$3")
rm -rf "$work"
mkdir -p "$work"
cd "$work"

test_package() {
    local words flags
    cp "$root/tests/behaviour/dart/every_function.c" program.c
    cp "$root/tests/behaviour/dart/check.h" .
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig:$prefix/lib64/pkgconfig
    words=$(pkg-config --cflags --libs tessera-dart)
    # shellcheck disable=SC2162  # pkg-config escapes spaces in paths.
    read -a flags <<<"$words"
    cc program.c "${flags[@]}" -o by_pkg_config
    words=$(pkg-config --libs tessera-dart)
    case $words in
        *shmem* | *-ltessera*) echo "programs must link DART only: $words" && exit 1 ;;
    esac
    printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(by_cmake LANGUAGES C)' \
        'find_package(Tessera REQUIRED)' 'add_executable(by_cmake program.c)' \
        'target_link_libraries(by_cmake Tessera::dart)' >CMakeLists.txt
    cmake -S . -B build "-DCMAKE_PREFIX_PATH=$prefix" >out
    cmake --build build >>out
    for program in ./by_pkg_config build/by_cmake; do
        SHMEM_SYMMETRIC_SIZE=64M "$prefix/bin/oshrun" -n 2 $program
    done
}

test_heat_rod() {
    local n
    cmake -S "$root/examples/dart" -B build "-DDASH_DIR=$DASH_DIR" \
        "-DCMAKE_PREFIX_PATH=$prefix" -DCMAKE_BUILD_TYPE=Release
    cmake --build build
    for n in 1 2 3 5; do
        "$prefix/bin/oshrun" -n $n build/heat_rod 1000 500 | tee out
        # The sum stays, and the middle is the same on any number of units.
        grep -q "^$n units, 500 steps: 25.225 in the middle, 1000.000 in all" out
    done
    "$prefix/bin/oshrun" -n 4 --virtual-nodes 2 build/heat_rod 100 20
}

"test_$3"
