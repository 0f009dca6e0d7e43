// SPDX-License-Identifier: BSD-3-Clause
//
// The team routines of GCC 16, called as its compiler would: new_index=, stat=, errmsg=,
// team_number=, get_team. Odd images are team 1, in reverse order, even ones team 2.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi16_compiler.h"

void _gfortran_caf_sync_team(team_t, int* stat, char* errmsg, size_t);
int _gfortran_caf_team_number(team_t);
team_t _gfortran_caf_get_team(int32_t* level);

int main(int argc, char** argv) {
    _gfortran_caf_init(&argc, &argv);
    const int me = _gfortran_caf_this_image(NULL);
    const int n = _gfortran_caf_num_images(NULL, NULL);
    const team_t world = _gfortran_caf_get_team(NULL);
    check_equal(_gfortran_caf_team_number(NULL), -1, "number of the initial team");

    const int number = me % 2 == 1 ? 1 : 2;
    const int images = number == 1 ? (n + 1) / 2 : n / 2;
    const int order = (me + 1) / 2;
    int index = number == 1 ? images + 1 - order : order;
    team_t half = NULL;
    int stat = -1;
    char message[41] = "                                        ";
    _gfortran_caf_form_team(number, &half, &index, &stat, message, 40);
    check_equal(stat, 0, "stat of form team");
    check_equal(_gfortran_caf_this_image(half), index, "this_image(half)");
    check_equal(_gfortran_caf_num_images(half, NULL), images, "num_images(half)");
    check_equal(_gfortran_caf_team_number(half), number, "team_number(half)");
    check_equal(_gfortran_caf_this_image(NULL), me, "this_image()");

    stat = -1;
    _gfortran_caf_change_team(half, &stat, NULL, 0);
    check_equal(stat, 0, "stat of change team");
    check_equal(_gfortran_caf_this_image(NULL), index, "this_image() in the team");
    int32_t sibling = 1;
    check_equal(_gfortran_caf_num_images(NULL, &sibling), (n + 1) / 2, "num_images of team 1");
    sibling = 2;
    if (n > 1) check_equal(_gfortran_caf_num_images(NULL, &sibling), n / 2, "num_images of team 2");
    sibling = -1;
    check_equal(_gfortran_caf_num_images(NULL, &sibling), n, "num_images of the initial team");
    int32_t level = 0;
    check_equal(_gfortran_caf_get_team(&level) == world, 1, "initial team");
    level = 1;
    check_equal(_gfortran_caf_get_team(&level) == world, 1, "parent team");
    level = 2;
    check_equal(_gfortran_caf_get_team(&level) == half, 1, "current team");
    for (int i = 0; i < 20; ++i) {
        _gfortran_caf_sync_all(&stat, NULL, 0);
        _gfortran_caf_sync_team(half, &stat, NULL, 0);
        _gfortran_caf_sync_team(world, NULL, NULL, 0);
    }

    // The same index for all: an error, for which the message has room.
    team_t none = NULL;
    index = 1;
    _gfortran_caf_form_team(5, &none, &index, &stat, message, 40);
    if (images > 1) {
        check_equal(stat != 0, 1, "stat of impossible indices");
        check_equal(none == NULL, 1, "no team");
        check_equal(strncmp(message, "number 5: two images", 20), 0, "errmsg");
    }
    // A number that is none, on one image: the others have their team.
    const int is_wrong = _gfortran_caf_this_image(NULL) == 1;
    _gfortran_caf_form_team(is_wrong ? -1 : 3, &none, NULL, &stat, message, 40);
    check_equal(stat != 0, is_wrong, "stat of a negative number");
    check_equal(none == NULL, is_wrong, "no team of a negative number");
    if (is_wrong) check_equal(strncmp(message, "number -1: the num", 18), 0, "errmsg");
    stat = -1;
    _gfortran_caf_end_team(&stat, NULL, 0);
    check_equal(stat, 0, "stat of end team");
    check_equal(_gfortran_caf_this_image(NULL), me, "this_image() behind the team");

    _gfortran_caf_sync_all(NULL, NULL, 0);
    if (me == 1) puts("passed");
    fflush(stdout);
    _gfortran_caf_finalize();
    return 0;
}
