// SPDX-License-Identifier: BSD-3-Clause
//
// How Linux maps the file of SHMEM_HEAP=noncoherent:PATH (session/public_file.hpp), and so how PEs
// access the public copies in it. A program cannot choose: pages of files and of DAX devices are
// written back, and the memory of a PCI device has a file for each kind of mapping. Other drivers
// do not tell what they map; past the caches is right for all of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "transports/noncoherent_transport.hpp"

namespace tessera {

enum class PublicFileKind : std::uint8_t {
    kFile,          // regular file: it grows to the size that is needed
    kPci,           // /sys/bus/pci/devices/*/resourceN: no caches
    kPciCombining,  // .../resourceN_wc: no caches, stores are combined
    kDevice,        // character device, e.g. DAX
    kOther,         // it cannot be mapped
};

// `file`: open, or -1.
PublicFileKind public_file_kind(const std::string& path, int file);
// The same where it is known that the file is one of sysfs.
PublicFileKind sysfs_file_kind(std::string_view path);

// Whether init may make a file of this name. Not where the system's devices stand: a file would lie
// in plain memory, in the place of a device that has not come yet.
bool may_create_public_file(const std::string& path);

// The size of a file, or of the memory of a device; 0: the device does not tell it.
std::uint64_t public_file_bytes(int file);

noncoherent::Access access_of(PublicFileKind kind);

}  // namespace tessera
