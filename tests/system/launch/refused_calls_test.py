# SPDX-License-Identifier: BSD-3-Clause
"""Would break: where a filter of system calls (seccomp) or a limit refuses a call of the start, the
job hangs, crashes inside a library, or ends without a word about the reason.
"""
from launching import OSHRUN, PMIX, SHMEM, LaunchTest, main, program

REFUSE = program("refuse")
# Call -> what the message says, where the job needs the call.
OF_OSHRUN = {"bind": "bind", "listen": "listen", "socket": "socket", "setsockopt": "setsockopt",
             "getsockname": "getsockname", "accept4": "accept4", "getrandom": "random numbers",
             "clone3": "ulimit -u", "memfd_create": "shared memory"}
OF_PES = {"bind": "", "listen": "", "socket": "", "setsockopt": "", "getsockname": "",
          "accept4": "accept4", "getrandom": "random numbers", "clone3": "ulimit -u"}
CODES = (1, 2)


class RefusedCalls(LaunchTest):
    def check(self, call, text, out, error):
        with self.subTest(call):
            self.assertRegex(error, r"(?m)^(oshrun: |\[pe \d\] )", out)
            self.assertIn(text, error)

    def test_several_nodes_say_what_is_refused(self):
        for call, text in OF_OSHRUN.items():
            out, error = self.run_job(call, OSHRUN, "-n", 2, "--virtual-nodes", 2, SHMEM,
                                      launcher=[REFUSE], code=CODES)
            self.check(call, text, out, error)
        for call, text in OF_PES.items():
            out, error = self.run_job("-n", 2, "--virtual-nodes", 2, REFUSE, call, SHMEM,
                                      code=CODES)
            self.check(call, text, out, error)

    def test_one_node_does_without(self):
        for call in ("bind", "listen", "socket", "setsockopt", "getsockname", "accept4"):
            out, error = self.run_job(call, OSHRUN, "-n", 2, SHMEM, launcher=[REFUSE])
            self.assertEqual(len(out.splitlines()), 2)
            self.assertTrue(error == "" or call in error, error)
        for call in OF_PES:
            out, error = self.run_job("-n", 2, REFUSE, call, SHMEM)
            self.assertEqual((len(out.splitlines()), error), (2, ""))

    def test_pmix_programs_end(self):
        out, error = self.run_job("bind", OSHRUN, "-n", 2, PMIX, launcher=[REFUSE], code=CODES)
        self.check("bind", "bind", out, error)


if __name__ == "__main__":
    main()
