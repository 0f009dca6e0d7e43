// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when public copies in a file of a wrong kind are taken for memory without caches, so that
// PEs do not drop the lines that they load.
#include "session/public_mapping.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/fd.hpp"

namespace tessera {
namespace {

using noncoherent::Access;

PublicFileKind kind_of(const char* path) {
    const Fd file(::open(path, O_RDONLY | O_CLOEXEC));
    EXPECT_TRUE(file) << path;
    return public_file_kind(path, file.get());
}

TEST(PublicMapping, KnowsKindsOfFiles) {
    EXPECT_EQ(kind_of("/proc/self/exe"), PublicFileKind::kFile);
    EXPECT_EQ(kind_of("/dev/zero"), PublicFileKind::kDevice);
    EXPECT_EQ(kind_of("/"), PublicFileKind::kOther);
    EXPECT_EQ(public_file_kind("none", -1), PublicFileKind::kOther);
    // No file of sysfs grows.
    if (::access("/sys/kernel", R_OK) == 0) {
        EXPECT_EQ(kind_of("/sys/kernel/mm/transparent_hugepage/enabled"), PublicFileKind::kOther);
    }
}

TEST(PublicMapping, KnowsMemoryOfPciDevices) {
    const std::string device = "/sys/bus/pci/devices/0000:00:04.0/";
    EXPECT_EQ(sysfs_file_kind(device + "resource2"), PublicFileKind::kPci);
    EXPECT_EQ(sysfs_file_kind(device + "resource12_wc"), PublicFileKind::kPciCombining);
    for (const char* name : {"resource", "resource_wc", "resource2x", "resource2_wc_", "resource-1",
                             "my_resource2", "rom", ""}) {
        EXPECT_EQ(sysfs_file_kind(device + name), PublicFileKind::kOther) << name;
    }
    EXPECT_EQ(sysfs_file_kind("resource0"), PublicFileKind::kPci);
}

// Dropping lines is right for each mapping, so it is left out only where there is no cache.
TEST(PublicMapping, OnlyMemoryOfPciDevicesHasNoCache) {
    EXPECT_EQ(access_of(PublicFileKind::kFile), Access::kPastCache);
    EXPECT_EQ(access_of(PublicFileKind::kDevice), Access::kPastCache);
    EXPECT_EQ(access_of(PublicFileKind::kPci), Access::kNoCache);
    EXPECT_EQ(access_of(PublicFileKind::kPciCombining), Access::kNoCache);
}

TEST(PublicMapping, TellsTheSize) {
    char path[] = "/tmp/tessera_public_mapping_XXXXXX";
    const Fd file(::mkstemp(path));
    ASSERT_TRUE(file);
    ::unlink(path);
    ASSERT_EQ(::ftruncate(file.get(), 12345), 0);
    EXPECT_EQ(public_file_bytes(file.get()), 12345U);
    const Fd zero(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(public_file_bytes(zero.get()), 0U);
}

}  // namespace
}  // namespace tessera
