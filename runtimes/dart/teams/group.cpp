// SPDX-License-Identifier: BSD-3-Clause
//
// dart_group_* (dart_team_group.h), but for the split by locality. No routine here needs the
// runtime to be up: static destructors of programs destroy groups after dart_exit.
#include "teams/group.hpp"

#include <dash/dart/if/dart_team_group.h>

#include <algorithm>
#include <iterator>

#include "core/entry.hpp"
#include "core/log.hpp"

namespace tessera::dart {
namespace {

dart_ret_t fail_null(const char* routine) {
    return fail(DART_ERR_INVAL, routine, "a group, or the place for a result, is NULL");
}

bool contains(const dart_group_struct& group, int unit) {
    return std::binary_search(group.units.begin(), group.units.end(), unit);
}

}  // namespace

DART_ENTRY dart_ret_t dart_group_create(dart_group_t* group) {
    if (group == nullptr) {
        return fail_null(__func__);
    }
    *group = new dart_group_struct;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_destroy(dart_group_t* group) {
    if (group == nullptr) {
        return fail_null(__func__);
    }
    delete *group;
    *group = DART_GROUP_NULL;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_clone(const dart_group_t gin, dart_group_t* gout) {
    if (gin == nullptr || gout == nullptr) {
        return fail_null(__func__);
    }
    *gout = new dart_group_struct(*gin);
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_union(const dart_group_t g1, const dart_group_t g2,
                                       dart_group_t* gout) {
    if (g1 == nullptr || g2 == nullptr || gout == nullptr) {
        return fail_null(__func__);
    }
    auto* result = new dart_group_struct;
    std::set_union(g1->units.begin(), g1->units.end(), g2->units.begin(), g2->units.end(),
                   std::back_inserter(result->units));
    *gout = result;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_intersect(const dart_group_t g1, const dart_group_t g2,
                                           dart_group_t* gout) {
    if (g1 == nullptr || g2 == nullptr || gout == nullptr) {
        return fail_null(__func__);
    }
    auto* result = new dart_group_struct;
    std::set_intersection(g1->units.begin(), g1->units.end(), g2->units.begin(), g2->units.end(),
                          std::back_inserter(result->units));
    *gout = result;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_addmember(dart_group_t g, dart_global_unit_t unitid) {
    if (g == nullptr) {
        return fail_null(__func__);
    }
    if (unitid.id < 0) {
        return fail(DART_ERR_INVAL, __func__, "%d is no unit", unitid.id);
    }
    const auto place = std::lower_bound(g->units.begin(), g->units.end(), unitid.id);
    if (place == g->units.end() || *place != unitid.id) {
        g->units.insert(place, unitid.id);
    }
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_delmember(dart_group_t g, dart_global_unit_t unitid) {
    if (g == nullptr) {
        return fail_null(__func__);
    }
    const auto place = std::lower_bound(g->units.begin(), g->units.end(), unitid.id);
    if (place != g->units.end() && *place == unitid.id) {
        g->units.erase(place);
    }
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_ismember(const dart_group_t g, dart_global_unit_t unitid,
                                          int32_t* ismember) {
    if (g == nullptr || ismember == nullptr) {
        return fail_null(__func__);
    }
    *ismember = contains(*g, unitid.id) ? 1 : 0;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_size(const dart_group_t g, size_t* size) {
    if (g == nullptr || size == nullptr) {
        return fail_null(__func__);
    }
    *size = g->units.size();
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_getmembers(const dart_group_t g, dart_global_unit_t* unitids) {
    if (g == nullptr || (unitids == nullptr && !g->units.empty())) {
        return fail_null(__func__);
    }
    for (const int unit : g->units) {
        (unitids++)->id = unit;
    }
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_group_split(const dart_group_t g, size_t n, size_t* nout,
                                       dart_group_t* gout) {
    if (g == nullptr || nout == nullptr || gout == nullptr) {
        return fail_null(__func__);
    }
    if (n == 0) {
        return fail(DART_ERR_INVAL, __func__, "a split into 0 groups");
    }
    const size_t size = g->units.size();
    const size_t length = size / n + (size % n != 0 ? 1 : 0);
    *nout = length == 0 ? 0 : (size + length - 1) / length;
    // All n are made, the last ones without members, because callers destroy all n.
    for (size_t i = 0; i < n; ++i) {
        const size_t begin = std::min(i * length, size);
        const size_t end = std::min(begin + length, size);
        gout[i] = new dart_group_struct{{g->units.begin() + static_cast<std::ptrdiff_t>(begin),
                                         g->units.begin() + static_cast<std::ptrdiff_t>(end)}};
    }
    return DART_OK;
}

}  // namespace tessera::dart
