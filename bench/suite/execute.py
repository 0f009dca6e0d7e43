# SPDX-License-Identifier: BSD-3-Clause
"""Runs one job to its end, or to its time limit, and leaves no process of it behind."""
import os
import shlex
import signal
import subprocess
import tempfile
import time


def _session_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return int(file.read().rpartition(")")[2].split()[3])


def _kill_session(session):
    """PEs may have process groups of their own, but they stay in the launcher's session."""
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and _session_of(name) == session:
                os.kill(int(name), signal.SIGKILL)
        except OSError:
            continue  # It has just ended.


def _wait(process, seconds):
    try:
        process.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        return False


def command_of(library, program, path, npes, options):
    arguments = program["arguments" if library else "bare_arguments"]
    words = [word.replace("{npes}", str(npes)) for word in [*arguments, *options]]
    if not library:
        return [path, *words]
    launcher = [*shlex.split(library.launcher_of(program)), "-n", str(npes), *program["launcher"]]
    return [*launcher, path, *words]


def execute(command, settings, timeout):
    """RETURNS: {"seconds", "status", "lines": those that begin with "@ ", "error": "" or why}"""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        settings = {name: text.replace("{shm}", folder) for name, text in settings.items()}
        return _execute(command, settings, timeout)


def _execute(command, settings, timeout):
    # Files, not pipes: a pipe that a lost process holds has no end to read to.
    with tempfile.TemporaryFile("w+", errors="replace") as output, \
            tempfile.TemporaryFile("w+", errors="replace") as errors:
        start = time.monotonic()
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=errors, env={**os.environ, **settings},
                                       start_new_session=True)
        except OSError as error:
            return {"seconds": 0, "status": None, "lines": [], "error": str(error)}
        is_late = False
        try:
            is_late = not _wait(process, timeout)
            seconds = time.monotonic() - start
            if is_late:
                process.terminate()  # Launchers then end their processes and tidy up.
                _wait(process, 5)
        finally:
            _kill_session(process.pid)
            process.wait()
        output.seek(0)
        lines = [line.strip() for line in output if line.startswith("@ ")]
        errors.seek(0)
        said = errors.read()[-600:].strip()
    error = ""
    if is_late:
        error = f"not done within {timeout:.0f} s"
    elif "@ end" not in lines:
        error = f"status {process.returncode}, no \"@ end\": {said}"
    elif process.returncode != 0:
        error = f"status {process.returncode} after \"@ end\": {said}"
    return {"seconds": round(seconds, 3), "status": process.returncode, "lines": lines,
            "error": error}


def is_good(result, is_ours):
    """Other libraries may crash when they finalize, after all has been measured."""
    if not result["error"]:
        return True
    return not is_ours and "@ end" in result["lines"]


def execute_wall(command, settings, timeout, program, npes, is_ours):
    """As execute(), of a program whose wall-clock time is the result: the median of `repeats`."""
    times = []
    for _ in range(program["repeats"]):
        result = execute(command, settings, timeout)
        if not is_good(result, is_ours):
            return result
        times.append(result["seconds"] * 1000)
    times.sort()
    count = len(times)
    line = (f"@ measure={program['wall']} x={npes} xname=PEs npes={npes} unit=ms better=lower "
            f"median={times[count // 2]:.6g} q1={times[count // 4]:.6g} "
            f"q3={times[count * 3 // 4]:.6g} samples={count}")
    return {**result, "seconds": round(sum(times) / 1000, 3), "lines": [line, "@ end"]}
