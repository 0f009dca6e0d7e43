# SPDX-License-Identifier: BSD-3-Clause
#
# A recipe for Spack 1.0 and later. It installs the branch main of the clone that it lies in
# (packaging/README.md); a release adds its url and checksum here.
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Tessera(CMakePackage):
    """OpenSHMEM 1.6 for many-core nodes and any fabric, with runtimes for coarray Fortran and
    DART."""

    homepage = "http://openshmem.org"
    git = pathlib.Path(__file__).resolve().parents[6].as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("fortran", default=True, description="Build the Fortran module shmem")
    variant("compat", default=False, description="Install sandia-openshmem.pc as well")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11@2.1:", type="build")
    # The manual pages and the Fortran module are made by it, osh_report is written in it.
    depends_on("python@3:", type=("build", "run"))
    depends_on("hwloc@2.9:")
    depends_on("pmix@4.2:")
    depends_on("libfabric@1.15:")
    depends_on("elfutils@0.180:")

    provides("shmem")
    conflicts("%gcc@:11", msg="Tessera needs C++20")

    # These call the compiler that built Tessera, not Spack's wrapper of it.
    filter_compiler_wrappers("oshcc", "oshc++", "oshfort", "caf", relative_root="bin")

    def cmake_args(self):
        args = [
            self.define("TESSERA_BUILD_TESTS", False),
            self.define("TESSERA_BUILD_BENCH", False),
            self.define_from_variant("TESSERA_COMPAT", "compat"),
        ]
        if self.spec.satisfies("~fortran"):
            args.append(self.define("TESSERA_FORTRAN", False))
        return args
