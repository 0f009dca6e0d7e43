// SPDX-License-Identifier: BSD-3-Clause
//
// GCC 8 and later: collective subroutines. With errmsg= the compiler of GCC 12 may shift the
// arguments behind it (errmsg.hpp), so lengths come from the descriptor.

#include <shmemx.h>

#include <cstddef>

#include "abi12/component_broadcast.hpp"
#include "abi12/descriptor.hpp"
#include "abi12/errmsg.hpp"
#include "core/collectives.hpp"
#include "core/element_ops.hpp"
#include "core/packed.hpp"
#include "core/runtime.hpp"
#include "core/section.hpp"
#include "core/team.hpp"
#include "core/user_function.hpp"

namespace tessera::caf {
namespace {

Section section_of(const Descriptor& array) {
    Section section{.base = static_cast<std::byte*>(array.base),
                    .element_bytes = array.element_bytes};
    for (int i = 0; i < array.rank && i < kMaxRank; ++i)
        section.add_axis(extent(array.dim[i]), array.dim[i].stride * span_of(array));
    return section;
}

void check_image(int image, const char* routine) {
    if (image != 0) pe_of(image, routine);
}

void report_status(int status, const ErrorTarget& target, const char* routine) {
    report(target, status, routine, "an image of the team has %s",
           status == kStoppedImage ? "stopped" : "failed");
}

// Bytes of a character. length: the argument a_len, wrong where errmsg= is there. It can only be
// right if it says 4 bytes.
std::size_t character_bytes(const Descriptor& array, int length) {
    const bool has_four = length > 0 && array.element_bytes == 4 * static_cast<std::size_t>(length);
    return has_four ? 4 : 1;
}

// Whether the bytes of an element leave open whether it is of kind 10 or 16.
bool is_wide(const Descriptor& array) {
    return (array.type == kReal && array.element_bytes == 16) ||
           (array.type == kComplex && array.element_bytes == 32);
}

// All images have stat=, or none (Fortran 2018, 16.6).
Death death_for(const int* stat) {
    return stat != nullptr ? Death::kIsStatus : Death::kEndsProgram;
}

WideReal wide_real_of(const Descriptor& array, Packed& packed, Death death) {
    return is_wide(array) ? guess_wide_real(packed.data(), packed.bytes() / 16, death)
                          : WideReal::kQuad;
}

ElementType element_type(const Descriptor& array, int length, const char* routine) {
    ElementType type{.type = ElementType::kInteger, .bytes = array.element_bytes};
    switch (array.type) {
        case kInteger:
        case kLogical: break;
        case kUnsigned: type.type = ElementType::kUnsigned; break;
        case kReal: type.type = ElementType::kReal; break;
        case kComplex: type.type = ElementType::kComplex; break;
        case kCharacter:
            type.type = ElementType::kString;
            type.character_bytes = character_bytes(array, length);
            break;
        case kDerived:
            stop_with_error(routine,
                            "elements of a derived type have no such operation; for a component of "
                            "them, such as x%%c, gfortran 12 passes the elements as a whole: copy "
                            "it to a variable");
        default: stop_with_error(routine, "type %d has no such operation", array.type);
    }
    return type;
}

void combine(Descriptor* array, Combine operation, int result_image, int length,
             const ErrorTarget& target, const char* routine) {
    ensure_initialized();
    check_image(result_image, routine);
    ElementType type = element_type(*array, length, routine);
    Packed packed(section_of(*array));
    type.wide = wide_real_of(*array, packed, death_for(target.stat));
    Reduction reduction;
    if (!find_reduction(type, operation, &reduction)) {
        stop_with_error(routine, "type %d with elements of %zu bytes has no such operation",
                        array->type, array->element_bytes);
    }
    const int status =
        reduce(packed.data(), packed.elements(), reduction, result_image, death_for(target.stat));
    packed.unpack();
    report_status(status, target, routine);
}

UserFunction user_function(const Descriptor& array, AnyFunction function, int flags, int length) {
    constexpr int kArgumentValue = 4;
    constexpr int kArgumentDescriptor = 8;
    if ((flags & kArgumentDescriptor) != 0)
        stop_with_error("co_reduce", "a function with descriptors as arguments is not supported");
    UserFunction user{.function = function,
                      .type = UserFunction::kDerived,
                      .bytes = array.element_bytes,
                      .takes_values = (flags & kArgumentValue) != 0};
    switch (array.type) {
        case kInteger:
        case kUnsigned:
        case kLogical: user.type = UserFunction::kInteger; break;
        case kReal: user.type = UserFunction::kReal; break;
        case kComplex: user.type = UserFunction::kComplex; break;
        case kCharacter:
            user.type = UserFunction::kString;
            user.character_bytes = character_bytes(array, length);
            break;
        default: break;
    }
    return user;
}

}  // namespace

CAF_ENTRY void _gfortran_caf_co_broadcast(Descriptor* array, int source_image, int* stat,
                                          char* errmsg, std::size_t errmsg_bytes) {
    ensure_initialized();
    pe_of(source_image, "co_broadcast");
    const ErrorTarget target = target_of_collective(stat, errmsg, errmsg_bytes);
    if (is_own_address(*array)) {
        report_ok(target);
        return;
    }
    const Descriptor described = broadcast_descriptor(*array);
    BroadcastShape shape{.bytes = kUnallocated, .element_bytes = described.element_bytes};
    if (described.base == nullptr) {
        std::byte none{};
        const int status = broadcast(&none, shape, source_image, death_for(stat));
        return report_status(status, target, "co_broadcast");
    }
    Packed packed(section_of(described));
    shape.bytes = packed.bytes();
    const OwnAddresses own(packed.data(), described.type == kDerived ? shape.bytes : 0);
    const int status = broadcast(packed.data(), shape, source_image, death_for(stat));
    own.restore();
    note_broadcast(described.base);
    if (status == kOk) packed.unpack();
    report_status(status, target, "co_broadcast");
}

CAF_ENTRY void _gfortran_caf_co_sum(Descriptor* array, int result_image, int* stat, char* errmsg,
                                    std::size_t errmsg_bytes) {
    combine(array, Combine::kSum, result_image, 0, target_of_collective(stat, errmsg, errmsg_bytes),
            "co_sum");
}

CAF_ENTRY void _gfortran_caf_co_min(Descriptor* array, int result_image, int* stat, char* errmsg,
                                    int length, std::size_t errmsg_bytes) {
    combine(array, Combine::kMin, result_image, length,
            target_of_collective(stat, errmsg, errmsg_bytes), "co_min");
}

CAF_ENTRY void _gfortran_caf_co_max(Descriptor* array, int result_image, int* stat, char* errmsg,
                                    int length, std::size_t errmsg_bytes) {
    combine(array, Combine::kMax, result_image, length,
            target_of_collective(stat, errmsg, errmsg_bytes), "co_max");
}

CAF_ENTRY void _gfortran_caf_co_reduce(Descriptor* array, AnyFunction function, int flags,
                                       int result_image, int* stat, char* errmsg, int length,
                                       std::size_t errmsg_bytes) {
    ensure_initialized();
    check_image(result_image, "co_reduce");
    UserFunction user = user_function(*array, function, flags, length);
    Packed packed(section_of(*array));
    user.wide = wide_real_of(*array, packed, death_for(stat));
    prepare(user);
    // The standard asks for a commutative operation, but an associative one is enough here.
    const Reduction reduction{.operation = {.function = apply_user_function,
                                            .user_data = &user,
                                            .element_bytes = array->element_bytes,
                                            .is_commutative = 0}};
    const int status =
        reduce(packed.data(), packed.elements(), reduction, result_image, death_for(stat));
    packed.unpack();
    report_status(status, target_of_collective(stat, errmsg, errmsg_bytes), "co_reduce");
}

}  // namespace tessera::caf
