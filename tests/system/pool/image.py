# SPDX-License-Identifier: BSD-3-Clause
"""What the virtual machines boot: Debian's kernel for clouds, taken out of its package, and an
archive of files that the kernel unpacks into memory: BusyBox, mpirun, the programs under test, and
the libraries that they need, at the paths that they have here."""
import glob
import os
import platform
import re
import shutil
import subprocess
import tempfile

KERNEL_PACKAGE = "linux-image-cloud-amd64"
# program or file: the Debian package that has it
NEEDS = {"qemu-system-x86_64": "qemu-system-x86", "busybox": "busybox-static", "ndctl": "ndctl",
         "mpirun": "openmpi-bin", "setpriv": "util-linux", "apt-get": "apt"}
MODULES = ("virtio_pci", "virtio_net", "nfit", "nd_pmem", "device_dax", "dax_pmem", "cxl_acpi",
           "cxl_pci", "cxl_mem", "cxl_pmem", "cxl_port")
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
# Parts of Open MPI that a launcher has no use for.
MPI_PARTS = ("allocator|atomic|bml|btl|coll|common|fbtl|fcoll|fs|io|memheap|mpool|mtl|op|osc|pml|"
             "rcache|scoll|sharedfp|spml|sshmem|topo|vprotocol")
INIT = os.path.join(os.path.dirname(__file__), "init.sh")


def missing():
    """The missing program, with its Debian package; empty if there are all."""
    if platform.machine() != "x86_64":
        return "the virtual machines are of x86-64"
    for name, package in NEEDS.items():
        if shutil.which(name) is None:
            return f"there is no {name} (Debian package {package})"
    return ""


def run(*command, folder=None):
    return subprocess.run(command, cwd=folder, check=True, text=True, capture_output=True).stdout


def unpack_kernel(folder):
    """The kernel's package, in a folder that the next run finds."""
    package = re.search(r"Depends: (linux-image-\S+)", run("apt-cache", "depends", KERNEL_PACKAGE))
    package = package.group(1)
    unpacked = os.path.join(folder, package)
    if not os.path.exists(unpacked):
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            run("apt-get", "download", package, folder=scratch)
            archive, = glob.glob(scratch + "/*.deb")
            run("dpkg-deb", "-x", archive, scratch + "/tree")
            modules, = glob.glob(scratch + "/tree/lib/modules/*")
            run("busybox", "depmod", "-b", scratch + "/tree", os.path.basename(modules))
            os.rename(scratch + "/tree", unpacked)
    return unpacked


def modules(kernel):
    """(path of a file, path in the archive) of the modules and of what they need, in order."""
    root, = glob.glob(kernel + "/lib/modules/*")
    with open(root + "/modules.dep") as file:
        needs = dict(line.split(":") for line in file)
    by_name = {re.sub("-", "_", os.path.basename(path)[:-3]): path for path in needs}
    order = []
    for name in MODULES:
        path = by_name.get(name)
        for part in [*reversed(needs[path].split()), path] if path else ():
            if part not in order:
                order.append(part)
    return [(os.path.join(root, path), "/modules/" + os.path.basename(path)) for path in order]


def with_libraries(paths):
    """These files and the libraries that the loader finds for them."""
    found = set(paths)
    for path in paths:
        text = subprocess.run(["ldd", path], text=True, capture_output=True).stdout
        found.update(re.findall(r"(?:=> |^\s*)(/.+) \(0x", text, re.MULTILINE))
    return found


def files(programs):
    launcher = [path for path in glob.glob(LIBRARIES + "/openmpi/lib/openmpi3/mca_*.so")
                if not re.search(rf"/mca_({MPI_PARTS})_", path)]
    loaded = [*glob.glob(LIBRARIES + "/pmix2/lib/pmix/*.so"), LIBRARIES + "/libpmix.so.2",
              LIBRARIES + "/libfabric.so.1"]
    commands = [shutil.which(name) for name in ("mpirun", "orted", "ndctl", "cxl", "busybox")]
    texts = [path for folder in ("/usr/share/openmpi", "/etc/openmpi")
             for path in glob.glob(folder + "/*") if os.path.isfile(path)]
    return sorted(with_libraries([*launcher, *loaded, *commands, *programs]) | set(texts))


class Archive:
    """cpio's format "newc"."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.folders = set()
        self.number = 0

    def _pad(self):
        self.file.write(b"\0" * (-self.file.tell() % 4))

    def _entry(self, name, mode, data=b""):
        self.number += 1
        name = name.lstrip("/").encode() + b"\0"
        fields = (self.number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
        self.file.write(b"070701" + b"".join(b"%08x" % field for field in fields) + name)
        self._pad()
        self.file.write(data)
        self._pad()

    def folder(self, path):
        if path in self.folders or path == "/":
            return
        self.folder(os.path.dirname(path))
        self.folders.add(path)
        self._entry(path, 0o40755)

    def add(self, path, data, mode=0o100755):
        self.folder(os.path.dirname(path))
        self._entry(path, mode, data)

    def link(self, path, target):
        self.add(path, target.encode(), 0o120777)

    def close(self):
        self._entry("TRAILER!!!", 0)
        self.file.close()


def make(path, kernel, programs):
    """Writes the archive. The programs are at their own paths."""
    archive = Archive(path)
    for folder in ("/dev", "/proc", "/sys", "/tmp", "/root", "/usr/bin", "/usr/lib", "/usr/lib64"):
        archive.folder(folder)
    for name in ("bin", "lib", "lib64"):
        archive.link("/" + name, "usr/" + name)
    with open(INIT, "rb") as file:
        archive.add("/init", file.read())
    for source in files(programs):
        with open(source, "rb") as file:
            archive.add(re.sub("^/(bin|lib|lib64)/", r"/usr/\1/", source), file.read())
    order = modules(kernel)
    for source, name in order:
        with open(source, "rb") as file:
            archive.add(name, file.read())
    archive.add("/modules/order", "".join(name + "\n" for _, name in order).encode())
    archive.close()
