# SPDX-License-Identifier: BSD-3-Clause
#
# A recipe for Spack. `spack dev-build tessera@main` builds it from a clone; a release adds its
# url and checksum here.
from spack.package import *


class Tessera(CMakePackage):
    """OpenSHMEM 1.6 for many-core nodes and any fabric, with runtimes for coarray Fortran and
    DART."""

    homepage = "http://openshmem.org"
    license("BSD-3-Clause")

    version("main", branch="main")

    variant("compat", default=False, description="Install sandia-openshmem.pc as well")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11@2:", type="build")
    depends_on("hwloc@2.5:")
    depends_on("pmix@4.2:")
    depends_on("libfabric@1.15:", type=("build", "link", "run"))
    depends_on("elfutils@0.180:")

    provides("shmem")

    def cmake_args(self):
        return [
            self.define("TESSERA_BUILD_TESTS", False),
            self.define("TESSERA_BUILD_BENCH", False),
            self.define_from_variant("TESSERA_COMPAT", "compat"),
        ]
