// SPDX-License-Identifier: BSD-3-Clause
//
// The kinds of values that a row of config.cpp's table may have: how a text sets one, how it is
// printed, what is allowed. A new kind has a line in each function; a new row of a known kind needs
// nothing here.
#include <optional>
#include <string>
#include <utility>

#include "settings/config.hpp"
#include "transports/fabric_list.hpp"

namespace tessera {
namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
    using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

// The names of an enumeration's values, in their order.
constexpr Names names_of(StaticDataMode /*kind*/) { return kStaticDataModeNames; }
constexpr Names names_of(FabricChoice /*kind*/) { return kFabricChoiceNames; }
constexpr Names names_of(AmoPath /*kind*/) { return kAmoPathNames; }
constexpr Names names_of(SharedCopies /*kind*/) { return kSharedCopiesNames; }

template <class T>
bool assign(T& member, const std::optional<T>& value) {
    if (value) member = *value;
    return value.has_value();
}

std::optional<AlgorithmSetting> parse_algorithm(std::string_view text, Collective collective) {
    const Names known = algorithm_names(collective);
    if (known.empty()) return AlgorithmSetting{};
    const std::optional<std::size_t> number = parse_choice(own_algorithm_name(text), known);
    if (!number) return std::nullopt;
    return AlgorithmSetting{.number = static_cast<std::uint8_t>(*number)};
}

}  // namespace

bool set_value(Config& config, const Field& field, std::string_view text) {
    return std::visit(
        Overloaded{
            [&](Switch any) {
                config.*any.member = parse_bool(text).value_or(true);
                return true;
            },
            [&](bool Config::*member) { return assign(config.*member, parse_bool(text)); },
            [&](std::uint64_t Config::*member) { return assign(config.*member, parse_size(text)); },
            [&](Count Config::*member) {
                std::optional<std::uint32_t> value = parse_count(text);
                if (value) (config.*member).value = *value;
                return value.has_value();
            },
            [&](std::string Config::*member) {
                config.*member = text;
                return true;
            },
            [&](FabricValue value) {
                const std::optional<bool> is_on = parse_bool(text);
                if (value.is_switch && !is_on) return false;
                config.fabric_values[value.row] = value.is_switch ? print_bool(*is_on) : text;
                return true;
            },
            [&](HeapMode Config::*member) { return assign(config.*member, parse_heap_mode(text)); },
            [&](HeapAddress Config::*member) {
                return assign(config.*member, parse_heap_address(text));
            },
            [&](ProgressMode Config::*member) {
                return assign(config.*member, parse_progress(text));
            },
            [&](SubsystemSet Config::*member) {
                return assign(config.*member, parse_subsystems(text));
            },
            [&](Collective collective) {
                return assign(config.algorithms[static_cast<std::size_t>(collective)],
                              parse_algorithm(text, collective));
            },
            [&]<class Enum>(Enum Config::*member) {
                const std::optional<std::size_t> index = parse_choice(text, names_of(Enum{}));
                if (index) config.*member = static_cast<Enum>(*index);
                return index.has_value();
            },
        },
        field);
}

std::string value_text(const Config& config, const Variable& variable) {
    return std::visit(
        Overloaded{
            [&](Switch any) { return print_bool(config.*any.member); },
            [&](bool Config::*member) { return print_bool(config.*member); },
            [&](std::uint64_t Config::*member) { return print_size(config.*member); },
            [&](Count Config::*member) { return std::to_string((config.*member).value); },
            [&](std::string Config::*member) { return config.*member; },
            [&](FabricValue value) { return config.fabric_values[value.row]; },
            [&](HeapMode Config::*member) { return print_heap_mode(config.*member); },
            [&](HeapAddress Config::*member) { return print_heap_address(config.*member); },
            [&](ProgressMode Config::*member) { return print_progress(config.*member); },
            [&](SubsystemSet Config::*member) { return print_subsystems(config.*member); },
            [&](Collective collective) {
                const Names names = algorithm_names(collective);
                return names.empty() ? std::string()
                                     : std::string(names[config.algorithm(collective).number]);
            },
            [&]<class Enum>(Enum Config::*member) {
                return std::string(names_of(Enum{})[static_cast<std::size_t>(config.*member)]);
            },
        },
        variable.field);
}

Names value_names(const Variable& variable) {
    static constexpr std::string_view kSwitchNames[] = {"off", "on"};
    return std::visit(
        Overloaded{
            [](Switch /*any*/) { return Names(kSwitchNames); },
            [](bool Config::* /*member*/) { return Names(kSwitchNames); },
            [](std::uint64_t Config::* /*member*/) { return Names(); },
            [](Count Config::* /*member*/) { return Names(); },
            [](std::string Config::* /*member*/) { return Names(); },
            [](FabricValue value) { return value.is_switch ? Names(kSwitchNames) : Names(); },
            [](HeapMode Config::* /*member*/) { return Names(); },
            [](HeapAddress Config::* /*member*/) { return Names(); },
            [](ProgressMode Config::* /*member*/) { return Names(); },
            [](SubsystemSet Config::* /*member*/) { return Names(); },
            [](Collective collective) { return algorithm_names(collective); },
            []<class Enum>(Enum Config::* /*member*/) { return Names(names_of(Enum{})); },
        },
        variable.field);
}

std::string allowed_text(const Variable& variable) {
    static constexpr const char* kSwitchText = "1, yes, on, true or 0, no, off, false (any case)";
    return std::visit(
        Overloaded{
            [](Switch /*any*/) {
                return std::string("anything; 0, no, off and false (any case) mean off");
            },
            [](bool Config::* /*member*/) { return std::string(kSwitchText); },
            [](std::uint64_t Config::* /*member*/) {
                return std::string(
                    "bytes, as an integer or decimal number, with a suffix K, M, G "
                    "or T if wanted, below 2^63: 512M, 1.5G");
            },
            [](Count Config::* /*member*/) {
                return std::string("an integer from 0 to 4294967295");
            },
            [](std::string Config::* /*member*/) { return std::string("text"); },
            [](FabricValue value) { return std::string(value.is_switch ? kSwitchText : "text"); },
            [](HeapMode Config::* /*member*/) { return std::string(kHeapModeText); },
            [](HeapAddress Config::* /*member*/) { return std::string(kHeapAddressText); },
            [](ProgressMode Config::* /*member*/) { return std::string(kProgressText); },
            [](SubsystemSet Config::* /*member*/) {
                return join(kSubsystemNames) + ", with commas between; or all, or none";
            },
            [](Collective collective) { return join(algorithm_names(collective)); },
            []<class Enum>(Enum Config::* /*member*/) { return join(names_of(Enum{})); },
        },
        variable.field);
}

}  // namespace tessera
