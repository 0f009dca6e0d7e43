// SPDX-License-Identifier: BSD-3-Clause
//
// GCC 8 to 14: image control without teams, and the state of images.

#include <cstdlib>
#include <utility>
#include <vector>

#include "abi12/descriptor.hpp"
#include "abi12/errmsg.hpp"
#include "abi12/register.hpp"
#include "core/image_state.hpp"
#include "core/ordering.hpp"
#include "core/runtime.hpp"
#include "core/team.hpp"

namespace tessera::caf {
namespace {

// See ignore_status_of_next_sync_all().
bool is_status_known = false;
// See skip_next_sync_all().
bool is_next_skipped = false;

void report_status(int status, const ErrorTarget& target, const char* routine) {
    report(target, status, routine, "an image of the team has %s",
           status == kStoppedImage ? "stopped" : "failed");
}

// The PEs of a list of images. Ends the program for an image out of range. RETURNS: whether all
// are different.
bool find_pes(const int* images, int count, std::vector<int>& pes) {
    const Team& team = current_team();
    std::vector<bool> is_listed(static_cast<std::size_t>(team.images) + 1);
    for (int i = 0; i < count; ++i) {
        pes.push_back(pe_of(images[i], team, "sync images"));
        const auto image = static_cast<std::size_t>(images[i]);
        if (is_listed[image]) return false;
        is_listed[image] = true;
    }
    return true;
}

// The list of the images of the current team in a state, as an allocated array of a kind.
template <class T>
T* list_images(int status, std::size_t* count) {
    const Team& team = current_team();
    std::vector<T> found;
    for (int image = 1; image <= team.images; ++image) {
        if (status_of_pe(team.pe_of(image)) == status) found.push_back(static_cast<T>(image));
    }
    *count = found.size();
    auto* list = static_cast<T*>(std::malloc((found.size() + 1) * sizeof(T)));
    for (std::size_t i = 0; i < found.size(); ++i) list[i] = found[i];
    return list;
}

void fill_images(Descriptor* array, int status, const int* kind) {
    std::size_t count = 0;
    const int bytes = kind == nullptr ? 4 : *kind;
    switch (bytes) {
        case 1: array->base = list_images<std::int8_t>(status, &count); break;
        case 2: array->base = list_images<std::int16_t>(status, &count); break;
        case 4: array->base = list_images<std::int32_t>(status, &count); break;
        case 8: array->base = list_images<std::int64_t>(status, &count); break;
        case 16: array->base = list_images<__int128>(status, &count); break;
        default:
            stop_with_error(status == kFailedImage ? "failed_images" : "stopped_images",
                            "kind=%d is no kind of an integer", bytes);
    }
    array->element_bytes = static_cast<std::size_t>(bytes);
    array->rank = 1;
    array->type = kInteger;
    array->span = bytes;
    array->dim[0] = {1, 0, static_cast<std::ptrdiff_t>(count) - 1};
    array->offset = 0;
}

}  // namespace

void ignore_status_of_next_sync_all() { is_status_known = true; }

void skip_next_sync_all(bool is_skipped) { is_next_skipped = is_skipped; }

CAF_ENTRY void _gfortran_caf_sync_all(int* stat, char* errmsg, std::size_t errmsg_bytes) {
    ensure_initialized();
    if (std::exchange(is_next_skipped, false) && stat == nullptr) return;
    complete_all();
    const int status = sync_members(current_team());
    const bool is_ignored = std::exchange(is_status_known, false) && stat == nullptr;
    if (status == kOk || is_ignored) [[likely]] {
        report_ok({.stat = stat});
        return;
    }
    report_status(status, target_of_sync(stat, errmsg, errmsg_bytes), "sync all");
}

CAF_ENTRY void _gfortran_caf_sync_memory(int* stat, char*, std::size_t) {
    ensure_initialized();
    complete_all();
    refresh_loads();
    report_ok({.stat = stat});
}

CAF_ENTRY void _gfortran_caf_sync_images(int count, int images[], int* stat, char* errmsg,
                                         std::size_t errmsg_bytes) {
    ensure_initialized();
    complete_all();
    const ErrorTarget target = target_of_sync(stat, errmsg, errmsg_bytes);
    if (count == 1) {
        const int pe = pe_of(images[0], "sync images");
        return report_status(sync_with_pes(&pe, 1), target, "sync images");
    }
    std::vector<int> pes;
    if (count < 0) {  // sync images(*)
        for (int image = 1; image <= num_images(); ++image)
            pes.push_back(current_team().pe_of(image));
    } else if (!find_pes(images, count, pes)) {
        report(target, kDuplicateImage, "sync images",
               "image %d is in the list twice; list each image once", images[pes.size() - 1]);
        return;
    }
    report_status(sync_with_pes(pes.data(), static_cast<int>(pes.size())), target, "sync images");
}

// The compiler of GCC 12 passes -1 as team, which is ignored.
CAF_ENTRY int _gfortran_caf_image_status(int image, caf_team_t*) {
    ensure_initialized();
    return status_of_pe(pe_of(image, "image_status"));
}

CAF_ENTRY void _gfortran_caf_failed_images(Descriptor* array, caf_team_t*, int* kind) {
    ensure_initialized();
    fill_images(array, kFailedImage, kind);
}

CAF_ENTRY void _gfortran_caf_stopped_images(Descriptor* array, caf_team_t*, int* kind) {
    ensure_initialized();
    fill_images(array, kStoppedImage, kind);
}

}  // namespace tessera::caf
