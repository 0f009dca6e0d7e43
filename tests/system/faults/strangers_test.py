# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a stranger that connects to a PE's port, and keeps the connection, stops the PE or
the job. docs/run/security.md says what is promised.

A job runs on virtual nodes of this host; strangers connect to all ports of all of its PEs before
the PEs have met each other, and again afterwards, and stay until the job has ended. The job must
go on meanwhile and end with the right data. Run like the launch tests: OSHRUN FOLDER_OF_PROGRAMS.
"""
import os
import random
import re
import socket
import struct
import threading

from launching import LaunchTest, main, program
from processes import listening_ports

ATTACKED = program("attacked")
PROVIDERS = ("tcp;ofi_rxm", "net", "sockets")
SEED = int(os.environ.get("TESSERA_TEST_SEED", random.SystemRandom().randrange(1 << 32)))
PROOF_BYTES = 16  # of a connection that belongs to the job (transports/ofi/admission.hpp)
TRICKLE_SECONDS = 0.005


def header(kind=0, announced=24, version=3):
    """A request to connect of libfabric's tcp provider that announces data behind it."""
    return struct.pack("<BBHIQQQ", version, kind, socket.htons(announced), 0, 0, 0, 1)


def attacks(chance):
    """The bytes that a stranger may send before it falls silent."""
    return [
        header(),
        header(announced=256),
        header(announced=65535),
        *(header(kind) for kind in range(1, 12)),
        header(version=4),
        header()[:chance.randrange(1, 32)],
        b"",
        bytes(PROOF_BYTES - 1),
        bytes(PROOF_BYTES) + header(),
        chance.randbytes(PROOF_BYTES) + header(),
        chance.randbytes(4096),
    ]


class Strangers:
    """Connections that stay open. Some trickle: a byte now and then, until the end."""

    def __init__(self):
        self.connections = []
        self.trickling = []
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.trickle)
        self.thread.start()

    def connect(self, place, data):
        connection = socket.create_connection(place, timeout=10)
        self.connections.append(connection)
        try:
            connection.sendall(data)
        except ConnectionError:
            pass  # The PE has heard enough.

    def connect_to_trickle(self, place, data):
        connection = socket.create_connection(place, timeout=10)
        self.connections.append(connection)
        self.trickling.append((connection, iter(data)))

    def trickle(self):
        while not self.ended.wait(TRICKLE_SECONDS):
            for connection, data in list(self.trickling):
                try:
                    connection.send(bytes([next(data, 0)]))
                except OSError:
                    self.trickling.remove((connection, data))

    def leave(self):
        self.ended.set()
        self.thread.join()
        for connection in self.connections:
            connection.close()


class StrangersTest(LaunchTest):
    def setUp(self):
        super().setUp()
        self.strangers = Strangers()
        self.addCleanup(self.strangers.leave)

    def start_job(self, npes, nodes, provider, **settings):
        environment = self.environment(SHMEM_OFI_PROVIDER=provider, SHMEM_SYMMETRIC_SIZE="16M",
                                       SHMEM_VIRTUAL_NODES=str(nodes), SHMEM_NETWORK_TIMEOUT="20",
                                       **settings)
        job = self.start("-n", npes, ATTACKED, environment=environment, stdin=-1)
        lines = self.read_lines(job, npes)
        found = [re.match(r"pe \d+ pid (\d+)", line) for line in lines]
        self.assertTrue(all(found), f"the job said {lines}")
        places = [place for match in found for place in listening_ports(match.group(1))]
        self.assertGreaterEqual(len(places), npes, "PEs do not listen; is this test up to date?")
        return job, places

    def go_on(self, job):
        job.stdin.write("\n")
        job.stdin.flush()

    def check_intact(self, job, npes):
        out, error = job.communicate(timeout=50)
        self.assertEqual((job.returncode, error), (0, ""), f"seed {SEED}\n{out}")
        self.assertEqual(sorted(out.splitlines()), [f"pe {pe} intact" for pe in range(npes)])

    def attack(self, npes, nodes, provider, data):
        """`data` are the beginnings of as many connections to each port."""
        job, places = self.start_job(npes, nodes, provider)
        for _ in range(2):
            for place in places:
                for beginning in data:
                    self.strangers.connect(place, beginning)
            self.go_on(job)
        self.check_intact(job, npes)

    def test_hold_the_connection(self):
        for provider in PROVIDERS:
            for npes, nodes, count in ((2, 2, 1), (3, 2, 2), (2, 2, 50)):
                with self.subTest(f"{provider} {npes}x{nodes}: {count} connections"):
                    self.attack(npes, nodes, provider, [header()] * count)

    def test_all_kinds(self):
        chance = random.Random(SEED)
        for provider in PROVIDERS:
            with self.subTest(f"{provider} seed {SEED}"):
                self.attack(4, 2, provider, chance.sample(attacks(chance), k=len(attacks(chance))))

    def test_trickle(self):
        for provider in PROVIDERS:
            with self.subTest(provider):
                job, places = self.start_job(2, 2, provider)
                for place in places:
                    for data in (header() * 100, bytes(1000), b"\3" * 1000):
                        self.strangers.connect_to_trickle(place, data)
                for _ in range(3):
                    self.go_on(job)
                self.check_intact(job, 2)


if __name__ == "__main__":
    main()
