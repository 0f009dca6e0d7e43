// SPDX-License-Identifier: BSD-3-Clause
//
// The localities of teams on this machine: the tree has each unit once at each level, nodes are
// those of the job, and a unit's place is a domain that it is in.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "together.hpp"

namespace {

dart_domain_locality_t* tree_of(dart_team_t team) {
    dart_domain_locality_t* root = nullptr;
    OK(dart_domain_team_locality(team, ".", &root));
    return root;
}

std::vector<int> units_of(const dart_domain_locality_t& domain) {
    std::vector<int> found;
    for (int i = 0; i < domain.num_units; ++i) found.push_back(domain.unit_ids[i].id);
    return found;
}

void check_domain(dart_domain_locality_t& domain, dart_domain_locality_t* root) {
    dart_domain_locality_t* found = nullptr;
    OK(dart_domain_find(root, domain.domain_tag, &found));
    CHECK(found == &domain && domain.team == root->team);
    std::vector<int> inside;
    for (int i = 0; i < domain.num_domains; ++i) {
        dart_domain_locality_t& part = *domain.children[i];
        const std::string around = &domain == root ? "" : domain.domain_tag;
        CHECK(part.domain_tag == around + "." + std::to_string(i));
        CHECK(part.parent == &domain && part.level == domain.level + 1 && part.relative_index == i);
        CHECK(part.scope > domain.scope || domain.scope >= DART_LOCALITY_SCOPE_MODULE);
        CHECK(part.num_cores >= 1 && part.num_units >= 1);
        check_domain(part, root);
        const std::vector<int> units = units_of(part);
        inside.insert(inside.end(), units.begin(), units.end());
    }
    if (domain.num_domains > 0) {
        std::sort(inside.begin(), inside.end());
        CHECK(inside == units_of(domain));
    }
}

int nodes_of_job() {
    const char* nodes = std::getenv("SHMEM_VIRTUAL_NODES");
    return nodes != nullptr ? std::atoi(nodes) : 1;
}

void check_places(dart_team_t team) {
    dart_domain_locality_t* root = tree_of(team);
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    for (int unit = 0; unit < size_of(team); ++unit) {
        dart_unit_locality_t* place = nullptr;
        dart_domain_locality_t* domain = nullptr;
        dart_global_unit_t global;
        OK(dart_unit_locality(team, unit, &place));
        OK(dart_team_unit_l2g(team, unit, &global));
        OK(dart_domain_find(root, place->domain_tag, &domain));
        const std::vector<int> members = units_of(*domain);
        CHECK(std::find(members.begin(), members.end(), global.id) != members.end());
        CHECK(place->unit.id == unit && place->team == team && domain->num_domains == 0);
        CHECK(std::strcmp(place->hwinfo.host, host) == 0);
        CHECK(std::strcmp(domain->host, host) == 0);
        CHECK(place->hwinfo.num_scopes >= 1 && place->hwinfo.num_cores >= 1);
        CHECK(place->hwinfo.scopes[0].scope == DART_LOCALITY_SCOPE_CORE);
        CHECK(place->hwinfo.max_shmem_mbps > 0 && place->hwinfo.system_memory_bytes > 0);
    }
}

void check_team(dart_team_t team) {
    OK(dart_team_locality_init(team));
    dart_domain_locality_t* root = tree_of(team);
    CHECK(root->scope == DART_LOCALITY_SCOPE_GLOBAL && root->level == 0);
    CHECK(root->num_units == size_of(team) && root->num_nodes == root->num_domains);
    CHECK(std::strcmp(root->domain_tag, ".") == 0 && root->parent == nullptr);
    check_domain(*root, root);
    for (int i = 0; i < root->num_domains; ++i) {
        const dart_domain_locality_t& node = *root->children[i];
        CHECK(node.scope == DART_LOCALITY_SCOPE_NODE && node.num_domains == 1);
        CHECK(node.children[0]->scope == DART_LOCALITY_SCOPE_MODULE);
    }
    check_places(team);
}

void check_errors(dart_team_t team) {
    dart_domain_locality_t* domain = nullptr;
    dart_unit_locality_t* place = nullptr;
    CHECK(dart_domain_team_locality(DART_TEAM_ALL, ".77", &domain) == DART_ERR_NOTFOUND);
    CHECK(domain == nullptr);
    INVALID(dart_domain_team_locality(DART_TEAM_ALL, nullptr, &domain));
    INVALID(dart_domain_team_locality(30000, ".", &domain));
    INVALID(dart_unit_locality(DART_TEAM_ALL, units(), &place));
    INVALID(dart_unit_locality(DART_TEAM_ALL, -1, &place));
    INVALID(dart_team_locality_init(30000));
    INVALID(dart_team_locality_finalize(team));
    INVALID(dart_unit_locality(team, 0, &place));
}

}  // namespace

void test_places() {
    check_team(DART_TEAM_ALL);
    CHECK(tree_of(DART_TEAM_ALL)->num_domains == nodes_of_job());
    dart_team_t even = team_of(0, 2);
    if (even != DART_TEAM_NULL) {
        check_team(even);
        OK(dart_team_locality_finalize(even));
        check_errors(even);
    }
    OK(dart_team_destroy(&even));
}
