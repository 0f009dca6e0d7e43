# SPDX-License-Identifier: BSD-3-Clause
"""Two virtual machines, vm0 and vm1, that share memory files of this host in three ways: as the
memory of a PCI device (ivshmem), as an NVDIMM, and as a CXL type 3 device. Processors are emulated
(TCG), so no right is needed, and there are no caches. QEMU ends with the test, however that ends.
"""
import glob
import os
import select
import shutil
import subprocess
import time

import image

HANG_SECONDS = 300
MIB = 1 << 20
# A memory file's MiB. The kernel takes NVDIMMs by 16 MiB and CXL windows by 256 MiB.
SIZES = {"pci": 64, "nvdimm": 128, "cxl": 256, "labels0": 1, "labels1": 1}
SETUP = """
ndctl create-namespace -f -e namespace0.0 --mode=devdax --map=mem &&
cxl create-region -m -d decoder0.0 -w 1 -t pmem mem0 &&
ndctl create-namespace -r region1 -t pmem --mode=devdax --map=mem
"""


class Machine:
    def __init__(self, number, folder, kernel):
        self.name = f"vm{number}"
        self.console = f"{folder}/console{number}"
        memory = {name: f"memory-backend-file,id={name},share=on,size={size}M,mem-path={name}"
                  for name, size in SIZES.items()}
        vmlinuz, = glob.glob(kernel + "/boot/vmlinuz*")
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "qemu-system-x86_64", "-nodefaults",
             "-no-user-config", "-display", "none", "-no-reboot", "-cpu", "max", "-M",
             "q35,accel=tcg,nvdimm=on,cxl=on,cxl-fmw.0.targets.0=cxl.1,cxl-fmw.0.size=256M",
             "-m", "512,slots=1,maxmem=2G", "-kernel", vmlinuz, "-initrd", "archive",
             # On a busy machine the emulated timer may fail the kernel's test of it.
             "-append", "console=ttyS0 quiet panic=-1 mitigations=off no_timer_check "
                        f"host={number}",
             "-serial", f"file:console{number}", "-serial", "stdio",
             "-netdev", f"dgram,id=net,local.type=unix,local.path=net{number},"
             f"remote.type=unix,remote.path=net{1 - number}",
             "-device", f"virtio-net-pci,netdev=net,mac=52:54:00:00:00:0{number},romfile=",
             "-object", memory["pci"], "-device", "ivshmem-plain,memdev=pci",
             "-object", memory["nvdimm"], "-device", "nvdimm,memdev=nvdimm",
             "-object", memory["cxl"], "-object", memory[f"labels{number}"],
             # With one port alone the bridge loses stores.
             "-device", "pxb-cxl,bus_nr=12,bus=pcie.0,id=cxl.1",
             "-device", "cxl-rp,port=0,bus=cxl.1,id=port0,chassis=0,slot=2",
             "-device", "cxl-rp,port=1,bus=cxl.1,id=port1,chassis=0,slot=3",
             "-device", f"cxl-type3,bus=port0,memdev=cxl,lsa=labels{number},id=mem0"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd=folder)

    def lines_to(self, end):
        """The machine's output up to a line that begins with `end`, and the rest of that line."""
        said = b""
        deadline = time.monotonic() + HANG_SECONDS
        while not said.rpartition(b"\n" + end)[2].endswith(b"\n") or b"\n" + end not in said:
            ready = select.select([self.process.stdout], [], [], deadline - time.monotonic())[0]
            part = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not part:
                raise AssertionError(f"{self.name} says no {end}, only: {said.decode()}\n"
                                     + open(self.console, errors="replace").read())
            said = (said or b"\n") + part
        text, _, rest = said.decode(errors="replace").rpartition("\n" + end.decode())
        return text.lstrip("\n"), rest.strip()

    def run(self, command):
        """The exit code of a shell's command, and what it says."""
        self.process.stdin.write(f"{command}\ncode=$?; echo; echo end: $code\n".encode())
        text, code = self.lines_to(b"end: ")
        return int(code), text.strip()

    def kill(self):
        self.process.kill()
        self.process.communicate()


class Machines:
    """with Machines(folder of kernels, programs) as (vm0, vm1): vm0.run("hostname")"""

    def __init__(self, cache, programs):
        self.kernel = os.path.abspath(image.unpack_kernel(cache))
        self.folder = os.path.join(cache, "machines")  # A test that was killed leaves it.
        self.programs = programs
        self.both = []

    def __enter__(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)
        try:
            image.make(self.folder + "/archive", self.kernel, self.programs)
            for name, size in SIZES.items():
                with open(f"{self.folder}/{name}", "wb") as file:
                    file.truncate(size * MIB)
            for number in (0, 1):
                self.both.append(Machine(number, self.folder, self.kernel))
            for machine in self.both:
                machine.lines_to(b"ready")
                code, text = machine.run(SETUP)
                if code != 0:
                    raise AssertionError(f"{machine.name} cannot set up its devices: {text}")
        except BaseException:
            self.__exit__()
            raise
        return self.both

    def __exit__(self, *_):
        for machine in self.both:
            machine.kill()
        shutil.rmtree(self.folder)
