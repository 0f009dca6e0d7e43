// SPDX-License-Identifier: BSD-3-Clause
//
// Changes of trees of domains, on a tree that is the same on any machine: two nodes with three
// cores each, and a unit on each core. dart_group_locality_split on the same tree.
#include <cstdlib>
#include <cstring>
#include <string>

#include "together.hpp"

namespace {

using Units = std::vector<int>;

dart_domain_locality_t* make(dart_locality_scope_t scope, const Units& units) {
    dart_domain_locality_t* domain = nullptr;
    OK(dart_domain_create(&domain));
    domain->scope = scope;
    domain->num_cores = 1;
    domain->num_units = static_cast<int>(units.size());
    if (!units.empty()) {
        domain->unit_ids = static_cast<dart_global_unit_t*>(
            std::malloc(units.size() * sizeof(dart_global_unit_t)));
        for (std::size_t i = 0; i < units.size(); ++i) domain->unit_ids[i].id = units[i];
    }
    return domain;
}

dart_domain_locality_t* make_machine() {
    dart_domain_locality_t* root = make(DART_LOCALITY_SCOPE_GLOBAL, {});
    std::strcpy(root->domain_tag, ".");
    root->team = DART_TEAM_ALL;
    for (int node = 0; node < 2; ++node) {
        OK(dart_domain_add_subdomain(root, make(DART_LOCALITY_SCOPE_NODE, {}), node));
        for (int core = 0; core < 3; ++core) {
            OK(dart_domain_add_subdomain(root->children[node],
                                         make(DART_LOCALITY_SCOPE_CORE, {node * 3 + core}), core));
        }
    }
    return root;
}

Units units_of(const dart_domain_locality_t* domain) {
    Units found;
    for (int i = 0; i < domain->num_units; ++i) found.push_back(domain->unit_ids[i].id);
    return found;
}

dart_domain_locality_t* find(const dart_domain_locality_t* domain, const char* tag) {
    dart_domain_locality_t* found = nullptr;
    const dart_ret_t result = dart_domain_find(domain, tag, &found);
    CHECK((result == DART_OK) == (found != nullptr));
    CHECK(result == DART_OK || result == DART_ERR_NOTFOUND);
    return found;
}

// "(tag units (part) (part) ...)", so that a check sees a whole tree.
std::string text_of(const dart_domain_locality_t* domain) {
    std::string text = "(" + std::string(domain->domain_tag);
    for (int unit : units_of(domain)) text += " " + std::to_string(unit);
    for (int i = 0; i < domain->num_domains; ++i) {
        CHECK(domain->children[i]->parent == domain && domain->children[i]->relative_index == i);
        CHECK(domain->children[i]->level == domain->level + 1);
        text += " " + text_of(domain->children[i]);
    }
    return text + ")";
}

void check_text(const dart_domain_locality_t* domain, const std::string& expected) {
    const std::string text = text_of(domain);
    if (text != expected) std::fprintf(stderr, "%s\n%s\n", text.c_str(), expected.c_str());
    CHECK(text == expected);
}

const char kMachine[] =
    "(. 0 1 2 3 4 5 (.0 0 1 2 (.0.0 0) (.0.1 1) (.0.2 2)) (.1 3 4 5 (.1.0 3) (.1.1 4) (.1.2 5)))";

void check_copies() {
    dart_domain_locality_t* machine = make_machine();
    check_text(machine, kMachine);
    dart_domain_locality_t* copy = nullptr;
    OK(dart_domain_clone(machine, &copy));
    check_text(copy, kMachine);
    OK(dart_domain_assign(copy, find(copy, ".1")));
    check_text(copy, "(.1 3 4 5 (.1.0 3) (.1.1 4) (.1.2 5))");
    check_text(machine, kMachine);
    CHECK(find(machine, ".1.2")->unit_ids[0].id == 5);
    CHECK(find(machine, ".2") == nullptr && find(machine, "") == nullptr);
    OK(dart_domain_destroy(copy));
    OK(dart_domain_destroy(machine));
    INVALID(dart_domain_destroy(nullptr));
    INVALID(dart_domain_clone(nullptr, &copy));
}

void check_select() {
    dart_domain_locality_t* machine = make_machine();
    const char* tags[] = {".0.2", ".1"};
    OK(dart_domain_select(machine, 2, tags));
    check_text(machine, "(. 2 3 4 5 (.0 2 (.0.2 2)) (.1 3 4 5 (.1.0 3) (.1.1 4) (.1.2 5)))");
    const char* less[] = {".1.0", ".0.2", ".9"};
    OK(dart_domain_exclude(machine, 3, less));
    check_text(machine, "(. 4 5 (.0) (.1 4 5 (.1.1 4) (.1.2 5)))");
    OK(dart_domain_exclude(find(machine, ".1"), 1, &tags[1]));  // All that is in it.
    check_text(machine, "(. (.0) (.1))");
    OK(dart_domain_select(machine, 0, nullptr));
    check_text(machine, "(.)");
    INVALID(dart_domain_select(machine, 1, nullptr));
    OK(dart_domain_destroy(machine));
}

// Part .1 is not around part .10.
void check_many_parts() {
    dart_domain_locality_t* machine = make(DART_LOCALITY_SCOPE_GLOBAL, {});
    std::strcpy(machine->domain_tag, ".");
    for (int node = 0; node < 12; ++node)
        OK(dart_domain_add_subdomain(machine, make(DART_LOCALITY_SCOPE_NODE, {node}), -1));
    const char* tag = ".1";
    OK(dart_domain_exclude(machine, 1, &tag));
    CHECK(machine->num_domains == 11 && machine->num_units == 11);
    tag = ".11";
    OK(dart_domain_select(machine, 1, &tag));
    check_text(machine, "(. 11 (.11 11))");
    OK(dart_domain_destroy(machine));
}

void check_moves() {
    dart_domain_locality_t* machine = make_machine();
    OK(dart_domain_move_subdomain(find(machine, ".0.1"), find(machine, ".1"), 1));
    check_text(machine,
               "(. 0 2 3 1 4 5 (.0 0 2 (.0.0 0) (.0.1 2)) "
               "(.1 3 1 4 5 (.1.0 3) (.1.1 1) (.1.2 4) (.1.3 5)))");
    INVALID(dart_domain_move_subdomain(machine, find(machine, ".1"), 0));
    INVALID(dart_domain_add_subdomain(find(machine, ".1"), find(machine, ".0"), 0));
    OK(dart_domain_destroy(machine));
}

void check_groups() {
    dart_domain_locality_t* machine = make_machine();
    char tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];
    const char* siblings[] = {".1.0", ".1.2"};
    OK(dart_domain_group(machine, 2, siblings, tag));
    CHECK(std::strcmp(tag, ".1.3") == 0);
    check_text(machine,
               "(. 0 1 2 4 3 5 (.0 0 1 2 (.0.0 0) (.0.1 1) (.0.2 2)) "
               "(.1 4 3 5 (.1.1 4) (.1.3 3 5 (.1.3.0 3) (.1.3.1 5))))");
    CHECK(find(machine, tag)->scope == DART_LOCALITY_SCOPE_GROUP);
    // Members on several nodes: the group has a part of each node.
    const char* cousins[] = {".0.2", ".1.1", ".0.0"};
    OK(dart_domain_group(machine, 3, cousins, tag));
    CHECK(std::strcmp(tag, ".2") == 0);
    check_text(machine,
               "(. 1 3 5 0 2 4 (.0 1 (.0.1 1)) (.1 3 5 (.1.3 3 5 (.1.3.0 3) (.1.3.1 5))) "
               "(.2 0 2 4 (.2.0 0 2 (.2.0.0 0) (.2.0.1 2)) (.2.1 4 (.2.1.0 4))))");
    const char* none[] = {".0.1", ".7"};
    CHECK(dart_domain_group(machine, 2, none, tag) == DART_ERR_NOTFOUND);
    const char* whole[] = {"."};
    INVALID(dart_domain_group(machine, 1, whole, tag));
    INVALID(dart_domain_group(machine, 0, whole, tag));
    OK(dart_domain_destroy(machine));
}

