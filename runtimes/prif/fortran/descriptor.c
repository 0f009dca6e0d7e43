/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives: the descriptor of a Fortran compiler, as its ISO_Fortran_binding.h describes it,
 * becomes an array of the core. Compiled with the header of each compiler.
 */
#include <ISO_Fortran_binding.h>

#include "procedures/array.h"

typedef void (*operation_wrapper)(void* arg1, void* arg2_and_out, size_t count, void* cdata);

int tessera_prif_combine(int combine, const struct tessera_prif_array* array, int result_image,
                         int* stat);
int tessera_prif_broadcast(const struct tessera_prif_array* array, int source_image, int* stat);
int tessera_prif_reduce(const struct tessera_prif_array* array, operation_wrapper wrapper,
                        void* cdata, int result_image, int* stat);

static enum tessera_prif_type type_of(const CFI_cdesc_t* a) {
    const int type = a->type;
    if (type == CFI_type_int8_t || type == CFI_type_int16_t || type == CFI_type_int32_t ||
        type == CFI_type_int64_t) {
        return TESSERA_PRIF_INTEGER;
    }
#ifdef CFI_type_int128_t
    if (type == CFI_type_int128_t) return TESSERA_PRIF_INTEGER;
#endif
    if (type == CFI_type_float || type == CFI_type_double) return TESSERA_PRIF_REAL;
    if (type == CFI_type_float_Complex || type == CFI_type_double_Complex)
        return TESSERA_PRIF_COMPLEX;
    if (type == CFI_type_char) return TESSERA_PRIF_CHARACTER;
    if (type == CFI_type_long_double) return TESSERA_PRIF_EXTENDED_REAL;
    if (type == CFI_type_long_double_Complex) return TESSERA_PRIF_EXTENDED_COMPLEX;
#ifdef CFI_type_extended_double
    if (type == CFI_type_extended_double) return TESSERA_PRIF_EXTENDED_REAL;
    if (type == CFI_type_extended_double_Complex) return TESSERA_PRIF_EXTENDED_COMPLEX;
#endif
#ifdef CFI_type_float128
    if (type == CFI_type_float128) return TESSERA_PRIF_REAL;
    if (type == CFI_type_float128_Complex) return TESSERA_PRIF_COMPLEX;
#endif
    return TESSERA_PRIF_OTHER;
}

static struct tessera_prif_array array_of(const CFI_cdesc_t* a) {
    struct tessera_prif_array array = {a->base_addr, a->elem_len, type_of(a), a->rank, {0}, {0}};
    for (int i = 0; i < a->rank && i < 15; ++i) {
        array.extents[i] = (size_t)a->dim[i].extent;
        array.strides[i] = a->dim[i].sm;
    }
    if (a->rank > 0 && a->dim[a->rank - 1].extent == -1) array.rank = -1;
    return array;
}

int tessera_prif_cfi_combine(int combine, const CFI_cdesc_t* a, int result_image, int* stat) {
    const struct tessera_prif_array array = array_of(a);
    return tessera_prif_combine(combine, &array, result_image, stat);
}

int tessera_prif_cfi_broadcast(const CFI_cdesc_t* a, int source_image, int* stat) {
    const struct tessera_prif_array array = array_of(a);
    return tessera_prif_broadcast(&array, source_image, stat);
}

int tessera_prif_cfi_reduce(const CFI_cdesc_t* a, operation_wrapper wrapper, void* cdata,
                            int result_image, int* stat) {
    const struct tessera_prif_array array = array_of(a);
    return tessera_prif_reduce(&array, wrapper, cdata, result_image, stat);
}
