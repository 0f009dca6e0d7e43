// SPDX-License-Identifier: BSD-3-Clause
//
// Plays gfortran 16 at change team (half, y[*] => x) and change team (half, z[*] => part), where
// part is a dummy argument that begins at x(3). Odd images are team 1, even ones team 2, in reverse
// order, so that y[i] is another image's x than x[i].
#include <stdio.h>
#include <stdlib.h>

#include "abi16_compiler.h"

// An array with one dimension and one codimension.
typedef struct {
    DESCRIPTOR_HEAD;
    dim_t dim[2];
} array_t;

void _gfortran_caf_atomic_op(int, void*, size_t, int, void*, void*, int*, int, int);

enum {
    kMapExisting = 9,
    kAllocatable = 1,
    GET = 41,
    PUT = 42,
    HAS_ELEMENT = 43,
    HAS_SCALAR = 44,
    N = 8,
    ADD = 1,
    INTEGER = 1
};

// Element *index, counted from 0, of the coarray.
static void get(int* index, const int* image, void** buffer, int32_t* is_owned, int* base,
                void* token, size_t unused, size_t* to_length, const size_t* from_length) {
    (void)image, (void)token, (void)unused, (void)to_length, (void)from_length;
    *buffer = &base[*index];
    *is_owned = 0;
}
static void put(int* index, const int* image, int* to, const int* from, void* token, size_t unused,
                size_t* to_length, const size_t* from_length) {
    (void)image, (void)token, (void)unused, (void)to_length, (void)from_length;
    to[*index] = *from;
}

// allocated(x), which also compares element *index; allocated(s).
static void has_element(int* index, const int* image, int32_t* result, const array_t* array,
                        void* token, size_t unused) {
    (void)token, (void)unused;
    const int* values = array->base;
    const ptrdiff_t at = *index + array->dim[0].lower + (ptrdiff_t)array->offset;
    *result = values != NULL && array->rank == 1 &&
              array->dim[0].upper - array->dim[0].lower == N - 1 &&
              values[at] == 100 * *image + *index;
}
static void has_scalar(void* add, const int* image, int32_t* result, void** scalar, void* token,
                       size_t unused) {
    (void)add, (void)image, (void)token, (void)unused;
    *result = *scalar != NULL;
}
static int is_present(void* token, int image, int hash, int* index) {
    return _gfortran_caf_is_present_on_remote(
        token, image, _gfortran_caf_get_remote_function_index(hash), index, sizeof *index);
}

static int value_at(void* token, int image, int index) {
    int value = -1;
    void* at = &value;
    _gfortran_caf_get_from_remote(token, NULL, NULL, image, sizeof value, &at, NULL, NULL, false,
                                  _gfortran_caf_get_remote_function_index(GET), &index,
                                  sizeof index, NULL, NULL, NULL);
    return value;
}
static void set_value(void* token, int image, int index, int value) {
    _gfortran_caf_send_to_remote(token, NULL, NULL, image, sizeof value, &value, NULL, NULL,
                                 _gfortran_caf_get_remote_function_index(PUT), &index, sizeof index,
                                 NULL, NULL, NULL);
}
static void sync(void) { _gfortran_caf_sync_all(NULL, NULL, 0); }

// Another coarray of the current team, whose memory begins `first` elements behind that of x.
static void* map(void* x_token, const array_t* x, int first) {
    array_t mapped = *x;
    mapped.base = (int*)x->base + first;
    void* token = x_token;
    int stat = -1;
    _gfortran_caf_register(sizeof(int) * N, kMapExisting, &token, &mapped, &stat, NULL, 0);
    check_equal(stat, 0, "stat of the association");
    check_equal(token != x_token, 1, "a token of its own");
    check_equal(mapped.base == (int*)x->base + first, 1, "the same memory");
    return token;
}

