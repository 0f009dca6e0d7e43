# SPDX-License-Identifier: BSD-3-Clause
#
# Sourced by the tests of packages: takes BUILD WORK_FOLDER TASK from the command line, or shows the
# usage in the head of the test. Sets build, work, task, and root (of the sources); makes `work` an
# empty folder.
if [ $# -ne 3 ]; then
    sed -n '/^# Usage/,/^set/p' "$0" | grep '^#' >&2
    exit 2
fi
build=$(realpath "$1")
work=$(realpath -m "$2")
task=$3
root=$(cd "$(dirname "$0")/../../.." && pwd)
rm -rf "$work"
mkdir -p "$work"
