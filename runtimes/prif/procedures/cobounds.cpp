// SPDX-License-Identifier: BSD-3-Clause
//
// Cobounds, and the images that cosubscripts name. The last upper cobound follows the number of
// images of the team that is asked about, so no coarray keeps it.

#include <algorithm>
#include <vector>

#include "core/team_control.hpp"
#include "procedures/entry.hpp"
#include "procedures/handle.hpp"

namespace tessera::prif {
namespace {

std::int64_t extent_of(const Handle& handle, int dim) {
    return handle.upper[dim] - handle.lower[dim] + 1;
}

// A number of images that no team has: products of coextents may be larger than any integer.
constexpr std::int64_t kManyImages = std::int64_t{1} << 31;
std::int64_t times_extent(std::int64_t images, const Handle& handle, int dim) {
    return std::min(images * std::min(extent_of(handle, dim), kManyImages), kManyImages);
}

// The product of the coextents before the last one, or kManyImages.
std::int64_t images_of_layer(const Handle& handle) {
    std::int64_t product = 1;
    for (int i = 0; i < handle.corank - 1; ++i) product = times_extent(product, handle, i);
    return product;
}

std::int64_t upper_of(const Handle& handle, int dim) {
    if (dim < handle.corank - 1) return handle.upper[dim];
    const std::int64_t layer = images_of_layer(handle);
    return handle.lower[dim] + (caf::num_images() + layer - 1) / layer - 1;
}

void check_dim(const Handle& handle, int dim, const char* routine) {
    if (dim < 1 || dim > handle.corank) {
        caf::stop_with_error(routine, "dim %d does not exist; the coarray has the corank %d", dim,
                             handle.corank);
    }
}

void check_count(const Handle& handle, int count, const char* routine) {
    if (count != handle.corank) {
        caf::stop_with_error(routine, "an array of %d elements for a coarray of corank %d", count,
                             handle.corank);
    }
}

// The image of a team of `images` that cosubscripts name; 0: none.
int image_of(const Handle& handle, const std::int64_t* sub, int images) {
    std::int64_t before = 0;
    std::int64_t layer = 1;
    for (int i = 0; i < handle.corank; ++i) {
        std::int64_t at = 0;
        if (__builtin_sub_overflow(sub[i], handle.lower[i], &at) || at < 0 || at >= images)
            return 0;
        if (i < handle.corank - 1 && at >= extent_of(handle, i)) return 0;
        before += at * layer;
        if (before >= images) return 0;
        if (i < handle.corank - 1) layer = times_extent(layer, handle, i);
    }
    return static_cast<int>(before) + 1;
}

// For prif_initial_team_index. RETURN: the image, 0 with an error.
int fail_for_subscripts(int* stat, const char* routine) {
    fail(stat, caf::kMisuse, routine, "the cosubscripts name no image of the team");
    return 0;
}
int found(int* stat, int pe) {
    succeed(stat);
    return pe + 1;
}

}  // namespace

enum Bound : int { kLower = 0, kUpper = 1, kExtent = 2 };

// dim 0: all, in an array of `count` elements.
PRIF_ENTRY void tessera_prif_cobounds(Handle* coarray_handle, int bound, int dim, int count,
                                      std::int64_t* result) {
    constexpr const char* kRoutines[][2] = {{"prif_lcobound_no_dim", "prif_lcobound_with_dim"},
                                            {"prif_ucobound_no_dim", "prif_ucobound_with_dim"},
                                            {"prif_coshape", ""}};
    const char* routine = kRoutines[bound][dim != 0 ? 1 : 0];
    check_running(routine);
    const Handle& handle = checked(coarray_handle, routine);
    if (dim != 0) {
        check_dim(handle, dim, routine);
    } else {
        check_count(handle, count, routine);
    }
    const int first = dim == 0 ? 0 : dim - 1;
    const int end = dim == 0 ? handle.corank : dim;
    for (int i = first; i < end; ++i) {
        const std::int64_t lower = handle.lower[i];
        const std::int64_t upper = upper_of(handle, i);
        result[i - first] = bound == kLower ? lower : bound == kUpper ? upper : upper - lower + 1;
    }
}

PRIF_ENTRY void tessera_prif_cosubscripts(Handle* coarray_handle, const void* team, int dim,
                                          int count, std::int64_t* result) {
    const char* routine = dim == 0 ? "prif_this_image_with_coarray" : "prif_this_image_with_dim";
    check_running(routine);
    const Handle& handle = checked(coarray_handle, routine);
    if (dim != 0) {
        check_dim(handle, dim, routine);
    } else {
        check_count(handle, count, routine);
    }
    std::int64_t rest = team_of(team, routine).this_image - 1;
    for (int i = 0; i < handle.corank; ++i) {
        const bool is_last = i == handle.corank - 1;
        const std::int64_t at = is_last ? rest : rest % extent_of(handle, i);
        if (!is_last) rest /= extent_of(handle, i);
        if (dim == 0) result[i] = handle.lower[i] + at;
        if (dim == i + 1) *result = handle.lower[i] + at;
    }
}

// The image of the current team, or of `team`.
PRIF_ENTRY int tessera_prif_image_index(Handle* coarray_handle, int count, const std::int64_t* sub,
                                        const void* team, int is_initial, int* stat) {
    constexpr const char* kRoutines[][2] = {
        {"prif_image_index", "prif_image_index_with_team"},
        {"prif_initial_team_index", "prif_initial_team_index_with_team"}};
    const char* routine = kRoutines[is_initial != 0 ? 1 : 0][team != nullptr ? 1 : 0];
    check_running(routine);
    const Handle& handle = checked(coarray_handle, routine);
    check_count(handle, count, routine);
    const caf::Team& wanted = team_of(team, routine);
    const int image = image_of(handle, sub, wanted.images);
    if (is_initial == 0) return image;
    return image == 0 ? fail_for_subscripts(stat, routine) : found(stat, wanted.pe_of(image));
}

// The image of the team of a number: the initial team, the current one, or a sibling.
PRIF_ENTRY int tessera_prif_image_index_of_number(Handle* coarray_handle, int count,
                                                  const std::int64_t* sub, std::int64_t number,
                                                  int is_initial, int* stat) {
    const char* routine = is_initial != 0 ? "prif_initial_team_index_with_team_number"
                                          : "prif_image_index_with_team_number";
    check_running(routine);
    const Handle& handle = checked(coarray_handle, routine);
    check_count(handle, count, routine);
    const std::vector<int> pes = caf::pes_of_number(number);
    if (pes.empty()) {
        caf::stop_with_error(routine,
                             "team_number %lld is neither -1 nor that of the current team or of a "
                             "sibling",
                             static_cast<long long>(number));
    }
    const int image = image_of(handle, sub, static_cast<int>(pes.size()));
    if (is_initial == 0) return image;
    return image == 0 ? fail_for_subscripts(stat, routine)
                      : found(stat, pes[static_cast<std::size_t>(image - 1)]);
}

}  // namespace tessera::prif
