// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an option of oshrun is lost or changes its meaning on its way to another launcher.
#include "tools/oshrun/launcher_command.hpp"

#include <gtest/gtest.h>

namespace tessera::oshrun {
namespace {

using topology::BindTo;
using topology::MapBy;

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

Options options_of(int npes, std::vector<std::string> command = {"./a.out", "x"}) {
    Options options;
    options.apps.push_back({.npes = npes, .directory = {}, .command = std::move(command)});
    return options;
}

Options everything() {
    Options options = options_of(4);
    options.apps[0].directory = "/w";
    options.hosts = {{.name = "a", .slots = 2}, {.name = "b", .slots = 0}};
    options.exports = {{"MINE", "1"}, {"SHMEM_DEBUG", "1"}};
    options.placement.bind_to = BindTo::kNuma;
    options.placement.map_by = MapBy::kNode;
    options.tag_output = true;
    options.timeout_seconds = 2.5;
    return options;
}

std::string mpirun(const Options& options, const CommandContext& context = {}) {
    return joined(mpirun_command("mpirun", options, context));
}

std::string srun(const Options& options) {
    return joined(srun_command(options, {.variable_names = {}, .program_list_path = "/list"}));
}

constexpr const char* kSrun =
    "srun --mpi=pmix --export=ALL --input=0 --kill-on-bad-exit=1 --overcommit ";

TEST(Mpirun, KindsAreTold) {
    EXPECT_EQ(mpirun_kind("mpirun (Open MPI) 4.1.4\n\nReport bugs to"), MpirunKind::kOpenMpi4);
    EXPECT_EQ(mpirun_kind("mpirun (Open MPI) 5.0.3\n"), MpirunKind::kPrrte);
    EXPECT_EQ(mpirun_kind("prterun (PRRTE) 3.0.3\n"), MpirunKind::kPrrte);
    EXPECT_EQ(mpirun_kind("HYDRA build details:\n    Version: 4.0.2"), MpirunKind::kUnknown);
    EXPECT_EQ(mpirun_kind(""), MpirunKind::kUnknown);
}

TEST(Mpirun, GetsWhatIsNeededAndNoMore) {
    EXPECT_EQ(mpirun(options_of(3)), "mpirun --map-by slot:OVERSUBSCRIBE -n 3 ./a.out x");
    EXPECT_EQ(mpirun(options_of(0)), "mpirun --map-by slot:OVERSUBSCRIBE ./a.out x");
    EXPECT_EQ(mpirun(options_of(1), {.is_root = true,
                                     .variable_names = {"HOME", "SHMEM_INFO", "TESSERA_JOB", "PATH",
                                                        "SHMEMX", "FI_PROVIDER"},
                                     .program_list_path = {}}),
              "mpirun --allow-run-as-root --map-by slot:OVERSUBSCRIBE -x FI_PROVIDER -x PATH -x "
              "SHMEM_INFO -n 1 ./a.out x");
}

TEST(Mpirun, GetsEverything) {
    EXPECT_EQ(
        mpirun(everything(), {.variable_names = {"SHMEM_DEBUG"}, .program_list_path = {}}),
        "timeout --foreground --verbose --kill-after=10 2.500000 mpirun --host a:2,b --mca "
        "oob_tcp_keepalive_time 2 --mca oob_tcp_keepalive_intvl 1 --mca oob_tcp_keepalive_probes 3 "
        "--map-by node:OVERSUBSCRIBE --bind-to numa --tag-output -x MINE -x SHMEM_DEBUG -n 4 "
        "--wdir /w ./a.out x");
    EXPECT_NE(
        mpirun(everything(),
               {.mpirun_kind = MpirunKind::kPrrte, .variable_names = {}, .program_list_path = {}})
            .find("--output tag"),
        std::string::npos);
}

TEST(Mpirun, NoticesALostHost) {
    CommandContext context;
    context.variable_names = {"OMPI_MCA_oob_tcp_keepalive_intvl"};
    EXPECT_NE(mpirun(everything(), context)
                  .find(" --mca oob_tcp_keepalive_time 2 --mca oob_tcp_keepalive_probes 3 "),
              std::string::npos)
        << "what the user has set counts";
    EXPECT_EQ(mpirun(options_of(2), context).find("oob"), std::string::npos) << "one host";
    context.mpirun_kind = MpirunKind::kPrrte;
    EXPECT_EQ(mpirun(everything(), context).find("oob"), std::string::npos);
}

TEST(Mpirun, MapsAsOshrunDoes) {
    Options options = options_of(2);
    options.placement.map_by = MapBy::kNuma;
    EXPECT_NE(mpirun(options).find("--map-by numa:OVERSUBSCRIBE"), std::string::npos);
    options.placement.pes_per_host = 3;
    EXPECT_NE(mpirun(options).find("--map-by ppr:3:node:OVERSUBSCRIBE"), std::string::npos);
    options.placement.bind_to = BindTo::kCore;
    EXPECT_NE(mpirun(options).find("--bind-to core"), std::string::npos);
    options.placement.bind_to = BindTo::kNone;
    EXPECT_NE(mpirun(options).find("--bind-to none"), std::string::npos);
    options.placement.bind_to = BindTo::kPackage;
    options.report_bindings = true;
    EXPECT_NE(mpirun(options).find("--bind-to socket --report-bindings"), std::string::npos);
}

TEST(Mpirun, GetsWhatScriptsOfOthersAsk) {
    Options options = options_of(2);
    options.placement.map_by = MapBy::kPackage;
    options.placement.pes_per_part = 2;
    options.placement.cores_per_pe = 4;
    options.placement.bind_to = BindTo::kHwthread;
    options.timestamp_output = true;
    options.input_pe = 1;
    options.output_file = "/w/out";
    options.mca = {{"btl", "^openib"}};
    EXPECT_EQ(mpirun(options),
              "mpirun --map-by ppr:2:socket:PE=4:OVERSUBSCRIBE --bind-to hwthread "
              "--timestamp-output --output-filename /w/out:nocopy --stdin 1 --mca btl ^openib -n 2 "
              "./a.out x");
    options.tag_output = true;
    options.input_pe = kNoInput;
    EXPECT_NE(
        mpirun(options,
               {.mpirun_kind = MpirunKind::kPrrte, .variable_names = {}, .program_list_path = {}})
            .find("--output tag,timestamp --output-filename /w/out:nocopy --stdin none"),
        std::string::npos);
}

TEST(Mpirun, StartsSeveralPrograms) {
    Options options = options_of(1);
    options.apps.push_back({.npes = 2, .directory = "/w", .command = {"./b", "a b"}});
    EXPECT_EQ(mpirun(options),
              "mpirun --map-by slot:OVERSUBSCRIBE -n 1 ./a.out x : -n 2 --wdir /w ./b a b");
}

TEST(Srun, GetsWhatIsNeededAndNoMore) {
    EXPECT_EQ(srun(options_of(3)), kSrun + std::string("-n 3 --distribution=block ./a.out x"));
    EXPECT_EQ(srun(options_of(0)), kSrun + std::string("--distribution=block ./a.out x"));
}

TEST(Srun, GetsEverything) {
    EXPECT_EQ(srun(everything()),
              "timeout --foreground --verbose --kill-after=10 2.500000 " + std::string(kSrun) +
                  "-n 4 --distribution=arbitrary --nodelist=a,b,a,a --cpu-bind=ldoms --label "
                  "--chdir=/w ./a.out x");
}

TEST(Srun, MapsAsOshrunDoes) {
    Options options = options_of(2);
    options.placement.map_by = MapBy::kNuma;
    EXPECT_NE(srun(options).find("--distribution=block:cyclic"), std::string::npos);
    options.placement.map_by = MapBy::kNode;
    options.placement.pes_per_host = 3;
    options.placement.bind_to = BindTo::kCore;
    EXPECT_NE(srun(options).find("--distribution=cyclic --ntasks-per-node=3 --cpu-bind=cores"),
              std::string::npos);
    options.placement.bind_to = BindTo::kNone;
    EXPECT_NE(srun(options).find("--cpu-bind=none"), std::string::npos);
    options.placement.bind_to = BindTo::kPackage;
    options.report_bindings = true;
    EXPECT_NE(srun(options).find("--cpu-bind=verbose,sockets"), std::string::npos);
}

TEST(Srun, GetsWhatScriptsOfOthersAsk) {
    Options options = options_of(2);
    options.placement.cores_per_pe = 4;
    options.placement.bind_to = BindTo::kHwthread;
    options.input_pe = kNoInput;
    options.output_file = "out.%r";
    options.error_file = "err";
    options.mca = {{"btl", "self"}};
    EXPECT_EQ(srun(options),
              "srun --mpi=pmix --export=ALL --input=none --kill-on-bad-exit=1 --overcommit -n 2 "
              "--distribution=block --cpus-per-task=4 --cpu-bind=threads --output=out.%t "
              "--error=err.%t ./a.out x");
}

TEST(Handover, NothingIsLostInSilence) {
    Options options = options_of(2);
    EXPECT_EQ(lost_in_handover(options, Launcher::kSrun), "");
    options.timestamp_output = true;
    EXPECT_NE(lost_in_handover(options, Launcher::kSrun), "");
    EXPECT_EQ(lost_in_handover(options, Launcher::kMpirun), "");
    options.error_file = "e";
    EXPECT_NE(lost_in_handover(options, Launcher::kMpirun), "");
    options = options_of(2);
    options.debug = true;
    EXPECT_NE(lost_in_handover(options, Launcher::kPrterun), "");
}

TEST(Srun, StartsSeveralPrograms) {
    Options options = options_of(1);
    options.apps.push_back({.npes = 2, .directory = {}, .command = {"./b", "-y"}});
    EXPECT_EQ(srun(options), kSrun + std::string("-n 3 --distribution=block --multi-prog /list"));
    std::string list;
    EXPECT_EQ(srun_program_list(options.apps, list), "");
    EXPECT_EQ(list, "0-0 ./a.out x\n1-2 ./b -y\n");
}

TEST(Srun, RefusesProgramsThatItsListCannotHold) {
    for (const char* word : {"", "a b", "a\tb", "it's", "\"", "%t", "a\\b", "#", "*"}) {
        Options options = options_of(1, {"./a.out", word});
        std::string list;
        EXPECT_NE(srun_program_list(options.apps, list), "") << word;
    }
    Options options = options_of(1);
    options.apps.push_back({.npes = 2, .directory = "/w", .command = {"./b"}});
    std::string list;
    EXPECT_NE(srun_program_list(options.apps, list).find("--wdir"), std::string::npos);
}

TEST(Variables, TheUsersGoEverywhereAndOursDoNot) {
    for (const char* name : {"SHMEM_DEBUG", "SMA_INFO", "FI_TCP_IFACE", "PATH", "LD_LIBRARY_PATH",
                             "LD_PRELOAD", "OMP_NUM_THREADS", "ASAN_OPTIONS"}) {
        EXPECT_TRUE(is_for_all_hosts(name)) << name;
    }
    for (const char* name : {"TESSERA_JOB", "HOME", "HOSTNAME", "PMIX_RANK", "TMPDIR", "DISPLAY"})
        EXPECT_FALSE(is_for_all_hosts(name)) << name;
}

}  // namespace
}  // namespace tessera::oshrun
