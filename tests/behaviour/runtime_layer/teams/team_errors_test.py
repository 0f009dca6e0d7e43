# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a wrong list of members, a wrong pointer or members that allocate differently go
unnoticed, hang, or end the job without saying why.

The mistakes are made by team_cases.c. Run like the launch tests: OSHRUN FOLDER_OF_PROGRAMS.
"""
from launching import LaunchTest, main, program

CASES = program("team_cases")
ADDRESS = "0x[0-9a-f]+"
CREATE = "shmemx_team_create: "
FREE = "shmemx_team_free: "
DIFFERS = (r"PE \d of the team \(PE \d of the world\) asks for \d+ bytes \(rounded up\) with "
           r"alignment \d+, this PE for \d+ with \d+; all members must give the same size .*")
INVALID = "team is SHMEM_TEAM_INVALID; only members of a team may use it .*"

# Case -> the text of a message behind "[pe N] ".
MESSAGES = {
    "twice": CREATE + r"pes\[2\] is 2, which is in the list before; .*",
    "beyond": CREATE + r"pes\[1\] is 3, which is not in \[0, 3\), the PEs of the parent",
    "negative": CREATE + r"pes\[0\] is -1, which is not in \[0, 3\), the PEs of the parent",
    "without": CREATE + "pes does not name this PE, number 2 of the parent; .*",
    "no_pes": CREATE + "npes is 0; a team of PEs of this parent has 1 to 3",
    "too_many": CREATE + "npes is 4; a team of PEs of this parent has 1 to 3",
    "null": CREATE + "pes is NULL; give a list of 2 PE numbers",
    "free_inside": FREE + ADDRESS + " lies 64 bytes behind the start of a block of team memory; .*",
    "free_of_other_team": FREE + f"the block at {ADDRESS} belongs to another team; .*",
    "free_static": FREE + ADDRESS + " lies in no memory of the library; only blocks of team .*",
    "free_heap": FREE + ADDRESS + " lies in symmetric heap; only blocks of team memory .*",
    "free_never_allocated": FREE + ADDRESS + r" lies in no allocated block .* \(freed twice\?\)",
    "free_twice": FREE + ADDRESS + r" lies in no allocated block .* \(freed twice\?\)",
    "shmem_free": "shmem_free: " + ADDRESS + " lies in team memory; .*",
    "lock_outside": f"shmem_set_lock: {ADDRESS} lies in team memory, but in no allocated block",
    "invalid_malloc": "shmemx_team_malloc: " + INVALID,
    "invalid_free": FREE + INVALID,
    "invalid_size_0": "shmemx_team_malloc: " + INVALID,
    "other_size": "shmemx_team_malloc: " + DIFFERS,
    "other_alignment": "shmemx_team_align: " + DIFFERS,
}


class TeamErrors(LaunchTest):
    def test_messages(self):
        for case, message in MESSAGES.items():
            # free_heap: only one PE would come to the barrier of shmem_malloc.
            npes = 1 if case == "free_heap" else 3
            with self.subTest(case=case):
                _, error = self.run_job(
                    "-n", npes, CASES, case, code=1,
                    environment=self.environment(SHMEM_SYMMETRIC_SIZE="4M"))
                self.assertRegex(error, rf"(?m)^\[pe \d\] {message}$")

    def test_no_mistake(self):
        output, error = self.run_job("-n", 3, CASES, "none", code=0,
                                     environment=self.environment(SHMEM_SYMMETRIC_SIZE="4M"))
        self.assertEqual((output.count("not noticed"), error), (3, ""))


if __name__ == "__main__":
    main()
