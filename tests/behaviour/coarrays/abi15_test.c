// SPDX-License-Identifier: BSD-3-Clause
//
// Plays gfortran 15: registers accessors and coarrays in constructors, as the compiler's code does,
// and accesses elements, sections and components by them: in the caller on a node, and in the owner
// for components and on other nodes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi_compiler.h"

typedef struct {
    DESCRIPTOR_HEAD;
    dim_t dim[1];
    void* token;
} array1_t;

int _gfortran_caf_this_image(int);
int _gfortran_caf_num_images(int, int);
void _gfortran_caf_transfer_between_remotes(void*, void*, size_t*, int, int, void*, size_t, void*,
                                            const void*, const size_t*, int, int, void*, size_t,
                                            size_t, bool, int*, team_t*, int*, int*);

// type :: part; integer :: n; integer, allocatable :: c(:); end type
typedef struct {
    int n;
    array1_t c;
} part_t;

// The values of an expression that the accessor needs: a(first:last:step), or a(first).
typedef struct {
    int first, last, step;
} range_t;

enum {
    GET_ONE = 905,
    PUT_ONE = 17,
    GET_RANGE = -44,
    PUT_RANGE = 1 << 30,
    GET_C = 5,
    PUT_C = 6,
    HAS_C = -2000000000,
    COPY_ONE = 77,
    GET_THREE = 78
};

static int (*a)[10];  // integer :: a(10)[*]
static void* a_token;
static part_t* x;  // type(part) :: x[*]
static void* x_token;
static int failures;

static void check(bool is_right, const char* what) {
    if (!is_right) {
        fprintf(stderr, "image %d: %s is wrong\n", _gfortran_caf_this_image(0), what);
        ++failures;
    }
}

static int add_first(void* token, const range_t* range) {
    // The token of an accessor wraps add_data.
    check(token != NULL, "token");
    return range->first;
}

// a(first): a pointer to the element.
static void get_one(void* add, const int* image, void** buffer, int32_t* is_owned, void* base,
                    void* token, size_t unused, size_t* to_length, const size_t* from_length) {
    (void)image, (void)unused, (void)to_length, (void)from_length;
    *buffer = &((int*)base)[add_first(token, add) - 1];
    *is_owned = 0;
}

// The same, stored to where the buffer points.
static void copy_one(void* add, const int* image, void** buffer, int32_t* is_owned, void* base,
                     void* token, size_t unused, size_t* to_length, const size_t* from_length) {
    (void)image, (void)unused, (void)to_length, (void)from_length;
    *(int*)*buffer = ((int*)base)[add_first(token, add) - 1];
    *is_owned = 0;
}

static void put_one(void* add, const int* image, void* to, const void* from, void* token,
                    size_t unused, size_t* to_length, const size_t* from_length) {
    (void)image, (void)unused, (void)to_length, (void)from_length;
    ((int*)to)[add_first(token, add) - 1] = *(const int*)from;
}

static array1_t describe(void* base, ptrdiff_t n, ptrdiff_t stride) {
    return (array1_t){.base = base,
                      .offset = (size_t)-stride,
                      .element_bytes = 4,
                      .rank = 1,
                      .type = 1,
                      .span = 4,
                      .dim = {{stride, 1, n}}};
}

// a(first:last:step): a new array.
static void get_range(void* add, const int* image, void** buffer, int32_t* is_owned, void* base,
                      void* token, size_t unused, size_t* to_length, const size_t* from_length) {
    (void)image, (void)token, (void)unused, (void)to_length, (void)from_length;
    const range_t* range = add;
    const int n = (range->last - range->first + range->step) / range->step;
    int* values = malloc(sizeof(int) * (size_t)n);
    for (int i = 0; i < n; ++i) values[i] = ((int*)base)[range->first - 1 + i * range->step];
    array1_t* result = (array1_t*)buffer;
    const array1_t made = describe(values, n, 1);
    memcpy(result, &made, offsetof(array1_t, token));
    *is_owned = 1;
}

// The same as gfortran 16 makes it for constant bounds: it keeps an array of that shape, and takes
// its lower bound for 1.
static void get_three(void* add, const int* image, void** buffer, int32_t* is_owned, void* base,
                      void* token, size_t unused, size_t* to_length, const size_t* from_length) {
    (void)image, (void)token, (void)unused, (void)to_length, (void)from_length;
    const range_t* range = add;
    array1_t* result = (array1_t*)buffer;
    void* before = result->base;
    if (before == NULL || result->dim[0].upper != result->dim[0].lower + 2) {
        const array1_t made = describe(realloc(before, 3 * sizeof(int)), 3, 1);
        memcpy(result, &made, offsetof(array1_t, token));
    }
    int* values = result->base;
    for (int i = 0; i < 3; ++i) {
        const int at = range->first - 1 + i * range->step;
        values[i + 1 + (ptrdiff_t)result->offset] = ((int*)base)[at];
    }
    *is_owned = result->base != before;
}

