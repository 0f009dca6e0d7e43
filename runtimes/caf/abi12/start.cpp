// SPDX-License-Identifier: BSD-3-Clause
//
// GCC 8 to 14: start and end of the program, and the ways to stop.

#include <cstddef>
#include <cstdio>

#include "abi12/descriptor.hpp"
#include "core/random.hpp"
#include "core/runtime.hpp"
#include "core/team.hpp"
#include "core/termination.hpp"

namespace tessera::caf {
namespace {

void print_code(const char* statement, int code, bool is_quiet) {
    if (!is_quiet) {
        report_exceptions();
        std::fprintf(stderr, "%s %d\n", statement, code);
    }
}

void print_text(const char* statement, const char* text, std::size_t bytes, bool is_quiet) {
    if (!is_quiet) {
        report_exceptions();
        std::fprintf(stderr, "%s%s%.*s\n", statement, text == nullptr ? "" : " ",
                     static_cast<int>(bytes), text == nullptr ? "" : text);
    }
}

}  // namespace

// The first statement of a Fortran main program. Static coarrays of all images are registered.
CAF_ENTRY void _gfortran_caf_init(int*, char***) {
    ensure_initialized();
    static bool has_met = false;
    if (!has_met) {
        has_met = true;
        sync_members(initial_team());
    }
}

CAF_ENTRY void _gfortran_caf_finalize() { terminate_normally(); }

CAF_ENTRY [[noreturn]] void _gfortran_caf_stop_numeric(int code, bool is_quiet) {
    ensure_initialized();
    print_code("STOP", code, is_quiet);
    stop_image(code);
}

// Plain stop has no text, and prints only exceptions.
CAF_ENTRY [[noreturn]] void _gfortran_caf_stop_str(const char* text, std::size_t bytes,
                                                   bool is_quiet) {
    ensure_initialized();
    if (text != nullptr) {
        print_text("STOP", text, bytes, is_quiet);
    } else if (!is_quiet) {
        report_exceptions();
    }
    stop_image(0);
}

CAF_ENTRY [[noreturn]] void _gfortran_caf_error_stop(int code, bool is_quiet) {
    ensure_initialized();
    print_code("ERROR STOP", code, is_quiet);
    end_with_error(code);
}

CAF_ENTRY [[noreturn]] void _gfortran_caf_error_stop_str(const char* text, std::size_t bytes,
                                                         bool is_quiet) {
    ensure_initialized();
    print_text("ERROR STOP", text, bytes, is_quiet);
    end_with_error(1);
}

CAF_ENTRY [[noreturn]] void _gfortran_caf_fail_image() {
    ensure_initialized();
    fail_image();
}

CAF_ENTRY void _gfortran_caf_random_init(bool is_repeatable, bool is_image_distinct) {
    ensure_initialized();
    random_init(is_repeatable, is_image_distinct);
}

}  // namespace tessera::caf
