/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plays LLVM flang from version 22 on, which lowers coarrays to calls of PRIF by name and does not
 * read the module: names, references and descriptors are those of its lowering, as far as
 * docs/runtimes/prif.md tells. It passes teams by reference here, as later versions do, and no
 * errmsg. Breaks when the procedures that flang 19 has compiled do not take what flang 22 passes.
 */
#include <ISO_Fortran_binding.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A team variable: flang's descriptor of a pointer. */
typedef struct {
    char bytes[40];
} team_type;

/* The arguments stat, errmsg, errmsg_alloc, and the length of the absent errmsg behind all. */
#define ERRORS int *stat, void *errmsg, void *errmsg_alloc, size_t errmsg_bytes
#define NO_ERRORS NULL, NULL, NULL, 0

void _QMprifPprif_init(int* stat);
void _QMprifPprif_stop(const bool* quiet, const int* code, const char* text, size_t text_bytes);
void _QMprifPprif_error_stop(const bool* quiet, const int* code, const char* text,
                             size_t text_bytes);
void _QMprifPprif_num_images(int* images);
void _QMprifPprif_num_images_with_team(const team_type* team, int* images);
void _QMprifPprif_this_image_no_coarray(const team_type* team, int* image);
void _QMprifPprif_sync_all(ERRORS);
void _QMprifPprif_sync_memory(ERRORS);
void _QMprifPprif_sync_team(const team_type* team, ERRORS);
void _QMprifPprif_sync_images(const CFI_cdesc_t* image_set, ERRORS);
void _QMprifPprif_co_sum(CFI_cdesc_t* a, const int* result_image, ERRORS);
void _QMprifPprif_co_max(CFI_cdesc_t* a, const int* result_image, ERRORS);
void _QMprifPprif_co_min_character(CFI_cdesc_t* a, const int* result_image, ERRORS);
void _QMprifPprif_co_broadcast(CFI_cdesc_t* a, const int* source_image, ERRORS);
void _QMprifPprif_form_team(const int64_t* number, team_type* team, const int* new_index, ERRORS);
void _QMprifPprif_change_team(const team_type* team, ERRORS);
void _QMprifPprif_end_team(ERRORS);
void _QMprifPprif_get_team(const int* level, team_type* team);
void _QMprifPprif_team_number(const team_type* team, int64_t* number);
void _QMprifPprif_allocate_coarray(const CFI_cdesc_t* lower, const CFI_cdesc_t* upper,
                                   const size_t* bytes, void (**final_proc)(void*), void** handle,
                                   void** memory, ERRORS);
void _QMprifPprif_deallocate_coarray(void** handle, ERRORS);
void _QMprifPprif_ucobound_with_dim(void** handle, const int* dim, int64_t* bound);
void _QMprifPprif_image_index(void** handle, const CFI_cdesc_t* sub, int* image);
void _QMprifPprif_put(const int* image, void** handle, const size_t* offset, void** buffer,
                      const size_t* bytes, ERRORS);
void _QMprifPprif_get(const int* image, void** handle, const size_t* offset, void** buffer,
                      const size_t* bytes, ERRORS);
void _QMprifPprif_event_post(const int* image, void** handle, const size_t* offset, ERRORS);
void _QMprifPprif_event_wait(void** event, const int64_t* until_count, ERRORS);
void _QMprifPprif_lock(const int* image, void** handle, const size_t* offset, bool* acquired,
                       ERRORS);
void _QMprifPprif_unlock(const int* image, void** handle, const size_t* offset, ERRORS);

static const bool kQuiet = true;
static int me;

static void check(bool is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "image %d: %s is wrong\n", me, what);
    const int code = 3;
    _QMprifPprif_error_stop(&kQuiet, &code, NULL, 0);
}

/* A descriptor of rank 0 or 1, as the compiler makes them on the stack. */
typedef CFI_CDESC_T(1) descriptor;
static CFI_cdesc_t* describe(descriptor* space, void* data, CFI_type_t type, size_t element_bytes,
                             int rank, CFI_index_t elements) {
    CFI_cdesc_t* made = (CFI_cdesc_t*)space;
    check(CFI_establish(made, data, CFI_attribute_other, type, element_bytes, (CFI_rank_t)rank,
                        &elements) == CFI_SUCCESS,
          "CFI_establish");
    return made;
}

static void test_images(int images) {
    descriptor space;
    int others[2] = {me % images + 1, (me + images - 2) % images + 1};
    const int partners = images > 2 ? 2 : 1;
    _QMprifPprif_sync_images(describe(&space, others, CFI_type_int32_t, 4, 1, partners), NO_ERRORS);
    _QMprifPprif_sync_images(NULL, NO_ERRORS);
    _QMprifPprif_sync_memory(NO_ERRORS);
    int stat = 1;
    _QMprifPprif_sync_all(&stat, NULL, NULL, 0);
    check(stat == 0, "the stat of sync all");
}

