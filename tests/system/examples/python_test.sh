#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds the public Python binding shmem4py with the installed oshcc, and runs the programs of
# docs/run/python.md and examples/python with it. It breaks when the binding no longer builds
# unmodified, takes Tessera for a library before 1.5, or a program computes something wrong.
#
# Usage: python_test.sh PREFIX WORK_FOLDER
# SHMEM4PY_DIR in the environment has the sources of shmem4py; PYTHON names a Python with cffi,
# NumPy and setuptools (default: /usr/bin/python3).
set -euo pipefail

if [ $# -ne 2 ]; then
    sed -n '/^# Usage/,/^set/p' "$0" | grep '^#' >&2
    exit 2
fi
prefix=$(realpath -m "$1")
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(realpath -m "$2/python")
rm -rf "$work"
mkdir -p "$work"
cd "$work"
export PATH=$prefix/bin:$PATH

"${PYTHON:-/usr/bin/python3}" -m venv --system-site-packages venv
cp -r "$SHMEM4PY_DIR" source
CC=oshcc venv/bin/pip install --no-build-isolation --no-deps ./source >out 2>&1 || {
    cat out
    exit 1
}

# The page's programs are its blocks without an indent: a ring, and puts by pointers.
page_block() {
    awk -v wanted="$1" '/^```python$/ { ++number; inside = 1; next } /^```/ { inside = 0 }
                        inside && number == wanted' "$root/docs/run/python.md"
}
page_block 1 >ring.py
page_block 2 >pointers.py
echo 'assert (inbox == (shmem.my_pe() - 1) % shmem.n_pes()).all()' >>pointers.py
for options in "-n 1" "-n 2" "-n 4" "-n 4 --virtual-nodes 2"; do
    read -ra words <<<"$options"
    npes=${words[1]}
    oshrun "${words[@]}" venv/bin/python ring.py | sort >out
    for ((pe = 0; pe < npes; ++pe)); do
        echo "PE $pe of $npes has $(((pe + npes - 1) % npes))"
    done | sort | diff - out
    oshrun "${words[@]}" venv/bin/python pointers.py
    result=$(oshrun "${words[@]}" venv/bin/python "$root/examples/python/heat.py" 24 40)
    [ "$result" = "$npes PEs, 24 rows, 40 steps: mean temperature 10.1899" ] || {
        echo "FAILED: heat.py with $options printed '$result'"
        exit 1
    }
done
[ "$(venv/bin/python ring.py)" = "PE 0 of 1 has 0" ]
oshrun -n 2 venv/bin/python "$root/bench/python/put.py" 1

# The picture (Debian: python3-matplotlib).
if venv/bin/python -c 'import matplotlib' 2>/dev/null; then
    HOME=$PWD oshrun -n 4 venv/bin/python "$root/examples/python/heat.py" 24 40 plate.png
    file plate.png | grep -q 'PNG image data'
fi

# A program may end without shmem_finalize.
printf '%s\n' 'import shmem4py' 'shmem4py.rc.finalize = False' 'from shmem4py import shmem' \
    'shmem.barrier_all()' >unfinished.py
oshrun --timeout 60 -n 3 venv/bin/python unfinished.py

# The same in a notebook, where the machine has the tools (Debian: jupyter-nbconvert,
# python3-ipykernel).
if venv/bin/python -c 'import ipykernel, nbconvert' 2>/dev/null; then
    venv/bin/python - <<'SOURCE'
import json

cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "id": "ring",
        "source": open("ring.py").read()}
with open("ring.ipynb", "w") as notebook:
    json.dump({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, notebook)
SOURCE
    # The kernel is that of the machine's Python, so it has to be told where the binding is.
    PYTHONPATH=$(echo "$PWD"/venv/lib/python3*/site-packages) HOME=$PWD \
        venv/bin/python -m nbconvert --to markdown --execute --stdout ring.ipynb >out 2>notes || {
        cat notes
        exit 1
    }
    grep -q 'PE 0 of 1 has 0' out
fi

# An exception ends the job, as the page says; children get private copies.
{
    sed -n '/^  ```python$/,/^  ```$/p' "$root/docs/run/python.md" | sed '1d; $d; s/^  //'
    printf '%s\n' 'from shmem4py import shmem' \
        'if shmem.my_pe() == 1: raise ValueError("wrong")' 'shmem.barrier_all()'
} >raise.py
if oshrun --timeout 60 -n 3 venv/bin/python raise.py >out 2>&1; then
    echo "FAILED: an exception did not end the job" && exit 1
fi
grep -q 'ValueError: wrong' out
cat >forked.py <<'SOURCE'
import multiprocessing
from shmem4py import shmem

numbers = shmem.zeros(2, dtype="l")
numbers[0] = shmem.my_pe()

def add(x):
    return x + int(numbers[0])

with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(add, [1, 2]) == [1 + shmem.my_pe(), 2 + shmem.my_pe()]
shmem.barrier_all()
SOURCE
oshrun -n 2 venv/bin/python forked.py
