// SPDX-License-Identifier: BSD-3-Clause
//
// See checks.hpp: rights and pages that the kernel grants, and folders of temporary files.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <set>

#include "base/environment.hpp"
#include "base/fd.hpp"
#include "base/platform.hpp"
#include "heap/node_file.hpp"
#include "tools/osh_info/doctor/checks.hpp"
#include "tools/osh_info/doctor/text.hpp"
#include "tools/osh_info/small_file.hpp"

namespace tessera::osh_info {
namespace {

constexpr const char* kHugePagesVariable = "SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES";
constexpr const char* kShared = "/dev/shm";
constexpr std::uint64_t kSharedMin = std::uint64_t{64} << 20;
constexpr std::uint64_t kTemporaryMin = std::uint64_t{1} << 20;
constexpr std::size_t kNamesShown = 5;

// "" if this process can make a file in `folder`, else the reason.
std::string why_not_writable(const std::string& folder) {
    std::string path = folder + "/osh_info-XXXXXX";
    const Fd file(::mkostemp(path.data(), O_CLOEXEC));
    if (!file) return std::strerror(errno);
    ::unlink(path.c_str());
    return "";
}

std::uint64_t free_bytes(const std::string& folder) {
    struct statvfs facts {};
    if (::statvfs(folder.c_str(), &facts) != 0) return 0;
    return facts.f_bavail * facts.f_frsize;
}

// Adds the names below `folder` of the files that a process has open or mapped.
void add_used(const std::filesystem::path& process, const std::string& folder,
              std::set<std::string>& used) {
    std::error_code error;
    for (const char* kind : {"fd", "map_files"}) {
        for (const auto& entry : std::filesystem::directory_iterator(process / kind, error)) {
            const std::string path = std::filesystem::read_symlink(entry.path(), error);
            if (path.starts_with(folder + "/")) used.insert(path.substr(folder.size() + 1));
        }
    }
}

struct LeftFiles {
    std::vector<std::string> names;
    std::uint64_t bytes = 0;
};

// Files of this user in /dev/shm that no process has open. Named semaphores stay by design.
LeftFiles left_files() {
    std::set<std::string> used;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") == std::string::npos)
            add_used(entry.path(), kShared, used);
    }
    LeftFiles left;
    for (const auto& entry : std::filesystem::directory_iterator(kShared, error)) {
        const std::string name = entry.path().filename();
        struct stat facts {};
        if (::lstat(entry.path().c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) continue;
        if (facts.st_uid != ::getuid() || name.starts_with("sem.") || used.contains(name)) continue;
        left.names.push_back(name);
        left.bytes += static_cast<std::uint64_t>(facts.st_blocks) * 512;
    }
    return left;
}

// Whether a child can read its sibling, as PEs read each other. RETURNS: 0 or errno.
int try_to_read_sibling() {
    static const int word = 17;
    const pid_t target = ::fork();
    if (target == 0) {
        for (;;) ::pause();
    }
    const pid_t reader = ::fork();
    if (reader == 0) {
        int copy = 0;
        const iovec here{.iov_base = &copy, .iov_len = sizeof copy};
        const iovec there{.iov_base = const_cast<int*>(&word), .iov_len = sizeof word};
        const bool is_read =
            ::process_vm_readv(target, &here, 1, &there, 1, 0) == static_cast<ssize_t>(sizeof copy);
        ::_exit(is_read && copy == word ? 0 : errno & 0xff);
    }
    int status = 0;
    ::waitpid(reader, &status, 0);
    ::kill(target, SIGKILL);
    ::waitpid(target, nullptr, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : EFAULT;
}

}  // namespace

Findings check_huge_pages(const Subject& subject) {
    const std::string folder = "/sys/kernel/mm/hugepages/hugepages-2048kB/";
    const std::string free = first_line(folder + "free_hugepages");
    const std::string transparent = first_line("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
    const bool has_transparent = !transparent.empty() &&
                                 transparent.find("[never]") == std::string::npos &&
                                 transparent.find("[deny]") == std::string::npos;
    const std::uint64_t reserved = std::strtoull(free.c_str(), nullptr, 10);
    std::string text = free.empty() ? "none of 2 MiB in this kernel" : free + " of 2 MiB free";
    text += has_transparent ? ", transparent ones for shared memory" : ", no transparent ones";
    // SHMEM_SYMMETRIC_SIZE tells how many it takes; the default heap is as large as the memory.
    const std::uint64_t size = subject.config.symmetric_size;
    const std::uint64_t wanted = size == 0
                                     ? 1
                                     : static_cast<std::uint64_t>(subject.npes) *
                                           heap::memory_range(size, subject.config.team_memory_size,
                                                              subject.config.local_memory_size)
                                               .bytes() /
                                           kHugePageBytes;
    // By itself the setting is on, and small pages are no surprise.
    const bool is_asked_for =
        subject.config.huge_pages && environment(kHugePagesVariable) != nullptr;
    if (has_transparent || reserved >= wanted || !is_asked_for) return {ok(text)};
    return {note(text + "; " + kHugePagesVariable + " asks for " + std::to_string(wanted) +
                     (size == 0 ? " or more" : "") + ", so heaps get 4 KiB pages",
                 "as root: sysctl vm.nr_hugepages=" + std::to_string(wanted) +
                     ", or echo advise > /sys/kernel/mm/transparent_hugepage/shmem_enabled")};
}

Findings check_shared_memory(const Subject& /*subject*/) {
    const char* const users =
        "; Tessera does not need it, but MPI, libfabric's shm and PMIx put files there";
    const std::string reason = why_not_writable(kShared);
    if (!reason.empty()) {
        return {note("cannot be written: " + reason + users,
                     "as root: mount -o remount,rw,mode=1777 /dev/shm (docker: --ipc=host or "
                     "--shm-size; singularity: --bind /dev/shm)")};
    }
    const std::uint64_t bytes = free_bytes(kShared);
    if (bytes < kSharedMin) {
        return {note("only " + size_text(bytes) + " free" + users,
                     "remove files that are no longer used, or as root: mount -o "
                     "remount,size=50% /dev/shm (docker: --shm-size=4g)")};
    }
    return {ok(size_text(bytes) + " free")};
}

Findings check_left_files(const Subject& /*subject*/) {
    const LeftFiles left = left_files();
    if (left.names.empty()) return {ok("none in /dev/shm that no process uses")};
    std::string names;
    for (std::size_t i = 0; i < left.names.size() && i < kNamesShown; ++i)
        names += " /dev/shm/" + left.names[i];
    if (left.names.size() > kNamesShown) names += " ...";
    return {note(std::to_string(left.names.size()) + " in /dev/shm, " + size_text(left.bytes) +
                     ", that no process of this user has open: they may be of jobs that died",
                 "if no job of yours runs here: rm" + names)};
}

Findings check_temporary_folder(const Subject& /*subject*/) {
    const char* const chosen = environment("TMPDIR");
    std::string folder = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
    std::string reason = why_not_writable(folder);
    const std::string remedy =
        "export TMPDIR=FOLDER, an existing folder of this host that you may write";
    if (!reason.empty() && folder != "/tmp" && why_not_writable("/tmp").empty()) {
        return {note("TMPDIR=" + folder + ": " + reason +
                         "; oshrun takes /tmp instead, other "
                         "launchers may fail",
                     remedy)};
    }
    if (!reason.empty()) {
        return {problem(folder + " cannot be written (" + reason +
                            "), so launchers have no place for their sockets: jobs on several "
                            "nodes and MPI programs do not start",
                        remedy)};
    }
    const std::uint64_t bytes = free_bytes(folder);
    if (bytes < kTemporaryMin)
        return {problem(folder + " is full: " + size_text(bytes) + " free", remedy)};
    return {ok(folder + ", " + size_text(bytes) + " free")};
}

Findings check_process_access(const Subject& subject) {
    const std::string scope = first_line("/proc/sys/kernel/yama/ptrace_scope");
    const std::string policy = scope.empty() ? "no Yama in this kernel" : "ptrace_scope " + scope;
    const int error = try_to_read_sibling();
    if (error == 0) return {ok("processes of a user may read each other (" + policy + ")")};
    const std::string text = std::string("a process may not read its sibling's memory: ") +
                             std::strerror(error) + " (" + policy + ")";
    const char* const remedy =
        "as root: sysctl kernel.yama.ptrace_scope=0; in a container: docker run "
        "--cap-add=SYS_PTRACE, or a seccomp profile that allows process_vm_readv";
    if (subject.config.static_data == StaticDataMode::kCma) {
        return {problem(text + "; SHMEM_STATIC_DATA=cma needs it",
                        std::string("unset SHMEM_STATIC_DATA, or ") + remedy)};
    }
    return {note(text + "; hang reports show less, and debuggers cannot attach", remedy)};
}

}  // namespace tessera::osh_info
