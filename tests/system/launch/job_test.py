# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a SHMEM program misunderstands who started it, and N PEs become N
jobs in silence."""
from shlex import quote

from launching import NODES, OSHRUN, PMIX, SHMEM, LaunchTest, main


class Job(LaunchTest):
    def run_directly(self, code, *arguments, **variables):
        environment = self.environment()
        environment.update(variables)
        return self.run_job(*arguments, launcher=[SHMEM], environment=environment, code=code)

    def test_directly_it_is_one_pe(self):
        out, error = self.run_directly(0)
        self.assertRegex(out, r"^pe 0 of 1 pid \d+\n$")
        self.assertEqual(error, "")
        self.run_directly(0, "again")
        self.run_directly(7, "global", 7)
        _, error = self.run_directly(1, "misuse")
        self.assertIn("shmem_long_p", error)

    def test_launchers_without_pmix(self):
        for variables, name in (
                ({"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "4"}, "srun"),
                ({"PMI_RANK": "1", "PMI_SIZE": "2"}, "PMI"),
                ({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "8"}, "mpirun")):
            _, error = self.run_directly(1, **variables)
            self.assertIn(name, error)
            self.assertIn("PMIx", error)
            self.assertIn("osh_info --doctor", error)
            self.assertEqual(error.count("\n"), 2)

    def test_traces_of_launchers_that_mean_nothing(self):
        # One task; and a batch script, which has a rank but is no step.
        self.run_directly(0, SLURM_PROCID="0", SLURM_STEP_NUM_TASKS="1")
        self.run_directly(0, SLURM_PROCID="0", SLURM_NTASKS="8")
        self.run_directly(0, PMI_RANK="0", PMI_SIZE="1")

    def test_launcher_that_is_gone(self):
        _, error = self.run_directly(1, PMIX_NAMESPACE="gone", PMIX_RANK="0",
                                     PMIX_SERVER_URI41="gone.0;tcp4://127.0.0.1:1")
        self.assertIn("PMIX_NAMESPACE=gone", error)
        self.assertIn("unset", error)

    def test_inheritance_that_is_stale(self):
        for value in ("1,0,2,1,3:1,4:1,5:1,6:1", "2,0,2,1,1,3:1,4:1,5:1,6:1", "nonsense"):
            _, error = self.run_directly(1, TESSERA_JOB=value)
            self.assertIn("TESSERA_JOB", error)

    def test_child_of_a_pe(self):
        out, error = self.run_job("-n", 2, SHMEM, "child")
        self.assertIn("child: 1", out)
        self.assertIn("a PE's children are not PEs", error)

    def test_two_programs_of_a_pe_at_once(self):
        # The second starts when the first has initialized.
        program = f"{quote(SHMEM)} wait | (read line; exec {quote(SHMEM)})"
        for options in (["-n", 1], ["-n", 3], ["-n", 2, "--virtual-nodes", 2]):
            _, error = self.run_job(*options, "--timeout", 20, "sh", "-c", program, code=1)
            self.assertRegex(error, r"shmem_init: another program of this PE, process \d+, is "
                                    r"between shmem_init and shmem_finalize")

    def test_end_right_behind_a_barrier(self):
        """A PE may start its next program, or end, while others are still in the barrier."""
        programs = " && ".join([f"{quote(SHMEM)} barrier"] * 12 + [quote(SHMEM)])
        for npes in (2, 3, 8):
            out, _ = self.run_job("-n", npes, "--timeout", 60, "sh", "-c", programs)
            self.assertEqual(len(out.splitlines()), 13 * npes)
            for _ in range(6):
                self.run_job("-n", npes, "--timeout", 60, SHMEM, "survive")

    def test_request_to_a_pe_that_dies(self):
        # orphan_unseen: PE 0 finds that its connection is broken; oshrun learns of the death when
        # PE 0 has complained of it, and ended.
        for fabric, trick in (("loopback", "orphan"), ("ofi", "orphan"), ("ofi", "orphan_unseen")):
            environment = self.environment(SHMEM_FABRIC=fabric)
            _, error = self.run_job("-n", 2, "--virtual-nodes", 2, "--timeout", 60, SHMEM, trick,
                                    code=1, environment=environment)
            self.assertRegex(error, r"\[pe 0\] .*(a PE has died|did a PE|did that PE)", fabric)
            self.assertIn("one has died before", error)

    def test_oshrun_inside_a_pe(self):
        out, _ = self.run_job("-n", 2, OSHRUN, "-n", 2, SHMEM)
        self.assertEqual(sorted(line.split(" pid")[0] for line in out.splitlines()),
                         ["pe 0 of 2", "pe 0 of 2", "pe 1 of 2", "pe 1 of 2"])

    def test_wrapper_that_closes_descriptors(self):
        close = f"for fd in $(seq 3 99); do eval \"exec $fd>&-\"; done; {quote(SHMEM)}; exit 3"
        _, error = self.run_job("-n", 2, "bash", "-c", close, code=3)
        self.assertIn("TESSERA_JOB", error)

    def test_virtual_nodes(self):
        for npes, nodes in ((1, 3), (5, 1), (5, 2), (4, 4), (3, 8)):
            for option in (["--virtual-nodes", nodes], ["-x", f"SHMEM_VIRTUAL_NODES={nodes}"]):
                out, _ = self.run_job("-n", npes, *option, NODES)
                self.check_places(out, [list(range(npes))], nodes, {"127.0.0.1"})
        _, error = self.run_job("-n", 5, "--virtual-nodes", 2, "--verbose", NODES)
        self.assertIn("5 PEs in 2 nodes", error)

    def test_virtual_nodes_share_nothing(self):
        show = ["sh", "-c", "ls -l /proc/self/fd | grep -c memfd:"]
        out, _ = self.run_job("-n", 3, "--virtual-nodes", 3, *show)
        self.assertEqual(out.splitlines(), ["2"] * 3, "PEs inherit two files each")

    def test_virtual_nodes_with_a_dead_pe(self):
        _, error = self.run_job("-n", 4, "--virtual-nodes", 2, NODES, 0, "last", code=1)
        self.assertIn("stops on purpose", error)
        self.assertIn("pe 3 (host", error)

    def test_virtual_nodes_without_pmix(self):
        program = ["env", "-u", "PMIX_NAMESPACE", NODES]
        _, error = self.run_job("-n", 2, "--virtual-nodes", 2, *program, code=1)
        self.assertIn("PMIx server of oshrun", error)

    def test_launcher_variables_do_not_disturb_oshrun(self):
        environment = self.environment()
        environment.update(PMI_RANK="0", PMI_SIZE="4", SLURM_PROCID="0", SLURM_STEP_NUM_TASKS="4",
                           PMIX_NAMESPACE="x", PMIX_RANK="3")
        for program in (SHMEM, PMIX):
            out, _ = self.run_job("-n", 2, program, environment=environment)
            self.assertEqual(len(out.splitlines()), 2)


if __name__ == "__main__":
    main()
