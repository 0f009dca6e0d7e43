// SPDX-License-Identifier: BSD-3-Clause
//
// Collective subroutines of the current team.

#include "core/collectives.hpp"

#include <cstring>

#include "core/element_ops.hpp"
#include "core/packed.hpp"
#include "procedures/array.h"
#include "procedures/entry.hpp"

namespace tessera::prif {
namespace {

using Array = tessera_prif_array;
using caf::ElementType;

constexpr const char* kCombines[] = {"prif_co_sum", "prif_co_min", "prif_co_max"};
static_assert(static_cast<int>(caf::Combine::kSum) == 0 &&
              static_cast<int>(caf::Combine::kMin) == 1 &&
              static_cast<int>(caf::Combine::kMax) == 2);

caf::Section section_of(const Array& array) {
    caf::Section section{.base = static_cast<std::byte*>(array.base),
                         .element_bytes = array.element_bytes};
    for (int i = 0; i < array.rank; ++i) section.add_axis(array.extents[i], array.strides[i]);
    return section;
}

// RETURNS: false for a type without sums, minima and maxima.
bool find_type(const Array& array, ElementType& type) {
    type.bytes = array.element_bytes;
    switch (array.type) {
        case TESSERA_PRIF_INTEGER: type.type = ElementType::kInteger; return true;
        case TESSERA_PRIF_EXTENDED_REAL: type.wide = caf::WideReal::kExtended; [[fallthrough]];
        case TESSERA_PRIF_REAL: type.type = ElementType::kReal; return true;
        case TESSERA_PRIF_EXTENDED_COMPLEX: type.wide = caf::WideReal::kExtended; [[fallthrough]];
        case TESSERA_PRIF_COMPLEX: type.type = ElementType::kComplex; return true;
        case TESSERA_PRIF_CHARACTER: type.type = ElementType::kString; return true;
        case TESSERA_PRIF_OTHER: return false;
    }
    return false;
}

int fail_for_assumed_size(int* stat, const char* routine) {
    return fail(stat, caf::kMisuse, routine,
                "a is an array of assumed size, whose extent is not known; pass a section of it");
}

// All images have stat, or none (Fortran 2023, 16.6).
caf::Death death_for(const int* stat) {
    return stat != nullptr ? caf::Death::kIsStatus : caf::Death::kEndsProgram;
}

// image 0: absent.
bool is_image(int image) { return image >= 0 && image <= caf::num_images(); }
int fail_for_team_image(int* stat, const char* routine, const char* argument, int image) {
    return fail(stat, caf::kMisuse, routine,
                "%s %d does not exist; the team has the images 1 to %d", argument, image,
                caf::num_images());
}

using Wrapper = void (*)(void* arg1, void* arg2_and_out, std::size_t count, void* cdata);

struct UserOperation {
    Wrapper wrapper;
    void* cdata;
    std::size_t element_bytes;
};

// The caller's operation writes its second argument; this one writes the first.
void apply(void* inout, const void* in, std::size_t elements, void* user_data) {
    const auto& operation = *static_cast<const UserOperation*>(user_data);
    const std::size_t bytes = elements * operation.element_bytes;
    caf::Scratch result(bytes);
    std::memcpy(result.data(), in, bytes);
    operation.wrapper(inout, result.data(), elements, operation.cdata);
    std::memcpy(inout, result.data(), bytes);
}

int reduce_data(void* data, std::size_t elements, UserOperation operation, int result_image,
                const char* routine, int* stat) {
    if (!is_image(result_image))
        return fail_for_team_image(stat, routine, "result_image", result_image);
    if (operation.wrapper == nullptr)
        return fail(stat, caf::kMisuse, routine, "operation_wrapper is no procedure");
    caf::Reduction reduction;
    reduction.operation = {.function = apply,
                           .user_data = &operation,
                           .element_bytes = operation.element_bytes,
                           .is_commutative = 0};
    return end_with_status(stat, reduce(data, elements, reduction, result_image, death_for(stat)),
                           routine);
}

int broadcast_data(void* data, const caf::BroadcastShape& shape, int source_image,
                   const char* routine, int* stat) {
    if (source_image == 0 || !is_image(source_image))
        return fail_for_team_image(stat, routine, "source_image", source_image);
    return end_with_status(stat, broadcast(data, shape, source_image, death_for(stat)), routine);
}

}  // namespace

PRIF_ENTRY int tessera_prif_combine(int combine, const Array* array, int result_image, int* stat) {
    const char* routine = kCombines[combine];
    check_running(routine);
    if (!is_image(result_image))
        return fail_for_team_image(stat, routine, "result_image", result_image);
    if (array->rank < 0) return fail_for_assumed_size(stat, routine);
    ElementType type{};
    caf::Reduction reduction;
    if (!find_type(*array, type) ||
        !find_reduction(type, static_cast<caf::Combine>(combine), &reduction)) {
        return fail(stat, caf::kMisuse, routine,
                    "the elements of a, %zu bytes each, are of a type that has no such operation",
                    array->element_bytes);
    }
    caf::Packed packed(section_of(*array));
    const int status =
        reduce(packed.data(), packed.elements(), reduction, result_image, death_for(stat));
    packed.unpack();
    return end_with_status(stat, status, routine);
}

PRIF_ENTRY int tessera_prif_broadcast(const Array* array, int source_image, int* stat) {
    check_running("prif_co_broadcast");
    if (array->rank < 0) return fail_for_assumed_size(stat, "prif_co_broadcast");
    caf::Packed packed(section_of(*array));
    const int code = broadcast_data(packed.data(), {packed.bytes(), array->element_bytes},
                                    source_image, "prif_co_broadcast", stat);
    packed.unpack();
    return code;
}

PRIF_ENTRY int tessera_prif_broadcast_bytes(void* data, std::size_t bytes, int source_image,
                                            int* stat) {
    check_running("prif_co_broadcast_cptr");
    return broadcast_data(data, {bytes, 1}, source_image, "prif_co_broadcast_cptr", stat);
}

PRIF_ENTRY int tessera_prif_reduce(const Array* array, Wrapper wrapper, void* cdata,
                                   int result_image, int* stat) {
    constexpr const char* kRoutine = "prif_co_reduce";
    check_running(kRoutine);
    if (array->rank < 0) return fail_for_assumed_size(stat, kRoutine);
    caf::Packed packed(section_of(*array));
    const int code =
        reduce_data(packed.data(), packed.elements(), {wrapper, cdata, array->element_bytes},
                    result_image, kRoutine, stat);
    packed.unpack();
    return code;
}

PRIF_ENTRY int tessera_prif_reduce_bytes(void* data, std::size_t element_bytes,
                                         std::size_t elements, Wrapper wrapper, void* cdata,
                                         int result_image, int* stat) {
    check_running("prif_co_reduce_cptr");
    return reduce_data(data, elements, {wrapper, cdata, element_bytes}, result_image,
                       "prif_co_reduce_cptr", stat);
}

}  // namespace tessera::prif
