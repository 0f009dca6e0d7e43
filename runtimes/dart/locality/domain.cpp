// SPDX-License-Identifier: BSD-3-Clause
//
// Trees of domains (domain.hpp).

#include "locality/domain.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/log.hpp"

namespace tessera::dart {
namespace {

template <class T>
T* resized(T* array, std::size_t count) {
    if (count == 0) {
        std::free(array);
        return nullptr;
    }
    void* memory = std::realloc(static_cast<void*>(array), count * sizeof(T));
    if (memory == nullptr)
        fatal("locality", "no memory for %zu elements of %zu bytes", count, sizeof(T));
    return static_cast<T*>(memory);
}

std::span<dart_domain_locality_t*> parts(const dart_domain_locality_t& domain) {
    return {domain.children, static_cast<std::size_t>(domain.num_domains)};
}

// The units of a domain by those of its parts. A domain that has lost all its parts has none.
void collect_units(dart_domain_locality_t& domain) {
    std::vector<dart_global_unit_t> units;
    for (const dart_domain_locality_t* part : parts(domain))
        units.insert(units.end(), part->unit_ids, part->unit_ids + part->num_units);
    set_units(domain, units);
}

// Removes the parts for which `is_dropped` holds, at any depth.
template <class Predicate>
void filter(dart_domain_locality_t& domain, const Predicate& is_dropped) {
    if (domain.num_domains == 0) return;
    int kept = 0;
    for (dart_domain_locality_t* part : parts(domain)) {
        if (is_dropped(*part)) {
            free_domain(part);
            continue;
        }
        filter(*part, is_dropped);
        part->relative_index = kept;
        domain.children[kept++] = part;
    }
    domain.num_domains = kept;
    domain.children = resized(domain.children, static_cast<std::size_t>(kept));
    collect_units(domain);
}

void find_scope(dart_domain_locality_t& domain, dart_locality_scope_t scope,
                std::vector<dart_domain_locality_t*>& found) {
    if (domain.scope == scope) {
        found.push_back(&domain);
        return;
    }
    for (dart_domain_locality_t* part : parts(domain)) find_scope(*part, scope, found);
}

}  // namespace

void clear_fields(dart_domain_locality_t& domain) {
    std::memset(&domain, 0, sizeof domain);
    domain.scope = DART_LOCALITY_SCOPE_UNDEFINED;
    domain.global_index = -1;
    domain.team = DART_UNDEFINED_TEAM_ID;
    domain.num_nodes = -1;
    domain.node_id = -1;
    domain.num_cores = -1;
    domain.shared_mem_bytes = -1;
}

dart_domain_locality_t* make_domain() {
    auto* domain = resized(static_cast<dart_domain_locality_t*>(nullptr), 1);
    clear_fields(*domain);
    return domain;
}

void free_contents(dart_domain_locality_t& domain) {
    for (dart_domain_locality_t* part : parts(domain)) free_domain(part);
    std::free(domain.children);
    std::free(domain.unit_ids);
    std::free(domain.aliases);
    clear_fields(domain);
}

void free_domain(dart_domain_locality_t* domain) {
    free_contents(*domain);
    std::free(domain);
}

void copy_domain(dart_domain_locality_t& copy, const dart_domain_locality_t& domain) {
    copy = domain;
    copy.aliases = nullptr;
    copy.num_aliases = 0;
    copy.parent = nullptr;
    copy.unit_ids = nullptr;
    copy.num_units = 0;
    copy.children = nullptr;
    set_units(copy, {domain.unit_ids, static_cast<std::size_t>(domain.num_units)});
    copy.children = resized(copy.children, static_cast<std::size_t>(domain.num_domains));
    for (int i = 0; i < domain.num_domains; ++i) {
        copy.children[i] = make_domain();
        copy_domain(*copy.children[i], *domain.children[i]);
        copy.children[i]->parent = &copy;
    }
}

void set_units(dart_domain_locality_t& domain, std::span<const dart_global_unit_t> units) {
    domain.num_units = static_cast<int>(units.size());
    domain.unit_ids = resized(domain.unit_ids, units.size());
    std::copy(units.begin(), units.end(), domain.unit_ids);
}

bool set_tag(dart_domain_locality_t& part, const dart_domain_locality_t& parent, int number) {
    const char* before = std::strcmp(parent.domain_tag, ".") == 0 ? "" : parent.domain_tag;
    char tag[2 * sizeof part.domain_tag];
    const int length = std::snprintf(tag, sizeof tag, "%s.%d", before, number);
    const bool fits = length < static_cast<int>(sizeof part.domain_tag);
    std::memcpy(part.domain_tag, tag, sizeof part.domain_tag - 1);
    part.domain_tag[sizeof part.domain_tag - 1] = '\0';
    return fits;
}

void insert_part(dart_domain_locality_t& domain, dart_domain_locality_t* part, int index) {
    const int place = index < 0 || index > domain.num_domains ? domain.num_domains : index;
    ++domain.num_domains;
    domain.children = resized(domain.children, static_cast<std::size_t>(domain.num_domains));
    std::copy_backward(domain.children + place, domain.children + domain.num_domains - 1,
                       domain.children + domain.num_domains);
    domain.children[place] = part;
    part->parent = &domain;
    for (int i = place; i < domain.num_domains; ++i) domain.children[i]->relative_index = i;
}

void remove_part(dart_domain_locality_t& part) {
    dart_domain_locality_t& domain = *part.parent;
    int kept = 0;
    for (dart_domain_locality_t* other : parts(domain)) {
        if (other != &part) {
            other->relative_index = kept;
            domain.children[kept++] = other;
        }
    }
    domain.num_domains = kept;
    domain.children = resized(domain.children, static_cast<std::size_t>(kept));
    part.parent = nullptr;
}

bool number_parts(dart_domain_locality_t& domain) {
    bool fits = true;
    for (int i = 0; i < domain.num_domains; ++i) {
        dart_domain_locality_t& part = *domain.children[i];
        part.team = domain.team;
        part.level = domain.level + 1;
        part.relative_index = i;
        part.parent = &domain;
        fits = set_tag(part, domain, i) && fits;
        fits = number_parts(part) && fits;
    }
    if (domain.num_domains > 0) collect_units(domain);
    return fits;
}

void count_units(dart_domain_locality_t& domain) {
    for (dart_domain_locality_t* around = &domain; around != nullptr; around = around->parent)
        collect_units(*around);
}

dart_domain_locality_t* find_domain(dart_domain_locality_t& domain, std::string_view tag) {
    if (tag == domain.domain_tag) return &domain;
    for (dart_domain_locality_t* part : parts(domain)) {
        if (dart_domain_locality_t* found = find_domain(*part, tag); found != nullptr) return found;
    }
    return nullptr;
}

std::vector<dart_domain_locality_t*> parts_of_scope(dart_domain_locality_t& domain,
                                                    dart_locality_scope_t scope) {
    std::vector<dart_domain_locality_t*> found;
    find_scope(domain, scope, found);
    return found;
}

bool contains(std::string_view outer, std::string_view inner) {
    if (outer == ".") return true;
    return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '.');
}

void keep_parts(dart_domain_locality_t& domain, Tags tags) {
    filter(domain, [tags](const dart_domain_locality_t& part) {
        return std::ranges::none_of(tags, [&part](const std::string& tag) {
            return contains(tag, part.domain_tag) || contains(part.domain_tag, tag);
        });
    });
}

void remove_parts(dart_domain_locality_t& domain, Tags tags) {
    filter(domain, [tags](const dart_domain_locality_t& part) {
        return std::ranges::any_of(
            tags, [&part](const std::string& tag) { return contains(tag, part.domain_tag); });
    });
}

}  // namespace tessera::dart
