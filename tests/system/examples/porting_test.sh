#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Looks for OpenSHMEM as the builds of programs do that were written for other libraries
# (docs/run/porting.md): by pkg-config, as sandia-openshmem, too; by a CMake module of their own; by
# configure's test for a library; and by the macros of shmem.h.
#
# Usage: porting_test.sh PREFIX WORK_FOLDER BUILD
# BUILD has sandia-openshmem.pc, which is installed with -DTESSERA_COMPAT=ON only.
set -euo pipefail

if [ $# -ne 3 ]; then
    sed -n '/^# Usage/,/^set/p' "$0" | grep '^#' >&2
    exit 2
fi
installed=$(realpath -m "$1")
work=$(realpath -m "$2/porting")
build=$(realpath "$3")
rm -rf "$work"
mkdir -p "$work"
cd "$work"

# The installation with the file for compatibility.
libdir=$(dirname "$(find "$installed" -name libtessera.so)")
prefix=$work/prefix
mkdir -p "$prefix/$(basename "$libdir")/pkgconfig"
ln -s "$installed/include" "$installed/bin" "$prefix"
ln -s "$libdir"/lib* "$prefix/$(basename "$libdir")"
libdir=$prefix/$(basename "$libdir")
cp "$installed/$(basename "$libdir")/pkgconfig/"*.pc "$build/sandia-openshmem.pc" \
    "$libdir/pkgconfig"

cat >program.c <<'SOURCE'
#include <shmem.h>
#include <stdio.h>
/* The features that a client takes from these macros (Sandia OpenSHMEM 1.5). */
#if !defined(SHMEM_DEF_H) || !defined(SHMEM_FUNCTION_ATTRIBUTES)
#error "not known as a library with the features of 1.5"
#endif
SHMEM_FUNCTION_ATTRIBUTES void twice(void);
#if defined(OSHMEM_MAJOR_VERSION) || defined(OSHMPI_NUMVERSION) || \
    defined(CRAY_SHMEM_NUMVERSION) || defined(_SHMEM_API_H)
#error "taken for another library"
#endif
int main(void) {
    static long sum;
    shmem_init();
    shmem_long_atomic_add(&sum, 2, 0);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) printf("%ld\n", sum);
    shmem_finalize();
    return 0;
}
SOURCE

# expect_4 PROGRAM...: on two PEs, each adds 2.
expect_4() {
    local result
    result=$("$prefix/bin/oshrun" -n 2 "$@")
    [ "$result" = 4 ] || { echo "FAILED: $* printed '$result'" && exit 1; }
}

export PKG_CONFIG_PATH=$libdir/pkgconfig
pkg-config --exists 'sandia-openshmem >= 1.5.3'
# shellcheck disable=SC2162  # pkg-config escapes spaces in paths.
read -a flags <<<"$(pkg-config --cflags --libs sandia-openshmem)"
cc program.c "${flags[@]}" -o by_pkg_config
expect_4 ./by_pkg_config

# AC_CHECK_LIB([sma], [shmem_init]) compiles and links this.
printf 'char shmem_init(void);\nint main(void) { return shmem_init(); }\n' >conftest.c
cc -fno-builtin conftest.c -L"$libdir" -lsma -o conftest

cat >CMakeLists.txt <<'SOURCE'
cmake_minimum_required(VERSION 3.18)
project(client LANGUAGES C)
include(CheckSymbolExists)
find_path(OpenSHMEM_INCLUDE_DIR shmem.h REQUIRED)
find_library(OpenSHMEM_LIBRARY NAMES oshmem REQUIRED)
set(CMAKE_REQUIRED_INCLUDES ${OpenSHMEM_INCLUDE_DIR})
set(CMAKE_REQUIRED_LIBRARIES ${OpenSHMEM_LIBRARY})
check_symbol_exists(shmem_team_split_strided shmem.h HAVE_TEAMS)
if(NOT HAVE_TEAMS)
    message(FATAL_ERROR "no teams")
endif()
find_package(PkgConfig REQUIRED)
pkg_check_modules(SOS REQUIRED IMPORTED_TARGET sandia-openshmem>=1.5.3)
add_executable(by_library program.c)
target_include_directories(by_library PRIVATE ${OpenSHMEM_INCLUDE_DIR})
target_link_libraries(by_library PRIVATE ${OpenSHMEM_LIBRARY})
add_executable(by_target program.c)
target_link_libraries(by_target PRIVATE PkgConfig::SOS)
SOURCE
cmake -S . -B build "-DCMAKE_PREFIX_PATH=$prefix" >out || { cat out && exit 1; }
cmake --build build >>out || { cat out && exit 1; }
expect_4 build/by_library
expect_4 build/by_target

# A C++ program that keeps the handles of a library, which it has loaded, under their own names.
cat >loader.cpp <<'SOURCE'
#include <shmemx.h>
#include <cstdio>
#include <dlfcn.h>
namespace loaded {
shmem_team_t SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED, SHMEMX_TEAM_NODE;
}
int main() {
    loaded::SHMEM_TEAM_WORLD = *(shmem_team_t*)dlsym(RTLD_DEFAULT, "SHMEM_TEAM_WORLD");
    loaded::SHMEM_TEAM_SHARED = *(shmem_team_t*)dlsym(RTLD_DEFAULT, "SHMEM_TEAM_SHARED");
    loaded::SHMEMX_TEAM_NODE = *(shmem_team_t*)dlsym(RTLD_DEFAULT, "SHMEMX_TEAM_NODE");
    shmem_init();
    int count = shmem_team_n_pes(loaded::SHMEM_TEAM_WORLD) + shmem_team_n_pes(SHMEM_TEAM_WORLD);
    bool same = loaded::SHMEM_TEAM_SHARED == SHMEM_TEAM_SHARED &&
                loaded::SHMEMX_TEAM_NODE == SHMEMX_TEAM_NODE;
    if (shmem_my_pe() == 0) std::printf("%d\n", same ? count : 0);
    shmem_finalize();
}
SOURCE
"$prefix/bin/oshc++" -DSHMEMX_TEAM_OBJECTS loader.cpp -o loader -ldl
expect_4 ./loader
if "$prefix/bin/oshc++" -fsyntax-only loader.cpp 2>/dev/null; then
    echo "FAILED: SHMEMX_TEAM_OBJECTS is not needed any more: see docs/run/porting.md" && exit 1
fi
