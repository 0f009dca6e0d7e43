# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a PE that crashes, or that ends the job by a message, does not tell the line of the
program, or dies by another signal or code than without the report; a handler of the program is
lost.
"""
import os
import re
import signal
import subprocess

from launching import HANG_SECONDS, OSHRUN, LaunchTest, main, program

SOURCES = {"crash_probe": "crash_probe.c", "crash_probe_cxx": "crash_probe_cxx.cpp",
           "crash_probe_fortran": "crash_probe_fortran.f90", "crash_probe_static": "crash_probe.c"}


def lines_of(source):
    with open(os.path.join(os.path.dirname(__file__), source), encoding="utf-8") as file:
        return {match[1]: f"{source}:{number}" for number, line in enumerate(file, 1)
                if (match := re.search(r"(?:/\*|//|!) HERE (\w+)", line))}


LINES = {source: lines_of(source) for source in SOURCES.values()}

# By kind: the signal, its name and meaning, and the function that the innermost line names.
CRASHES = {
    "segv": (signal.SIGSEGV, r"SIGSEGV: invalid access to memory at address 0x10", "write_nowhere"),
    "fpe": (signal.SIGFPE, "SIGFPE: arithmetic error", "divide"),
    "ill": (signal.SIGILL, "SIGILL: illegal instruction", "run_nonsense"),
    "bus": (signal.SIGBUS, "SIGBUS: access to memory that is not there at address 0x",
            "write_behind_a_file"),
    "abrt": (signal.SIGABRT, "SIGABRT: abort", "give_up"),
    "overflow": (signal.SIGSEGV, "SIGSEGV: invalid access to memory at address", "recurse"),
    "thread": (signal.SIGSEGV, "SIGSEGV: invalid access to memory at address 0x10",
               "crash_in_thread"),
    "source": (signal.SIGSEGV, "SIGSEGV: invalid access to memory at address 0x10",
               "put_from_nowhere"),
    "call": (signal.SIGSEGV, "SIGSEGV: invalid access to memory", "make_mistake"),
    "sent": (signal.SIGSEGV, "SIGSEGV: invalid access to memory", "make_mistake"),
}
# By kind of a mistake: the message, and the function.
MISTAKES = {"pe": ("shmem_long_p: pe 99 is not in", "put_to_bad_pe"),
            "address": ("shmem_long_put: .* is not symmetric", "put_to_stack"),
            "early": ("shmem_long_p: called before shmem_init", "main")}


class Crash(LaunchTest):
    def place(self, probe, function, word):
        return rf"{function} \({re.escape(LINES[SOURCES[probe]][word])}\)"

    def run_probe(self, probe, kind, code, npes=2, options=(), **variables):
        # Where a statically linked program looks for osh_hang.
        path = os.pathsep.join([os.path.dirname(OSHRUN), os.environ["PATH"]])
        return self.run_job("-n", npes, *options, program(probe), kind, code=code,
                            environment=self.environment(PATH=path, **variables))[1]

    def test_crashes(self):
        for probe in ("crash_probe", "crash_probe_static"):
            for kind, (number, text, function) in CRASHES.items():
                with self.subTest(probe=probe, kind=kind):
                    error = self.run_probe(probe, kind, 128 + number)
                    self.assertRegex(error, rf"(?m)^\[pe 1\] {text}")
                    self.assertRegex(error, rf"(?m)^    {self.place(probe, function, kind)}$")
                    if kind not in ("thread", "overflow", "call"):
                        self.assertRegex(error, r"(?m)^    main \(crash_probe.c:\d+\)$")

    def test_mistakes(self):
        for probe in ("crash_probe", "crash_probe_static"):
            for kind, (text, function) in MISTAKES.items():
                for options in ((), ("--check",), ("--virtual-nodes", "2")):
                    if options == ("--check",) and probe == "crash_probe_static":
                        continue
                    with self.subTest(probe=probe, kind=kind, options=options):
                        error = self.run_probe(probe, kind, 1, options=options)
                        place = self.place(probe, function, kind)
                        self.assertRegex(error, rf"{text}.*\n(\[pe \d\] )?called by {place}\n")

    def test_places(self):
        """shmemx_call_place, for the messages of runtimes."""
        for probe in ("crash_probe", "crash_probe_static"):
            with self.subTest(probe=probe):
                place = self.place(probe, "tell_place", "place")
                self.assertRegex(self.run_probe(probe, "place", 0),
                                 rf"\[called by {place}\]\n\[called\]\n")
        self.assertIn("[]\n[]\n", self.run_probe("crash_probe", "place", 0, SHMEM_BACKTRACE="0"))

    def test_overloads_and_inlined_functions(self):
        """Not the line of the library's header."""
        place = self.place("crash_probe_cxx", ".*put", "overload")
        error = self.run_probe("crash_probe_cxx", "overload", 1)
        self.assertRegex(error, rf"shmem_long_put: pe 99 .*\n\[pe 1\] called by {place}\n")
        error = self.run_probe("crash_probe_cxx", "inlined", 128 + signal.SIGSEGV)
        inlined = self.place("crash_probe_cxx", ".*write_nowhere", "inlined")
        caller = self.place("crash_probe_cxx", ".*crash", "caller")
        self.assertRegex(error, rf"\n    {inlined}\n    {caller}\n")

    def test_fortran(self):
        if not os.path.exists(program("crash_probe_fortran")):
            self.skipTest("no Fortran compiler")
        place = self.place("crash_probe_fortran", "put_to_bad_pe.*", "fortran")
        error = self.run_probe("crash_probe_fortran", "", 1)
        self.assertRegex(error, rf"pe 99 is not in .*\n\[pe 1\] called by {place}\n")

    def test_own_handlers(self):
        for kind in ("own", "own_before"):
            with self.subTest(kind=kind):
                error = self.run_probe("crash_probe", kind, 128 + signal.SIGSEGV)
                self.assertIn("the program's own handler\n", error)
                self.assertNotIn("SIGSEGV: ", error)

    def test_off(self):
        error = self.run_probe("crash_probe", "segv", 128 + signal.SIGSEGV, SHMEM_BACKTRACE="0")
        self.assertNotIn("crash_probe.c", error)
        error = self.run_probe("crash_probe", "pe", 1, SHMEM_BACKTRACE="0")
        self.assertNotIn("crash_probe.c", error)

    def test_alone(self):
        """Without a launcher the signal is that of the process."""
        done = subprocess.run([program("crash_probe"), "segv"], env=self.environment(), text=True,
                              stderr=subprocess.PIPE, timeout=HANG_SECONDS)
        self.assertEqual(done.returncode, -signal.SIGSEGV)
        self.assertRegex(done.stderr, self.place("crash_probe", "write_nowhere", "segv"))

    def test_a_debugger_is_waited_for(self):
        process = self.start("-n", 1, program("crash_probe"), "segv",
                             environment=self.environment(SHMEM_DEBUGGER_WAIT="1000"))
        lines = []
        while not lines or "for a debugger" not in lines[-1]:
            lines.append(process.stderr.readline())
            self.assertNotEqual(lines[-1], "", lines)
        self.assertRegex(lines[-1], r"waits 1000 s for a debugger: gdb -p \d+")
        self.assertIsNone(process.poll())
        process.terminate()
        process.communicate(timeout=HANG_SECONDS)

    def test_without_the_tool(self):
        """A copy of the probe that finds no osh_hang tells no line, and ends as well."""
        copy = os.path.join(self.folder, "copy")
        with open(program("crash_probe_static"), "rb") as file, open(copy, "wb") as to:
            to.write(file.read())
        os.chmod(copy, 0o755)
        path = os.pathsep.join(folder for folder in os.environ["PATH"].split(os.pathsep)
                               if not os.path.exists(os.path.join(folder, "osh_hang")))
        done = subprocess.run([copy, "segv"], env=self.environment() | {"PATH": path}, text=True,
                              stderr=subprocess.PIPE, timeout=HANG_SECONDS)
        os.remove(copy)
        self.assertEqual(done.returncode, -signal.SIGSEGV)
        self.assertRegex(done.stderr, r"^\[pe 0\] SIGSEGV: invalid access to memory at .*\n$")


if __name__ == "__main__":
    main()
