# SPDX-License-Identifier: BSD-3-Clause
"""A laboratory: namespaces in which a test program may build networks, mount file systems and start
daemons, with nothing of it seen outside and nothing left, however the program ends.

`enter()` runs the program again, as the child of the first process of a PID namespace. When that
ends (or is killed, at the latest with the process that ctest knows), the kernel ends everything in
the namespace, and networks and mounts go with it. Works as root, and as any user where user
namespaces are permitted. /tmp and /dev/shm are empty inside, but for what `kept_paths` names.
"""
import ctypes
import glob
import os
import shutil
import signal
import socket
import subprocess
import sys

SKIP_EXIT_CODE = 77
INSIDE = "TESSERA_TEST_LAB"
MUST_RUN = "TESSERA_CI"
TOOLS = ("ip", "nsenter", "setpriv", "unshare")

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWNET = 0x40000000
MS_BIND = 0x1000
MS_REC = 0x4000

LIBC = ctypes.CDLL(None, use_errno=True)


def check_call(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags):
    check_call(LIBC.unshare(flags), "unshare")


def socket_in_network(pid):
    """A TCP socket in the network of another process; this process stays where it is."""
    with open("/proc/self/ns/net") as own, open(f"/proc/{pid}/ns/net") as other:
        check_call(LIBC.setns(other.fileno(), CLONE_NEWNET), f"entering the network of {pid}")
        try:
            return socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        finally:
            check_call(LIBC.setns(own.fileno(), CLONE_NEWNET), "leaving it")


def bind(source, target):
    check_call(LIBC.mount(source.encode(), target.encode(), None, ctypes.c_ulong(MS_BIND | MS_REC),
                          None), f"binding {source} to {target}")


def mount_tmpfs(target):
    check_call(LIBC.mount(b"tmpfs", target.encode(), b"tmpfs", ctypes.c_ulong(0), b"mode=1777"),
               f"mounting {target}")


def empty_folder(folder, kept):
    """Makes a folder empty for this mount namespace, but for the paths `kept` below it."""
    sources = {path: os.open(path, os.O_PATH) for path in kept
               if path.startswith(folder + "/") and os.path.exists(path)}
    mount_tmpfs(folder)
    for path, source in sources.items():
        if os.path.isdir(f"/proc/self/fd/{source}"):
            os.makedirs(path)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        bind(f"/proc/self/fd/{source}", path)
        os.close(source)


def kept_paths():
    """The folders of /tmp that programs under test may lie in: arguments, and this program's."""
    paths = {os.path.abspath(word) for word in [*sys.argv, os.getcwd(), sys.executable]}
    return sorted({"/".join(path.split("/")[:3]) for path in paths if path.startswith("/tmp/")})


def give_up(reason):
    """There can be no laboratory here."""
    if os.environ.get(MUST_RUN):
        print(f"FAILED: {reason}; with {MUST_RUN} set, these tests must run")
        sys.exit(1)
    print("skipped:", reason)
    sys.exit(SKIP_EXIT_CODE)


def namespaces_command():
    user = [] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps"]
    return ["unshare", *user, "--mount", "--uts", "--ipc", "--net", "--pid", "--mount-proc",
            "--kill-child"]


def why_not():
    """The missing requirements of a laboratory; empty if there are none."""
    for tool in TOOLS:
        if shutil.which(tool) is None:
            return f"there is no {tool} (Debian packages iproute2 and util-linux)"
    trial = "ip link add t0 type veth peer name t1 && ip link add t2 type bridge"
    probe = subprocess.run([*namespaces_command(), "sh", "-c", trial], capture_output=True,
                           text=True)
    if probe.returncode != 0:
        return "namespaces with a network are not permitted: " + probe.stderr.strip()
    return ""


def supervise():
    """Runs this program inside and returns its exit code."""
    environment = dict(os.environ, **{INSIDE: "1"})
    process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *namespaces_command(),
                                sys.executable, *sys.argv], env=environment)

    ended_by = []

    def end_inside(number, _frame):
        """Ends the first process inside, and with it all the others."""
        ended_by.append(number)
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
            for child in file.read().split():
                os.kill(int(child), signal.SIGKILL)

    signal.signal(signal.SIGTERM, end_inside)
    signal.signal(signal.SIGHUP, end_inside)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The program inside gets it, too.
    code = process.wait()
    if ended_by:
        return 128 + ended_by[0]
    return code if code >= 0 else 128 - code


def become_first_process():
    """Returns in a child; this process waits for processes without a parent."""
    child = os.fork()
    if child == 0:
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def enter():
    """Returns inside the laboratory. The caller must not have started anything before."""
    if os.environ.pop(INSIDE, None) is None:
        reason = why_not()
        if reason:
            give_up(reason)
        sys.exit(supervise())
    become_first_process()
    empty_folder("/tmp", kept_paths())
    empty_folder("/dev/shm", [])
    # libfabric's verbs provider reads all of it in each process: 0.1 s of a core. See quickstart.
    bind("/dev/null", "/proc/kallsyms")
    os.chdir(os.getcwd())
    os.environ.pop("TMPDIR", None)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def needs_slurm():
    """The missing requirements of Slurm with PMIx; empty if there are none."""
    for tool in ("slurmctld", "slurmd", "srun", "sinfo"):
        if shutil.which(tool) is None:
            return f"there is no {tool}"
    if not glob.glob("/usr/lib/*/slurm*/mpi_pmix*.so"):
        return "Slurm has no PMIx plugin"
    return ""


def needs_mpirun():
    """The missing requirements of mpirun; empty if there are none."""
    if shutil.which("mpirun") is None:
        return "there is no mpirun"
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    return "" if "Open MPI" in version else "mpirun is not Open MPI's"