void check_scopes() {
    dart_domain_locality_t* machine = make_machine();
    int count = 0;
    dart_domain_locality_t** cores = nullptr;
    OK(dart_domain_scope_domains(machine, DART_LOCALITY_SCOPE_CORE, &count, &cores));
    CHECK(count == 6 && cores[4] == find(machine, ".1.1"));
    std::free(cores);
    char** tags = nullptr;
    OK(dart_domain_scope_tags(machine, DART_LOCALITY_SCOPE_NODE, &count, &tags));
    CHECK(count == 2 && std::strcmp(tags[0], ".0") == 0 && std::strcmp(tags[1], ".1") == 0);
    std::free(tags[0]);
    std::free(tags[1]);
    std::free(tags);
    CHECK(dart_domain_scope_tags(machine, DART_LOCALITY_SCOPE_NUMA, &count, &tags) ==
          DART_ERR_NOTFOUND);
    CHECK(count == 0 && tags == nullptr);
    dart_domain_locality_t parts[4];
    OK(dart_domain_split_scope(machine, DART_LOCALITY_SCOPE_CORE, 4, parts));
    check_text(&parts[1], "(. 2 3 (.0 2 (.0.2 2)) (.1 3 (.1.0 3)))");
    check_text(&parts[3], "(.)");
    CHECK(dart_domain_split_scope(machine, DART_LOCALITY_SCOPE_NUMA, 2, parts) ==
          DART_ERR_NOTFOUND);
    INVALID(dart_domain_split_scope(machine, DART_LOCALITY_SCOPE_CORE, 0, parts));
    dart_domain_locality_t* nothing = nullptr;
    OK(dart_domain_create(&nothing));
    for (dart_domain_locality_t& part : parts) OK(dart_domain_assign(&part, nothing));
    OK(dart_domain_destroy(nothing));
    OK(dart_domain_destroy(machine));
}

