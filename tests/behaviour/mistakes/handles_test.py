# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a handle of a team or context that a program invented, or kept after its end, is
read as an address, hangs, or goes unnoticed in one of the routines that take one.

The mistakes are made by handle_cases.c. Run like the launch tests: OSHRUN FOLDER_OF_PROGRAMS.
"""
import subprocess

from launching import LaunchTest, main, program

CASES = program("handle_cases")
HANDLE = "0x[0-9a-f]+"
KIND = {"ctx": "context", "team": "team"}
OTHER = {"ctx": "team", "team": "context"}
# Values that a program can have. Those of the second row were handles once.
INVENTED = ("minus_one", "four", "odd", "static", "heap", "malloc", "unmapped", "next", "previous",
            "flipped")
ENDED = ("destroyed", "reused", "finalized")


def expected(kind, routine, value):
    name = {"second": "shmem_team_translate_pe"}.get(routine, routine)
    said = f"is not a {KIND[kind]}; "
    if value in ENDED:
        said = "was destroyed; "
    if value == "other_kind":
        said = f"is a {OTHER[kind]}, not a {KIND[kind]}; "
    return rf"^\[pe \d\] {name}: {kind} {HANDLE} {said}.*\n"


class Handles(LaunchTest):
    def routines(self):
        listed = subprocess.run([CASES, "list"], capture_output=True, text=True, check=True)
        return [line.split() for line in listed.stdout.splitlines()]

    def check(self, kind, routine, value, npes=1, **variables):
        with self.subTest(routine=routine, value=value, npes=npes):
            variables.setdefault("SHMEM_SYMMETRIC_SIZE", "4M")
            # A program without oshrun is one PE and starts sooner.
            options = {"launcher": [CASES]} if npes == 1 else {}
            arguments = [routine, value] if npes == 1 else ["-n", npes, CASES, routine, value]
            _, error = self.run_job(*arguments, code=1, environment=self.environment(**variables),
                                    **options)
            self.assertRegex(error, expected(kind, routine, value))

    def test_every_routine(self):
        for kind, routine in self.routines():
            for value in ("destroyed", "odd"):
                self.check(kind, routine, value)

    def test_every_value(self):
        for kind, routine in (("ctx", "shmem_ctx_long_p"), ("ctx", "shmem_ctx_quiet"),
                              ("ctx", "shmem_ctx_destroy"), ("team", "shmem_team_my_pe"),
                              ("team", "shmem_team_destroy"), ("team", "shmem_long_sum_reduce")):
            for value in (*INVENTED, *ENDED, "other_kind"):
                self.check(kind, routine, value)

    def test_several_pes(self):
        for kind, routine in (("ctx", "shmem_ctx_long_put"), ("team", "shmem_team_sync"),
                              ("team", "shmem_long_broadcast"), ("team", "shmem_team_destroy")):
            for value in ("heap", "reused", "finalized"):
                self.check(kind, routine, value, npes=3)
                self.check(kind, routine, value, npes=3, SHMEM_VIRTUAL_NODES="2")


if __name__ == "__main__":
    main()
