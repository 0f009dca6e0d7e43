// SPDX-License-Identifier: BSD-3-Clause
//
// The routines of the interface that read and change trees of domains: dart_domain_*.

#include <dash/dart/if/dart_locality.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "core/entry.hpp"
#include "core/log.hpp"
#include "locality/domain.hpp"

namespace tessera::dart {
namespace {

dart_ret_t null_pointer(const char* routine) {
    return fail(DART_ERR_INVAL, routine, "an argument is a null pointer");
}

// RETURNS: false: an argument is not possible.
bool read_tags(int count, const char** tags, std::vector<std::string>& read, const char* routine) {
    if (count < 0 || (count > 0 && tags == nullptr)) {
        fail(DART_ERR_INVAL, routine, "%d tags", count);
        return false;
    }
    for (int i = 0; i < count; ++i) {
        if (tags[i] == nullptr) {
            null_pointer(routine);
            return false;
        }
        read.emplace_back(tags[i]);
    }
    return true;
}

template <class Function>
dart_ret_t change_by_tags(dart_domain_locality_t* domain, int count, const char** tags,
                          Function* change, const char* routine) {
    if (domain == nullptr) return null_pointer(routine);
    std::vector<std::string> read;
    if (!read_tags(count, tags, read, routine)) return DART_ERR_INVAL;
    change(*domain, read);
    if (domain->parent != nullptr) count_units(*domain->parent);
    return DART_OK;
}

// Behind a change of the parts of a domain.
dart_ret_t renumber(dart_domain_locality_t& domain, const char* routine) {
    const bool fits = number_parts(domain);
    if (domain.parent != nullptr) count_units(*domain.parent);
    return fits ? DART_OK
                : fail(DART_ERR_OTHER, routine, "a tag has more than %d bytes",
                       DART_LOCALITY_DOMAIN_TAG_MAX_SIZE - 1);
}

bool is_inside(const dart_domain_locality_t* domain, const dart_domain_locality_t* around) {
    for (; domain != nullptr; domain = domain->parent) {
        if (domain == around) return true;
    }
    return false;
}

template <class T>
T* allocate(std::size_t count) {
    void* memory = std::malloc(count * sizeof(T));
    if (memory == nullptr)
        fatal("locality", "no memory for %zu elements of %zu bytes", count, sizeof(T));
    return static_cast<T*>(memory);
}

}  // namespace

DART_ENTRY dart_ret_t dart_domain_create(dart_domain_locality_t** domain_out) {
    if (domain_out == nullptr) return null_pointer(__func__);
    *domain_out = make_domain();
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_domain_clone(const dart_domain_locality_t* domain_in,
                                        dart_domain_locality_t** domain_out) {
    if (domain_in == nullptr || domain_out == nullptr) return null_pointer(__func__);
    *domain_out = make_domain();
    copy_domain(**domain_out, *domain_in);
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_domain_destroy(dart_domain_locality_t* domain) {
    if (domain == nullptr) return null_pointer(__func__);
    free_domain(domain);
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_domain_assign(dart_domain_locality_t* domain_lhs,
                                         const dart_domain_locality_t* domain_rhs) {
    if (domain_lhs == nullptr || domain_rhs == nullptr) return null_pointer(__func__);
    // First the copy: the right domain may be part of the left one.
    dart_domain_locality_t copy;
    copy_domain(copy, *domain_rhs);
    copy.parent = domain_lhs->parent;
    free_contents(*domain_lhs);
    *domain_lhs = copy;
    for (int i = 0; i < copy.num_domains; ++i) copy.children[i]->parent = domain_lhs;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_domain_find(const dart_domain_locality_t* domain_in,
                                       const char* domain_tag,
                                       dart_domain_locality_t** subdomain_out) {
    if (domain_in == nullptr || domain_tag == nullptr || subdomain_out == nullptr)
        return null_pointer(__func__);
    *subdomain_out = find_domain(const_cast<dart_domain_locality_t&>(*domain_in), domain_tag);
    return *subdomain_out != nullptr ? DART_OK : DART_ERR_NOTFOUND;
}

DART_ENTRY dart_ret_t dart_domain_select(dart_domain_locality_t* domain_in, int num_subdomain_tags,
                                         const char** subdomain_tags) {
    return change_by_tags(domain_in, num_subdomain_tags, subdomain_tags, keep_parts, __func__);
}

DART_ENTRY dart_ret_t dart_domain_exclude(dart_domain_locality_t* domain_in, int num_subdomain_tags,
                                          const char** subdomain_tags) {
    return change_by_tags(domain_in, num_subdomain_tags, subdomain_tags, remove_parts, __func__);
}

DART_ENTRY dart_ret_t dart_domain_add_subdomain(dart_domain_locality_t* domain,
                                                dart_domain_locality_t* subdomain,
                                                int subdomain_rel_id) {
    if (domain == nullptr || subdomain == nullptr) return null_pointer(__func__);
    if (subdomain->parent != nullptr || is_inside(domain, subdomain)) {
        return fail(DART_ERR_INVAL, __func__,
                    "domain %s is part of another one: move it, or add a clone",
                    subdomain->domain_tag);
    }
    insert_part(*domain, subdomain, subdomain_rel_id);
    return renumber(*domain, __func__);
}

DART_ENTRY dart_ret_t dart_domain_move_subdomain(dart_domain_locality_t* domain,
                                                 dart_domain_locality_t* new_parent_domain,
                                                 int new_domain_rel_id) {
    if (domain == nullptr || new_parent_domain == nullptr) return null_pointer(__func__);
    dart_domain_locality_t* old_parent = domain->parent;
    if (old_parent == nullptr || is_inside(new_parent_domain, domain)) {
        return fail(DART_ERR_INVAL, __func__,
                    "domain %s has no parent, or the new parent is part of it", domain->domain_tag);
    }
    remove_part(*domain);
    number_parts(*old_parent);
    count_units(*old_parent);
    insert_part(*new_parent_domain, domain, new_domain_rel_id);
    return renumber(*new_parent_domain, __func__);
}

DART_ENTRY dart_ret_t dart_domain_split_scope(const dart_domain_locality_t* domain_in,
                                              dart_locality_scope_t scope, int num_parts,
                                              dart_domain_locality_t* split_domain_out) {
    if (domain_in == nullptr || split_domain_out == nullptr) return null_pointer(__func__);
    if (num_parts < 1) return fail(DART_ERR_INVAL, __func__, "%d parts", num_parts);
    const auto found = parts_of_scope(const_cast<dart_domain_locality_t&>(*domain_in), scope);
    if (found.empty()) return DART_ERR_NOTFOUND;
    const auto count = static_cast<std::size_t>(num_parts);
    const std::size_t share = (found.size() + count - 1) / count;
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<std::string> tags;
        for (std::size_t j = i * share; j < (i + 1) * share && j < found.size(); ++j)
            tags.emplace_back(found[j]->domain_tag);
        copy_domain(split_domain_out[i], *domain_in);
        keep_parts(split_domain_out[i], tags);
    }
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_domain_scope_tags(const dart_domain_locality_t* domain_in,
                                             dart_locality_scope_t scope, int* num_domains_out,
                                             char*** domain_tags_out) {
    if (domain_in == nullptr || num_domains_out == nullptr || domain_tags_out == nullptr)
        return null_pointer(__func__);
    const auto found = parts_of_scope(const_cast<dart_domain_locality_t&>(*domain_in), scope);
    *num_domains_out = static_cast<int>(found.size());
    *domain_tags_out = nullptr;
    if (found.empty()) return DART_ERR_NOTFOUND;
    *domain_tags_out = allocate<char*>(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        (*domain_tags_out)[i] = allocate<char>(DART_LOCALITY_DOMAIN_TAG_MAX_SIZE);
        std::strcpy((*domain_tags_out)[i], found[i]->domain_tag);
    }
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_domain_scope_domains(const dart_domain_locality_t* domain_in,
                                                dart_locality_scope_t scope, int* num_domains_out,
                                                dart_domain_locality_t*** domains_out) {
    if (domain_in == nullptr || num_domains_out == nullptr || domains_out == nullptr)
        return null_pointer(__func__);
    const auto found = parts_of_scope(const_cast<dart_domain_locality_t&>(*domain_in), scope);
    *num_domains_out = static_cast<int>(found.size());
    *domains_out = nullptr;
    if (found.empty()) return DART_ERR_NOTFOUND;
    *domains_out = allocate<dart_domain_locality_t*>(found.size());
    std::copy(found.begin(), found.end(), *domains_out);
    return DART_OK;
}

}  // namespace tessera::dart
