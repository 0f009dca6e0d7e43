# SPDX-License-Identifier: BSD-3-Clause
"""Would break: an option of oshrun is not understood, or is taken from the user's program."""
import os

from launching import OSHRUN, PLAIN, PMIX, SHMEM, LaunchTest, main

USAGE = 2


class Options(LaunchTest):
    def lines(self, *arguments, **more):
        return sorted(self.run_job(*arguments, **more)[0].splitlines())

    def test_number_of_pes_in_all_spellings(self):
        for spelling in (["-n", "3"], ["-np", "3"], ["--np", "3"], ["--np=3"], ["-n3"]):
            self.assertEqual(self.lines(*spelling, "echo", "x"), ["x"] * 3, spelling)

    def test_default_is_one_pe_per_usable_core(self):
        count = len(self.lines("echo", "x"))
        self.assertGreaterEqual(count, 1)
        self.assertLessEqual(count, len(os.sched_getaffinity(0)))

    def test_options_after_the_program_are_the_programs(self):
        self.assertEqual(self.lines("-n", 1, "echo", "--help", "-n", "7", "--", "-np"),
                         ["--help -n 7 -- -np"])
        self.assertEqual(self.lines("-n", 1, "--", "echo", "x"), ["x"])

    def test_exported_variables(self):
        show = ["sh", "-c", 'echo "$A|$B|${C-none}|$HOME"']
        self.assertEqual(
            self.lines("-n", 2, "-x", "A=[1,2]", "-x", "B=x y=z", "-x", "C=", "-x", "HOME", *show),
            [f"[1,2]|x y=z||{os.environ['HOME']}"] * 2)
        _, error = self.run_job("-n", 1, "-x", "NO_SUCH_VARIABLE", "true", code=USAGE)
        self.assertIn("NO_SUCH_VARIABLE", error)

    def test_exported_settings_count(self):
        _, error = self.run_job("-n", 2, "-x", "SHMEM_SYMMETRIC_SIZE=lots", "true", code=1)
        self.assertIn("SHMEM_SYMMETRIC_SIZE", error)
        self.assertEqual(error.count("lots"), 1, "told once, not by every PE")
        _, error = self.run_job("-n", 2, "-x", "SHMEM_SYMETRIC_SIZE=1M", "true")
        self.assertIn("SHMEM_SYMMETRIC_SIZE", error)

    def test_too_large_a_heap(self):
        _, error = self.run_job("-n", 4, "-x", "SHMEM_SYMMETRIC_SIZE=400T", "true", code=1)
        self.assertIn("SHMEM_SYMMETRIC_SIZE", error)

    def test_working_directory(self):
        self.assertEqual(self.lines("-n", 2, "--wdir", "/usr", "pwd"), ["/usr"] * 2)
        self.assertEqual(self.lines("-n", 1, "-wdir", "/usr", "pwd"), ["/usr"])
        self.assertEqual(self.lines("-n", 1, "--wdir", "/bin", "./echo", "here"), ["here"])
        _, error = self.run_job("-n", 1, "--wdir", "/no/such/place", "true", code=1)
        self.assertIn("/no/such/place", error)

    def test_tags(self):
        out = self.lines("-n", 2, "--tag-output", "sh", "-c", "echo one; printf two")
        self.assertEqual(out, ["[pe 0] one", "[pe 0] two", "[pe 1] one", "[pe 1] two"])

    def test_binding(self):
        usable = len(os.sched_getaffinity(0))
        self.assertEqual(self.lines("-n", 1, "--bind-to", "none", PLAIN, "cpus"), [str(usable)])
        self.assertEqual(self.lines("-n", usable + 1, PLAIN, "cpus"), [str(usable)] * (usable + 1),
                         "oversubscribed jobs are not bound")
        bound = self.lines("-n", 1, "--bind-to", "core", "--map-by", "core", PLAIN, "cpus")
        self.assertLess(int(bound[0]), max(usable, 2))
        for mapping in ("core", "l3", "numa", "package", "node"):
            self.lines("-n", 2, "--bind-to", "numa", "--map-by", mapping, PLAIN, "cpus")
        for binding in ("l3", "package"):
            self.lines("-n", 2, "--bind-to", binding, PLAIN, "cpus")
        _, error = self.run_job("-n", 5000, "--bind-to", "core", "true", code=1)
        self.assertIn("core", error)

    def test_variables_that_say_which_pe_it_is(self):
        show = ("echo $SHMEM_MY_PE of $SHMEM_N_PES, local $SHMEM_LOCAL_PE of $SHMEM_LOCAL_N_PES, "
                "$PMI_RANK of $PMI_SIZE ${PMI_FD-none}")
        expected = [f"{pe} of 3, local {pe} of 3, {pe} of 3 none" for pe in range(3)]
        old = self.environment(SHMEM_MY_PE="7", SHMEM_N_PES="9", PMI_RANK="8", PMI_FD="5")
        for more in ({}, {"environment": old}):
            out, error = self.run_job("-n", 3, "--virtual-nodes", 2, "sh", "-c", show, **more)
            self.assertEqual((sorted(out.splitlines()), error), (expected, ""))
            out, error = self.run_job("-n", 2, SHMEM, **more)
            self.assertEqual(error, "", "no warning of an unknown variable")
        alone = ["env", "-u", "TESSERA_JOB", "-u", "PMIX_NAMESPACE", SHMEM]
        self.assertEqual(len(self.lines("-n", 2, *alone)), 2, "two jobs of one PE")

    def test_report_of_bindings(self):
        _, error = self.run_job("-n", 2, "--bind-to", "package", "--report-bindings", "true")
        for pe in range(2):
            self.assertRegex(error, rf"(?m)^oshrun: PE {pe} on \S+: bound to .*\[B+")
        _, error = self.run_job("-n", 1, "--bind-to", "none", "--report-bindings", "true")
        self.assertRegex(error, r"(?m)^oshrun: PE 0 on \S+: not bound$")

    def test_several_programs(self):
        out = self.lines("-n", 1, "sh", "-c", "echo a $PMIX_RANK", ":", "-n", 2, "--wdir", "/usr",
                         "sh", "-c", "echo b $PMIX_RANK $PWD")
        self.assertEqual(out, ["a 0", "b 1 /usr", "b 2 /usr"])
        apps = self.lines("-n", 1, PMIX, ":", "-n", 2, PMIX)
        self.assertEqual(apps, ["rank 0 of 3 sum 30 app 0", "rank 1 of 3 sum 30 app 1",
                                "rank 2 of 3 sum 30 app 1"])
        _, error = self.run_job("-n", 1, "true", ":", "echo", code=USAGE)
        self.assertIn("-n", error)

    def test_time_limits(self):
        for limit in ("60", "60s", "1m", "0.5m", "1h30m", "2d"):
            self.run_job("-n", 1, "--timeout", limit, "true")
        for limit in ("0", "-1", "0m", "m", "1x", "1 m", "1m-2s", "inf", "nan", "1e30"):
            _, error = self.run_job("-n", 1, f"--timeout={limit}", "true", code=USAGE)
            self.assertIn("90s, 1.5m, 1h30m", error, limit)
        _, error = self.run_job("-n", 1, "--timeout", "0.01m", "sleep", "1000", code=124)
        self.assertIn("0.6 s", error)

    def test_wrong_numbers_say_what_is_wanted(self):
        for option in ("-n", "--virtual-nodes", "--ntasks-per-node", "-c"):
            for value in ("abc", "", "1.5", "0x2", "99999999999", "0"):
                _, error = self.run_job(option, value, "true", code=USAGE)
                self.assertIn(f'must be a whole number from 1 to 65536, not "{value}"', error)
                self.assertEqual(error.count("\n"), 1, error)

    def test_information(self):
        for option in ("--version", "-V"):
            self.assertIn("oshrun (Tessera)", self.run_job(option)[0])
        out, _ = self.run_job("--help")
        for option in ("-n,--np", "--bind-to", "--map-by", "-x", "--wdir", "--tag-output",
                       "--timeout", "--verbose", "--version", "--host", "--hostfile",
                       "--ntasks-per-node", "--launcher", "--virtual-nodes", "--report-bindings",
                       "--cores-per-pe", "--stdin", "--output-filename", "--debug"):
            self.assertIn(option, out)
        _, error = self.run_job("-n", 2, "--verbose", "true")
        self.assertIn("pe 1 (host", error)
        self.assertIn("exited with code 0", error)
        self.assertIn("symmetric heap", error)

    def test_nonsense(self):
        for arguments in (["-n", "0", "true"], ["-n", "x", "true"], ["-n", "-1", "true"], ["-n"],
                          ["--no-such-option", "true"], ["--bind-to", "chair", "true"],
                          ["--map-by", "chair", "true"], ["--timeout", "0", "true"], [],
                          ["--virtual-nodes", "0", "true"], ["--launcher", "rocket", "true"],
                          ["--host", "a:x", "true"], ["--host", "", "true"],
                          ["--hostfile", "/no/such/file", "true"],
                          ["--ntasks-per-node", "0", "true"],
                          ["-n", "2"], ["-n", "2", "true", ":"], ["-x", "=1", "true"]):
            out, error = self.run_job(*arguments, code=USAGE)
            self.assertTrue(error.startswith("oshrun: "), error)
            self.assertIn("--help", error)
            self.assertEqual(out, "")

    def test_number_of_pes_on_a_host(self):
        for spelling in ("--ntasks-per-node", "--npernode", "--ppn"):
            self.assertEqual(self.lines("-n", 2, spelling, 2, "echo", "x"), ["x"] * 2)
        _, error = self.run_job("-n", 3, "--ntasks-per-node", 2, "true", code=1)
        self.assertIn("more hosts", error)

    def test_missing_programs(self):
        for name, code in (("no_such_program", 127), ("./no_such_program", 127),
                           ("/etc/passwd", 126), ("/etc", 126)):
            _, error = self.run_job("-n", 4, name, code=code)
            self.assertIn(name, error)
            self.assertEqual(error.count("\n"), 1, "told once, not by every PE")

    def test_programs_that_cannot_be_executed(self):
        path = os.path.join(self.folder, "script")
        with open(path, "w") as file:
            file.write("echo script $1\n")
        os.chmod(path, 0o755)
        self.assertEqual(self.lines("-n", 2, path, "x"), ["script x"] * 2, "as execvp() does it")
        with open(path, "w") as file:
            file.write("#!/no/such/interpreter\n")
        _, error = self.run_job("-n", 3, path, code=127)
        self.assertIn(path, error)
        os.unlink(path)

    def test_standard_files_may_be_closed(self):
        shell = ["sh", "-c", '"$0" "$@" <&- 2>&-', OSHRUN]
        out, _ = self.run_job("-n", 2, "sh", "-c", "echo out; echo err >&2", launcher=shell)
        self.assertEqual(out, "out\nout\n")


if __name__ == "__main__":
    main()
