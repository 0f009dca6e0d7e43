# SPDX-License-Identifier: BSD-3-Clause
"""Finds the lines of the program behind the calls of a trace. PEs load the same files at different
addresses, so a place is looked up once for all PEs, by osh_hang: it reads debug information.
"""
import os
import re
import subprocess
import tempfile

BATCH = 2000  # An argument of a command has at most 128 KiB.
MAPPED = re.compile(r"([0-9a-f]+)-([0-9a-f]+)(?:\s+\S+){4}\s+(/.*)")


class Maps:
    """The files that a PE had mapped."""

    def __init__(self, text):
        self.text = text
        self._ranges, bases = [], {}
        for line in text.splitlines():
            found = MAPPED.fullmatch(line)
            if found:
                begin, end, path = int(found[1], 16), int(found[2], 16), found[3]
                self._ranges.append((begin, end, path, bases.setdefault(path, begin)))

    def place_of(self, address):
        """RETURNS (file, distance from where it is loaded), or None."""
        for begin, end, path, base in self._ranges:
            if begin <= address < end:
                return path, address - base
        return None


def _ask(command, maps, addresses):
    """RETURNS a text for each address; [] if there is no osh_hang, or it fails."""
    with tempfile.NamedTemporaryFile("w", prefix="osh_report-", suffix=".maps") as file:
        file.write(maps.text)
        file.flush()
        numbers = ",".join(f"{address:#x}" for address in addresses)
        try:
            ran = subprocess.run([command, "--maps", file.name, "--calls", numbers], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        except (OSError, subprocess.CalledProcessError):
            return []
    return ran.stdout.splitlines()


def name_lines(job, command):
    """Fills the lines of all records and releases. `command`: osh_hang."""
    wanted = {}  # place: the records
    first = {}   # place: (PE, address there)
    maps = {pe: Maps(part.maps) for pe, part in job.main.items()}
    for part in job.parts:
        known = {}
        for record in part.matched + part.long + part.releases:
            if record.site and part.pe in maps:
                if record.site not in known:
                    known[record.site] = maps[part.pe].place_of(record.site)
                place = known[record.site]
                if place:
                    wanted.setdefault(place, []).append(record)
                    first.setdefault(place, (part.pe, record.site))
    names = {}
    for pe in sorted({pe for pe, _ in first.values()}):
        places = [place for place, (its_pe, _) in first.items() if its_pe == pe]
        for at in range(0, len(places), BATCH):
            batch = places[at:at + BATCH]
            texts = _ask(command, maps[pe], [first[place][1] for place in batch])
            if len(texts) == len(batch):
                names.update(zip(batch, texts))
    for (path, offset), records in wanted.items():
        text = names.get((path, offset)) or f"{os.path.basename(path)}+{offset:#x}"
        for record in records:
            record.line = text
