// SPDX-License-Identifier: BSD-3-Clause
//
// Queries about images, and the sync procedures.

#include <vector>

#include "core/image_state.hpp"
#include "core/ordering.hpp"
#include "core/team_control.hpp"
#include "procedures/entry.hpp"
#include "procedures/stat_values.hpp"

namespace tessera::prif {
namespace {

constexpr const char* kSyncImages = "prif_sync_images";

int fail_for_image_set(int* stat, int image, const caf::Team& team) {
    return fail(stat, caf::kMisuse, kSyncImages,
                "image %d in image_set does not exist; the team has the images 1 to %d", image,
                team.images);
}

int sync_with(const int* pes, std::size_t count, int* stat) {
    caf::complete_all();
    return end_with_status(stat, caf::sync_with_pes(pes, static_cast<int>(count)), kSyncImages);
}

}  // namespace

PRIF_ENTRY int tessera_prif_num_images(const void* team) {
    const char* routine = team == nullptr ? "prif_num_images" : "prif_num_images_with_team";
    check_running(routine);
    return team_of(team, routine).images;
}

PRIF_ENTRY int tessera_prif_num_images_of_number(std::int64_t number) {
    check_running("prif_num_images_with_team_number");
    const int images = caf::images_of_number(number);
    if (images == 0) {
        caf::stop_with_error("prif_num_images_with_team_number",
                             "team_number %lld is neither -1 nor that of the current team or of a "
                             "sibling",
                             static_cast<long long>(number));
    }
    return images;
}

PRIF_ENTRY int tessera_prif_this_image(const void* team) {
    check_running("prif_this_image_no_coarray");
    return team_of(team, "prif_this_image_no_coarray").this_image;
}

PRIF_ENTRY int tessera_prif_image_status(int image, const void* team) {
    check_running("prif_image_status");
    const caf::Team& of_image = team_of(team, "prif_image_status");
    return value_of(caf::status_of_pe(pe_of(image, of_image, "prif_image_status")));
}

// The images of a team that have failed or stopped, in a list with room for all. RETURNS: how many.
PRIF_ENTRY int tessera_prif_gone_images(int has_failed, const void* team, int* list) {
    const char* routine = has_failed != 0 ? "prif_failed_images" : "prif_stopped_images";
    check_running(routine);
    const caf::Team& of_images = team_of(team, routine);
    int count = 0;
    for (int image = 1; image <= of_images.images; ++image) {
        const int status = caf::status_of_pe(of_images.pe_of(image));
        if (status == (has_failed != 0 ? caf::kFailedImage : caf::kStoppedImage))
            list[count++] = image;
    }
    return count;
}

PRIF_ENTRY int tessera_prif_sync_all(int* stat) {
    check_running("prif_sync_all");
    caf::complete_all();
    return end_with_status(stat, sync_members(caf::current_team()), "prif_sync_all");
}

PRIF_ENTRY int tessera_prif_sync_team(const void* team, int* stat) {
    check_running("prif_sync_team");
    caf::Team& wanted = team_of(team, "prif_sync_team");
    if (!is_related(wanted)) {
        return fail(stat, caf::kMisuse, "prif_sync_team",
                    "team %lld is neither the current team nor an ancestor or a child of it",
                    static_cast<long long>(wanted.number));
    }
    return end_with_status(stat, sync_team(wanted), "prif_sync_team");
}

PRIF_ENTRY int tessera_prif_sync_memory(int* stat) {
    check_running("prif_sync_memory");
    caf::complete_all();
    caf::refresh_loads();
    return succeed(stat);
}

// count -1: all images of the current team.
PRIF_ENTRY int tessera_prif_sync_images(int count, const int* images, int* stat) {
    check_running(kSyncImages);
    const caf::Team& team = caf::current_team();
    // One partner is the common case and needs no list.
    if (count == 1) [[likely]] {
        if (*images < 1 || *images > team.images) return fail_for_image_set(stat, *images, team);
        const int pe = team.pe_of(*images);
        return sync_with(&pe, 1, stat);
    }
    std::vector<int> pes;
    if (count < 0) pes = team.all_pes();
    std::vector<bool> is_listed(static_cast<std::size_t>(team.images) + 1);
    for (int i = 0; i < count; ++i) {
        const int image = images[i];
        if (image < 1 || image > team.images) return fail_for_image_set(stat, image, team);
        if (is_listed[static_cast<std::size_t>(image)]) {
            return fail(stat, caf::kDuplicateImage, kSyncImages,
                        "image %d is in image_set twice; list each image once", image);
        }
        is_listed[static_cast<std::size_t>(image)] = true;
        pes.push_back(team.pe_of(image));
    }
    return sync_with(pes.data(), pes.size(), stat);
}

}  // namespace tessera::prif
