// SPDX-License-Identifier: BSD-3-Clause
//
// Declarations that the programs which play gfortran 15 and 16 share: array descriptors and the
// routines of libcaf that the compiler calls. Routines whose arguments differ between the two are
// declared by the programs.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void* team_t;

typedef struct {
    ptrdiff_t stride, lower, upper;
} dim_t;

// The head of a descriptor. One dim_t for each dimension and codimension follows, then the token.
#define DESCRIPTOR_HEAD           \
    void* base;                   \
    size_t offset, element_bytes; \
    int version;                  \
    int8_t rank, type;            \
    int16_t attribute;            \
    ptrdiff_t span

typedef void (*accessor_t)(void);

void _gfortran_caf_init(int*, char***);
void _gfortran_caf_finalize(void);
void _gfortran_caf_register(size_t, int, void**, void*, int* stat, char* errmsg, size_t);
void _gfortran_caf_deregister(void**, int, int* stat, char* errmsg, size_t);
void _gfortran_caf_sync_all(int* stat, char* errmsg, size_t);
void _gfortran_caf_error_stop(int code, bool is_quiet);
void _gfortran_caf_register_accessor(int, accessor_t);
void _gfortran_caf_register_accessors_finish(void);
int32_t _gfortran_caf_is_present_on_remote(void*, int image, int, void*, size_t);
int _gfortran_caf_get_remote_function_index(int);
void _gfortran_caf_get_from_remote(void*, const void*, const size_t*, int, size_t, void**, size_t*,
                                   void*, bool, int, void*, size_t, int*, team_t*, int*);
void _gfortran_caf_send_to_remote(void*, void*, const size_t*, int, size_t, const void*,
                                  const size_t*, const void*, int, void*, size_t, int*, team_t*,
                                  int*);
