#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes the tarball of the sources and compares its files with those of the tree. It breaks when the
# tarball lacks a file, has one that is none of the sources, or does not unpack as one folder that
# can be configured.
#
# Usage: source_test.sh BUILD WORK_FOLDER list|quickstart
# quickstart: also builds the unpacked sources by ./quickstart, which takes minutes.
set -euo pipefail

source "$(dirname "$0")/arguments.sh"
export LC_ALL=C

trap 'rm -rf "$work"' EXIT
cpack --config "$build/CPackSourceConfig.cmake" -B "$work/packages" >"$work/out" 2>&1 || {
    tail -n 40 "$work/out"
    exit 1
}
tarballs=("$work"/packages/tessera-*.tar.gz)
folder=$(basename "${tarballs[0]}" .tar.gz)
tar xzf "${tarballs[0]}" -C "$work"
unpacked=$work/$folder
[ -f "$unpacked/CMakeLists.txt" ] || {
    echo "source_test: the tarball has no $folder/CMakeLists.txt"
    exit 1
}

# The files of the tree by git; without git, or where it refuses a tree that another user owns, all
# but what a build leaves there. A file that git would not track may be there: an editor's, or the
# results of a measurement.
cd "$root"
if [ -e .git ] && git ls-files >"$work/tracked" 2>"$work/out"; then
    while read -r file; do
        [ ! -e "$file" ] || echo "$file"
    done <"$work/tracked" | sort >"$work/expected"
    git ls-files --others | sort >"$work/others"
else
    echo "source_test: all files count as sources: $(tail -n 1 "$work/out")"
    find . \( -name .git -o -path ./build -o -name __pycache__ \) -prune -o \
        ! -type d ! -name '*.swp' -printf '%P\n' | sort >"$work/expected"
    : >"$work/others"
fi
(cd "$unpacked" && find . ! -type d -printf '%P\n') | sort >"$work/got"
missing=$(comm -23 "$work/expected" "$work/got")
strange=$(comm -13 "$work/expected" "$work/got" | comm -23 - "$work/others")
if [ -n "$missing$strange" ]; then
    printf 'source_test: missing: %s\nsource_test: no source: %s\n' "$missing" "$strange"
    exit 1
fi

if [ "$task" = quickstart ]; then
    cd "$unpacked"
    ./quickstart
    exit
fi
# A missing source file stops cmake, or ninja when it looks at all files that it would compile.
cmake -S "$unpacked" -B "$work/build" -G Ninja -DTESSERA_BUILD_TESTS=OFF >"$work/out" 2>&1 &&
    ninja -C "$work/build" -n >>"$work/out" 2>&1 && exit
tail -n 40 "$work/out"
exit 1
