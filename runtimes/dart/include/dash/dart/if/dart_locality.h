// SPDX-License-Identifier: BSD-3-Clause
//
// Localities: where units run, and the tree of domains of a team. dart_locality_types.h tells what
// a domain is. The tree of a team lasts until dart_team_locality_finalize, or until the team ends;
// programs copy the tree and change the copy.
//
// RETURNS, for all: DART_OK; DART_ERR_INVAL: a null pointer, no such team, or a team without
// localities; DART_ERR_NOTFOUND: no domain of that tag or scope. THREADS: any; one at a time
// changes a tree.

#ifndef DASH_DART_IF_DART_LOCALITY_H
#define DASH_DART_IF_DART_LOCALITY_H

#include "dart_types.h"
#include "dart_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Make and end the localities of a team. Collective. DART_TEAM_ALL has them from dart_init on. */
dart_ret_t dart_team_locality_init(dart_team_t team) DART_NOTHROW;
dart_ret_t dart_team_locality_finalize(dart_team_t team) DART_NOTHROW;

/**
 * Gives the domain of a tag in a team's tree.
 *
 * team             the team.
 * domain_tag       the tag; "." is the whole tree.
 * team_domain_out  receives the domain, part of the tree; NULL with an error.
 */
dart_ret_t dart_domain_team_locality(dart_team_t team, const char* domain_tag,
                                     dart_domain_locality_t** team_domain_out) DART_NOTHROW;

/** Makes a domain without parts, units and hardware, which dart_domain_destroy ends. */
dart_ret_t dart_domain_create(dart_domain_locality_t** domain_out) DART_NOTHROW;

/** Makes a copy of a domain and all its parts, which dart_domain_destroy ends. */
dart_ret_t dart_domain_clone(const dart_domain_locality_t* domain_in,
                             dart_domain_locality_t** domain_out) DART_NOTHROW;

/** Ends a domain that dart_domain_create or dart_domain_clone has made, with all its parts. */
dart_ret_t dart_domain_destroy(dart_domain_locality_t* domain) DART_NOTHROW;

/** Makes a domain a copy of another one, instead of what it was. */
dart_ret_t dart_domain_assign(dart_domain_locality_t* domain_lhs,
                              const dart_domain_locality_t* domain_rhs) DART_NOTHROW;

/**
 * Finds a part of a domain by its tag.
 *
 * domain_in      the domain.
 * domain_tag     the tag, from the root of the whole tree.
 * subdomain_out  receives the part, not a copy; NULL with an error.
 */
dart_ret_t dart_domain_find(const dart_domain_locality_t* domain_in, const char* domain_tag,
                            dart_domain_locality_t** subdomain_out) DART_NOTHROW;

/**
 * Keep only some parts of a domain, with the parts that they are in; remove some parts. Both count
 * units and parts anew. Tags stay as they are.
 *
 * domain_in           the domain.
 * num_subdomain_tags  tags.
 * subdomain_tags      the tags of the parts, from the root of the whole tree.
 */
dart_ret_t dart_domain_select(dart_domain_locality_t* domain_in, int num_subdomain_tags,
                              const char** subdomain_tags) DART_NOTHROW;
dart_ret_t dart_domain_exclude(dart_domain_locality_t* domain_in, int num_subdomain_tags,
                               const char** subdomain_tags) DART_NOTHROW;

/**
 * Put a domain into another one: add one that is in no tree; move a part of a tree. Tags and levels
 * of the domain's parts follow.
 *
 * domain                              the domain: add: the one that receives a part.
 * subdomain                           add: the part.
 * new_parent_domain                   move: the one that receives it.
 * subdomain_rel_id, new_domain_rel_id  its place among the parts there, up to their number.
 */
dart_ret_t dart_domain_add_subdomain(dart_domain_locality_t* domain,
                                     dart_domain_locality_t* subdomain,
                                     int subdomain_rel_id) DART_NOTHROW;
dart_ret_t dart_domain_move_subdomain(dart_domain_locality_t* domain,
                                      dart_domain_locality_t* new_parent_domain,
                                      int new_domain_rel_id) DART_NOTHROW;

/**
 * Splits a domain by its parts of a scope, which are dealt out in consecutive runs.
 *
 * domain_in         the domain.
 * scope             the kind of the parts.
 * num_parts         domains that are wanted.
 * split_domain_out  receives as many domains, each a copy of domain_in with its share of the parts.
 */
dart_ret_t dart_domain_split_scope(const dart_domain_locality_t* domain_in,
                                   dart_locality_scope_t scope, int num_parts,
                                   dart_domain_locality_t* split_domain_out) DART_NOTHROW;

/**
 * Give the parts of a scope: their tags, which the program frees one by one, and the array; the
 * parts themselves, of which the program frees the array only.
 *
 * domain_in                     the domain.
 * scope                         the kind of the parts.
 * num_domains_out               receives their number, 0 with an error.
 * domain_tags_out, domains_out  receives an array from malloc, NULL with an error.
 */
dart_ret_t dart_domain_scope_tags(const dart_domain_locality_t* domain_in,
                                  dart_locality_scope_t scope, int* num_domains_out,
                                  char*** domain_tags_out) DART_NOTHROW;
dart_ret_t dart_domain_scope_domains(const dart_domain_locality_t* domain_in,
                                     dart_locality_scope_t scope, int* num_domains_out,
                                     dart_domain_locality_t*** domains_out) DART_NOTHROW;

/**
 * Puts parts of a domain into a new part of scope DART_LOCALITY_SCOPE_GROUP, under the innermost
 * domain that has all of them.
 *
 * domain_in             the domain.
 * num_group_subdomains  tags.
 * group_subdomain_tags  the tags of the parts.
 * group_domain_tag_out  receives the tag of the new part; DART_LOCALITY_DOMAIN_TAG_MAX_SIZE bytes.
 */
dart_ret_t dart_domain_group(dart_domain_locality_t* domain_in, int num_group_subdomains,
                             const char** group_subdomain_tags,
                             char* group_domain_tag_out) DART_NOTHROW;

/**
 * Gives the place and the hardware of a unit.
 *
 * team    the team.
 * unit    its number in the team.
 * loc     receives them; they last as long as the localities of the team.
 */
dart_ret_t dart_unit_locality(dart_team_t team, dart_team_unit_t unit,
                              dart_unit_locality_t** loc) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // DASH_DART_IF_DART_LOCALITY_H
