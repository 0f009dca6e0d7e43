# SPDX-License-Identifier: BSD-3-Clause
"""osh_report: makes a timeline and a page of a trace's parts. oshrun calls it when a job with
--trace or --report has ended; a user calls it where another launcher ran the job.
"""
import argparse
import functools
import os
import sys

from lines import name_lines
from parts import FILE_NAME, Job
from timeline import write_timeline

DESCRIPTION = "Makes a timeline and a page of the parts of a trace."
EXAMPLES = """The parts are the files that PEs write where SHMEM_TRACE=FILE is set and
libtessera-trace.so is preloaded: in the folder FILE.parts. oshrun does all of that by itself.
docs/run/timeline.md has more.

Examples:
  osh_report trace.json.parts --trace trace.json
  osh_report trace.json.parts --report page.html
"""
NO_PLOTLY = ("the page needs Plotly for Python ({error}); install it (Debian: python3-plotly) and "
             "then run: osh_report {parts} --report {report}")


def complain(text):
    print(f"osh_report: {text}", file=sys.stderr)


def parse_arguments(version):
    parser = argparse.ArgumentParser(prog="osh_report", description=DESCRIPTION, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", metavar="FOLDER", help="the folder with the parts of the trace")
    parser.add_argument("--trace", metavar="FILE",
                        help="write a timeline in the trace-event format (JSON), for Perfetto")
    parser.add_argument("--report", metavar="FILE", help="write a page (HTML)")
    parser.add_argument("--profile", metavar="FILE",
                        help="osh_tune's profile of the machine, for the limits of the bandwidth "
                             "(default: SHMEM_PROFILE, or the one that osh_tune wrote here)")
    parser.add_argument("--remove", action="store_true",
                        help="remove the parts when all that was wanted is written")
    parser.add_argument("--version", action="version", version=f"osh_report (Tessera) {version}")
    arguments = parser.parse_args()
    if not arguments.trace and not arguments.report:
        parser.error("say what to make: --trace FILE, --report FILE or both")
    return arguments


def profile_path():
    named = os.environ.get("SHMEM_PROFILE")
    if named:
        return named
    folder = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    own = os.path.join(folder, "tessera", os.uname().nodename + ".profile")
    return own if os.path.exists(own) else "/etc/tessera/profile"


def write_page(profile, job, path):
    from analysis import profile_limits
    from page import make_page
    text = make_page(job, profile_limits(profile or profile_path()))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def make_all(arguments, job):
    """RETURNS whether all that was wanted is written."""
    is_done = True
    for path, write in ((arguments.trace, write_timeline),
                        (arguments.report, functools.partial(write_page, arguments.profile))):
        try:
            if path:
                write(job, path)
        except ImportError as error:
            complain(NO_PLOTLY.format(error=error, parts=arguments.parts, report=path))
            is_done = False
        except OSError as error:
            complain(f"{path}: {error.strerror}; the parts stay in {arguments.parts}")
            is_done = False
    return is_done


def remove_parts(folder):
    """The parts only, and the folder if it had nothing else."""
    for name in os.listdir(folder):
        if FILE_NAME.fullmatch(name) or name.endswith(".waiting.part"):
            os.unlink(os.path.join(folder, name))
    if not os.listdir(folder):
        os.rmdir(folder)


def main(version="", programs=""):
    """`programs`: the folder of osh_hang, which knows the lines of the program."""
    arguments = parse_arguments(version)
    try:
        job = Job(arguments.parts)
        for problem in job.problems:
            complain(problem)
        if not job.parts:
            complain(f"{arguments.parts} has no part of a trace: did the program call shmem_init, "
                     "and is it linked with the shared library?")
            return 1
        name_lines(job, os.path.join(programs, "osh_hang"))
        if not make_all(arguments, job):
            return 1
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}")
        return 1
    if arguments.remove:
        remove_parts(arguments.parts)
    return 0
