#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Types the commands of the README on a new machine: the smallest Debian 12 and nothing else, no
# git, a clone whose path has the words tessera and build, and a space. Root types them first,
# ./quickstart installs the packages; then an ordinary user, who finds the packages there. It
# breaks when a command needs more than quickstart installs, another path, rights, or history.
#
# Usage: readme_test.sh WORK_FOLDER first|both [OPTION...]
# first: ./quickstart; both: then also ./quickstart test OPTION... (its options go to ctest), which
# takes 25 minutes on two cores for root and 20 for the user. The output stays in WORK_FOLDER.
set -euo pipefail

if [ $# -lt 2 ] || { [ "$2" != first ] && [ "$2" != both ]; }; then
    sed -n '/^# Usage/,/^set/p' "$0" | grep '^#' >&2
    exit 2
fi
source "$(dirname "$0")/clean_root.sh"
tree=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(realpath -m "$1")
task=$2
shift 2
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work/root"' EXIT

[ "$(id -u)" -eq 0 ] || { echo "readme_test: skipped: only root can make a root folder"; exit 77; }
make_clean_root "$work/root" >"$work/root.log" 2>&1 || {
    echo "readme_test: skipped: $(tail -n 1 "$work/root.log")"
    exit 77
}
in_clean_root "$work/root" useradd --create-home --shell /bin/bash newcomer
clone="/home/newcomer/build/my tessera clone"
mkdir -p "$work/root$clone"
tar c -C "$tree" --exclude=./build . | tar x -C "$work/root$clone"

options=
if [ $# -gt 0 ]; then options=$(printf ' %q' "$@"); fi
status=0

# type_as USER LOG COMMAND: in the clone; shows the output and keeps it.
type_as() {
    printf '\n######## %s: %s\n' "$1" "$3"
    in_clean_root "$work/root" chown -R "$1": "$clone"
    in_clean_root "$work/root" su "$1" -c "cd '$clone' && time $3" 2>&1 |
        tee "$work/$1-$2.log" || status=1
}

for user in root newcomer; do
    type_as $user quickstart ./quickstart
    [ "$task" = first ] || type_as $user tests "./quickstart test$options"
done
exit $status