static void put_range(void* add, const int* image, void* to, const void* from, void* token,
                      size_t unused, size_t* to_length, const size_t* from_length) {
    (void)image, (void)token, (void)unused, (void)to_length, (void)from_length;
    const range_t* range = add;
    const array1_t* source = from;
    for (int i = 0; i <= source->dim[0].upper - source->dim[0].lower; ++i) {
        ((int*)to)[range->first - 1 + i * range->step] =
            *(const int*)((const char*)source->base + i * source->dim[0].stride * source->span);
    }
}

// x%c: the descriptor of the component, as a pointer assignment makes it.
static void get_c(void* add, const int* image, void** buffer, int32_t* is_owned, void* base,
                  void* token, size_t unused, size_t* to_length, const size_t* from_length) {
    (void)add, (void)image, (void)token, (void)unused, (void)to_length, (void)from_length;
    memcpy(buffer, &((part_t*)base)->c, offsetof(array1_t, token));
    *is_owned = 0;
}

static void put_c(void* add, const int* image, void* to, const void* from, void* token,
                  size_t unused, size_t* to_length, const size_t* from_length) {
    (void)image, (void)token, (void)unused, (void)to_length, (void)from_length;
    ((int*)((part_t*)to)->c.base)[((range_t*)add)->first - 1] = *(const int*)from;
}

static void has_c(void* add, const int* image, int32_t* result, void* base, void* token,
                  size_t unused) {
    (void)add, (void)image, (void)token, (void)unused;
    *result = ((part_t*)base)->c.base != NULL;
}

__attribute__((constructor)) static void register_all(void) {
    array1_t scratch = {.element_bytes = sizeof *a, .type = 1};
    _gfortran_caf_register(sizeof *a, 0, &a_token, &scratch, NULL, NULL, 0);
    a = scratch.base;
    scratch = (array1_t){.element_bytes = sizeof *x, .type = 5};
    _gfortran_caf_register(sizeof *x, 0, &x_token, &scratch, NULL, NULL, 0);
    x = scratch.base;
    x->c = describe(NULL, 0, 1);
    _gfortran_caf_register(0, 7, &x->c.token, &x->c, NULL, NULL, 0);
    _gfortran_caf_register_accessor(GET_ONE, (accessor_t)get_one);
    _gfortran_caf_register_accessor(PUT_ONE, (accessor_t)put_one);
    _gfortran_caf_register_accessor(GET_RANGE, (accessor_t)get_range);
    _gfortran_caf_register_accessor(PUT_RANGE, (accessor_t)put_range);
    _gfortran_caf_register_accessor(GET_THREE, (accessor_t)get_three);
    _gfortran_caf_register_accessors_finish();
    // A second unit of the program.
    _gfortran_caf_register_accessor(GET_C, (accessor_t)get_c);
    _gfortran_caf_register_accessor(PUT_C, (accessor_t)put_c);
    _gfortran_caf_register_accessor(HAS_C, (accessor_t)has_c);
    _gfortran_caf_register_accessor(COPY_ONE, (accessor_t)copy_one);
    _gfortran_caf_register_accessors_finish();
}

static int find(int hash) { return _gfortran_caf_get_remote_function_index(hash); }
static void sync(void) { _gfortran_caf_sync_all(NULL, NULL, 0); }

static int get_value(void* token, int hash, int image, int i) {
    int value = -1;
    void* at = &value;
    range_t range = {i, i, 1};
    int stat = 5;
    _gfortran_caf_get_from_remote(token, NULL, NULL, image, sizeof value, &at, NULL, NULL, false,
                                  find(hash), &range, sizeof range, &stat, NULL, NULL);
    check(stat == 0, "stat of a get");
    return value;
}

static void put_value(void* token, int hash, int image, int i, int value) {
    range_t range = {i, i, 1};
    _gfortran_caf_send_to_remote(token, NULL, NULL, image, sizeof value, &value, NULL, NULL,
                                 find(hash), &range, sizeof range, NULL, NULL, NULL);
}

