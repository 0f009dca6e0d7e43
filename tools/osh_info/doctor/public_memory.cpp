// SPDX-License-Identifier: BSD-3-Clause
//
// See checks.hpp: the file or device of SHMEM_HEAP=noncoherent:PATH (session/public_file.hpp).
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/cache_lines.hpp"
#include "session/public_file.hpp"
#include "tools/osh_info/doctor/checks.hpp"
#include "tools/osh_info/doctor/text.hpp"

namespace tessera::osh_info {
namespace {

const char* kind_text(PublicFileKind kind) {
    switch (kind) {
        case PublicFileKind::kFile: return "a file";
        case PublicFileKind::kPci: return "memory of a PCI device, uncached";
        case PublicFileKind::kPciCombining: return "memory of a PCI device, write-combining";
        case PublicFileKind::kDevice: return "a character device";
        case PublicFileKind::kOther: break;
    }
    return "no memory";
}

Finding missing(const std::string& path) {
    if (errno == ENOENT && may_create_public_file(path))
        return ok(path + " does not exist; init makes it, if it can");
    const std::string reason = std::strerror(errno);
    if (errno == ENOENT) {
        return problem(path + ": " + reason,
                       "load the device's driver, or name the device as this host does");
    }
    return problem(path + ": " + reason,
                   "let the administrator give this user the right to read and write it");
}

// Whether a process of this host has locked a part.
bool is_locked(int file) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

PublicPart read_first(const Mapping& memory) {
    PublicPart part;
    drop_lines(memory.data(), sizeof part);
    std::memcpy(&part, memory.data(), sizeof part);
    return part;
}

// The job whose signature begins the memory; nothing: there is none. A file without data has none.
Findings find_user(int file, bool has_data) {
    constexpr std::chrono::milliseconds kPulse{300};
    const char* const remedy = "give each job its own memory, or wait until that job has ended";
    if (is_locked(file)) return {problem("a job on this host uses it", remedy)};
    if (!has_data) return {};
    const Mapping memory = Mapping::share(file, 0, page_bytes());
    if (!memory.is_mapped()) {
        return {problem(std::string("it cannot be mapped: ") + std::strerror(errno),
                        "name memory that programs may map for reading and writing")};
    }
    const PublicPart first = read_first(memory);
    if (first.magic != kPublicMagic) return {};
    std::this_thread::sleep_for(kPulse);
    if (read_first(memory).pulse != first.pulse)
        return {problem("a job on another host uses it", remedy)};
    return {note("a job has left its signature: it has died, or it computes on another host",
                 "make sure that no job uses the memory; the next job takes it after 2 s")};
}

}  // namespace

Findings check_public_memory(const Subject& subject) {
    const HeapMode& mode = subject.config.heap;
    if (mode.kind != HeapKind::kFile) return {};
    const Fd file(::open(mode.path.c_str(), O_RDWR | O_CLOEXEC));
    if (!file) return {missing(mode.path)};
    const PublicFileKind kind = public_file_kind(mode.path, file.get());
    if (kind == PublicFileKind::kOther) {
        return {problem(mode.path + " is neither a file nor a device of memory",
                        "name a file, a DAX device, or the memory of a PCI device (resourceN)")};
    }
    const std::uint64_t has = public_file_bytes(file.get());
    // And static data, which only the program knows.
    const std::uint64_t wanted = static_cast<std::uint64_t>(subject.npes) * range_bytes(subject);
    if (kind != PublicFileKind::kFile && has != 0 && has < wanted) {
        return {problem(mode.path + " has " + size_text(has) + ", but " + pes_text(subject.npes) +
                            " need more than " + size_text(wanted),
                        "lower SHMEM_SYMMETRIC_SIZE, SHMEM_TEAM_MEMORY_SIZE and "
                        "SHMEM_LOCAL_MEMORY_SIZE")};
    }
    // Devices need not tell their size.
    Findings findings =
        find_user(file.get(), kind != PublicFileKind::kFile || has >= sizeof(PublicPart));
    if (findings.empty()) {
        const std::string size = has != 0 ? ", " + size_text(has) : "";
        findings = {ok(mode.path + ": " + kind_text(kind) + size)};
    }
    return findings;
}

}  // namespace tessera::osh_info
