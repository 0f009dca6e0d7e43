// SPDX-License-Identifier: BSD-3-Clause
//
// An algorithm of a collective: an object in the file that has its code. The object describes the
// algorithm: name, limits, cost. collectives/<collective>/list.cpp lists the objects; settings,
// osh_info, docs/code/collectives.md and the tests derive from these lists. To add an algorithm: a
// file with its object, and the object's name in the list (docs/code/extending.md).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "collectives/model.hpp"
#include "collectives/streams/call.hpp"
#include "settings/config.hpp"
#include "teams/team_mailboxes.hpp"

namespace tessera {
struct Team;
}

namespace tessera::collectives {

inline constexpr std::size_t kNoLimit = ~std::size_t{0};

// The arrays of an algorithm that must be symmetric. Private ones pass through staging memory
// (staging.hpp) then.
enum class Symmetric : std::uint8_t { kNothing, kSource, kDest, kBoth };

// The calls that an algorithm can serve. By default all, also those of active sets.
struct Restriction {
    Symmetric symmetric = Symmetric::kBoth;
    bool lands = false;           // copies between private arrays and staging memory itself
    bool mailboxes = false;       // teams whose members have mailboxes
    bool streams = false;         // teams whose members have streams; nonblocking calls, too
    bool nonblocking = false;     // nonblocking calls only
    bool exposes = false;         // arrays that all members can expose
    bool power_of_two = false;    // 2^k members
    bool even = false;            // an even number of members
    bool one_node = false;        // all members on one node
    bool several_nodes = false;   // members on more than one node
    bool nodes_in_order = false;  // the members of a node follow each other
    bool contiguous = false;      // no alltoalls
    bool any_order = false;       // operations whose result does not depend on their order
    bool exchanges = false;       // exchanges operands: no operations that do not commute
    bool in_order = true;         // false: does not combine strictly in the order of the members
    int npes_max = 0;             // members; 0: any number
    std::size_t total_max = kNoLimit;  // bytes of all members' blocks together
    std::size_t bytes_max = kNoLimit;
};

inline constexpr Restriction kMailboxes{.mailboxes = true};
inline constexpr Restriction kMailboxesPutting{.symmetric = Symmetric::kDest, .mailboxes = true};
inline constexpr Restriction kLandingOffNode{
    .symmetric = Symmetric::kNothing, .lands = true, .mailboxes = true, .several_nodes = true};
inline constexpr Restriction kMailboxesEager{
    .symmetric = Symmetric::kNothing, .mailboxes = true, .one_node = true, .bytes_max = kSlotBytes};
inline constexpr Restriction kMailboxesAssociative{.mailboxes = true, .in_order = false};
inline constexpr Restriction kStreams{.symmetric = Symmetric::kNothing, .streams = true};
inline constexpr Restriction kStreamsAssociative{
    .symmetric = Symmetric::kNothing, .streams = true, .in_order = false};
inline constexpr Restriction kExposed{
    .symmetric = Symmetric::kNothing, .mailboxes = true, .exposes = true, .one_node = true};

inline bool needs_symmetric_source(const Restriction& restriction) {
    return restriction.symmetric == Symmetric::kSource || restriction.symmetric == Symmetric::kBoth;
}
inline bool needs_symmetric_dest(const Restriction& restriction) {
    return restriction.symmetric == Symmetric::kDest || restriction.symmetric == Symmetric::kBoth;
}

struct AlgorithmTraits {
    std::string_view name;  // as in SHMEM_<COLLECTIVE>_ALGORITHM and osh_info
    std::string_view
        formula;  // the cost: a, A: alpha on a node, between nodes; b, B: beta; c: gamma
    std::string_view best_when;
    Restriction restriction = {};
    CostFunction cost;
    // Algorithms of any arrays that serve several collectives take calls in one form
    // (streams/call.hpp): as a schedule, or by a function that returns whether the call is done.
    const Schedule* schedule = nullptr;
    bool (*exposed)(Team& team, const RuntimeCall& call, const char* where) = nullptr;

    bool takes_runtime_calls() const { return schedule != nullptr || exposed != nullptr; }
};

// `Kind`: a type that describes the collective (struct Broadcast, ...): its number, and the type of
// `run`.
template <class Kind>
struct Algorithm : AlgorithmTraits {
    typename Kind::Run run;
};

template <class Kind>
using AlgorithmList = std::span<const Algorithm<Kind>* const>;

// The algorithms of a collective, in the order of their list. The first one can serve every call.
template <class Kind>
AlgorithmList<Kind> algorithms();

template <class Kind, class... Objects>
constexpr std::array<const Algorithm<Kind>*, sizeof...(Objects)> addresses(
    const Objects&... objects) {
    return {&objects...};
}

// Declares the objects that follow, and defines algorithms<KIND>() as the list of them.
#define TESSERA_ALGORITHM_LIST(KIND, ...)                          \
    extern const Algorithm<KIND> __VA_ARGS__;                      \
    template <>                                                    \
    AlgorithmList<KIND> algorithms<KIND>() {                       \
        static constexpr auto kAll = addresses<KIND>(__VA_ARGS__); \
        return kAll;                                               \
    }

}  // namespace tessera::collectives
