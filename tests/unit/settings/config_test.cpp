// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a variable is read from the wrong name, a bad value passes, the deprecated name wins,
// or two PEs with different settings have the same digest.
#include "settings/config.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

namespace tessera {
namespace {

using Environment = std::map<std::string, std::string>;

Config load(const Environment& environment, std::string& error) {
    return load_config(
        [&](const char* name) {
            auto found = environment.find(name);
            return found == environment.end() ? nullptr : found->second.c_str();
        },
        error);
}

Config load(const Environment& environment) {
    std::string error;
    Config config = load(environment, error);
    EXPECT_EQ(error, "");
    return config;
}

std::string error_of(const Environment& environment) {
    std::string error;
    load(environment, error);
    return error;
}

const Variable& variable(std::string_view name) {
    for (const Variable& candidate : variables()) {
        if (candidate.name == name) return candidate;
    }
    ADD_FAILURE() << "no variable " << name;
    return variables()[0];
}

std::string fabric_value(const Config& config, std::string_view name) {
    return value_text(config, variable(name));
}

TEST(Config, DefaultsComeFromTheStruct) {
    Config config = load({});
    EXPECT_FALSE(config.version);
    EXPECT_FALSE(config.info);
    EXPECT_FALSE(config.debug);
    EXPECT_EQ(config.symmetric_size, 0U);
    EXPECT_EQ(config.team_memory_size, 0U);
    EXPECT_EQ(config.local_memory_size, 0U);
    EXPECT_TRUE(config.huge_pages);
    EXPECT_EQ(fabric_value(config, "SHMEM_OFI_ADMISSION"), "on");
    EXPECT_EQ(config.fabric, FabricChoice::kAuto);
    EXPECT_EQ(config.static_data, StaticDataMode::kShared);
    for (AlgorithmSetting algorithm : config.algorithms) EXPECT_TRUE(algorithm.is_auto());
    EXPECT_EQ(config.virtual_nodes.value, 1U);
    for (const char* name : {"PROVIDER", "FABRIC", "DOMAIN", "INTERFACE"})
        EXPECT_EQ(fabric_value(config, std::string("SHMEM_OFI_") + name), "");
    EXPECT_FALSE(config.reduce_reproducible);
    EXPECT_EQ(config.profile, "");
    EXPECT_EQ(config.amo_path, AmoPath::kAuto);
    EXPECT_EQ(config.progress, ProgressMode{});
    EXPECT_EQ(config.network_timeout.value, 60U);
    EXPECT_EQ(config.log, SubsystemSet{});
    for (const Variable& row : variables()) EXPECT_EQ(origin_of(config, row), Origin::kDefault);
}

// A value that is not the default, for each variable.
const Environment kEveryVariable = {
    {"SHMEM_VERSION", "1"},
    {"SHMEM_INFO", "yes"},
    {"SHMEM_DEBUG", "whatever"},
    {"SHMEM_SYMMETRIC_SIZE", "3.1M"},
    {"SHMEM_TEAM_MEMORY_SIZE", "5M"},
    {"SHMEM_LOCAL_MEMORY_SIZE", "6K"},
    {"SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES", "no"},
    {"SHMEM_SEGMENT_PAGES", "no"},
    {"SHMEM_STATIC_DATA", "cma"},
    {"SHMEM_BARRIER_ALGORITHM", "Dissemination"},
    {"SHMEM_BROADCAST_ALGORITHM", "chain"},
    {"SHMEM_COLLECT_ALGORITHM", "linear"},
    {"SHMEM_FCOLLECT_ALGORITHM", "neighbor_exchange"},
    {"SHMEM_ALLTOALL_ALGORITHM", "pairwise"},
    {"SHMEM_SCAN_ALGORITHM", "direct"},
    {"SHMEM_REDUCE_ALGORITHM", "Bruck"},
    {"SHMEM_REDUCE_TO_ROOT_ALGORITHM", "hierarchical"},
    {"SHMEM_REDUCE_SCATTER_ALGORITHM", "exposed"},
    {"SHMEM_GATHER_ALGORITHM", "exposed"},
    {"SHMEM_SCATTER_ALGORITHM", "stream"},
    {"SHMEM_ALLGATHERV_ALGORITHM", "hierarchical"},
    {"SHMEM_ALLTOALLV_ALGORITHM", "stream"},
    {"SHMEM_REDUCE_REPRODUCIBLE", "1"},
    {"SHMEM_CHECK", "warn"},
    {"SHMEM_TRACE", "/a/trace"},
    {"SHMEM_TRACE_EVENTS", "100"},
    {"SHMEM_HANG_REPORT", "30"},
    {"SHMEM_BACKTRACE", "off"},
    {"SHMEM_DEBUGGER_WAIT", "9"},
    {"SHMEM_SHARED_COPIES", "Never"},
    {"SHMEM_PROFILE", "/a/profile"},
    {"SHMEM_VIRTUAL_NODES", "3"},
    {"SHMEM_FABRIC", "loopback"},
    {"SHMEM_OFI_PROVIDER", "tcp;ofi_rxm"},
    {"SHMEM_OFI_FABRIC", "a fabric"},
    {"SHMEM_OFI_DOMAIN", "a domain"},
    {"SHMEM_OFI_INTERFACE", "10.0.0.0/8"},
    {"SHMEM_OFI_ADMISSION", "off"},
    {"SHMEM_OFI_RMA", "off"},
    {"SHMEM_AMO_PATH", "am"},
    {"SHMEM_PROGRESS", "None"},
    {"SHMEM_HELPER_SIZE", "4K"},
    {"SHMEM_NETWORK_TIMEOUT", "0"},
    {"SHMEM_HEAP", "NonCoherent:/a/File"},
    {"SHMEM_HEAP_ADDRESS", "0x200000000000"},
    {"SHMEM_NONCOHERENT_SEED", "7"},
    {"SHMEM_LOG", "heap,setup"},
};

TEST(Config, EveryVariableSetsItsMember) {
    Config config = load(kEveryVariable);
    EXPECT_TRUE(config.version);
    EXPECT_TRUE(config.info);
    EXPECT_TRUE(config.debug);
    EXPECT_EQ(config.symmetric_size, 3250586U);
    EXPECT_EQ(config.team_memory_size, 5U << 20);
    EXPECT_EQ(config.local_memory_size, 6U << 10);
    EXPECT_FALSE(config.huge_pages);
    EXPECT_FALSE(config.segment_pages);
    EXPECT_EQ(config.heap_address.fixed, 0x2000'0000'0000U);
    EXPECT_EQ(config.static_data, StaticDataMode::kCma);
    EXPECT_EQ(value_text(config, variable_of(Collective::kBarrier)), "dissemination");
    EXPECT_EQ(value_text(config, variable_of(Collective::kBroadcast)), "chain");
    EXPECT_EQ(value_text(config, variable_of(Collective::kCollect)), "linear");
    EXPECT_EQ(value_text(config, variable_of(Collective::kFcollect)), "neighbor_exchange");
    EXPECT_EQ(value_text(config, variable_of(Collective::kAlltoall)), "pairwise");
    EXPECT_EQ(value_text(config, variable_of(Collective::kScan)), "direct");
    EXPECT_EQ(value_text(config, variable_of(Collective::kReduce)), "bruck");
    EXPECT_EQ(value_text(config, variable_of(Collective::kReduceToRoot)), "hierarchical");
    EXPECT_EQ(value_text(config, variable_of(Collective::kReduceScatter)), "exposed");
    EXPECT_EQ(value_text(config, variable_of(Collective::kGather)), "exposed");
    EXPECT_EQ(value_text(config, variable_of(Collective::kScatter)), "stream");
    EXPECT_EQ(value_text(config, variable_of(Collective::kAllgatherv)), "hierarchical");
    EXPECT_EQ(value_text(config, variable_of(Collective::kAlltoallv)), "stream");
    EXPECT_TRUE(config.reduce_reproducible);
    EXPECT_EQ(config.profile, "/a/profile");
    EXPECT_EQ(config.shared_copies, SharedCopies::kNever);
    EXPECT_EQ(config.virtual_nodes.value, 3U);
    EXPECT_EQ(value_text(config, variable("SHMEM_FABRIC")), "loopback");
    EXPECT_EQ(config.amo_path, AmoPath::kAm);
    EXPECT_EQ(config.network_timeout.value, 0U);
    EXPECT_TRUE(config.log.has(Subsystem::kHeap));
    EXPECT_TRUE(config.log.has(Subsystem::kSetup));
    EXPECT_FALSE(config.log.has(Subsystem::kLaunch));
    EXPECT_EQ(config.check, "warn");
    EXPECT_EQ(config.trace, "/a/trace");
    EXPECT_EQ(config.trace_events.value, 100U);
    EXPECT_EQ(config.hang_report.value, 30U);
    EXPECT_FALSE(config.backtrace);
    EXPECT_EQ(config.debugger_wait.value, 9U);
    for (const Variable& row : variables()) {
        if (std::holds_alternative<bool Config::*>(row.field)) continue;  // The next test.
        EXPECT_EQ(origin_of(config, row), Origin::kEnvironment) << row.name;
    }
}

TEST(Config, FabricsFindTheirValues) {
    Config config = load({{"SHMEM_OFI_PROVIDER", "tcp;ofi_rxm"},
                          {"SHMEM_OFI_FABRIC", "a fabric"},
                          {"SHMEM_OFI_DOMAIN", "a domain"},
                          {"SHMEM_OFI_INTERFACE", "10.0.0.0/8"},
                          {"SHMEM_OFI_ADMISSION", "off"}});
    EXPECT_EQ(fabric_value(config, "SHMEM_OFI_PROVIDER"), "tcp;ofi_rxm");
    EXPECT_EQ(fabric_value(config, "SHMEM_OFI_FABRIC"), "a fabric");
    EXPECT_EQ(fabric_value(config, "SHMEM_OFI_DOMAIN"), "a domain");
    EXPECT_EQ(fabric_value(config, "SHMEM_OFI_INTERFACE"), "10.0.0.0/8");
    EXPECT_EQ(fabric_value(config, "SHMEM_OFI_ADMISSION"), "off");
}

TEST(Config, EveryBooleanSetsItsMember) {
    for (const Variable& row : variables()) {
        if (!std::holds_alternative<bool Config::*>(row.field)) continue;
        for (const char* value : {"on", "off"}) {
            const Config config = load({{row.name.data(), value}});
            EXPECT_EQ(value_text(config, row), value) << row.name;
            EXPECT_EQ(origin_of(config, row), Origin::kEnvironment) << row.name;
        }
    }
}

TEST(Config, ProgressModes) {
    EXPECT_EQ(load({{"SHMEM_PROGRESS", "None"}}).progress.kind, Progress::kNone);
    EXPECT_EQ(load({{"SHMEM_HELPER_SIZE", "4K"}}).helper_size, 4096U);
    for (const char* text : {"auto", "thread", "none", "helpers:1", "helpers:64", "helpers:3!"}) {
        const auto mode = parse_progress(text);
        ASSERT_TRUE(mode.has_value()) << text;
        EXPECT_EQ(print_progress(*mode), text);
    }
    EXPECT_EQ(print_progress(*parse_progress("HELPERS")), "helpers:1");
    EXPECT_EQ(print_progress(*parse_progress("helpers!")), "helpers:1!");
    for (const char* bad : {"", "helpers:", "helpers:0", "helpers:65", "helpers:1x", "helpers!2",
                            "thread!", "none:1", "auto:"}) {
        EXPECT_FALSE(parse_progress(bad).has_value()) << bad;
    }
}

TEST(Config, HeapModes) {
    const Config config =
        load({{"SHMEM_HEAP", "NonCoherent:/a/File"}, {"SHMEM_NONCOHERENT_SEED", "7"}});
    EXPECT_EQ(value_text(config, variable("SHMEM_HEAP")), "noncoherent:/a/File");
    EXPECT_EQ(config.eviction_seed.value, 7U);
    EXPECT_TRUE(parse_heap_mode("Shared")->is_coherent());
    EXPECT_EQ(parse_heap_mode("noncoherent-Emulated")->kind, HeapKind::kEmulated);
    EXPECT_EQ(parse_heap_mode("noncoherent:/dev/dax0.0")->path, "/dev/dax0.0");
    for (const char* bad :
         {"", "noncoherent", "noncoherent:", "noncoherent-emulated2", "sharedx"}) {
        EXPECT_FALSE(parse_heap_mode(bad).has_value()) << bad;
    }
}

// The rows of a fabric are checked like any other.
TEST(Config, ValuesOfFabricsAreChecked) {
    EXPECT_NE(error_of({{"SHMEM_OFI_ADMISSION", "perhaps"}}), "");
    EXPECT_NE(error_of({{"SHMEM_FABRIC", "pigeon"}}).find("allowed: auto, ofi, loopback"),
              std::string::npos);
}

TEST(Config, SwitchesAreOnByAnyValueButOff) {
    for (const char* on : {"1", "yes", "true", "ON", "y", "2", "please"})
        EXPECT_TRUE(load({{"SHMEM_DEBUG", on}}).debug) << on;
    for (const char* off : {"", "0", "no", "off", "False", "N"})
        EXPECT_FALSE(load({{"SHMEM_DEBUG", off}}).debug) << off;
}

TEST(Config, DeprecatedNamesCountUnlessTheNewNameIsSet) {
    Config config = load({{"SMA_SYMMETRIC_SIZE", "2k"}});
    EXPECT_EQ(config.symmetric_size, 2048U);
    EXPECT_EQ(origin_of(config, variable("SHMEM_SYMMETRIC_SIZE")), Origin::kOtherName);
    config = load({{"SMA_SYMMETRIC_SIZE", "2k"}, {"SHMEM_SYMMETRIC_SIZE", "1k"}});
    EXPECT_EQ(config.symmetric_size, 1024U);
    EXPECT_EQ(origin_of(config, variable("SHMEM_SYMMETRIC_SIZE")), Origin::kEnvironment);
    EXPECT_FALSE(load({{"SMA_DEBUG", "1"}, {"SHMEM_DEBUG", ""}}).debug);
    EXPECT_TRUE(load({{"SMA_INFO", "1"}, {"SMA_VERSION", "1"}, {"SMA_DEBUG", "1"}}).info);
    EXPECT_EQ(load({{"SMA_STATIC_DATA", "cma"}}).static_data, StaticDataMode::kShared);
}

TEST(Config, EmptyValuesAreNoValues) {
    Config config = load({{"SHMEM_SYMMETRIC_SIZE", ""},
                          {"SHMEM_STATIC_DATA", ""},
                          {"SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES", ""},
                          {"SHMEM_LOG", ""}});
    EXPECT_TRUE(config.huge_pages);
    EXPECT_EQ(origin_of(config, variable("SHMEM_STATIC_DATA")), Origin::kDefault);
}

TEST(Config, ErrorsNameVariableValueAndWhatIsAllowed) {
    EXPECT_EQ(error_of({{"SHMEM_AMO_PATH", "ring"}}),
              "SHMEM_AMO_PATH=ring is not a valid setting; allowed: auto, am, fabric");
    EXPECT_NE(error_of({{"SMA_SYMMETRIC_SIZE", "-1"}}).find("SMA_SYMMETRIC_SIZE=-1"),
              std::string::npos);
    EXPECT_NE(error_of({{"SHMEM_LOG", "heap,disk"}}).find("setup, launch, heap"),
              std::string::npos);
    for (const char* name :
         {"SHMEM_SYMMETRIC_SIZE", "SHMEM_TEAM_MEMORY_SIZE", "SHMEM_LOCAL_MEMORY_SIZE",
          "SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES", "SHMEM_STATIC_DATA", "SHMEM_VIRTUAL_NODES",
          "SHMEM_AMO_PATH", "SHMEM_PROGRESS", "SHMEM_SHARED_COPIES", "SHMEM_NETWORK_TIMEOUT",
          "SHMEM_LOG"}) {
        EXPECT_NE(error_of({{name, "quatsch"}}).find(name), std::string::npos) << name;
    }
}

TEST(Config, UnknownAlgorithmsAreAutoWithAWarning) {
    Config config = load({{"SHMEM_BARRIER_ALGORITHM", "ring"}, {"SHMEM_REDUCE_ALGO", "binomial"}});
    EXPECT_TRUE(config.algorithm(Collective::kBarrier).is_auto());
    EXPECT_EQ(origin_of(config, variable("SHMEM_BARRIER_ALGORITHM")), Origin::kDefault);
    ASSERT_EQ(config.warnings.size(), 2U);
    EXPECT_EQ(config.warnings[0],
              "SHMEM_BARRIER_ALGORITHM=ring is not a valid setting; allowed: auto, central, "
              "dissemination, kway_dissemination, hierarchical, stream; taking auto");
    EXPECT_NE(config.warnings[1].find("SHMEM_REDUCE_ALGO=binomial "), std::string::npos);
    for (const Variable& row : variables()) {
        if (!std::holds_alternative<Collective>(row.field)) continue;
        EXPECT_EQ(load({{std::string(row.name), "quatsch"}}).warnings.size(), 1U) << row.name;
    }
    EXPECT_TRUE(load({{"SHMEM_BARRIER_ALGORITHM", "central"}}).warnings.empty());
}

TEST(Config, AlgorithmsMayHaveTheirNamesInOtherLibraries) {
    EXPECT_EQ(value_text(load({{"SHMEM_BARRIER_ALGORITHM", "Dissem"}}),
                         variable("SHMEM_BARRIER_ALGORITHM")),
              "dissemination");
    for (const char* name : {"recdbl", "rec_dbl"}) {
        EXPECT_EQ(
            value_text(load({{"SHMEM_FCOLLECT_ALGO", name}}), variable("SHMEM_FCOLLECT_ALGORITHM")),
            "recursive_doubling");
    }
}

TEST(Config, OtherNamesSetTheirVariable) {
    for (const OtherName& other : other_names()) {
        const Variable& row = variable(other.variable);
        const std::vector<std::string> values = {"1", "linear", "ring", "direct", "central", "3M"};
        bool is_set = false;
        for (const std::string& value : values) {
            std::string error;
            Config config = load({{std::string(other.name), value}}, error);
            if (origin_of(config, row) != Origin::kOtherName) continue;
            is_set = true;
            EXPECT_EQ(found_name_of(config, row), other.name);
            EXPECT_NE(settings_text(config).find(" (environment, as " + std::string(other.name)),
                      std::string::npos);
            Config own = load({{std::string(other.name), value}, {std::string(row.name), ""}});
            EXPECT_EQ(origin_of(own, row), Origin::kDefault) << "the own name counts";
        }
        EXPECT_TRUE(is_set) << other.name;
        EXPECT_EQ(unknown_variable_text(other.name), "");
        EXPECT_FALSE(other.used_by.empty());
    }
    EXPECT_EQ(load({{"SHMEM_SYMMETRIC_HEAP_SIZE", "64M"}}).symmetric_size, 64U << 20);
    EXPECT_EQ(load({{"XT_SYMMETRIC_HEAP_SIZE", "1G"}, {"SMA_SYMMETRIC_SIZE", "2G"}}).symmetric_size,
              std::uint64_t{2} << 30)
        << "the earlier row";
}

TEST(ConfigDeathTest, BadValueEndsTheProcess) {
    EXPECT_EXIT(
        {
            ::setenv("SHMEM_STATIC_DATA", "nowhere", 1);
            config();
        },
        testing::ExitedWithCode(1), "SHMEM_STATIC_DATA=nowhere is not .* allowed: shared, cma");
}

TEST(Config, LoadsFromTheEnvironmentOnceAndStartsLogging) {
    ::setenv("SHMEM_LOG", "heap", 1);
    EXPECT_TRUE(config().log.has(Subsystem::kHeap));
    EXPECT_TRUE(log_enabled(Subsystem::kHeap));
    ::setenv("SHMEM_LOG", "setup", 1);
    EXPECT_FALSE(config().log.has(Subsystem::kSetup));
    ::unsetenv("SHMEM_LOG");
}

TEST(Config, PrintedValuesParseToTheSame) {
    Config config = load({{"SHMEM_DEBUG", "x"},
                          {"SHMEM_SYMMETRIC_SIZE", "1.5g"},
                          {"SHMEM_BARRIER_ALGORITHM", "central"},
                          {"SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES", "F"},
                          {"SHMEM_LOG", "all"}});
    Environment printed;
    for (const Variable& row : variables())
        printed[std::string(row.name)] = value_text(config, row);
    EXPECT_EQ(printed["SHMEM_SYMMETRIC_SIZE"], "1536M");
    Config again = load(printed);
    for (const Variable& row : variables())
        EXPECT_EQ(value_text(again, row), printed[std::string(row.name)]);
}

TEST(Config, SettingsTextTellsValueOriginAndOutcome) {
    Config config = load({{"SHMEM_STATIC_DATA", "cma"}, {"SMA_INFO", "1"}});
    Outcome outcomes[] = {{"SHMEM_BARRIER_ALGORITHM", "dissemination"}};
    std::string text = settings_text(config, outcomes);
    EXPECT_NE(text.find("SHMEM_STATIC_DATA=cma (environment)\n"), std::string::npos) << text;
    EXPECT_NE(text.find("SHMEM_INFO=on (environment, as SMA_INFO)\n"), std::string::npos) << text;
    EXPECT_NE(text.find("SHMEM_BARRIER_ALGORITHM=auto -> dissemination (default)\n"),
              std::string::npos)
        << text;
    for (const Variable& row : variables()) {
        EXPECT_NE(text.find(row.help), std::string::npos) << row.name;
        EXPECT_NE(text.find(allowed_text(row)), std::string::npos) << row.name;
    }
}

TEST(Config, DigestDependsOnWhatMustAgreeAndOnNothingElse) {
    std::set<std::uint64_t> digests = {settings_digest(load({}))};
    for (const Environment& different :
         {Environment{{"SHMEM_SYMMETRIC_SIZE", "1M"}}, Environment{{"SHMEM_STATIC_DATA", "cma"}},
          Environment{{"SHMEM_BARRIER_ALGORITHM", "central"}}, Environment{{"SHMEM_DEBUG", "1"}},
          Environment{{"SHMEM_VIRTUAL_NODES", "2"}}, Environment{{"SHMEM_OFI_PROVIDER", "tcp"}},
          Environment{{"SHMEM_TEAM_MEMORY_SIZE", "1M"}},
          Environment{{"SHMEM_LOCAL_MEMORY_SIZE", "1M"}}, Environment{{"SHMEM_AMO_PATH", "am"}},
          Environment{{"SHMEM_PROGRESS", "none"}}}) {
        EXPECT_TRUE(digests.insert(settings_digest(load(different))).second);
    }
    EXPECT_EQ(settings_digest(load({{"SHMEM_LOG", "all"}, {"SHMEM_INFO", "1"}})),
              settings_digest(load({})));
    EXPECT_EQ(settings_digest(load({{"SHMEM_SYMMETRIC_SIZE", "1024k"}})),
              settings_digest(load({{"SMA_SYMMETRIC_SIZE", "1M"}})));
}

TEST(Config, NamesAreUniqueAndDescribed) {
    std::set<std::string_view> names;
    for (const Variable& row : variables()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_EQ(row.name.substr(0, 6), "SHMEM_");
        EXPECT_FALSE(row.help.empty()) << row.name;
    }
    for (const OtherName& other : other_names()) {
        EXPECT_TRUE(names.insert(other.name).second) << other.name;
        EXPECT_EQ(variable(other.variable).name, other.variable);
    }
}

TEST(Config, DifferencesAreNamed) {
    Config mine = load({{"SHMEM_BARRIER_ALGORITHM", "central"}});
    auto difference = [&](const Environment& theirs) {
        return settings_difference(mine, setting_marks(load(theirs)), 7);
    };
    EXPECT_EQ(difference({}), "SHMEM_BARRIER_ALGORITHM is central here, but auto on PE 7");
    EXPECT_EQ(difference({{"SHMEM_BARRIER_ALGORITHM", "central"}, {"SHMEM_DEBUG", "1"}}),
              "SHMEM_DEBUG is off here, but on on PE 7");
    EXPECT_EQ(difference({{"SHMEM_BARRIER_ALGORITHM", "central"}, {"SHMEM_OFI_PROVIDER", "tcp"}}),
              "SHMEM_OFI_PROVIDER is not set here, but differs on PE 7");
    EXPECT_EQ(difference({{"SHMEM_BARRIER_ALGORITHM", "central"}, {"SHMEM_SYMMETRIC_SIZE", "2M"}}),
              "SHMEM_SYMMETRIC_SIZE is 0 here, but differs on PE 7");
    EXPECT_EQ(difference({{"SHMEM_BARRIER_ALGORITHM", "central"}, {"SHMEM_AMO_PATH", "am"}}),
              "SHMEM_AMO_PATH is auto here, but am on PE 7");
    EXPECT_EQ(difference({{"SHMEM_BARRIER_ALGORITHM", "central"}, {"SHMEM_PROGRESS", "helpers"}}),
              "SHMEM_PROGRESS is auto here, but differs on PE 7");
}

}  // namespace
}  // namespace tessera
