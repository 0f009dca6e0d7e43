# SPDX-License-Identifier: BSD-3-Clause
"""Would break: oshrun does not become the launcher that several hosts need, or something of the
job gets lost on the way: arguments, variables, codes, signals."""
import os
import shutil
import signal
import subprocess

from launching import NODES, OSHRUN, LaunchTest, main, wait_gone

# Stands for a launcher: says how it was called.
FAKE = """#!/bin/sh
[ "$1" = --version ] && { echo "%s"; exit 0; }
printf 'argument <%%s>\\n' "$@"
printf 'variable <%%s>\\n' "$FOO" "${TESSERA_JOB-unset}" "${PMIX_RANK-unset}" "$SHMEM_VIRTUAL_NODES"
exit 42
"""


class FakeLauncher(LaunchTest):
    """PATH has nothing but what the test puts there."""

    def setUp(self):
        super().setUp()
        self.bin = os.path.join(self.folder, "bin")
        os.mkdir(self.bin)
        self.addCleanup(shutil.rmtree, self.bin)

    def put(self, name, version=""):
        path = os.path.join(self.bin, name)
        with open(path, "w") as file:
            file.write(FAKE % version)
        os.chmod(path, 0o755)

    def oshrun(self, *arguments, code=42, **variables):
        environment = self.environment(PATH=self.bin)
        environment.update(variables)
        return self.run_job(*arguments, environment=environment, code=code)

    def test_nobody_can_start_it(self):
        _, error = self.oshrun("--host", "a,b", "-n", 2, "true", code=1)
        self.assertIn("prterun or mpirun", error)
        self.assertIn("openmpi-bin", error)
        _, error = self.oshrun("-n", 2, "true", code=1, SLURM_JOB_NUM_NODES="3")
        self.assertIn("3 nodes", error)
        self.assertIn("--launcher local", error)
        for name in ("srun", "prterun", "mpirun"):
            _, error = self.oshrun("--launcher", name, "true", code=1)
            self.assertIn(f"no {name} in PATH", error)
        self.put("mpirun", "HYDRA build details:")
        _, error = self.oshrun("--host", "a,b", "true", code=1)
        self.assertIn("HYDRA", error)
        _, error = self.oshrun("--launcher", "local", "--host", "a", "true", code=1)
        self.assertIn("--launcher local", error)

    def test_everything_arrives(self):
        self.put("prterun")
        self.put("mpirun", "mpirun (Open MPI) 4.1.4")
        out, error = self.oshrun("--host", "a:2,b", "--verbose", "-n", 3, "-x", "FOO=a b;c",
                                 "--virtual-nodes", 2, "./a.out", "x y", "", "-n",
                                 TESSERA_JOB="old")
        self.assertIn("handing over to: prterun ", error)
        for line in ("argument <a:2,b>", "argument <FOO>", "argument <x y>", "argument <>",
                     "argument <SHMEM_VIRTUAL_NODES>", "variable <a b;c>", "variable <unset>",
                     "variable <2>"):
            self.assertIn(line, out.splitlines())
        self.assertNotIn("TESSERA_JOB", out)
        path = os.path.join(self.bin, "hosts")
        with open(path, "w") as file:
            file.write("c slots=4 # four\nd\n")
        for option in ("--hostfile", "-hostfile", "--machinefile"):
            out, _ = self.oshrun("--launcher", "mpirun", option, path, "./a.out")
            self.assertIn("argument <c:4,d>", out)

    def test_programs_whose_addresses_are_not_random(self):
        self.put("prterun")
        self.put("srun")
        words = "argument <setarch>\nargument <--addr-no-randomize>\nargument <./%s.out>\n"
        for options in (("--host", "a:2,b"), ("--launcher", "srun")):
            out, _ = self.oshrun(*options, "--no-aslr", "-n", 2, "./a.out")
            self.assertIn(words % "a", out)
        out, _ = self.oshrun("--host", "a:2,b", "--no-aslr", "-n", 2, "./a.out", ":",
                             "-n", 1, "./b.out")
        self.assertIn(words % "b", out)

    def test_hosts_that_nobody_knows(self):
        self.put("mpirun", "mpirun (Open MPI) 4.1.4")
        _, error = self.oshrun("--host", "localhost,nohost.invalid:2", "true")
        self.assertIn("--host nohost.invalid: this host does not know that name", error)
        self.assertIn("osh_info --doctor --hosts nohost.invalid", error)
        self.assertNotIn("localhost:", error)

    def test_scripts_of_other_launchers(self):
        self.put("mpirun", "mpirun (Open MPI) 4.1.4")
        self.put("srun")
        options = ["--oversubscribe", "-genv", "FOO", "x y", "-c", 2, "-ppn", 3, "-l", "--stdin",
                   "1", "--mca", "btl", "self", "--timeout", "1m"]
        if shutil.which("timeout"):
            os.symlink(shutil.which("timeout"), os.path.join(self.bin, "timeout"))
        out, _ = self.oshrun("--launcher", "mpirun", *options, "./a.out")
        for line in ("argument <ppr:3:node:PE=2:OVERSUBSCRIBE>", "argument <--tag-output>",
                     "argument <--stdin>", "argument <btl>", "variable <x y>"):
            self.assertIn(line, out.splitlines())
        out, _ = self.oshrun("--launcher", "srun", *options, "-o", "out", "./a.out")
        for line in ("argument <--ntasks-per-node=3>", "argument <--cpus-per-task=2>",
                     "argument <--label>", "argument <--input=1>", "argument <--output=out.%t>"):
            self.assertIn(line, out.splitlines())
        for launcher, option in (("srun", "--timestamp-output"), ("mpirun", "--debug"),
                                 ("mpirun", "--error-filename=x")):
            _, error = self.oshrun("--launcher", launcher, option, "true", code=1)
            self.assertIn(option.split("=")[0], error)

    def test_allocation_of_several_nodes(self):
        self.put("srun")
        out, _ = self.oshrun("-n", 5, "./a.out", SLURM_JOB_NUM_NODES="3")
        self.assertIn("argument <--mpi=pmix>\n", out)
        # A task of a job stays on its host.
        self.oshrun("-n", 1, OSHRUN, "--version", code=0, SLURM_JOB_NUM_NODES="3",
                    SLURM_STEP_ID="0")
        self.oshrun("-n", 1, OSHRUN, "--version", code=0, SLURM_JOB_NUM_NODES="3", PMIX_RANK="1")

    def test_a_bad_setting_is_told_once(self):
        self.put("prterun")
        out, error = self.oshrun("--host", "a", "-x", "SHMEM_SYMMETRIC_SIZE=lots", "true", code=1)
        self.assertEqual(error.count("lots"), 1)
        self.assertEqual(out, "")


