// SPDX-License-Identifier: BSD-3-Clause
//
// Domains: nodes of trees that programs read, so all their memory comes from malloc. A domain with
// parts has the units of its parts, in their order; one without has units of its own.

#pragma once

#include <dash/dart/if/dart_locality_types.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::dart {

// Sets the fields of a domain without parts and units.
void clear_fields(dart_domain_locality_t& domain);

// RETURNS: a cleared domain from malloc. The process ends when there is no memory.
dart_domain_locality_t* make_domain();

// Frees what a domain has, and clears it; frees also the domain itself.
void free_contents(dart_domain_locality_t& domain);
void free_domain(dart_domain_locality_t* domain);

// Makes `copy`, which has nothing, a copy of a domain with all its parts. The copy has no parent.
void copy_domain(dart_domain_locality_t& copy, const dart_domain_locality_t& domain);

void set_units(dart_domain_locality_t& domain, std::span<const dart_global_unit_t> units);

// The tag of a part: that of the parent with the number behind it.
// RETURNS: false: it is too long.
bool set_tag(dart_domain_locality_t& part, const dart_domain_locality_t& parent, int number);

// Puts a domain that is in no tree before part `index`; at the end if it is too large or negative.
void insert_part(dart_domain_locality_t& domain, dart_domain_locality_t* part, int index);
// Takes a domain out of its parent.
void remove_part(dart_domain_locality_t& part);

// Gives the parts of a domain, and theirs, new tags by their places, and counts units anew.
// RETURNS: false: a tag is too long.
bool number_parts(dart_domain_locality_t& domain);
// Counts the units of a domain, and those of the domains that it is in, after a change of its
// parts.
void count_units(dart_domain_locality_t& domain);

// RETURNS: the part, or the domain itself; nullptr: there is none of that tag.
dart_domain_locality_t* find_domain(dart_domain_locality_t& domain, std::string_view tag);

// The outermost parts of a scope, or the domain itself, in the order of the tree.
std::vector<dart_domain_locality_t*> parts_of_scope(dart_domain_locality_t& domain,
                                                    dart_locality_scope_t scope);

// Whether the domain of tag `outer` is, or contains, that of tag `inner`.
bool contains(std::string_view outer, std::string_view inner);

using Tags = std::span<const std::string>;
// Keep the parts of these tags, with all in them and around them; remove them. Tags stay.
void keep_parts(dart_domain_locality_t& domain, Tags tags);
void remove_parts(dart_domain_locality_t& domain, Tags tags);

}  // namespace tessera::dart
