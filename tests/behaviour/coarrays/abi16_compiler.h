// SPDX-License-Identifier: BSD-3-Clause
//
// The routines of teams, which gfortran 16 calls with other arguments than gfortran 15; and how
// the programs that play it compare.
#pragma once

#include <stdio.h>

#include "abi_compiler.h"

int _gfortran_caf_this_image(team_t team);
int _gfortran_caf_num_images(team_t team, int32_t* team_number);
void _gfortran_caf_form_team(int, team_t*, int* new_index, int* stat, char* errmsg, size_t);
void _gfortran_caf_change_team(team_t, int* stat, char* errmsg, size_t);
void _gfortran_caf_end_team(int* stat, char* errmsg, size_t);

static void check_equal(long actual, long expected, const char* what) {
    if (actual != expected) {
        fprintf(stderr, "image %d: %s is %ld, expected %ld\n", _gfortran_caf_this_image(NULL), what,
                actual, expected);
        _gfortran_caf_error_stop(1, 0);
    }
}