static void test_collectives(int images) {
    descriptor space;
    double values[2] = {me, -me};
    _QMprifPprif_co_sum(describe(&space, values, CFI_type_double, 8, 1, 2), NULL, NO_ERRORS);
    check(values[0] == images * (images + 1) / 2 && values[1] == -values[0], "co_sum");
    int number = me;
    _QMprifPprif_co_max(describe(&space, &number, CFI_type_int32_t, 4, 0, 0), &images, NO_ERRORS);
    check(me != images || number == images, "co_max");
    char text[3] = {'a', (char)('a' + me), 'z'};
    _QMprifPprif_co_min_character(describe(&space, text, CFI_type_char, 3, 0, 0), NULL, NO_ERRORS);
    check(memcmp(text, "abz", 3) == 0, "co_min of text");
    int64_t sent[3] = {me, me, me};
    _QMprifPprif_co_broadcast(describe(&space, sent, CFI_type_int64_t, 8, 1, 3), &images,
                              NO_ERRORS);
    check(sent[2] == images, "co_broadcast");
}

static void test_coarray(int images) {
    descriptor lower_space, upper_space;
    int64_t lower[1] = {1};
    int64_t none[1] = {0};
    void (*final_proc)(void*) = NULL;
    const size_t bytes = 192, event_at = 64, lock_at = 128, start = 0, word = 8;
    void *handle = NULL, *memory = NULL;
    _QMprifPprif_allocate_coarray(describe(&lower_space, lower, CFI_type_int64_t, 8, 1, 1),
                                  describe(&upper_space, none, CFI_type_int64_t, 8, 1, 0), &bytes,
                                  &final_proc, &handle, &memory, NO_ERRORS);
    memset(memory, 0, bytes);
    _QMprifPprif_sync_all(NO_ERRORS);
    const int dim = 1, next = me % images + 1;
    int64_t bound = 0;
    _QMprifPprif_ucobound_with_dim(&handle, &dim, &bound);
    check(bound == images, "ucobound");
    int image = 0;
    lower[0] = next;
    _QMprifPprif_image_index(&handle, (CFI_cdesc_t*)&lower_space, &image);
    check(image == next, "image_index");
    int64_t value = 100 + me;
    void* buffer = &value;
    _QMprifPprif_put(&next, &handle, &start, &buffer, &word, NO_ERRORS);
    _QMprifPprif_event_post(&next, &handle, &event_at, NO_ERRORS);
    void* event = (char*)memory + event_at;
    _QMprifPprif_event_wait(&event, NULL, NO_ERRORS);
    check(*(int64_t*)memory == 100 + (me + images - 2) % images + 1, "what was put before a post");
    _QMprifPprif_get(&next, &handle, &start, &buffer, &word, NO_ERRORS);
    check(value == 100 + me, "get");
    const int first = 1;
    const size_t count_at = 8;
    bool acquired = false;
    while (!acquired) _QMprifPprif_lock(&first, &handle, &lock_at, &acquired, NO_ERRORS);
    _QMprifPprif_get(&first, &handle, &count_at, &buffer, &word, NO_ERRORS);
    ++value;
    _QMprifPprif_put(&first, &handle, &count_at, &buffer, &word, NO_ERRORS);
    _QMprifPprif_unlock(&first, &handle, &lock_at, NO_ERRORS);
    _QMprifPprif_sync_all(NO_ERRORS);
    check(me != 1 || ((int64_t*)memory)[1] == images, "a count under a lock");
    _QMprifPprif_deallocate_coarray(&handle, NO_ERRORS);
}

static void test_teams(int images) {
    team_type team, initial;
    memset(&team, 0, sizeof team);
    memset(&initial, 0, sizeof initial);
    const int64_t wanted = 1 + me % 2;
    _QMprifPprif_get_team(NULL, &initial);
    _QMprifPprif_form_team(&wanted, &team, NULL, NO_ERRORS);
    _QMprifPprif_sync_team(&team, NO_ERRORS);
    _QMprifPprif_change_team(&team, NO_ERRORS);
    int64_t number = 0;
    _QMprifPprif_team_number(NULL, &number);
    check(number == wanted, "team_number");
    int in_team = 0, in_all = 0;
    _QMprifPprif_num_images(&in_team);
    _QMprifPprif_num_images_with_team(&initial, &in_all);
    check(in_team == (images + me % 2) / 2 && in_all == images, "num_images in a team");
    _QMprifPprif_end_team(NO_ERRORS);
}

int main(void) {
    int stat = 1, images = 0;
    _QMprifPprif_init(&stat);
    _QMprifPprif_this_image_no_coarray(NULL, &me);
    _QMprifPprif_num_images(&images);
    check(stat == 0 && me >= 1 && me <= images, "the start");
    test_images(images);
    test_collectives(images);
    test_coarray(images);
    test_teams(images);
    _QMprifPprif_sync_all(NO_ERRORS);
    if (me == 1) printf("passed\n");
    fflush(stdout);
    _QMprifPprif_stop(&kQuiet, NULL, NULL, 0);
}
