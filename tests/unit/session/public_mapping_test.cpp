// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when public copies in a file of a wrong kind are taken for memory without caches, so that
// PEs do not drop the lines that they load.
#include "session/public_mapping.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "base/fd.hpp"

namespace tessera {
namespace {

using noncoherent::Access;

PublicFileKind kind_of(const std::string& path) {
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
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

// A link may have any name, also that of a device's memory.
TEST(PublicMapping, FollowsLinksToFilesOfSysfs) {
    const char* target = "/sys/kernel/mm/transparent_hugepage/enabled";
    if (::access(target, R_OK) != 0) GTEST_SKIP() << "no " << target;
    const std::string link = "/tmp/tessera_" + std::to_string(::getpid()) + "_resource2";
    ASSERT_EQ(::symlink(target, link.c_str()), 0);
    EXPECT_EQ(kind_of(link), PublicFileKind::kOther);
    ::unlink(link.c_str());
}

TEST(PublicMapping, MakesNoFilesBesideDevices) {
    for (const char* path : {"/dev/dax0.0", "/sys/kernel/resource2", "/proc/resource2"})
        EXPECT_FALSE(may_create_public_file(path)) << path;
    for (const char* path : {"/dev/shm/file", "/tmp/file", "file", "/none/file", "/file"})
        EXPECT_TRUE(may_create_public_file(path)) << path;
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