class Mpirun(LaunchTest):
    """oshrun becomes a real mpirun, with this host alone."""

    def setUp(self):
        super().setUp()
        if not is_open_mpi():
            self.skipTest("there is no mpirun of Open MPI")

    def oshrun(self, *arguments, code=0, **more):
        return self.run_mpirun_job("--launcher", "mpirun", *arguments, code=code, **more)

    def test_pes_are_placed(self):
        for options, npes, nodes in ((["-n", 5], 5, 1), (["-n", 5, "--virtual-nodes", 2], 5, 2),
                                     (["--host", "localhost:3"], 3, 1),
                                     (["--ntasks-per-node", 2], 2, 1)):
            out, _ = self.oshrun(*options, NODES, nodes)
            self.check_places(out, [list(range(npes))], nodes, {"127.0.0.1"})

    def test_options_are_translated(self):
        show = ["sh", "-c", 'echo "$FOO|$PWD"']
        out, _ = self.oshrun("-n", 2, "-x", "FOO=a b;c", "--wdir", "/usr", *show)
        self.assertEqual(out, "a b;c|/usr\n" * 2)
        for binding, mappings in (("core", ("core", "l3", "package")), ("numa", ("numa", "node")),
                                  ("package", ("core",)), ("l3", ("node",)), ("none", ("core",))):
            for mapping in mappings:
                out, _ = self.oshrun("-n", 1, "--bind-to", binding, "--map-by", mapping, "echo",
                                     "x")
                self.assertEqual(out, "x\n")
        out, _ = self.oshrun("-n", 2, "cat", input="typed\n")
        self.assertEqual(out, "typed\n", "PE 0 gets the input")
        out, _ = self.oshrun("-n", 2, "-l", "--stdin", 1, "cat", input="typed\n")
        self.assertEqual(out, "[1,1]<stdout>:typed\n")
        out, _ = self.oshrun("-n", 2, "-c", 1, "--timestamp-output", "--oversubscribe", "--mca",
                             "btl", "self", "-genv", "B", "c d", "sh", "-c", 'echo "$B"')
        self.assertEqual(out.count("<stdout>:c d\n"), 2)
        out, _ = self.oshrun("--map-by", "ppr:2:node", "--bind-to", "none", "echo", "x")
        self.assertEqual(out, "x\nx\n")
        out, _ = self.oshrun("-n", 2, "--tag-output", "echo", "x")
        self.assertIn("[1,1]<stdout>:x", out)
        out, _ = self.oshrun("-n", 1, "echo", "a b", ":", "-n", 2, "echo", "c")
        self.assertEqual(sorted(out.splitlines()), ["a b", "c", "c"])

    def test_endings(self):
        self.oshrun("-n", 2, "sh", "-c", "exit 3", code=3)
        self.oshrun("-n", 2, "sh", "-c", "kill -9 $$", code=137)
        _, error = self.oshrun("-n", 3, NODES, 1, "last", code=1)
        self.assertIn("stops on purpose", error)
        _, error = self.oshrun("-n", 2, "--timeout", 1, "sleep", "1000", code=124)
        self.assertIn("timeout", error)
        self.oshrun("-n", 2, "--timeout", 100, "true")

    def start_sleepers(self):
        script = "echo $$; exec sleep 1000"
        process = self.start("--launcher", "mpirun", "-n", 2, "sh", "-c", script)
        return process, [int(line) for line in self.read_lines(process, 2)]

    def test_signals_reach_the_launcher(self):
        process, pids = self.start_sleepers()
        process.send_signal(signal.SIGTERM)
        process.communicate()
        self.assertNotEqual(process.returncode, 0)
        for pid in pids:
            wait_gone(pid)


def is_open_mpi():
    if shutil.which("mpirun") is None:
        return False
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    return "(Open MPI) 4" in version


if __name__ == "__main__":
    main()
