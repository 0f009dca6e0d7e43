# SPDX-License-Identifier: BSD-3-Clause
"""A client that has lost its way, for security_test.py: stray_tcp.py SEED ADDRESS:PORT...

Connects to each place again and again: hangs up at once, sends noise, sends noise that begins like
what a provider expects, resets the connection, or keeps it half open. Says "done", and keeps the
half open connections until its input ends.
"""
import random
import socket
import struct
import sys

ROUNDS = 12


def noise(chance):
    data = chance.randbytes(chance.choice((0, 1, 16, 24, 40, 64, 1000, 100000)))
    # Version, operation and a size, as in the headers of libfabric's tcp provider.
    prefix = chance.choice((b"", b"\x03\x01", b"\x03\0\0\0\0\0\0\x10",
                            b"GET / HTTP/1.1\r\n", struct.pack("<IIQ", 3, 1, 1 << 40),
                            # A request to connect that announces more behind it.
                            struct.pack("<BBHIQQQ", 3, 0, 24 << 8, 0, 0, 0, 1)))
    return prefix + data


def visit(place, chance, kept):
    connection = socket.create_connection(place, timeout=10)
    how = chance.choice(("leave", "noise", "reset", "keep", "keep after noise"))
    try:
        if "noise" in how or how == "reset":
            connection.sendall(noise(chance))
    except (ConnectionError, TimeoutError):
        pass  # The other side has heard enough.
    if how == "reset":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if how.startswith("keep"):
        kept.append(connection)
    else:
        connection.close()


def main():
    chance = random.Random(int(sys.argv[1]))
    kept = []
    for word in sys.argv[2:] * ROUNDS:
        address, port = word.split(":")
        visit((address, int(port)), chance, kept)
    print("done", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
