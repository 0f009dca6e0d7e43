// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when oshrun leaves hosts of an allocation unused, takes hosts that are not its own, or
// does not say what is missing.
#include "tools/oshrun/launcher_choice.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace tessera::oshrun {
namespace {

using Variables = std::map<std::string, std::string>;
using Programs = std::set<std::string>;

const Variables kTwoNodes = {{"SLURM_JOB_NUM_NODES", "2"}};
const Programs kAll = {"srun", "mpirun", "prterun"};

struct Case {
    Launcher wish = Launcher::kAuto;
    bool has_hosts = false;
    Variables variables = {};
    Programs programs = {};
};

struct Choice {
    Launcher launcher;
    std::string error;
};

Choice choose(const Case& given) {
    Options options;
    options.launcher = given.wish;
    if (given.has_hosts) options.hosts = {{.name = "a", .slots = 0}};
    Surroundings surroundings{
        .variable =
            [&](const char* name) {
                auto found = given.variables.find(name);
                return found == given.variables.end() ? nullptr : found->second.c_str();
            },
        .has_program = [&](const std::string& name) { return given.programs.contains(name); }};
    Choice choice{};
    choice.launcher = choose_launcher(options, surroundings, choice.error);
    return choice;
}

// The name of the launcher, or "!" and a word of the complaint that must be there.
void expect(const std::string& expected, const Case& given) {
    Choice choice = choose(given);
    if (expected[0] != '!') {
        EXPECT_EQ(choice.error, "");
        EXPECT_EQ(launcher_name(choice.launcher), expected);
    } else {
        EXPECT_NE(choice.error.find(expected.substr(1)), std::string::npos)
            << expected << ": " << choice.error;
    }
}

TEST(LauncherChoice, OneHostNeedsNoLauncher) {
    expect("local", {});
    expect("local", {.programs = kAll});
    expect("local", {.variables = {{"SLURM_JOB_NUM_NODES", "1"}}, .programs = kAll});
}

TEST(LauncherChoice, AnAllocationOfSeveralNodesIsUsed) {
    expect("srun", {.variables = kTwoNodes, .programs = kAll});
    expect("srun", {.variables = {{"SLURM_NNODES", "3"}}, .programs = kAll});
    expect("!--launcher local", {.variables = kTwoNodes, .programs = {"mpirun"}});
    // A batch script and a shell of salloc have a step that is none.
    for (const char* step : {"4294967291", "4294967290"}) {
        expect("srun",
               {.variables = {{"SLURM_NNODES", "3"}, {"SLURM_STEP_ID", step}}, .programs = kAll});
    }
}

TEST(LauncherChoice, TasksOfAJobStayWhereTheyAre) {
    expect("local",
           {.variables = {{"SLURM_NNODES", "3"}, {"SLURM_STEP_ID", "0"}}, .programs = kAll});
    expect("local", {.variables = {{"SLURM_NNODES", "3"}, {"PMIX_RANK", "0"}}, .programs = kAll});
}

TEST(LauncherChoice, HostsGoToMpirun) {
    expect("prterun", {.has_hosts = true, .programs = kAll});
    expect("mpirun", {.has_hosts = true, .programs = {"mpirun", "srun"}});
    expect("mpirun", {.has_hosts = true, .variables = kTwoNodes, .programs = {"mpirun", "srun"}});
    expect("srun", {.has_hosts = true, .variables = kTwoNodes, .programs = {"srun"}});
    expect("!openmpi-bin", {.has_hosts = true, .programs = {"srun"}});
    expect("!prterun", {.has_hosts = true});
}

TEST(LauncherChoice, TheUsersWishCounts) {
    expect("local", {.wish = Launcher::kLocal, .variables = kTwoNodes, .programs = kAll});
    expect("mpirun", {.wish = Launcher::kMpirun, .variables = kTwoNodes, .programs = kAll});
    expect("prterun", {.wish = Launcher::kPrterun, .programs = kAll});
    expect("srun", {.wish = Launcher::kSrun, .has_hosts = true, .programs = kAll});
    expect("!no srun", {.wish = Launcher::kSrun, .programs = {"mpirun"}});
    expect("!no mpirun", {.wish = Launcher::kMpirun, .programs = {"srun"}});
    expect("!no prterun", {.wish = Launcher::kPrterun, .programs = {"srun"}});
    expect("!--host", {.wish = Launcher::kLocal, .has_hosts = true, .programs = kAll});
}

}  // namespace
}  // namespace tessera::oshrun
