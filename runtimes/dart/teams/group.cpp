// SPDX-License-Identifier: BSD-3-Clause
//
// dart_group_* (dart_team_group.h), but for the split by locality. No routine here needs the
// runtime to be up: static destructors of programs destroy groups after dart_exit.
#include "teams/group.hpp"

#include <algorithm>
#include <iterator>

#include "core/entry.hpp"
#include "core/handles.hpp"
#include "core/log.hpp"
#include "core/runtime.hpp"

namespace tessera::dart {
namespace {

using Groups = Handles<Group, HandleKind::kGroup>;

std::uint64_t number_of(dart_group_t handle) { return reinterpret_cast<std::uintptr_t>(handle); }

// RETURNS: nullptr, after a message: there is no such group.
Group* group_of(dart_group_t handle, const char* routine) {
    Group* group = find_group(handle);
    if (group == nullptr) {
        fail(DART_ERR_INVAL, routine, "group %p is none, or has been destroyed",
             static_cast<void*>(handle));
    }
    return group;
}

// Groups may be made before the first dart_init, when the number of units is not known.
bool is_unit(dart_global_unit_t unit, const char* routine) {
    const bool is_known = n_units() > 0;
    if (unit.id >= 0 && (!is_known || unit.id < n_units())) return true;
    if (is_known) {
        fail(DART_ERR_INVAL, routine, "unit %d is not in [0, %d)", unit.id, n_units());
    } else {
        fail(DART_ERR_INVAL, routine, "unit %d is negative", unit.id);
    }
    return false;
}

bool contains(const Group& group, int unit) {
    return std::binary_search(group.units.begin(), group.units.end(), unit);
}

// The units by a function of two sorted ranges.
template <class Combine>
dart_ret_t combine(dart_group_t g1, dart_group_t g2, dart_group_t* gout, Combine combine_units,
                   const char* routine) {
    if (gout == nullptr) return fail_null(routine);
    *gout = DART_GROUP_NULL;
    const Group* first = group_of(g1, routine);
    const Group* second = group_of(g2, routine);
    if (first == nullptr || second == nullptr) return DART_ERR_INVAL;
    Group result;
    combine_units(first->units, second->units, std::back_inserter(result.units));
    *gout = add_group(std::move(result));
    return DART_OK;
}

}  // namespace

dart_group_t add_group(Group group) {
    return reinterpret_cast<dart_group_t>(
        Groups::all().add(std::make_unique<Group>(std::move(group))));
}

Group* find_group(dart_group_t handle) { return Groups::all().find(number_of(handle)); }

DART_ENTRY dart_ret_t dart_group_create(dart_group_t* group) {
    if (group == nullptr) return fail_null(__func__);
    *group = add_group({});
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_destroy(dart_group_t* group) {
    if (group == nullptr) return fail_null(__func__);
    if (*group != DART_GROUP_NULL && Groups::all().remove(number_of(*group)) == nullptr) {
        return fail(DART_ERR_INVAL, __func__, "group %p is none, or has been destroyed",
                    static_cast<void*>(*group));
    }
    *group = DART_GROUP_NULL;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_clone(const dart_group_t gin, dart_group_t* gout) {
    if (gout == nullptr) return fail_null(__func__);
    *gout = DART_GROUP_NULL;
    const Group* group = group_of(gin, __func__);
    if (group == nullptr) return DART_ERR_INVAL;
    *gout = add_group(*group);
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_union(const dart_group_t g1, const dart_group_t g2,
                                       dart_group_t* gout) {
    return combine(
        g1, g2, gout,
        [](const auto& a, const auto& b, auto out) {
            std::set_union(a.begin(), a.end(), b.begin(), b.end(), out);
        },
        __func__);
}

DART_ENTRY dart_ret_t dart_group_intersect(const dart_group_t g1, const dart_group_t g2,
                                           dart_group_t* gout) {
    return combine(
        g1, g2, gout,
        [](const auto& a, const auto& b, auto out) {
            std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out);
        },
        __func__);
}

DART_ENTRY dart_ret_t dart_group_addmember(dart_group_t g, dart_global_unit_t unitid) {
    Group* group = group_of(g, __func__);
    if (group == nullptr || !is_unit(unitid, __func__)) return DART_ERR_INVAL;
    const auto place = std::lower_bound(group->units.begin(), group->units.end(), unitid.id);
    if (place == group->units.end() || *place != unitid.id) group->units.insert(place, unitid.id);
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_delmember(dart_group_t g, dart_global_unit_t unitid) {
    Group* group = group_of(g, __func__);
    if (group == nullptr || !is_unit(unitid, __func__)) return DART_ERR_INVAL;
    const auto place = std::lower_bound(group->units.begin(), group->units.end(), unitid.id);
    if (place != group->units.end() && *place == unitid.id) group->units.erase(place);
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_ismember(const dart_group_t g, dart_global_unit_t unitid,
                                          int32_t* ismember) {
    const Group* group = group_of(g, __func__);
    if (group == nullptr || ismember == nullptr)
        return group == nullptr ? DART_ERR_INVAL : fail_null(__func__);
    *ismember = contains(*group, unitid.id) ? 1 : 0;
    return is_unit(unitid, __func__) ? DART_OK : DART_ERR_INVAL;
}

DART_ENTRY dart_ret_t dart_group_size(const dart_group_t g, size_t* size) {
    const Group* group = group_of(g, __func__);
    if (group == nullptr || size == nullptr)
        return group == nullptr ? DART_ERR_INVAL : fail_null(__func__);
    *size = group->units.size();
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_getmembers(const dart_group_t g, dart_global_unit_t* unitids) {
    const Group* group = group_of(g, __func__);
    if (group == nullptr || (unitids == nullptr && !group->units.empty()))
        return group == nullptr ? DART_ERR_INVAL : fail_null(__func__);
    for (const int unit : group->units) (unitids++)->id = unit;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_split(const dart_group_t g, size_t n, size_t* nout,
                                       dart_group_t* gout) {
    const Group* group = group_of(g, __func__);
    if (group == nullptr || nout == nullptr || gout == nullptr)
        return group == nullptr ? DART_ERR_INVAL : fail_null(__func__);
    if (n == 0) return fail(DART_ERR_INVAL, __func__, "a split into 0 groups");
    const size_t size = group->units.size();
    const size_t length = size / n + (size % n != 0 ? 1 : 0);
    *nout = length == 0 ? 0 : (size + length - 1) / length;
    // All n are made, the last ones without members, because callers destroy all n.
    for (size_t i = 0; i < n; ++i) {
        const size_t begin = std::min(i * length, size);
        const size_t end = std::min(begin + length, size);
        gout[i] = add_group({{group->units.begin() + static_cast<std::ptrdiff_t>(begin),
                              group->units.begin() + static_cast<std::ptrdiff_t>(end)}});
    }
    return DART_OK;
}

}  // namespace tessera::dart
