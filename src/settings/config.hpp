// SPDX-License-Identifier: BSD-3-Clause
//
// The user's settings: environment variables SHMEM_*, read once into one struct. A variable is one
// row of kVariables in config.cpp; parsing, SHMEM_INFO, osh_info and docs/run/environment.md all
// walk those rows. To add one: a member of Config, a row, and `osh_info --environment-markdown >
// docs/run/environment.md` (a test compares). Used by the library, oshrun and osh_info.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/log.hpp"
#include "base/setting_marks.hpp"
#include "heap/heap_address.hpp"
#include "heap/heap_mode.hpp"
#include "heap/static_data_mode.hpp"
#include "settings/config_parse.hpp"
#include "settings/progress_mode.hpp"
#include "transports/fabric_settings.hpp"

namespace tessera {

// The fabric between nodes, by its place among kFabricChoiceNames (transports/fabric_list.hpp).
enum class FabricChoice : std::uint8_t { kAuto };

// The collectives that have a choice of algorithms, and the setting of each.
enum class Collective : std::uint8_t {
    kBarrier,
    kBroadcast,
    kCollect,
    kFcollect,
    kAlltoall,
    kScan,
    kReduce,
    // These belong to the runtime layer only. Its other collectives share lists with those above:
    // allgather with fcollect, allreduce with reduce.
    kReduceToRoot,
    kReduceScatter,
    kGather,
    kScatter,
    kAllgatherv,
    kAlltoallv
};
inline constexpr std::size_t kCollectives = 13;
inline constexpr std::string_view kCollectiveNames[kCollectives] = {
    "barrier",        "broadcast",      "collect", "fcollect", "alltoall",   "scan",     "reduce",
    "reduce_to_root", "reduce_scatter", "gather",  "scatter",  "allgatherv", "alltoallv"};

// The values of SHMEM_<COLLECTIVE>_ALGORITHM: auto, then the collective's algorithms in the order
// of collectives/<collective>/list.cpp. collectives/choice.cpp defines it. Empty in oshrun, which
// has no algorithms: it takes any name, and the PEs check it.
Names algorithm_names(Collective collective);

// The algorithm that the user names, by its place among the names: 0 is auto.
struct AlgorithmSetting {
    std::uint8_t number = 0;
    bool is_auto() const { return number == 0; }
    std::size_t index() const { return number - std::size_t{1}; }
    bool operator==(const AlgorithmSetting&) const = default;
};

// How atomics reach PEs of other nodes: messages that the target's CPU executes, or the fabric's
// own atomics.
enum class AmoPath : std::uint8_t { kAuto, kAm, kFabric };
inline constexpr std::string_view kAmoPathNames[] = {"auto", "am", "fabric"};

// Whether waiting PEs and helpers take pieces of long copies (progress/offload.hpp).
enum class SharedCopies : std::uint8_t { kAuto, kAlways, kNever };
inline constexpr std::string_view kSharedCopiesNames[] = {"auto", "always", "never"};

// Where a value comes from.
enum class Origin : std::uint8_t { kDefault, kEnvironment, kOtherName };
inline constexpr std::string_view kOriginNames[] = {"default", "environment", "environment, as"};

inline constexpr std::size_t kVariableCountMax = 64;

// A number that is not a size in bytes.
struct Count {
    std::uint32_t value = 0;
};

using FabricValues = std::array<std::string, kFabricSettingsMax>;
FabricValues initial_fabric_values();

struct Config {
    bool version = false;
    bool info = false;
    bool debug = false;
    std::string check;                    // "", 1, warn: session/checker.cpp
    std::uint64_t symmetric_size = 0;     // bytes per PE; 0: heap::default_heap_bytes decides
    std::uint64_t team_memory_size = 0;   // bytes per PE; 0: as the symmetric heap
    std::uint64_t local_memory_size = 0;  // bytes per PE; 0: as the symmetric heap
    bool huge_pages = true;
    HeapMode heap;
    HeapAddress heap_address;
    Count eviction_seed;  // 0: no evictions
    StaticDataMode static_data = StaticDataMode::kShared;
    bool segment_pages = true;
    std::array<AlgorithmSetting, kCollectives> algorithms;  // by Collective
    bool reduce_reproducible = false;
    SharedCopies shared_copies = SharedCopies::kAuto;
    std::string profile;     // path
    Count virtual_nodes{1};  // nodes that the PEs of a host are cut into
    FabricChoice fabric = FabricChoice::kAuto;
    // By row of fabric_settings(), whose fabrics take the values apart.
    FabricValues fabric_values = initial_fabric_values();
    AmoPath amo_path = AmoPath::kAuto;
    ProgressMode progress;
    std::uint64_t helper_size = 0;  // bytes; 0: helper_bytes_min() in progress/offload.hpp
    Count network_timeout{60};      // seconds; 0: for ever
    std::string trace;
    Count trace_events{32768};
    SubsystemSet log;
    Count hang_report;  // seconds; 0: never by itself