static void use_in_team(void* x_token, const array_t* x, const int* world_image, int images) {
    const int* values = x->base;
    const int me = _gfortran_caf_this_image(NULL);
    const int next = me % images + 1;
    void* y = map(x_token, x, 0);
    void* z = map(x_token, x, 3);
    sync();
    check_equal(value_at(y, next, 5), 100 * world_image[next] + 5, "y(5)[next]");
    check_equal(value_at(z, next, 2), 100 * world_image[next] + 5, "z(2)[next]");
    sync();
    set_value(y, next, 0, 1000 + me);
    set_value(z, next, 1, 2000 + me);
    int one = 1;
    _gfortran_caf_atomic_op(ADD, z, sizeof(int) * 4, next, &one, NULL, NULL, INTEGER, 4);
    sync();
    const int last = me == 1 ? images : me - 1;
    check_equal(values[0], 1000 + last, "x(0) behind a put to y(0)");
    check_equal(values[4], 2000 + last, "x(4) behind a put to z(1)");
    check_equal(values[7], 100 * world_image[me] + 8, "x(7) behind an atomic on z(4)");
}

int main(int argc, char** argv) {
    _gfortran_caf_register_accessor(GET, (accessor_t)get);
    _gfortran_caf_register_accessor(PUT, (accessor_t)put);
    _gfortran_caf_register_accessor(HAS_ELEMENT, (accessor_t)has_element);
    _gfortran_caf_register_accessor(HAS_SCALAR, (accessor_t)has_scalar);
    _gfortran_caf_register_accessors_finish();
    _gfortran_caf_init(&argc, &argv);
    const int me = _gfortran_caf_this_image(NULL);
    const int n = _gfortran_caf_num_images(NULL, NULL);
    array_t x = {.element_bytes = sizeof(int), .rank = 1, .type = INTEGER, .span = sizeof(int)};
    x.dim[0] = (dim_t){1, 1, N}, x.offset = (size_t)-1;
    void* token = NULL;
    int element = 5;
    check_equal(is_present(token, me, HAS_ELEMENT, &element), 0, "allocated(x) before allocation");
    _gfortran_caf_register(sizeof(int) * N, kAllocatable, &token, &x, NULL, NULL, 0);
    sync();
    array_t scalar = {.element_bytes = sizeof(int), .type = INTEGER, .span = sizeof(int)};
    void* scalar_token = NULL;
    _gfortran_caf_register(sizeof(int), kAllocatable, &scalar_token, &scalar, NULL, NULL, 0);
    *(int*)scalar.base = 0;
    for (int i = 0; i < N; ++i) ((int*)x.base)[i] = 100 * me + i;
    sync();
    const int other = me % n + 1;
    check_equal(is_present(token, other, HAS_ELEMENT, &element), 1, "allocated(x)");
    check_equal(is_present(scalar_token, other, HAS_SCALAR, &element), 1, "allocated(s)");
    sync();

    // world_image[i]: the number of the team's image i in the initial team.
    const int number = me % 2 == 1 ? 1 : 2;
    const int images = number == 1 ? (n + 1) / 2 : n / 2;
    int* world_image = calloc((size_t)images + 1, sizeof(int));
    for (int i = 1; i <= images; ++i) world_image[i] = 2 * (images - i) + number;
    int index = images - (me - number) / 2;
    team_t half = NULL;
    _gfortran_caf_form_team(number, &half, &index, NULL, NULL, 0);
    for (int round = 0; round < 20; ++round) {
        int* values = x.base;
        for (int i = 0; i < N; ++i) values[i] = 100 * me + i;
        _gfortran_caf_change_team(half, NULL, NULL, 0);
        use_in_team(token, &x, world_image, images);
        _gfortran_caf_end_team(NULL, NULL, 0);
        sync();
        check_equal(value_at(token, me % n + 1, 6), 100 * (me % n + 1) + 6, "x(6) behind the team");
        sync();
    }
    free(world_image);
    _gfortran_caf_deregister(&token, 0, NULL, NULL, 0);
    sync();
    if (me == 1) puts("passed");
    fflush(stdout);
    _gfortran_caf_finalize();
    return 0;
}
