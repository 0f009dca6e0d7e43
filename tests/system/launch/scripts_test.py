# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a script that was written for another launcher stops at an option of its oshrun."""
import os
import re
import shutil
import subprocess
import time

from launching import HANG_SECONDS, PLAIN, SHMEM, LaunchTest, main

USAGE = 2
PAGE = os.path.join(os.path.dirname(__file__), "../../../docs/run/porting.md")


class Scripts(LaunchTest):
    def lines(self, *arguments, **more):
        out, error = self.run_job(*arguments, **more)
        self.assertEqual(error, "")
        return sorted(out.splitlines())

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def read_and_remove(self, name):
        with open(self.path(name)) as file:
            text = file.read()
        os.unlink(self.path(name))
        return text

    def test_harmless_options(self):
        for options in (["--oversubscribe"], ["-oversubscribe"], ["--allow-run-as-root"],
                        ["--mca", "btl", "tcp,self"], ["-mca", "a", "b", "--mca", "c", "d"],
                        ["--gmca", "a", "b"], ["-q"], ["--quiet"], ["--mpi=pmix"],
                        ["--mpi", "pmix"], ["-K"], ["-u"], ["-O"], ["--overcommit"], ["-genvall"],
                        ["--export=ALL"], ["--rank-by", "core"], ["-J", "name"],
                        ["--bind-to", "none"], ["--prefix", "/usr"],
                        ["--map-by", "slot:OVERSUBSCRIBE"], ["--use-hwthread-cpus"]):
            self.assertEqual(self.lines(*options, "-n", 2, "echo", "-q"), ["-q"] * 2, options)

    def test_variables(self):
        show = ["sh", "-c", 'echo "$A|$B"']
        self.assertEqual(self.lines("-genv", "A", "x y", "-env", "B", "$1=2", "-n", 1, *show),
                         ["x y|$1=2"])
        environment = self.environment(A="1", B="2")
        self.assertEqual(self.lines("-genvlist", "A,B", "-n", 1, *show, environment=environment),
                         ["1|2"])

    def test_places(self):
        self.assertEqual(self.lines("-wd", "/usr", "-n", 1, "pwd"), ["/usr"])
        self.assertEqual(self.lines("-D", "/usr", "-n", 1, "pwd"), ["/usr"])
        self.assertEqual(self.lines("-ppn", 2, "-n", 2, "echo", "x"), ["x"] * 2)
        self.assertEqual(self.lines("-N", 2, "echo", "x"), ["x"] * 2, "so many PEs of this host")
        self.assertEqual(self.lines("--map-by", "ppr:3:node", "echo", "x"), ["x"] * 3)
        self.assertEqual(self.lines("-l", "-n", 2, "echo", "x"), ["[pe 0] x", "[pe 1] x"])

    def test_cores_of_a_pe(self):
        usable = len(os.sched_getaffinity(0))
        self.assertEqual(self.lines("-n", 1, "--bind-to", "hwthread", PLAIN, "cpus"), ["1"])
        for option in (["-c", usable], [f"-c{usable}"], ["--cpus-per-task", usable],
                       ["--map-by", f"core:pe={usable}"], ["--map-by", f"slot:PE={usable}"],
                       ["--bind-to", f"core:{usable}"]):
            out, error = self.run_job("-n", 1, "--report-bindings", *option, PLAIN, "cpus")
            self.assertGreaterEqual(int(out), usable, option)
            self.assertIn("bound to", error)
            self.assertEqual(self.run_job(*option, "echo", "x")[0], "x\n", "one PE fits")
        for word in ("socket", "hwthread", "package", "l3cache"):
            self.lines("-n", 1, "--bind-to", word, "true")
            self.lines("-n", 1, "--map-by", word, "true")
        self.lines("-n", 1, "--cpu-bind=verbose,cores", "true")
        for option in (["--map-by", "seq"], ["--bind-to", "chair"], ["-c", "0"]):
            self.run_job("-n", 1, *option, "true", code=USAGE)

    def test_refused_with_our_word(self):
        for options, word in ((["--rankfile", "f"], "--map-by"), (["--nodes=2"], "--host"),
                              (["-t", "5"], "--timeout 10m"), (["--multi-prog", "f"], "./a : "),
                              (["-iface", "eth0"], "FI_TCP_IFACE"), (["--gpus=2"], "sbatch"),
                              (["--tv"], "--debug"), (["--stdin", "all"], "none"),
                              (["--export=A=1"], "-x")):
            _, error = self.run_job(*options, "true", code=USAGE)
            self.assertIn(word, error)
            self.assertEqual(error.count("\n"), 1, error)

    def test_page_has_the_table(self):
        table, _ = self.run_job("--help-other-launchers")
        with open(PAGE) as page:
            self.assertIn(table, page.read(), "paste: oshrun --help-other-launchers")

    def test_program_files(self):
        path = self.write("apps", "# a job\n-n 1 echo 'a b'\n\n  -np 2 echo c\n")
        for option in ("--app", "-app", "--configfile", "-configfile"):
            self.assertEqual(self.lines("-l", option, path),
                             ["[pe 0] a b", "[pe 1] c", "[pe 2] c"])
        os.unlink(path)
        _, error = self.run_job("--app", "/no/such/file", code=USAGE)
        self.assertIn("/no/such/file", error)

    def test_a_file_for_each_pe(self):
        script = "echo out $SHMEM_MY_PE; echo err >&2"
        for option, name in ((["--output-filename", "deep/o"], "deep/o.{}"),
                             (["-o", "o.%t"], "o.{}"),
                             (["-outfile-pattern", "%r-100%%"], "{}-100%")):
            self.assertEqual(self.lines(*option, "-n", 2, "sh", "-c", script, cwd=self.folder), [])
            for pe in range(2):
                self.assertEqual(self.read_and_remove(name.format(pe)), f"out {pe}\nerr\n")
        os.rmdir(self.path("deep"))
        out, error = self.run_job("-e", "e", "--tag-output", "-n", 2, "sh", "-c", script,
                                  cwd=self.folder)
        self.assertEqual((sorted(out.splitlines()), error), (["[pe 0] out 0", "[pe 1] out 1"], ""))
        for pe in range(2):
            self.assertEqual(self.read_and_remove(f"e.{pe}"), f"[pe {pe}] err\n")
        _, error = self.run_job("-o", "/proc/no/such", "-n", 1, "true", code=1)
        self.assertIn("/proc/no/such.0", error)
        _, error = self.run_job("-o", "", "-n", 1, "true", code=USAGE)
        self.assertIn("must name a file", error)

    def test_files_have_the_last_lines_of_a_killed_pe(self):
        _, error = self.run_job("-o", "o", "-n", 1, SHMEM, "exit", 3, code=3, cwd=self.folder)
        self.assertIn("exited with code 3", error)
        self.assertIn("pe 0 of 1", self.read_and_remove("o.0"))

    def test_times(self):
        for options, mark in ((["--timestamp-output"], ""), (["--output", "timestamp"], ""),
                              (["--timestamp-output", "--tag-output"], r"\[pe 0\] ")):
            out = self.lines(*options, "-n", 1, "printf", "a\\nb\\n")
            for line in out:
                self.assertRegex(line, r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} " + mark + "[ab]$")

    def test_input_of_another_pe(self):
        for option in (["--stdin", 1], ["-i", 1], ["--input=1"]):
            self.assertEqual(self.lines("-l", *option, "-n", 2, "cat", input="typed\n"),
                             ["[pe 1] typed"])
        self.assertEqual(self.lines("--stdin", "none", "-n", 2, "cat", input="typed\n"), [])
        _, error = self.run_job("--stdin", 2, "-n", 2, "cat", code=1)
        self.assertIn("no PE 2", error)

    def test_debugger(self):
        missing = [name for name in ("gdb", "tmux") if shutil.which(name) is None]
        if missing:
            self.skipTest("not installed: " + ", ".join(missing))
        environment = self.environment()
        environment.pop("TMUX", None)
        process = self.start("-n", 2, "--debug=1", SHMEM, environment=environment)
        session = ""
        for line in process.stderr:
            found = re.search("tmux attach -t (.*)", line)
            if found:
                session = found[1]
                break
        self.assertNotEqual(session, "")

        def tmux(*words):
            return subprocess.run(["tmux", *words], env=environment, capture_output=True, text=True)
        deadline = time.monotonic() + HANG_SECONDS
        stopped = re.compile(r"breakpoint \d, .*main")
        while not stopped.search(tmux("capture-pane", "-p", "-t", session).stdout):
            self.assertLess(time.monotonic(), deadline, "gdb does not reach main()")
            self.assertIsNone(process.poll())
        tmux("send-keys", "-t", session, "continue", "Enter")
        out, _ = self.finish(process, 0)
        self.assertEqual(len(out.splitlines()), 2)
        while tmux("has-session", "-t", session).returncode == 0:
            self.assertLess(time.monotonic(), deadline, "the session is left")

    def test_debugger_that_cannot_start(self):
        _, error = self.run_job("-n", 2, "--debug=2", "true", code=1)
        self.assertIn("2", error)
        _, error = self.run_job("-n", 2, "--debug=x", "true", code=USAGE)
        self.assertIn("--debug=0,3", error)
        _, error = self.run_job("-n", 17, "--debug", "true", code=1)
        self.assertIn("--debug", error)


if __name__ == "__main__":
    main()
