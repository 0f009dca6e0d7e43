#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes the Debian packages of a build, installs them beside the machine's (and beside Open MPI's
# oshcc), compiles the program of the README with `oshcc` and runs it, and removes the packages. It
# breaks when a package lacks a file or a dependency, takes another package's file, or leaves
# something behind.
#
# Usage: packages_test.sh BUILD WORK_FOLDER use|clean|lintian
# use: on this machine, with an overlay that catches all changes.
# clean: in a root with nothing but the smallest Debian 12 (clean_root.sh), where apt fetches the
# dependencies: minutes, and a mirror of Debian. A reader of the tutorial types its commands there,
# too (../tutorial).
# lintian: only makes the packages and lets lintian, which takes minutes, look at them.
set -euo pipefail

source "$(dirname "$0")/arguments.sh"
source "$(dirname "$0")/clean_root.sh"

skip() {
    echo "packages_test: skipped: $*"
    exit 77
}
for tool in dpkg-deb dpkg-shlibdeps file; do
    command -v $tool >/dev/null || skip "there is no $tool (Debian packages dpkg-dev and file)"
done
[ "$(id -u)" -eq 0 ] || skip "only root can install packages"
mkdir -p "$work/packages" "$work/upper" "$work/scratch" "$work/root"
case $task in
    use)
        unshare --mount mount -t overlay overlay \
            -o "lowerdir=/,upperdir=$work/upper,workdir=$work/scratch" "$work/root" 2>"$work/out" ||
            skip "no overlay on /: $(cat "$work/out")"
        ;;
    clean)
        make_clean_root "$work/root" >"$work/out" 2>&1 || skip "$(tail -n 1 "$work/out")"
        ;;
esac

cpack --config "$build/CPackConfig.cmake" -B "$work/packages" >"$work/cpack.out" 2>&1 || {
    tail -n 40 "$work/cpack.out"
    exit 1
}
rm -rf "$work/packages/_CPack_Packages"
for package in "$work"/packages/*.deb; do
    # The fields stand in this order, on lines of their own.
    expected=$(dpkg-deb -f "$package" Package Version Architecture | sed 's/.*: //' | paste -sd _)
    [ "$(basename "$package")" = "$expected.deb" ] || {
        echo "packages_test: $package should be $expected.deb"
        exit 1
    }
    # A path of the machine that built it leads nowhere, and tells strangers about that machine.
    dpkg-deb -x "$package" "$work/unpacked"
done
if grep -rlF -e "$build" -e "$root" "$work/unpacked"; then
    echo "packages_test: these files contain the path of the build"
    exit 1
fi
rm -rf "$work/unpacked"
if [ "$task" = lintian ]; then
    command -v lintian >/dev/null || skip "there is no lintian"
    exec lintian --allow-root --fail-on error,warning "$work"/packages/*.deb
fi

# The README has one block in C.
awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$root/README.md" \
    >"$work/packages/visitors.c"
cp "$root"/tests/system/tutorial/tutorial_*.py "$work/packages"

cat >"$work/packages/use.sh" <<'SCRIPT'
set -eux
cd /root
if [ "$task" = clean ]; then
    install="apt-get install -y --no-install-recommends"
    remove="apt-get purge -y"
    # First the dependencies alone, which stay: so the lists below differ by what is ours. The
    # tutorial has a program in C++, and Python types its commands.
    $install --simulate "$packages"/*.deb >simulated
    # shellcheck disable=SC2046  # They are words.
    $install $(awk '/^Inst/ && !/tessera/ { print $2 }' simulated) g++ python3 >out 2>&1 ||
        { cat out; exit 1; }
else
    # dpkg gets the order right by itself; the dependencies are there, or the test shows a missing
    # one.
    install="dpkg --install"
    remove="dpkg --purge"
fi
# Otherwise dpkg brings the index of all manual pages up to date, which takes half a minute.
rm -f /var/lib/man-db/auto-update
ls -lR /usr/bin /usr/lib /usr/include /usr/share /etc >before
$install "$packages"/*.deb >out 2>&1 || { cat out; exit 1; }
oshcc "$packages/visitors.c" -o visitors
test "$(oshrun -n 4 ./visitors)" = "4 PEs were here"
ldd visitors | grep -q 'libtessera.so.1 => /.*lib/.*libtessera.so.1'
dpkg --listfiles libtessera-dev | grep -qx /usr/bin/oshcc
oshcc --version | grep -q Tessera
osh_info --version
if [ "$task" = use ]; then  # The packages only suggest gfortran and pkg-config.
    caf --version | grep -q Tessera
    pkg-config --exists tessera
fi
test -f /usr/share/man/man3/shmem_put.3.gz
test -f /usr/share/bash-completion/completions/oshrun
test -f /usr/share/doc/tessera/examples/hello.c
if [ "$task" = clean ]; then
    tutorial=/usr/share/doc/tessera/docs/tutorial
    for page in $tutorial/[1-6]-*.md; do
        python3 -B "$packages/tutorial_test.py" /usr $tutorial "$(basename "$page" .md)"
    done
fi
$remove tessera-doc tessera-tools libtessera-dev libdart-tessera1 libcaf-tessera1 libtessera1 \
    >out 2>&1 || { cat out; exit 1; }
ls -lR /usr/bin /usr/lib /usr/include /usr/share /etc >after
# Folders change their dates, caches their contents.
normal() {
    grep -v -e '^total ' -e '^d' -e ld.so.cache -e index.db -e '/man/.*cat' "$1" |
        sed 's/^\(l.........\) .* [0-9:]* \([^ ]* -> .*\)/\1 \2/'
}
normal before >before.txt
normal after >after.txt
diff before.txt after.txt
SCRIPT
# The overlay ends with this shell.
export work task
# shellcheck disable=SC2016  # The inner shell expands it.
unshare --mount --propagation private bash -euc '
    if [ "$task" = use ]; then
        mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/scratch" \
            "$work/root"
    fi
    source "$1/clean_root.sh"
    cp -r "$work/packages" "$work/root/mnt"
    in_clean_root "$work/root" env packages=/mnt/packages task="$task" bash /mnt/packages/use.sh
    ' bash "$(dirname "$0")"
rm -rf "$work/upper" "$work/scratch" "$work/root"
