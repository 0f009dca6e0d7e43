#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when osh_info hides a setting, passes a bad one, or docs/run/environment.md is out of
date.

usage: osh_info_test.py OSH_INFO SOURCE_ROOT
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
ROOT = ""


def run(*arguments, **variables):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("SHMEM_", "SMA_"))}
    environment.update(variables)
    return subprocess.run([PROGRAM, *arguments], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


class OshInfoTest(unittest.TestCase):
    maxDiff = None

    def test_environment_document_is_up_to_date(self):
        result = run("--environment-markdown")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(read("docs/run/environment.md"), result.stdout,
                         "run: osh_info --environment-markdown > docs/run/environment.md")

    def test_table_of_algorithms_is_up_to_date(self):
        result = run("--algorithms-markdown")
        self.assertEqual(result.returncode, 0)
        self.assertIn(result.stdout, read("docs/code/collectives.md"),
                      "put there what osh_info --algorithms-markdown prints")

    def test_algorithms_are_those_that_a_job_can_use(self):
        def names(*arguments):
            return run("--algorithms", *arguments).stdout.split()
        self.assertIn("eager", names("reduce", "-n", "8"))
        self.assertNotIn("hierarchical", names("reduce", "-n", "8"))
        self.assertIn("hierarchical", names("reduce", "-n", "8", "--nodes", "2"))
        self.assertNotIn("eager", names("reduce", "-n", "8", "--nodes", "2"))
        self.assertNotIn("recursive_doubling", names("fcollect", "-n", "6"))
        self.assertNotEqual(run("--algorithms", "everything").returncode, 0)

    def test_topology_of_another_machine(self):
        machine = ("--topology", "--machine", "pack:2 numa:1 l3:2 core:2 pu:1")
        result = run(*machine, "-n", "4", "--map-by", "l3")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("      L3 3: cores 6-7, PUs 6-7\n", result.stdout)
        self.assertIn("  PE 3 bound to package 1, NUMA node 1, L3 3, core 6 (PU 6): "
                      "[.. ..][.. B.]\n", result.stdout)
        self.assertIn("  PE 8 not bound\n", run(*machine, "-n", "9").stdout)
        result = run(*machine, "-n", "9", "--bind-to", "core")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("this node has 8 for 9 PEs", result.stderr)
        result = run("--topology", "--machine", "chair:4")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn('does not understand the machine "chair:4"', result.stderr)
        self.assertNotEqual(run("--map-by", "l3").returncode, 0)

    def test_topology_of_this_machine(self):
        result = run("--topology")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        cores = len(re.findall("(?m)^  PE .* bound", result.stdout))
        self.assertGreaterEqual(len(os.sched_getaffinity(0)), cores)
        self.assertGreater(cores, 0)

    def test_topology_as_a_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "machine.svg")
            result = run("--topology", "--machine", "pack:2 numa:1 core:4 pu:1", "--svg", picture)
            if not (shutil.which("lstopo") or shutil.which("lstopo-no-graphics")):
                self.assertNotEqual(result.returncode, 0)
                self.assertIn("hwloc-nox", result.stderr)
                return
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            with open(picture, encoding="utf-8") as file:
                self.assertIn("<svg", file.read())

    def test_report_has_all_parts(self):
        result = run()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for part in ("Build", "Libraries", "Machine", "Transports", "Variables"):
            self.assertRegex(result.stdout, f"(?m)^{part}$")
        for name in ("compiler", "hwloc", "PMIx", "kernel", "usable", "memory", "symmetric heap",
                     "reserved pages", "transparent pages", "shm", "fabric"):
            self.assertRegex(result.stdout, f"(?m)^  {name} +[^ ]")

    def test_report_of_a_fault_has_all_parts_and_no_secrets(self):
        result = run("--report", SHMEM_BARRIER_ALGORITHM="central", SMA_SYMMETRIC_SIZE="1M",
                     FI_UNIVERSE_SIZE="64", SHMEM_BARIER="1", SLURM_NTASKS="8",
                     SLURM_JOB_ACCOUNT="hidden_account",
                     SECRET_TOKEN="hidden_token", PMIX_SECURITY="hidden_key")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"\A### [^\n]*\n\n```\nTessera [^`]*\n```\n\Z")
        for part in ("Build", "Libraries", "Machine", "Launchers", "Environment", "Settings"):
            self.assertRegex(result.stdout, f"(?m)^{part}$")
        for name in ("compiler", "flags", "hwloc", "PMIx", "libfabric", "providers", "kernel",
                     "distribution", "C library", "processor", "memory", "usable", "caches",
                     "reserved pages", "ptrace scope", "locked memory", "open files", "oshrun",
                     "srun", "mpirun"):
            self.assertRegex(result.stdout, f"(?m)^  {name} +[^ ]")
        for setting in ("SHMEM_BARRIER_ALGORITHM=central (environment)", "FI_UNIVERSE_SIZE=64",
                        "SHMEM_SYMMETRIC_SIZE=1M (environment, as SMA_SYMMETRIC_SIZE)",
                        "SHMEM_DEBUG=off (default)", "SLURM_NTASKS=8",
                        "SHMEM_BARIER=1"):
            self.assertIn(f"\n{setting}\n", result.stdout)
        self.assertNotIn("hidden", result.stdout)
        self.assertNotRegex(result.stdout, "(?m)^  host ")
        self.assertNotIn("Allowed", result.stdout)
        settings = result.stdout[result.stdout.index("\nSettings\n"):]
        self.assertEqual(settings.count("\nSHMEM_"),
                         len(re.findall("(?m)^SHMEM_", run("--variables").stdout)))

    def test_report_of_a_fault_names_a_bad_setting(self):
        result = run("--report", SHMEM_SYMMETRIC_SIZE="much")
        self.assertEqual(result.returncode, 1)
        self.assertIn("\nSHMEM_SYMMETRIC_SIZE=much is not a valid setting", result.stdout)
        self.assertTrue(result.stdout.endswith("\n```\n"))

    def test_version_is_that_of_the_header(self):
        name = re.search(r'SHMEM_VENDOR_STRING "(.*)"', read("include/shmem/setup.h")).group(1)
        self.assertTrue(run("--version").stdout.startswith(name + ", OpenSHMEM 1.6"))

    def test_settings_show_value_and_origin(self):
        result = run("--variables", SHMEM_BARRIER_ALGORITHM="central", SMA_SYMMETRIC_SIZE="1024k")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("SHMEM_BARRIER_ALGORITHM=central (environment)\n", result.stdout)
        self.assertIn("SHMEM_SYMMETRIC_SIZE=1M (environment, as SMA_SYMMETRIC_SIZE)\n",
                      result.stdout)
        self.assertIn("SHMEM_STATIC_DATA=shared (default)\n", result.stdout)
        self.assertNotIn("Machine", result.stdout)

    def test_heap_follows_the_setting(self):
        self.assertRegex(run(SHMEM_SYMMETRIC_SIZE="3M").stdout, "symmetric heap +3.0 MiB per PE")

    def test_bad_value_is_an_error(self):
        result = run(SHMEM_SYMMETRIC_SIZE="much")
        self.assertEqual(result.returncode, 1)
        self.assertIn("osh_info: SHMEM_SYMMETRIC_SIZE=much is not a valid setting", result.stderr)

    def test_unknown_variable_is_a_warning(self):
        result = run("--variables", SHMEM_SYMMETRIC_SIZ="1M")
        self.assertEqual(result.returncode, 0)
        self.assertIn("did you mean SHMEM_SYMMETRIC_SIZE?", result.stderr)

    def test_unknown_option_is_an_error(self):
        self.assertNotEqual(run("--nonsense").returncode, 0)

    def test_manual_page_has_the_options(self):
        offered = set(re.findall(r"--([a-z-]+)", run("--help").stdout))
        page = read("docs/man/osh_info.1").replace("\\-", "-")
        self.assertEqual(offered, set(re.findall(r"(?m)^\.It .*Fl Fl ([a-z-]+)", page)))


if __name__ == "__main__":
    PROGRAM, ROOT = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