    // By row of variables(): the name that the value was found under; "" for the default.
    std::array<std::string_view, kVariableCountMax> found_names{};
    // Values that were replaced by another one.
    std::vector<std::string> warnings;

    bool backtrace = true;
    Count debugger_wait;  // seconds

    AlgorithmSetting algorithm(Collective collective) const {
        return algorithms[static_cast<std::size_t>(collective)];
    }
};

// On by any value that does not mean off: the specification's variables without values.
struct Switch {
    bool Config::*member;
};

// A row of fabric_settings().
struct FabricValue {
    std::uint8_t row;
    bool is_switch;
};

// The member that a variable sets; its type decides the spelling of the value.
using Field =
    std::variant<Switch, bool Config::*, std::uint64_t Config::*, Count Config::*,
                 std::string Config::*, FabricValue, FabricChoice Config::*, HeapMode Config::*,
                 HeapAddress Config::*, StaticDataMode Config::*, Collective, AmoPath Config::*,
                 ProgressMode Config::*, SharedCopies Config::*, SubsystemSet Config::*>;

struct Variable {
    std::string_view name;
    Field field;
    bool must_agree = false;             // must have the same value on all PEs
    std::string_view default_text = {};  // where the printed default does not say enough
    std::string_view help;
};

// The table: the rows of config.cpp and, behind SHMEM_FABRIC, those of the fabrics.
std::span<const Variable> variables();

// Another name of a variable, from the specification until 1.3 or from another library with the
// same meaning. The variable's own name and earlier rows take precedence.
struct OtherName {
    std::string_view name;
    std::string_view variable;
    std::string_view used_by;
};
std::span<const OtherName> other_names();

// The algorithm that other libraries call `value`; `value` itself where there is no row.
std::string_view own_algorithm_name(std::string_view value);

// The row of SHMEM_<COLLECTIVE>_ALGORITHM.
const Variable& variable_of(Collective collective);

// Value of a variable, or nullptr.
using Lookup = std::function<const char*(const char* name)>;

// Reads all variables through `lookup`. An empty value is the same as no value. `error` becomes ""
// or names the first bad variable, its value and the allowed ones; the rest is then unspecified. An
// unknown algorithm means auto, with a warning: job scripts name those of other libraries.
Config load_config(const Lookup& lookup, std::string& error);

// The settings of this process. Loaded from the environment by the first call, which also starts
// SHMEM_LOG; a bad value ends the job.
// THREADS: any. COST: a guarded load after the first call.
const Config& config();

// SHMEM_FABRIC, and a row of fabric_settings(), of this process.
std::string_view fabric_choice_name();
std::string fabric_setting(std::string_view name);

// Sets the member from `text`. False: `text` is no value for it.
bool set_value(Config& config, const Field& field, std::string_view text);

// The value of `variable`, in a spelling that parses to the same value: "512M", "auto", "on".
std::string value_text(const Config& config, const Variable& variable);

// The values of a variable that has few of them, else none.
Names value_names(const Variable& variable);

// The allowed values of `variable`, in words.
std::string allowed_text(const Variable& variable);

Origin origin_of(const Config& config, const Variable& variable);
// The name that the environment has where origin_of() is kOtherName.
std::string_view found_name_of(const Config& config, const Variable& variable);

// The choice that followed from a setting in this run: {"SHMEM_BARRIER_ALGORITHM",
// "dissemination"}.
struct Outcome {
    std::string_view name;
    std::string text;
};

// All variables with value, origin, outcome where given, and help; for SHMEM_INFO and osh_info.
std::string settings_text(const Config& config, std::span<const Outcome> outcomes = {});

// Equal on two PEs if and only if (but for a 2^-64 chance) the settings that must agree do.
std::uint64_t settings_digest(const Config& config);
std::uint64_t settings_digest();

// A byte for each of these settings, and the differences in words: "SHMEM_DEBUG is on here, but off
// on PE 2". `theirs` are the marks of `pe`.
SettingMarks setting_marks(const Config& config);
std::string settings_difference(const Config& config, const SettingMarks& theirs, int pe);
std::string settings_difference(const SettingMarks& theirs, int pe);

// "" if a variable of this name is known, or of other software; otherwise the warning, with the
// nearest known name.
std::string unknown_variable_text(std::string_view name);

// The warnings for "NAME=value" entries, ending with nullptr.
std::vector<std::string> unknown_variable_texts(const char* const* entries);

// Writes them for the environment of this process, and config.warnings. One process per job calls
// it: oshrun, or PE 0.
void warn_about_settings(const Config& config);
// Writes config.warnings alone.
void warn_about_values(const Config& config);

}  // namespace tessera
