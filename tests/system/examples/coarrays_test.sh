#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Uses coarray Fortran and the module shmem as a user does, installed in a folder of its own.
# It breaks when the installed wrappers, libraries, modules and packages do not fit together, or an
# example computes something wrong.
#
# Usage: coarrays_test.sh PREFIX WORK_FOLDER wrappers|programs|packages
# CAF and CAFRUN in the environment name another coarray library's commands, FPM an fpm.
set -euo pipefail

if [ $# -ne 3 ]; then
    sed -n '/^# Usage/,/^set/p' "$0" | grep '^#' >&2
    exit 2
fi
prefix=$(realpath -m "$1")
caf=${CAF:-$prefix/bin/caf}
cafrun=${CAFRUN:-$prefix/bin/cafrun}
source_dir=$(cd "$(dirname "$0")/../../../examples" && pwd)
work=$(realpath -m "$2/coarrays_$3")
rm -rf "$work"
mkdir -p "$work"
cd "$work"

failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect PATTERN COMMAND...: the command must end with 0, and a line of its output match PATTERN,
# unless that is empty.
expect() {
    local pattern=$1 status=0
    shift
    "$@" >out 2>&1 || status=$?
    if [ $status -ne 0 ] || { [ -n "$pattern" ] && ! grep -qE -e "$pattern" out; }; then
        fail "'$*' ended with $status, expected a line with '$pattern':"
        cat out
    fi
}

# program NAME PATTERN ARGUMENT...: compiles an example, runs it with several numbers of images.
program() {
    local name=$1 pattern=$2 n
    shift 2
    expect '' "$caf" -O2 "$source_dir/coarrays/$name.f90" -o "$name" || return
    for n in 1 2 3 5; do expect "$pattern" "$cafrun" -n $n "./$name" "$@"; done
}

test_programs() {
    program hello_images '^The numbers of all images add up to '
    program heat_images '^Heat after 50 steps, relative to the start: 1\.000000$' 40 50
    program hash_table '^All [0-9]+ updates are in the table$' 200
    # The residual of the first steps on one image; it must be this one on any number of images.
    program himeno_images '^Residual after 4 steps:  5.98862E-04$' 17 17 33 4
    program row_teams ' rows add up to 500500$'
    expect '' "$prefix/bin/oshfort" "$source_dir/fortran/ring_shmem.f90" -o ring_shmem
    for n in 1 2 5; do
        expect "^The token has been on $((4 * n)) PEs" "$prefix/bin/oshrun" -n $n ./ring_shmem 4
    done
}

test_wrappers() {
    local copy="$work/moved here"
    cp -a "$prefix" "$copy"
    caf=$copy/bin/caf
    cafrun=$copy/bin/cafrun
    expect '^caf of Tessera .*coarrays of Fortran 2018$' "$caf" --version
    expect '^Usage: caf ' "$caf" -h
    expect 'gfortran' "$caf" -w
    expect '-fcoarray=lib a.f90 -o a .*-lcaf_tessera(_gcc1[56])? .*-ltessera' \
        "$caf" --show a.f90 -o a
    if "$caf" --show -c a.f90 | grep -q -e -ltessera; then fail 'caf -c links'; fi
    # Alone these are for the wrapper, with others for the compiler.
    expect '(^| )-w -c a.f90' "$caf" --show -w -c a.f90
    program hello_images '^Hello from image 1 of '
    expect '' "$caf" -static-libtessera "$source_dir/coarrays/hello_images.f90" -o static
    if ldd static | grep -q -e libtessera -e libcaf; then fail 'the program is not static'; fi
    expect ' add up to 6$' "$cafrun" -np 3 ./static
    printf '%s\n' 'program mixed' 'use shmem' 'implicit none' 'integer, target :: n[*]' 'n = 0' \
        'sync all' 'call shmem_atomic_add(n, this_image(), 0)' 'sync all' \
        'if (n[1] == 6 .and. shmem_my_pe() == 0) print *, "both"' 'end' >mixed.f90
    expect '' "$caf" mixed.f90 -o mixed
    expect 'both' "$cafrun" -n 3 ./mixed
    expect '^Usage: cafrun ' "$cafrun" --help
    expect "oshrun'?\$" "$cafrun" --wraps
    expect '^cafrun of Tessera' "$cafrun" -V
    expect "/oshrun'? -x A=b -np 3 ./x -np 7 'a b'$" "$cafrun" --reenable-auto-cleanup -x A=b \
        --show -np 3 ./x -np 7 'a b'
    # The image that cannot be run and the missing number are errors.
    if "$cafrun" -n 2>out; then fail 'cafrun -n without a number'; fi
    if "$cafrun" -n 2 ./not_there 2>out; then fail 'cafrun of a missing program'; fi
    # By themselves: one image, or as many as the variable says.
    expect ' of 1$' ./hello_images
    SHMEM_NUM_IMAGES=3 expect ' of 3$' ./hello_images
}

# The manifest's program, by fpm where it is installed, else by the commands that fpm runs.
test_fpm_package() {
    local fpm=${FPM:-$(command -v fpm)} name main
    cd coarrays/with_fpm
    name=$(sed -n '/^\[\[executable\]\]/,$ s/^name = "\(.*\)"/\1/p' fpm.toml)
    main=$(sed -n '/^\[\[executable\]\]/,$ s/^main = "\(.*\)"/\1/p' fpm.toml)
    if [ -n "$fpm" ]; then
        expect '' "$fpm" build --compiler "$caf"
        expect '^Hello from 4 images$' "$fpm" run "$name" --compiler "$caf" --runner "$cafrun -n 4"
    fi
    expect '' "$caf" -c "app/$main" -o "$name.o"
    expect '' "$caf" "$name.o" -o "$name"
    expect '^Hello from 4 images$' "$cafrun" -n 4 "./$name"
    cd ../..
}

test_packages() {
    local name
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig:$prefix/lib64/pkgconfig
    # shellcheck disable=SC2162  # pkg-config escapes spaces in paths.
    read -a flags <<<"$(pkg-config --cflags --libs tessera-caf)"
    expect '' "$("$caf" -w)" "$source_dir/coarrays/hello_images.f90" "${flags[@]}" -o by_pkg_config
    expect ' add up to 3$' "$cafrun" -n 2 ./by_pkg_config
    cp -r "$source_dir/coarrays" .
    expect '' cmake -S coarrays/with_cmake -B build "-DCMAKE_PREFIX_PATH=$prefix" \
        "-DCMAKE_Fortran_COMPILER=$("$caf" -w)"
    expect '' cmake --build build
    expect ' of 4$' cmake --build build --target run
    test_fpm_package
    for name in caf cafrun oshfort; do
        [ -f "$prefix/share/man/man1/$name.1" ] || fail "there is no manual page $name(1)"
    done
}

"test_$3"
if [ $failures -ne 0 ]; then
    echo "$failures checks failed"
    exit 1
fi
