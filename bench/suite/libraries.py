# SPDX-License-Identifier: BSD-3-Clause
"""The libraries that bench/run compares, from its options: ours, Debian's, and others."""
import glob
import os
import shlex
import shutil
import sys

from . import build
from .points import MPI, OURS, BARE

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INSTALLED = os.path.join(ROOT, "build", "install")
OPENMPI = ("openmpi", "/usr/bin/oshcc", "/usr/bin/oshrun --oversubscribe --allow-run-as-root")
# Debian's wrapper caf.openmpi looks for its library in the current folder.
OPENCOARRAYS = ("opencoarrays",
                "/usr/bin/mpifort.openmpi -fcoarray=lib -Wl,--no-as-needed -lcaf_openmpi",
                "/usr/bin/mpirun.openmpi --oversubscribe --allow-run-as-root")
OPENCOARRAYS_LIBRARY = "/usr/lib/*/libcaf_openmpi.so"
MPICC = "/usr/bin/mpicc.openmpi"
MPIRUN = "/usr/bin/mpirun.openmpi --oversubscribe --allow-run-as-root"


def add_options(parser):
    commands = os.path.join(INSTALLED, "bin")
    parser.add_argument("--oshcc", default=os.path.join(commands, "oshcc"), help="ours")
    parser.add_argument("--oshrun", default=os.path.join(commands, "oshrun"), help="ours")
    parser.add_argument("--caf", default=os.path.join(commands, "caf"),
                        help="ours, for coarray programs")
    parser.add_argument("--cafrun", default=os.path.join(commands, "cafrun"), help="ours")
    parser.add_argument("--dart", default=INSTALLED, metavar="PATH",
                        help="ours, for DART programs: where it is installed")
    parser.add_argument("--coarrays", nargs=3, action="append", default=[],
                        metavar=("NAME", "CAF", "CAFRUN"),
                        help="another library of coarrays; may be repeated")
    parser.add_argument("--library", nargs=3, action="append", default=[],
                        metavar=("NAME", "OSHCC", "OSHRUN"), help="another one; may be repeated")
    parser.add_argument("--dart-lib", action="append", default=[], metavar="[NAME=]PATH",
                        help="another DART: where it is installed, or its libdart-*.so; or a "
                             "static library and what is linked behind it; may be repeated")
    parser.add_argument("--mpicc", default=MPICC,
                        help="compiles programs for other DARTs, and plain MPI programs")
    parser.add_argument("--mpirun", default=MPIRUN, help="runs them")
    parser.add_argument("--without", nargs="+", default=[], metavar="NAME",
                        help=f"not these libraries ({OURS}, {OPENMPI[0]}, {OPENCOARRAYS[0]}; "
                             f"{BARE}, {MPI}: programs that show a limit, plain MPI)")


def _dart_files(path):
    """RETURNS: (the library, the folder of its headers) of a library or a prefix, or None"""
    if os.path.isdir(path):
        found = [file for kind in ("so", "a") for file in sorted(glob.glob(
            f"{path}/lib*/libdart-*.{kind}")) if "libdart-base." not in file]
        return _dart_files(found[0]) if found else None
    if not os.path.exists(path):
        return None
    prefix = os.path.dirname(os.path.dirname(os.path.abspath(path)))
    # The layouts of all DARTs are the same, so those of this source tree do, too.
    for folder in ("include", "include/tessera/dart"):
        if os.path.exists(f"{prefix}/{folder}/dash/dart/if/dart.h"):
            return path, f"{prefix}/{folder}"
    return path, os.path.join(ROOT, "runtimes", "dart", "include")


def _dart_commands(path, compiler, launcher):
    """RETURNS: {the fields of a Library} for programs in DART, or None"""
    first, *words = shlex.split(path)
    files = _dart_files(first)
    if not files:
        return None
    library, headers = os.path.abspath(files[0]), files[1]
    path_of_run = [] if library.endswith(".a") else [f"-Wl,-rpath,{os.path.dirname(library)}"]
    return {"dartcc": f"{compiler} -I {shlex.quote(headers)}", "dartrun": launcher,
            "dartlibs": shlex.join([library, *path_of_run, *words])}


def _other_darts(options):
    for text in options.dart_lib:
        name, separator, path = text.partition("=")
        if not separator:
            name, path = "", text
        commands = _dart_commands(path, options.mpicc, options.mpirun)
        if not commands:
            sys.exit(f"bench/run: --dart-lib: there is no libdart-*.so or .a in {path}")
        file = shlex.split(commands["dartlibs"])[0]
        name = name or os.path.basename(file).removeprefix("lib").partition(".")[0]
        yield build.Library(name, **commands)


def choose(options):
    """RETURNS: ({name: Library}, [why one is left out])"""
    missing = []
    ours = build.Library(OURS, options.oshcc, options.oshrun)
    others = [build.Library(*OPENMPI), *(build.Library(*words) for words in options.library)]
    if shutil.which(options.caf) and shutil.which(options.cafrun):
        ours.caf, ours.cafrun = options.caf, options.cafrun
        names = [*([OPENCOARRAYS] if glob.glob(OPENCOARRAYS_LIBRARY) else []), *options.coarrays]
        others += [build.Library(name, caf=caf, cafrun=cafrun) for name, caf, cafrun in names]
    else:
        missing.append(f"coarrays are left out: {options.caf} not found")
    dart = _dart_commands(options.dart, options.oshcc, options.oshrun)
    if dart:
        ours.dartcc, ours.dartrun, ours.dartlibs = dart.values()
        others += [*_other_darts(options), build.Library(MPI, options.mpicc, options.mpirun)]
    else:
        missing.append(f"DART is left out: there is none in {options.dart}")
    libraries = {}
    for library in [ours, *others]:
        if library.name in options.without:
            continue
        if library.name in libraries:
            sys.exit(f"bench/run: two libraries are called {library.name}")
        gone = " and ".join(library.missing())
        if not gone:
            libraries[library.name] = library
        elif library.is_ours:
            sys.exit(f"bench/run: {OURS} is not compared: {gone} not found; build and install it "
                     "first, or use --oshcc and --oshrun")
        else:
            missing.append(f"{library.name} is not compared: {gone} not found")
    return libraries, missing
