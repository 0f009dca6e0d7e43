# SPDX-License-Identifier: BSD-3-Clause
"""Would break: osh_info --check-fabric finds a broken promise of a provider that keeps it, or none
of one that is known to break it. The provider shm checks neither keys nor bounds.

usage: fabric_check_test.py BIN_FOLDER [UNITTEST_OPTION]...
"""
import os
import subprocess
import sys
import unittest

SECONDS = 300
OSH_INFO = os.path.join(os.path.abspath(sys.argv[1]), "osh_info")


def check(provider, **settings):
    """Returns the exit code, the text, and verdict and use by the name of the promise."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("SHMEM_", "SLURM_", "FI_"))}
    environment.update(SHMEM_OFI_PROVIDER=provider, **settings)
    result = subprocess.run([OSH_INFO, "--check-fabric"], env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            stdin=subprocess.DEVNULL, timeout=SECONDS, check=False)
    lines = [line.split() for line in result.stdout.splitlines()]
    verdicts = {words[3]: (words[0], " ".join(words[1:3])) for words in lines
                if len(words) > 3 and words[0] in ("kept", "BROKEN", "none")}
    return result.returncode, result.stdout, verdicts


class FabricCheckTest(unittest.TestCase):
    def test_tcp_keeps_what_is_relied_on(self):
        code, text, verdicts = check("tcp;ofi_rxm")
        self.assertEqual(code, 0, text)
        self.assertIn("All promises that Tessera relies on are kept.", text)
        self.assertEqual(len(verdicts), 12, text)
        for name in ("data", "vectors", "delivery", "put-message", "cpu-atomics", "bounds", "wake"):
            self.assertEqual(verdicts[name], ("kept", "relied on"), text)
        self.assertEqual(verdicts["words"][1], "not used", text)

    def test_shm_grants_what_it_should_refuse(self):
        code, text, verdicts = check("shm")
        self.assertEqual(code, 1, text)
        self.assertEqual(verdicts["bounds"][0], "BROKEN", text)

    def test_messages_only(self):
        code, text, verdicts = check("tcp;ofi_rxm", SHMEM_OFI_RMA="off")
        self.assertEqual(code, 0, text)
        self.assertIn("everything by messages", text)
        self.assertEqual(len(verdicts), 12, text)
        for name, verdict in verdicts.items():
            expected = ("kept", "relied on") if name in ("message-message", "wake") else \
                ("none", "not used")
            self.assertEqual(verdict, expected, text)

    def test_loopback(self):
        code, text, verdicts = check("", SHMEM_FABRIC="loopback")
        self.assertEqual(code, 0, text)
        self.assertEqual(verdicts, {name: ("kept", "relied on")
                                    for name in ("message-message", "wake")}, text)

    def test_tagged_messages_only(self):
        code, text, _ = check("lnx")
        self.assertEqual(code, 1, text)
        self.assertIn("SHMEM_OFI_PROVIDER=lnx", text)
        self.assertIn("name one of the providers that lnx links", text)

    def test_no_such_provider(self):
        code, text, _ = check("nosuch")
        self.assertEqual(code, 1, text)
        self.assertIn("SHMEM_OFI_PROVIDER=nosuch", text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
