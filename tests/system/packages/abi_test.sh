#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs packaging/abi/compare in repositories of a small library, whose versions differ in one thing
# each: a new function, another size of a public struct, and so on. It breaks when a program of an
# older version would fail and the script does not say so, or when it complains about a harmless
# change.
#
# Usage: abi_test.sh WORK_FOLDER
set -euo pipefail

if [ $# -ne 1 ]; then
    sed -n '/^# Usage/,/^set/p' "$0" | grep '^#' >&2
    exit 2
fi
for tool in abidiff git; do
    command -v $tool >/dev/null || {
        echo "abi_test: skipped: there is no $tool (Debian packages abigail-tools and git)"
        exit 77
    }
done
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(realpath -m "$1")
rm -rf "$work"
mkdir -p "$work/include" "$work/packaging/abi"
cd "$work"
cp "$root/packaging/abi/compare" packaging/abi/compare

export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@test.invalid
export GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@test.invalid
git init --quiet .

cat >CMakeLists.txt <<'SOURCE'
cmake_minimum_required(VERSION 3.18)
project(small VERSION 1.0.0 LANGUAGES C)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
add_library(tessera SHARED small.c)
target_include_directories(tessera PRIVATE include)
set_target_properties(tessera PROPERTIES SOVERSION 1)
SOURCE
cat >include/small.h <<'SOURCE'
#include <stddef.h>
typedef struct state* handle_t;
typedef struct { int flags; int count; } config_t;
enum { FIRST_MODE = 1, SECOND_MODE = 2 };
handle_t small_open(const config_t* config);
size_t small_size(handle_t handle);
SOURCE
cat >small.c <<'SOURCE'
#include "small.h"
struct state { size_t size; };
static struct state only;
handle_t small_open(const config_t* config) {
    only.size = (size_t)config->count;
    return &only;
}
size_t small_size(handle_t handle) { return handle->size; }
SOURCE

# expect CODE TEXT [TAG]: the exit code of compare, and a part of what it prints.
expect() {
    local code=0
    packaging/abi/compare "${@:3}" >out 2>&1 || code=$?
    if [ "$code" -ne "$1" ] || ! grep -qF -- "$2" out; then
        cat out
        echo "FAILED: compare ended with $code, not with $1 and '$2': $change"
        exit 1
    fi
    echo "$change: $code"
}

# changed WHAT FILE SED_COMMAND...: the next version is the first one with this change.
changed() {
    change=$1
    git checkout --quiet --force v1
    sed -i "${@:3}" "$2"
    git diff --quiet && echo "FAILED: nothing to change: $1" && exit 1
    return 0
}

change="no tag yet"
git add . && git commit --quiet -m first
expect 0 "there is no tag"
git tag v1
change="the same"
expect 0 "run with the present sources"

changed "a new function" small.c '$a int small_more(void) { return 1; }'
expect 0 "programs of v1 run with"
changed "another private struct" small.c 's/struct state { /&int other; /'
expect 0 "programs of v1 run with"
changed "a function is gone" small.c '/^size_t small_size/d'
expect 1 "may not run with"
changed "another argument" small.c \
    's/small_open(const config_t\* config)/small_open(config_t config)/; s/config->/config./'
sed -i 's/small_open(const config_t\* config)/small_open(config_t config)/' include/small.h
expect 1 "may not run with"
changed "another public struct" include/small.h 's/int flags;/long flags;/'
expect 1 "may not run with"
changed "another SONAME" CMakeLists.txt 's/SOVERSION 1/SOVERSION 2/'
expect 1 "may not run with"

change="a commit instead of a tag"
git checkout --quiet --force v1
expect 0 "run with the present sources" "$(git rev-parse HEAD)"
change="a tag that is not there"
expect 1 "there is no tag or commit no_such_tag" no_such_tag
