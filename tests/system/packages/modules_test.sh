#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Loads packaging/modules/tessera by Environment Modules and by Lmod, whichever are there, compiles
# and runs a program, and unloads it. It breaks when one of them does not understand the file, a
# path in it does not lead to the installation, or unloading leaves something behind.
#
# Usage: modules_test.sh PREFIX WORK_FOLDER
set -euo pipefail

if [ $# -ne 2 ]; then
    sed -n '/^# Usage/,/^set/p' "$0" | grep '^#' >&2
    exit 2
fi
prefix=$(realpath "$1")
work=$(realpath -m "$2")
root=$(cd "$(dirname "$0")/../../.." && pwd)
rm -rf "$work"
mkdir -p "$work/modules/tessera"
cd "$work"
sed "s|^set prefix .*|set prefix $prefix|" "$root/packaging/modules/tessera" \
    >modules/tessera/1.0
cp "$root/examples/hello.c" .
printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(hello LANGUAGES C)' \
    'find_package(Tessera REQUIRED)' 'add_executable(hello hello.c)' \
    'target_link_libraries(hello Tessera::shmem)' >CMakeLists.txt

cat >use.sh <<'SCRIPT'
# $1: the file of the module system that a shell sources.
set -eo pipefail
source "$1"
module use "$PWD/modules"
env | sort >before
where_ls=$(man -w ls 2>/dev/null || true)
module load tessera
[ "$TESSERA_ROOT/bin/oshcc" -ef "$(command -v oshcc)" ]
oshcc hello.c -o hello
oshrun -n 3 ./hello >out
grep -q 'PE 2 of 3' out
pkg-config --exists tessera
cmake -S . -B build >out
grep -q "^Tessera_DIR.*=$TESSERA_ROOT/" build/CMakeCache.txt
if command -v man >/dev/null; then
    [ "$(man -w shmem_put)" -ef "$TESSERA_ROOT/share/man/man3/shmem_put.3" ]
    [ "$(man -w ls 2>/dev/null || true)" = "$where_ls" ]  # The others are still found.
fi
module whatis tessera >out 2>&1
grep -q 'OpenSHMEM 1.6' out
module help tessera >out 2>&1
grep -q 'oshcc compiles' out
module unload tessera
[ -z "$(command -v oshcc | grep -F "$PWD" || true)" ]
env | sort >after
# Module systems keep notes of their own.
diff <(grep -vE '^(_|LMOD|__?MOD|_LMFILES|LOADEDMODULES|__LMOD)' before) \
    <(grep -vE '^(_|LMOD|__?MOD|_LMFILES|LOADEDMODULES|__LMOD)' after)
SCRIPT

count=0
for init in /usr/share/modules/init/bash /usr/share/lmod/lmod/init/bash; do
    [ -e $init ] || continue
    env -i HOME="$work" PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C bash use.sh $init || {
        echo "FAILED with $init"
        exit 1
    }
    echo "$init: passed"
    count=$((count + 1))
done
if [ $count -eq 0 ]; then
    echo "modules_test: skipped: there are neither environment-modules nor lmod (Debian packages)"
    exit 77
fi