static void test_plain(int me, int next, int last) {
    check(get_value(a_token, GET_ONE, next, 4) == 100 * next + 4, "get of an element");
    check(get_value(a_token, COPY_ONE, next, 10) == 100 * next + 10, "get into the buffer");
    int values[3] = {0};
    array1_t into = describe(values, 3, 1);
    range_t range = {2, 8, 3};
    _gfortran_caf_get_from_remote(a_token, NULL, NULL, next, sizeof values, &into.base, NULL, &into,
                                  false, find(GET_RANGE), &range, sizeof range, NULL, NULL, NULL);
    check(values[0] == 100 * next + 2 && values[2] == 100 * next + 8, "get of a section");
    int kept[5] = {0, 0, 0, -5, -6};
    array1_t from_zero = describe(kept, 3, 1);
    from_zero.dim[0] = (dim_t){1, 0, 2};
    from_zero.offset = 0;
    _gfortran_caf_get_from_remote(a_token, NULL, NULL, next, 12, &from_zero.base, NULL, &from_zero,
                                  false, find(GET_THREE), &range, sizeof range, NULL, NULL, NULL);
    check(kept[0] == 100 * next + 2 && kept[2] == 100 * next + 8, "get into an array");
    check(kept[3] == -5 && from_zero.dim[0].lower == 0, "what lies behind the array");
    array1_t made = describe(NULL, 0, 1);
    _gfortran_caf_get_from_remote(a_token, NULL, NULL, next, 0, &made.base, NULL, &made, true,
                                  find(GET_RANGE), &range, sizeof range, NULL, NULL, NULL);
    check(made.dim[0].upper == 3 && ((int*)made.base)[1] == 100 * next + 5, "get that allocates");
    free(made.base);
    sync();
    put_value(a_token, PUT_ONE, next, 1, -me);
    int sources[6] = {me, 0, 2 * me, 0, 3 * me, 0};
    array1_t from = describe(sources, 3, 2);
    range = (range_t){3, 9, 3};
    _gfortran_caf_send_to_remote(a_token, NULL, NULL, next, 12, sources, NULL, &from,
                                 find(PUT_RANGE), &range, sizeof range, NULL, NULL, NULL);
    sync();
    check((*a)[0] == -last, "put of an element");
    check((*a)[2] == last && (*a)[5] == 2 * last && (*a)[8] == 3 * last, "put of a section");
    check((*a)[1] == 100 * me + 2, "neighbour of a put");
    sync();
    int to_stat = 5, of_stat = 5;
    range_t to = {10, 10, 1}, of = {4, 4, 1}, many = {4, 8, 2};
    _gfortran_caf_transfer_between_remotes(a_token, NULL, NULL, next, find(PUT_ONE), &to, sizeof to,
                                           a_token, NULL, NULL, last, find(GET_ONE), &of, sizeof of,
                                           sizeof(int), true, &to_stat, NULL, NULL, &of_stat);
    check(to_stat == 0 && of_stat == 0, "stat of both images");
    sync();
    const int images = _gfortran_caf_num_images(0, -1);
    const int before = last == 1 ? images : last - 1;
    check((*a)[9] == 100 * before + 4, "scalar from image to image");
    to = (range_t){1, 3, 1};
    _gfortran_caf_transfer_between_remotes(a_token, NULL, NULL, next, find(PUT_RANGE), &to,
                                           sizeof to, a_token, NULL, NULL, last, find(GET_RANGE),
                                           &many, sizeof many, 12, false, NULL, NULL, NULL, NULL);
    sync();
    check((*a)[0] == 100 * before + 4, "section from image to image");
}

static void test_components(int me, int next, int last) {
    range_t none = {1, 1, 1};
    check(!_gfortran_caf_is_present_on_remote(x_token, next, find(HAS_C), &none, sizeof none),
          "component before it is allocated");
    sync();
    x->c.dim[0] = (dim_t){1, 1, me + 2};
    _gfortran_caf_register(4 * (size_t)(me + 2), 8, &x->c.token, &x->c, NULL, NULL, 0);
    for (int i = 0; i < me + 2; ++i) ((int*)x->c.base)[i] = 1000 * me + i;
    sync();
    check(_gfortran_caf_is_present_on_remote(x_token, next, find(HAS_C), &none, sizeof none),
          "component that is allocated");
    for (int round = 0; round < 50; ++round) {
        array1_t made = describe(NULL, 0, 1);
        _gfortran_caf_get_from_remote(x_token, NULL, NULL, next, 0, &made.base, NULL, &made, true,
                                      find(GET_C), &none, sizeof none, NULL, NULL, NULL);
        check(made.dim[0].upper == next + 2, "size of a component");
        check(((int*)made.base)[next + 1] == 1000 * next + next + 1, "component");
        free(made.base);
    }
    sync();
    put_value(x_token, PUT_C, next, 2, -7 * me);
    sync();
    check(((int*)x->c.base)[1] == -7 * last, "put to a component");
    sync();
    _gfortran_caf_deregister(&x->c.token, 1, NULL, NULL, 0);
    x->c.base = NULL;
    sync();
    check(!_gfortran_caf_is_present_on_remote(x_token, next, find(HAS_C), &none, sizeof none),
          "component that is deallocated");
}

int main(int argc, char** argv) {
    _gfortran_caf_init(&argc, &argv);
    const int me = _gfortran_caf_this_image(0);
    const int images = _gfortran_caf_num_images(0, -1);
    const int next = me % images + 1;
    const int last = me == 1 ? images : me - 1;
    for (int i = 0; i < 10; ++i) (*a)[i] = 100 * me + i + 1;
    check(find(12345) == -1, "index of an unknown accessor");
    sync();
    test_plain(me, next, last);
    sync();
    test_components(me, next, last);
    sync();
    if (failures != 0) return 1;
    sync();
    if (me == 1) {
        puts("passed");
        fflush(stdout);
    }
    _gfortran_caf_finalize();
    return 0;
}