Units members_of(dart_group_t group) {
    std::size_t size = 0;
    OK(dart_group_size(group, &size));
    std::vector<dart_global_unit_t> units(size);
    OK(dart_group_getmembers(group, units.data()));
    Units found;
    for (dart_global_unit_t unit : units) found.push_back(unit.id);
    return found;
}

void check_split(dart_domain_locality_t* domain, dart_locality_scope_t scope, std::size_t wanted,
                 const std::vector<Units>& expected) {
    dart_group_t group = group_of({0, 1, 3, 4, 5});
    std::vector<dart_group_t> groups(wanted);
    std::size_t made = 99;
    OK(dart_group_locality_split(group, domain, scope, wanted, &made, groups.data()));
    CHECK(made == expected.size());
    for (std::size_t i = 0; i < made; ++i) {
        CHECK(members_of(groups[i]) == expected[i]);
        OK(dart_group_destroy(&groups[i]));
    }
    OK(dart_group_destroy(&group));
}

}  // namespace

void test_domains() {
    check_copies();
    check_select();
    check_many_parts();
    check_moves();
    check_groups();
    check_scopes();
}

void test_locality_split() {
    if (units() < 8) {
        return;  // The tree has six units.
    }
    dart_domain_locality_t* machine = make_machine();
    check_split(machine, DART_LOCALITY_SCOPE_NODE, 2, {{0, 1}, {3, 4, 5}});
    check_split(machine, DART_LOCALITY_SCOPE_NODE, 5, {{0, 1}, {3, 4, 5}});
    check_split(machine, DART_LOCALITY_SCOPE_NODE, 1, {{0, 1, 3, 4, 5}});
    check_split(machine, DART_LOCALITY_SCOPE_CORE, 3, {{0, 1}, {3}, {4, 5}});
    check_split(machine, DART_LOCALITY_SCOPE_CORE, 6, {{0}, {1}, {}, {3}, {4}, {5}});
    dart_group_t group = group_of({0});
    dart_group_t part = DART_GROUP_NULL;
    std::size_t made = 0;
    INVALID(dart_group_locality_split(group, machine, DART_LOCALITY_SCOPE_NUMA, 1, &made, &part));
    INVALID(dart_group_locality_split(group, machine, DART_LOCALITY_SCOPE_NODE, 0, &made, &part));
    INVALID(dart_group_locality_split(nullptr, machine, DART_LOCALITY_SCOPE_NODE, 1, &made, &part));
    OK(dart_group_destroy(&group));
    OK(dart_domain_destroy(machine));
}
