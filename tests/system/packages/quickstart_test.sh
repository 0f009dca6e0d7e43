#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs ./quickstart in a folder whose name has a space, with a cmake and a ctest that only print. It
# breaks when the reader does not see how much is built and where the log is, the shown next step
# does not find the commands, or a failure of the build or of the tests goes unseen. readme_test.sh
# does the real thing.
#
# Usage: quickstart_test.sh WORK_FOLDER
set -euo pipefail

root=$(cd "$(dirname "$0")/../../.." && pwd)
mkdir -p "$1"
work=$(realpath "$1")
clone="$work/my tessera"
rm -rf "$clone" "$work/tools"
mkdir -p "$clone/build/"{install,release}/bin "$clone/tests/support" "$work/tools"
cp "$root/quickstart" "$clone"
cp "$root/tests/support/skipped.py" "$clone/tests/support"
touch "$clone/README.md"
export PATH=$work/tools:$PATH

# tool PATH: an executable script from stdin.
tool() {
    cat >"$1"
    chmod +x "$1"
}

fail() {
    cat "$work/out"
    echo "FAILED: $*"
    exit 1
}

# expect CODE [OPTION...]: runs quickstart, the output is in out.
expect() {
    local code=0
    "$clone/quickstart" "${@:2}" >"$work/out" 2>&1 || code=$?
    [ "$code" -eq "$1" ] || fail "quickstart ${*:2} ended with $code, not with $1"
}

shows() {
    grep -qE -- "$1" "$work/out" || fail "the output lacks: $1"
}

for command in {install,release}/bin/{oshcc,oshrun}; do
    tool "$clone/build/$command" <<<$'#!/bin/sh\necho "$0 $*"'
done
tool "$work/tools/dpkg-query" <<<$'#!/bin/sh\nprintf installed'  # Nothing is to be installed.
tool "$work/tools/cmake" <<'SCRIPT'
#!/bin/sh
[ "$1" = --build ] || exit 0
for step in 1 2 3 4; do echo "[$step/4] Building $step"; done
[ -z "$BROKEN" ] || { echo "FAILED: 4.o"; exit 1; }
SCRIPT
tool "$work/tools/ctest" <<'SCRIPT'
#!/bin/sh
while [ "$1" != --output-junit ]; do shift; done
cat >"$2" <<'RESULTS'
<testsuite><testcase name="good" status="run"><system-out>a.cpp:4: Skipped
no hugetlbfs

[  SKIPPED ] A.b (0 ms)</system-out></testcase>
<testcase name="left" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
<system-out>skipped: no clang</system-out></testcase>
<testcase name="bad" status="fail"><failure message=""/><system-out>x</system-out></testcase>
<testcase name="behind" status="notrun"><skipped message="Fixture dependency failed"/>
<system-out></system-out></testcase>
</testsuite>
RESULTS
exit 8
SCRIPT

expect 0
shows '^ +25 %, about [0-9]+ s left'
shows '^ +100 %'
shows 'build/quickstart.log'
# The first program runs before the rest is built.
tr '\n' ' ' <"$work/out" | grep -q 'release/bin/oshrun -n 4 .*building the other tools' ||
    fail "the first program comes late"
shows 'docs/tutorial/README.md'
step=$(grep -o 'export PATH=.*' "$work/out") || fail "no line sets PATH"
found=$(bash -c "$step; command -v oshcc")
[ "$found" = "$clone/build/install/bin/oshcc" ] || fail "'$step' finds oshcc as '$found'"

if command -v script >/dev/null; then  # On a terminal, one line that changes.
    script -qec "'$clone/quickstart'" /dev/null >"$work/out"
    shows $'\r +50 %.*\r +75 %.*\r'
fi

export BROKEN=yes
expect 1
shows 'This failed: cmake --build'
shows 'FAILED: 4.o'
unset BROKEN

expect 8 test
shows '1 passed, 2 failed, 1 skipped'
shows '^ +no clang$'
shows '^ +1  left$'
shows '^ +no hugetlbfs$'
echo passed
