# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a new variable of the library outlives a session and no step resets it. All mutable
variables with static storage stand in the table of docs/code/state.md, and all names there exist.

state_test.py NM LIBRARY TABLE; the static library, which has our object files only.
"""
import re
import subprocess
import sys

MUTABLE = re.compile(r"^\.(t?data|t?bss)(\.(?!rel\.ro)|$)")
NOT_OURS = ("guard variable", "DW.ref.", "std::")


def short_name(demangled):
    """`f()::x` for a variable of a function, `Class::x` for a static member, else `x`."""
    text = re.sub(r"\(anonymous namespace\)::", "", demangled)
    text = re.sub(r"(?<=\w)\([^()]*(?:\([^()]*\)[^()]*)*\)( const)?", "()", text)
    parts = text.split("::")
    while len(parts) > 1 and re.fullmatch(r"[a-z_]+", parts[0]):
        parts.pop(0)
    if len(parts) > 2 and parts[-2].endswith("()"):
        parts = parts[-2:]
    return "::".join(parts)


def variables(nm, library):
    listed = subprocess.run([nm, "-C", "--format=sysv", library], capture_output=True, text=True,
                            check=True).stdout
    if "shmem_init" not in listed:
        sys.exit(f"FAILED: {library} is not the library; is this test up to date?")
    for line in listed.splitlines():
        columns = [column.strip() for column in line.split("|")]
        if len(columns) == 7 and MUTABLE.match(columns[6]) and columns[3] in ("OBJECT", "TLS"):
            if not columns[0].startswith(NOT_OURS):
                yield short_name(columns[0])


def main():
    nm, library, table = sys.argv[1:]
    with open(table, encoding="utf-8") as file:
        rows = [line.split("|")[1] for line in file if line.startswith("| `")]
    named = set(re.findall(r"`([^`]+)`", " ".join(rows)))
    found = set(variables(nm, library))
    if found != named:
        sys.exit(f"FAILED: {table} lacks {sorted(found - named)}, "
                 f"and names {sorted(named - found)}")


if __name__ == "__main__":
    main()
