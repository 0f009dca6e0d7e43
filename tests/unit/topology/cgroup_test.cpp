// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a limit of a control group is missed or misread, in made-up /proc and cgroup trees in
// a temporary folder: pure v2, v1, both at once, containers with and without a namespace of their
// own.
#include "topology/cgroup.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tessera::topology {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

class CgroupTest : public testing::Test {
  protected:
    CgroupTest() {
        std::string pattern = testing::TempDir() + "tessera-cgroup-XXXXXX";
        root_ = ::mkdtemp(pattern.data());
    }
    ~CgroupTest() override { std::filesystem::remove_all(root_); }

    void write(const std::string& path, const std::string& text) {
        const std::filesystem::path file = root_ + "/" + path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    // A line of mountinfo for a hierarchy whose group `root` is visible at <temporary>/`point`.
    std::string mount(const std::string& root, const std::string& point, const std::string& type,
                      const std::string& options) {
        return "31 23 0:28 " + root + " " + root_ + "/" + point + " rw,relatime shared:9 - " +
               type + " " + type + " " + options + "\n";
    }
    CgroupLimits limits() const { return read_cgroup_limits(root_ + "/proc"); }

  private:
    std::string root_;
};

// A machine without control groups must not be limited by what is not there.
TEST_F(CgroupTest, NothingThereLimitsNothing) {
    EXPECT_EQ(limits().memory_bytes, CgroupLimits::kNone);
    EXPECT_EQ(limits().cpu_milli, CgroupLimits::kNone);
    write("proc/self/cgroup", "0::/\n");
    write("proc/self/mountinfo", "1 1 8:1 / / rw - ext4 /dev/sda1 rw\nshort line\n- - -\n");
    EXPECT_EQ(limits().memory_bytes, CgroupLimits::kNone);
    EXPECT_EQ(limits().cpu_milli, CgroupLimits::kNone);
}

// A v2 limit set on any parent binds the job too; missing one would start too many spinning PEs.
TEST_F(CgroupTest, V2TakesTheTightestLevel) {
    write("proc/self/cgroup", "0::/slurm/job7/step0\n");
    write("proc/self/mountinfo", mount("/", "cg", "cgroup2", "rw"));
    write("cg/slurm/job7/step0/memory.max", "max\n");
    write("cg/slurm/job7/step0/cpu.max", "max 100000\n");
    EXPECT_EQ(limits().memory_bytes, CgroupLimits::kNone);
    EXPECT_EQ(limits().cpu_milli, CgroupLimits::kNone);

    write("cg/slurm/job7/memory.max", std::to_string(4 * kGiB) + "\n");
    write("cg/slurm/memory.max", std::to_string(8 * kGiB) + "\n");
    write("cg/slurm/cpu.max", "150000 100000\n");
    EXPECT_EQ(limits().memory_bytes, 4 * kGiB);
    EXPECT_EQ(limits().cpu_milli, 1500u);

    write("cg/slurm/job7/step0/cpu.max", "1 100000\n");
    EXPECT_EQ(limits().cpu_milli, 1u) << "a tiny quota is not no quota";
}

// Inside a container the group is the top of what is mounted.
TEST_F(CgroupTest, V2InsideItsOwnNamespace) {
    write("proc/self/cgroup", "0::/\n");
    write("proc/self/mountinfo", mount("/", "cg", "cgroup2", "rw,nsdelegate"));
    write("cg/memory.max", std::to_string(kGiB) + "\n");
    write("cg/cpu.max", "400000 100000\n");
    EXPECT_EQ(limits().memory_bytes, kGiB);
    EXPECT_EQ(limits().cpu_milli, 4000u);
}

// v1 has one tree for each controller, named in the mount's options.
TEST_F(CgroupTest, V1ReadsEachControllerInItsTree) {
    write("proc/self/cgroup", "5:memory:/a/b\n4:cpu,cpuacct:/c\n3:cpuset:/d\n1:name=systemd:/e\n");
    write("proc/self/mountinfo", mount("/", "cg/memory", "cgroup", "rw,memory") +
                                     mount("/", "cg/cpu,cpuacct", "cgroup", "rw,cpu,cpuacct") +
                                     mount("/", "cg/cpuset", "cgroup", "rw,cpuset"));
    write("cg/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    write("cg/cpu,cpuacct/c/cpu.cfs_quota_us", "-1\n");
    write("cg/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(limits().memory_bytes, CgroupLimits::kNone);
    EXPECT_EQ(limits().cpu_milli, CgroupLimits::kNone);

    write("cg/memory/a/memory.limit_in_bytes", std::to_string(2 * kGiB) + "\n");
    write("cg/cpu,cpuacct/c/cpu.cfs_quota_us", "250000\n");
    EXPECT_EQ(limits().memory_bytes, 2 * kGiB);
    EXPECT_EQ(limits().cpu_milli, 2500u);
}

// A container without a cgroup namespace sees the host's path, but only its own part is mounted.
TEST_F(CgroupTest, V1PartOfATreeIsMounted) {
    write("proc/self/cgroup", "5:memory:/docker/0123/inner\n4:cpu:/docker/0123456\n");
    write("proc/self/mountinfo", mount("/docker/0123", "memory", "cgroup", "rw,memory") +
                                     mount("/docker/0123", "cpu", "cgroup", "rw,cpu"));
    write("memory/memory.limit_in_bytes", std::to_string(3 * kGiB) + "\n");
    write("memory/inner/memory.limit_in_bytes", std::to_string(2 * kGiB) + "\n");
    write("cpu/cpu.cfs_quota_us", "300000\n");
    write("cpu/cpu.cfs_period_us", "100000\n");
    write("cpu456/cpu.cfs_quota_us", "100000\n");
    write("cpu456/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(limits().memory_bytes, 2 * kGiB);
    EXPECT_EQ(limits().cpu_milli, 3000u) << "another container whose name begins alike";
}

// With v1 and v2 side by side a controller is in one of them, and the other says nothing.
TEST_F(CgroupTest, HybridReadsBoth) {
    write("proc/self/cgroup", "4:memory:/job\n0::/user\n");
    write("proc/self/mountinfo",
          mount("/", "v1/memory", "cgroup", "rw,memory") + mount("/", "v2", "cgroup2", "rw"));
    write("v1/memory/job/memory.limit_in_bytes", std::to_string(kGiB) + "\n");
    write("v2/user/cpu.max", "200000 50000\n");
    EXPECT_EQ(limits().memory_bytes, kGiB);
    EXPECT_EQ(limits().cpu_milli, 4000u);
}

// The kernel shows a group above our namespace as "/.."; a path built from it would escape the
// tree.
TEST_F(CgroupTest, GroupAboveTheNamespaceIsNotFollowed) {
    write("proc/self/cgroup", "0::/../other\n");
    write("proc/self/mountinfo", mount("/", "cg/mine", "cgroup2", "rw"));
    write("cg/other/memory.max", std::to_string(kGiB) + "\n");
    write("cg/mine/memory.max", std::to_string(2 * kGiB) + "\n");
    EXPECT_EQ(limits().memory_bytes, 2 * kGiB);
}

// mountinfo writes a blank in a path as \040.
TEST_F(CgroupTest, MountPointWithABlank) {
    write("proc/self/cgroup", "0::/job\n");
    write("proc/self/mountinfo", mount("/", "c\\040g", "cgroup2", "rw"));
    write("c g/job/memory.max", std::to_string(kGiB) + "\n");
    EXPECT_EQ(limits().memory_bytes, kGiB);
}

// Damaged numbers must not become tiny limits.
TEST_F(CgroupTest, NonsenseLimitsNothing) {
    write("proc/self/cgroup", "garbage\n:\n0::/job\n");
    write("proc/self/mountinfo", mount("/", "cg", "cgroup2", "rw"));
    write("cg/job/memory.max", "many\n");
    for (const char* text :
         {"100000 0\n", "0 100000\n", "100000\n", "", "x y\n", "99999999999999999999 100000\n"}) {
        write("cg/job/cpu.max", text);
        EXPECT_EQ(limits().cpu_milli, CgroupLimits::kNone) << text;
    }
    EXPECT_EQ(limits().memory_bytes, CgroupLimits::kNone);

    write("proc/self/cgroup", "0::no/slash/first\n");
    EXPECT_EQ(limits().memory_bytes, CgroupLimits::kNone);
}

// A group without room for another process: starts fail with EAGAIN, which --doctor must explain.
TEST_F(CgroupTest, TasksThatMayStillStart) {
    write("proc/self/cgroup", "8:pids:/job7/step0\n0::/job7\n");
    write("proc/self/mountinfo",
          mount("/", "p", "cgroup", "rw,pids") + mount("/", "u", "cgroup2", "rw"));
    EXPECT_EQ(limits().new_tasks, CgroupLimits::kNone);
    write("p/job7/step0/pids.max", "max\n");
    write("p/job7/step0/pids.current", "5\n");
    EXPECT_EQ(limits().new_tasks, CgroupLimits::kNone);
    write("p/job7/pids.max", "100\n");
    write("p/job7/pids.current", "40\n");
    EXPECT_EQ(limits().new_tasks, 60U);
    write("u/job7/pids.max", "8\n");
    write("u/job7/pids.current", "9\n");
    EXPECT_EQ(limits().new_tasks, 0U);
}

}  // namespace
}  // namespace tessera::topology
