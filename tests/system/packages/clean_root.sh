# SPDX-License-Identifier: BSD-3-Clause
#
# Sourced by the tests of packages and of the README: a root folder with the smallest Debian 12, and
# commands in it. Root makes it, and the packages come from a mirror. The mounts of a command are
# its own: they end with it, as do all processes that it leaves behind.

# make_clean_root FOLDER: FOLDER is empty or not there. On failure the last line of the output says
# why.
make_clean_root() {
    mkdir -p "$1"
    if command -v mmdebstrap >/dev/null; then
        mmdebstrap --quiet --variant=minbase bookworm "$1" http://deb.debian.org/debian
    elif command -v debootstrap >/dev/null; then
        debootstrap --variant=minbase bookworm "$1"
    else
        echo "there is no mmdebstrap and no debootstrap"
        return 1
    fi || return
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    # Every machine has this file; the bootstrap makes none.
    echo "127.0.0.1 localhost" >"$1/etc/hosts"
}

# in_clean_root FOLDER COMMAND...: runs COMMAND as root with FOLDER as the root, and with processes,
# shared memory and temporary files of its own. A root that is only a chroot has no user namespaces,
# so this one is pivoted to.
in_clean_root() {
    # shellcheck disable=SC2016  # The inner shell expands it.
    unshare --mount --pid --ipc --fork --kill-child --propagation private sh -euc '
        mount --bind "$1" "$1"
        cd "$1"
        mount -t proc proc proc
        for place in dev sys; do mount --rbind /$place $place; done
        mount -t tmpfs tmpfs dev/shm
        mkdir -p mnt/outside
        pivot_root . mnt/outside
        umount --lazy /mnt/outside
        rmdir /mnt/outside
        shift
        exec env --ignore-environment HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"' sh "$@"
}
