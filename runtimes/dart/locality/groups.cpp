// SPDX-License-Identifier: BSD-3-Clause
//
// dart_domain_group and dart_group_locality_split.

#include <dash/dart/if/dart_locality.h>
#include <dash/dart/if/dart_team_group.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/entry.hpp"
#include "core/log.hpp"
#include "locality/domain.hpp"
#include "teams/group.hpp"

namespace tessera::dart {
namespace {

using Domains = std::vector<dart_domain_locality_t*>;

// The innermost domain that has all of `found` as parts.
dart_domain_locality_t* common_parent(const Domains& found) {
    dart_domain_locality_t* parent = found.front()->parent;
    while (parent != nullptr &&
           std::ranges::any_of(found, [parent](const dart_domain_locality_t* domain) {
               return domain == parent || !contains(parent->domain_tag, domain->domain_tag);
           })) {
        parent = parent->parent;
    }
    return parent;
}

// The number that the tag of a domain ends with.
int last_number(const dart_domain_locality_t& domain) {
    return std::atoi(std::strrchr(domain.domain_tag, '.') + 1);
}

dart_domain_locality_t* make_group(const dart_domain_locality_t& parent, int number) {
    dart_domain_locality_t* group = make_domain();
    std::memcpy(group->host, parent.host, sizeof group->host);
    group->scope = DART_LOCALITY_SCOPE_GROUP;
    group->level = parent.level + 1;
    group->team = parent.team;
    group->node_id = parent.node_id;
    group->num_nodes = parent.num_nodes;
    group->num_cores = 0;
    return set_tag(*group, parent, number) ? group : (free_domain(group), nullptr);
}

// Puts the parts of `child` that the tags mean into the group: the child itself, or a copy of it
// with these parts only.
void take_into(dart_domain_locality_t& group, dart_domain_locality_t& child, Tags tags) {
    dart_domain_locality_t* taken = &child;
    if (std::ranges::find(tags, child.domain_tag) != tags.end()) {
        remove_part(child);
    } else {
        taken = make_domain();
        copy_domain(*taken, child);
        keep_parts(*taken, tags);
        remove_parts(child, tags);
    }
    group.num_cores += taken->num_cores;
    insert_part(group, taken, -1);
}

// Makes the group of the parts that the tags mean. RETURNS: nullptr: its tag is too long.
dart_domain_locality_t* group_parts(dart_domain_locality_t& parent, Tags tags) {
    int number = 0;
    Domains children(parent.children, parent.children + parent.num_domains);
    for (const dart_domain_locality_t* child : children)
        number = std::max(number, last_number(*child) + 1);
    dart_domain_locality_t* group = make_group(parent, number);
    if (group == nullptr) return nullptr;
    for (dart_domain_locality_t* child : children) {
        if (std::ranges::any_of(tags, [child](const std::string& tag) {
                return contains(child->domain_tag, tag);
            })) {
            take_into(*group, *child, tags);
        }
    }
    insert_part(parent, group, -1);
    number_parts(*group);
    count_units(parent);
    return group;
}

// The units of `group` that are in the domains, ascending.
dart_group_t units_in(const Group& group, std::span<dart_domain_locality_t*> domains) {
    Group made;
    for (const dart_domain_locality_t* domain : domains) {
        for (int i = 0; i < domain->num_units; ++i) {
            const int unit = domain->unit_ids[i].id;
            if (std::ranges::binary_search(group.units, unit)) made.units.push_back(unit);
        }
    }
    std::ranges::sort(made.units);
    return add_group(std::move(made));
}

}  // namespace

DART_ENTRY dart_ret_t dart_domain_group(dart_domain_locality_t* domain_in, int num_group_subdomains,
                                        const char** group_subdomain_tags,
                                        char* group_domain_tag_out) {
    if (domain_in == nullptr || group_subdomain_tags == nullptr ||
        group_domain_tag_out == nullptr || num_group_subdomains < 1) {
        return fail(DART_ERR_INVAL, __func__, "%d tags, or a null pointer", num_group_subdomains);
    }
    group_domain_tag_out[0] = '\0';
    std::vector<std::string> tags;
    Domains found;
    for (int i = 0; i < num_group_subdomains; ++i) {
        const char* tag = group_subdomain_tags[i];
        dart_domain_locality_t* domain = tag != nullptr ? find_domain(*domain_in, tag) : nullptr;
        if (domain == nullptr) {
            return fail(DART_ERR_NOTFOUND, __func__, "domain %s has no part %s",
                        domain_in->domain_tag, tag != nullptr ? tag : "(null)");
        }
        found.push_back(domain);
        tags.emplace_back(tag);
    }
    dart_domain_locality_t* parent = common_parent(found);
    if (parent == nullptr || !contains(domain_in->domain_tag, parent->domain_tag)) {
        return fail(DART_ERR_INVAL, __func__, "the whole domain %s cannot be in a group",
                    domain_in->domain_tag);
    }
    const dart_domain_locality_t* group = group_parts(*parent, tags);
    if (group == nullptr) {
        return fail(DART_ERR_OTHER, __func__, "the tag of the group has more than %d bytes",
                    DART_LOCALITY_DOMAIN_TAG_MAX_SIZE - 1);
    }
    std::memcpy(group_domain_tag_out, group->domain_tag, sizeof group->domain_tag);
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_locality_split(const dart_group_t g,
                                                dart_domain_locality_t* domain,
                                                dart_locality_scope_t scope, size_t n, size_t* nout,
                                                dart_group_t* gout) {
    const Group* group = find_group(g);
    if (group == nullptr || domain == nullptr || nout == nullptr || gout == nullptr || n == 0)
        return fail(DART_ERR_INVAL, __func__, "%zu groups, a null pointer, or no group", n);
    *nout = 0;
    Domains found = parts_of_scope(*domain, scope);
    if (found.empty()) {
        return fail(DART_ERR_INVAL, __func__, "domain %s has no part of scope %d",
                    domain->domain_tag, scope);
    }
    const std::size_t groups = std::min(n, found.size());
    const std::size_t share = (found.size() + groups - 1) / groups;
    for (std::size_t i = 0; i < groups; ++i) {
        const std::size_t first = std::min(i * share, found.size());
        const std::size_t count = std::min(share, found.size() - first);
        gout[i] = units_in(*group, std::span(found).subspan(first, count));
    }
    *nout = groups;
    return DART_OK;
}

}  // namespace tessera::dart
