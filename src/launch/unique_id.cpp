// SPDX-License-Identifier: BSD-3-Clause
//
// See unique_id.hpp.
#include "launch/unique_id.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "base/fd.hpp"

namespace tessera::launch {
namespace {

// FNV-1a.
std::uint64_t add_to_digest(std::uint64_t digest, std::string_view bytes) {
    for (const char byte : bytes)
        digest = (digest ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
    return digest;
}

std::uint64_t add_file(std::uint64_t digest, const char* path) {
    const Fd file(::open(path, O_RDONLY | O_CLOEXEC));
    char text[256];
    const ssize_t got = file ? ::read(file.get(), text, sizeof text) : 0;
    return got > 0 ? add_to_digest(digest, {text, static_cast<std::size_t>(got)}) : digest;
}

std::uint64_t add_namespace(std::uint64_t digest, const char* path) {
    struct stat status {};
    if (::stat(path, &status) != 0) return digest;
    const std::uint64_t number = status.st_ino;
    return add_to_digest(digest, {reinterpret_cast<const char*>(&number), sizeof number});
}

}  // namespace

std::uint64_t host_digest() {
    std::uint64_t digest = 0xcbf29ce484222325ULL;
    digest = add_file(digest, "/proc/sys/kernel/random/boot_id");
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    digest = add_to_digest(digest, name);
    digest = add_namespace(digest, "/proc/self/ns/net");
    return add_namespace(digest, "/proc/self/ns/pid");
}

}  // namespace tessera::launch
