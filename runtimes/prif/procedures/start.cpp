// SPDX-License-Identifier: BSD-3-Clause
//
// Start and end of the images: prif_init, prif_stop, prif_error_stop, prif_fail_image.

#include <cfenv>

#include "core/hooks.hpp"
#include "core/runtime.hpp"
#include "core/termination.hpp"
#include "procedures/entry.hpp"
#include "procedures/stat_values.hpp"

namespace tessera::prif {

// flush: writes out the units that the program has printed to.
PRIF_ENTRY int tessera_prif_init(const StatValues* of_module, void (*flush)(), int* stat) {
    set_stat_values(*of_module);
    caf::detail::at_error = flush;
    if (caf::phase != caf::Phase::kBefore) {
        return fail(stat, caf::kAlreadyStarted, "prif_init",
                    "prif_init has been called before; call it once");
    }
    // The start computes, and the program is to find no exception that is not its own.
    std::fexcept_t flags;
    std::fegetexceptflag(&flags, FE_ALL_EXCEPT);
    caf::ensure_initialized();
    const int status = sync_members(caf::initial_team());
    std::fesetexceptflag(&flags, FE_ALL_EXCEPT);
    return end_with_status(stat, status, "prif_init");
}

PRIF_ENTRY void tessera_prif_check_running(const char* routine) { check_running(routine); }

PRIF_ENTRY void tessera_prif_report_exceptions() { caf::report_exceptions(); }

// callbacks: runs those of the program; all images have stopped or failed then.
PRIF_ENTRY [[noreturn]] void tessera_prif_stop(int code, void (*callbacks)()) {
    caf::detail::at_finalize = callbacks;
    caf::stop_image(code);
}

PRIF_ENTRY [[noreturn]] void tessera_prif_error_stop(int code) { caf::end_with_error(code); }

PRIF_ENTRY [[noreturn]] void tessera_prif_fail_image() { caf::fail_image(); }

}  // namespace tessera::prif
