# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a trace that a test writes, by the layout of tools/trace/format.hpp. The folder of
osh_report's modules must be in sys.path.
"""
import os
import struct

import parts

OPERATIONS = ("put", "get", "barrier", "broadcast", "wait", "atomic")
WORLD = 77  # The key of the team of all PEs.


class Written:
    """A part that the test writes."""

    def __init__(self, pe, npes, **header):
        self.pe, self.npes = pe, npes
        self.header = {"state": parts.FINALIZED, "begin": 1000, "end": 9000, "host": "here",
                       "stride": 1, "left_init": 1100} | header
        self.cells, self.matched, self.long, self.heap, self.choices = {}, [], [], [], []
        self.releases, self.maps = [], b""

    def collective(self, operation, number, start, duration, root=-1):
        self.matched.append((start, duration, 0, root, OPERATIONS.index(operation), 0, 0, number,
                             0, 0, 0))
        return self

    def wait(self, start, duration, word, size, comparison, value, site=0):
        self.long.append((start, duration, size, -1, OPERATIONS.index("wait"),
                          comparison + 256 * size if comparison else 0, 0, 0, site, word, value))

    def tables(self):
        width = 1 + len(OPERATIONS)
        cells = [(0,) * 8] * width * (self.npes + 1)
        for (operation, peer), row in self.cells.items():
            at = self.npes if peer < 0 else peer
            cells[at * width + 1 + OPERATIONS.index(operation)] = self.cell(*row)
        return {"operations": [(name.encode(),) for name in OPERATIONS],
                "cells": cells, "sizes": [],
                "matched": self.matched, "long": self.long, "heap": self.heap,
                "teams": [(WORLD, self.npes, self.pe)], "choices": self.choices,
                "releases": self.releases, "maps": list(struct.iter_unpack("c", self.maps))}

    @staticmethod
    def cell(count, size, *times):
        """Between two samples: 5 calls to the next one, 7 bytes since the one before."""
        return ((5 << parts.TURN_BITS) + 7, count + 5, size - 7, *times)

    def write(self, folder):
        h, tables = self.header, self.tables()
        offset = parts.HEADER.size + parts.SECTION.size * len(parts.SECTIONS)
        sections, body = b"", b""
        for name in parts.SECTIONS:
            shape, rows = parts.ENTRIES[name], tables[name]
            sections += parts.SECTION.pack(offset + len(body), shape.size, len(rows), len(rows))
            body += b"".join(shape.pack(*row) for row in rows)
        head = parts.HEADER.pack(parts.MAGIC, parts.VERSION, self.pe, self.npes, 0, h["state"], 0,
                                 h["begin"], h["end"], h["left_init"], 0, 1000, h["stride"], 42, 0,
                                 h["host"].encode(), b"program")
        path = os.path.join(folder, f"pe{self.pe}.thread0.part")
        with open(path, "wb") as file:
            file.write(head + sections + body)
        return path
