# SPDX-License-Identifier: BSD-3-Clause
"""Connects to the port of oshrun's PMIx server as a stranger would, and becomes a PE with these
connections open. pmix_stranger.py KIND SEED PROGRAM [ARGUMENT]...; only PE 0 is a stranger, too.

    silent    many connections that say nothing
    half      many that announce a message and do not send all of it
    trickle   a child sends such a message, byte after byte
    junk      random bytes, connections closed and reset
    full      connections that say nothing, until the server closes the first of them
"""
import os
import random
import re
import select
import socket
import struct
import sys

HEADER = struct.Struct("=iIII")  # of PMIx: index, tag, bytes that follow, padding
MANY = 100
JUNK = 200


def connect():
    uri = next(value for name, value in os.environ.items() if name.startswith("PMIX_SERVER_URI"))
    port = int(re.search(r":(\d+)$", uri).group(1))
    return socket.create_connection(("127.0.0.1", port))


def keep(connection):
    os.set_inheritable(connection.detach(), True)


def send_junk(chance):
    connection = connect()
    try:
        if chance.random() < 0.5:
            size = chance.randrange(200)
            connection.sendall(HEADER.pack(chance.randrange(-1, 3), chance.randrange(1 << 32), size,
                                           0) + chance.randbytes(size))
        else:
            connection.sendall(chance.randbytes(chance.randrange(100)))
        if chance.random() < 0.3:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if chance.random() < 0.3:
            connection.shutdown(socket.SHUT_WR)
            connection.recv(1)  # until the server has dealt with it
    except OSError:
        pass
    connection.close()


def trickle():
    connection = connect()
    if os.fork() != 0:
        return
    connection.sendall(HEADER.pack(0, 0, 60000, 0))
    connection.settimeout(0.05)
    while True:
        try:
            connection.send(b"x")
            if not connection.recv(1):
                break
        except TimeoutError:
            continue
        except OSError:
            break
    os._exit(0)


def main():
    kind, seed = sys.argv[1], int(sys.argv[2])
    chance = random.Random(seed)
    if os.environ["PMIX_RANK"] != "0":
        pass
    elif kind == "silent":
        for _ in range(MANY):
            keep(connect())
    elif kind == "half":
        for _ in range(MANY):
            connection = connect()
            connection.sendall(HEADER.pack(0, 0, 1000, 0)[:chance.randrange(1, 17)])
            keep(connection)
    elif kind == "trickle":
        for _ in range(3):
            trickle()
    elif kind == "junk":
        for _ in range(JUNK):
            send_junk(chance)
    elif kind == "full":
        open_ones = [connect()]
        while not select.select(open_ones[:1], [], [], 0)[0]:
            open_ones.append(connect())
    os.execv(sys.argv[3], sys.argv[3:])


if __name__ == "__main__":
    main()
