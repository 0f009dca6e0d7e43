// SPDX-License-Identifier: BSD-3-Clause
//
// The tree of a team (team_tree.hpp).

#include "locality/team_tree.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "locality/domain.hpp"
#include "locality/hardware.hpp"

namespace tessera::dart {
namespace {

using Units = std::vector<int>;  // numbers in the program, ascending

const Location& location_of(int unit) { return locations()[static_cast<std::size_t>(unit)]; }

std::vector<dart_global_unit_t> as_global(const Units& units) {
    return {units.begin(), units.end()};
}

dart_domain_locality_t& add_part(dart_domain_locality_t& domain, dart_locality_scope_t scope,
                                 int global_index, const Units& units) {
    dart_domain_locality_t* part = make_domain();
    std::memcpy(part->host, location_of(units.front()).hardware.host, sizeof part->host);
    part->scope = scope;
    part->level = domain.level + 1;
    part->global_index = global_index;
    part->team = domain.team;
    part->num_nodes = 1;
    part->node_id = domain.scope == DART_LOCALITY_SCOPE_GLOBAL ? global_index : domain.node_id;
    set_tag(*part, domain, domain.num_domains);
    set_units(*part, as_global(units));
    insert_part(domain, part, -1);
    return *part;
}

// The cores of a part are those of the whole, in proportion to the units.
int share_of_cores(const dart_domain_locality_t& whole, const Units& units) {
    return std::max(1, whole.num_cores / whole.num_units * static_cast<int>(units.size()));
}

// Divides a domain by the parts of the machine that its units are in, from the outermost one on.
// Each unit's list of them has the innermost first.
void divide(dart_domain_locality_t& domain, const Units& units, int depth) {
    std::map<std::pair<int, int>, Units> groups;  // by scope and number
    for (const int unit : units) {
        const dart_hwinfo_t& hardware = location_of(unit).hardware;
        if (const int index = hardware.num_scopes - 1 - depth; index >= 0) {
            const auto& [scope, number] = hardware.scopes[index];
            groups[{scope, number}].push_back(unit);
        }
    }
    for (const auto& [position, members] : groups) {
        const auto& [scope, number] = position;
        dart_domain_locality_t& part =
            add_part(domain, static_cast<dart_locality_scope_t>(scope), number, members);
        part.num_cores = share_of_cores(domain, members);
        divide(part, members, depth + 1);
    }
}

bool find_symmetry(dart_domain_locality_t& domain) {
    bool is_symmetric = true;
    for (int i = 0; i < domain.num_domains; ++i) {
        const dart_domain_locality_t& first = *domain.children[0];
        dart_domain_locality_t& part = *domain.children[i];
        is_symmetric = find_symmetry(part) && is_symmetric && part.num_units == first.num_units &&
                       part.num_domains == first.num_domains;
    }
    domain.is_symmetric = is_symmetric ? 1 : 0;
    return is_symmetric;
}

// The units of each node of the team.
std::map<int, Units> nodes_of(const Units& units) {
    std::map<int, Units> nodes;
    for (const int unit : units) nodes[location_of(unit).node].push_back(unit);
    return nodes;
}

dart_domain_locality_t* make_tree(const Team& team) {
    const Units units = team.units();
    const std::map<int, Units> nodes = nodes_of(units);
    dart_domain_locality_t& root = *make_domain();
    root.domain_tag[0] = '.';
    root.scope = DART_LOCALITY_SCOPE_GLOBAL;
    root.global_index = 0;
    root.team = team.id;
    root.num_nodes = static_cast<int>(nodes.size());
    root.num_cores = 0;
    root.shared_mem_bytes = 0;
    set_units(root, as_global(units));
    for (const auto& [node, members] : nodes) {
        const int cores = std::max(1, location_of(members.front()).hardware.num_cores);
        dart_domain_locality_t& host =
            add_part(root, DART_LOCALITY_SCOPE_NODE, root.num_domains, members);
        dart_domain_locality_t& module = add_part(host, DART_LOCALITY_SCOPE_MODULE, 0, members);
        module.num_cores = host.num_cores = cores;
        root.num_cores += cores;
        divide(module, members, 0);
    }
    find_symmetry(root);
    return &root;
}

// Notes for each unit of a part the innermost domain that it is in.
void note_domains(const dart_domain_locality_t& domain, const Team& team, TeamLocality& locality) {
    for (int i = 0; i < domain.num_domains; ++i) note_domains(*domain.children[i], team, locality);
    for (int i = 0; i < domain.num_units; ++i) {
        const int unit = team.unit_of(domain.unit_ids[i].id);
        dart_unit_locality_t& place = locality.units[static_cast<std::size_t>(unit)];
        if (place.domain_tag[0] == '\0') {
            std::memcpy(place.domain_tag, domain.domain_tag, sizeof place.domain_tag);
            place.hwinfo.num_cores = std::max(1, domain.num_cores / domain.num_units);
        }
    }
}

}  // namespace

void make_locality(TeamLocality& locality, const Team& team) {
    locality.root = make_tree(team);
    locality.units.resize(static_cast<std::size_t>(team.size));
    for (int unit = 0; unit < team.size; ++unit) {
        dart_unit_locality_t& place = locality.units[static_cast<std::size_t>(unit)];
        place.unit.id = unit;
        place.team = team.id;
        place.hwinfo = location_of(team.global_unit(unit)).hardware;
        place.domain_tag[0] = '\0';
    }
    note_domains(*locality.root, team, locality);
}

}  // namespace tessera::dart
