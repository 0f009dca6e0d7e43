# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions to the tidy rules, each with its reason. These lists may only shrink: an entry that is
no longer needed, or that allows more than there is, fails the check.

ALLOWED: (rule, path, count, reason). `count` is the number of findings in that file; for file-size
it is the number of lines.
COVERING: the test that fails when source files without a test file of their own are broken -> their
folders and names.
"""

ALLOWED = (
    ("include-arrows", "bench/kernels.cpp", 1,
     "measures an inner part, which the public headers do not show"),
    ("include-arrows", "bench/algorithms.cpp", 2,
     "changes the choice of algorithms between calls, which no public routine can"),
    ("include-arrows", "tests/unit/oshrun/output_sink_test.cpp", 1,
     "tests a part of oshrun, which is a program and lies in no include path"),
    ("include-arrows", "tests/protocols/coarray_barrier.cpp", 3,
     "checks the coarray runtime's barrier, whose headers its own include path has"),
    ("conditionals", "runtimes/prif/fortran/descriptor.c", 3,
     "asks the header of a Fortran compiler which types it has"),
    ("file-size", "runtimes/prif/fortran/prif.F90", 926,
     "is one Fortran module: a table of 109 interfaces, each with its arguments"),
    ("banned-words", "tests/system/launch/print_probe.cpp", 2,
     "tests that lines of std::cout appear at once"),
    ("include-arrows", "tools/osh_hang/images.cpp", 1,
     "reads the note of the coarray runtime in an image's process, of which it needs the layout"),
    ("include-arrows", "tools/osh_info/doctor/public_memory.cpp", 1,
     "reads the signature that a job leaves in its public memory, of which it needs the layout"),
    ("include-arrows", "tools/osh_info/fabric_promises.hpp", 1,
     "tests libfabric's providers as the transport uses them"),
    ("include-arrows", "tools/osh_info/socket_promises.cpp", 1,
     "tests Unix sockets as the transport uses them"),
    ("order-partners", "tools/osh_info/fabric_promises.cpp", 1,
     "a provider stores the word, in no function of ours"),
    ("order-partners", "src/base/handle_table.cpp", 1,
     "find_head() needs no acquire: the address of its second load depends on the first"),
    ("order-partners", "src/session/startup.cpp", 1,
     "osh_hang reads the facts by pread, which is no atomic operation"),
    ("conditionals", "bench/collectives.c", 1,
     "the same program for libraries with teams and for those before 1.5"),
    ("conditionals", "bench/team_split.h", 1,
     "the one place where bench/micro asks whether the library has teams"),
    ("conditionals", "bench/line_ways.h", 1,
     "the one place where bench asks for the processor's instructions for cache lines"),
    ("conditionals", "bench/newer.h", 3,
     "the one place where bench asks for signals, blocks, sessions and sections"),
    ("conditionals", "bench/dart/extensions.h", 1,
     "the one place where bench/dart asks for the extensions of Tessera's DART"),
    ("conditionals", "bench/requests.c", 1,
     "the widest compare-and-swap of the processor, bare: the limit of the library's"),
    ("conditionals", "transports/fabric_list.hpp", 1,
     "the one place that knows the preset of the simulation, which alone has transports/sim"),
    ("conditionals", "tests/behaviour/headers/constants.c", 2,
     "tests that the constants of shmem.h work in #if"),
    ("banned-words", "tests/system/static_data/share_test.cpp", 3,
     "tests that iostream's static objects work when static data is remapped"),
)

COVERING = {
    "tests/behaviour/coarrays/killed_images.f90": {
        "src/api": "shmemx_failures",
        "src/base": "death_patience",
        "src/session": "failures",
        "tools/oshrun": "survive"},
    "tests/behaviour/collectives/moves_conformance_test.cpp": {"collectives": "group"},
    "tests/behaviour/collectives/moves_test.cpp": {"collectives": "blocks"},
    "tests/behaviour/collectives/reductions_conformance_test.cpp": {"src/api": "reductions"},
    "tests/behaviour/contexts/sessions_test.cpp": {"src/core": "atomic_batch"},
    "tests/behaviour/inline/inline_test.cpp": {"src/memory": "inline_maps"},
    "tests/behaviour/memory/addresses_test.cpp": {"src/session": "node_heaps"},
    "tests/behaviour/mistakes/errors_test.py": {
        "src/memory": "symmetric_addresses",
        "tools/oshrun": "no_algorithms"},
    "tests/behaviour/noncoherent/noncoherent_test.cpp": {"src/session": "coherence"},
    "tests/behaviour/noncoherent/public_file_test.py": {"src/session": "public_file"},
    "tests/behaviour/noncoherent/public_pointers_test.cpp": {"src/api": "shmemx_coherence"},
    "tests/behaviour/progress/helpers_lives_test.py": {
        "src/session": "helper_threads",
        "tools/oshrun": "helpers"},
    "tests/behaviour/progress/helpers_test.cpp": {
        "src/heap": "helper_loop",
        "tools/oshrun": "helper_process"},
    "tests/behaviour/runtime_layer/collectives/collective_errors_test.py": {
        "collectives": "agreement",
        "src/api": "runtime_arguments"},
    "tests/behaviour/runtime_layer/collectives/random_collectives_test.cpp": {
        "collectives": "runtime_calls staging",
        "collectives/exchange": "list",
        "collectives/shared_arrays": "moves reductions shared_arrays",
        "src/api": "shmemx_collectives shmemx_icollectives"},
    "tests/behaviour/runtime_layer/init/group_test.py": {
        "src/api": "shmemx_init",
        "src/launch": "directory meeting_frames meeting_point unique_id"},
    "tests/behaviour/runtime_layer/location/pe_location_test.cpp": {
        "src/api": "shmemx_location",
        "src/session": "locations"},
    "tests/behaviour/runtime_layer/locks/mutex_test.cpp": {"src/locks": "held_locks lock_queue"},
    "tests/behaviour/runtime_layer/memory/shmemx_local_memory_test.cpp": {
        "src/memory": "local_memory"},
    "tests/behaviour/runtime_layer/requests/requests_test.cpp": {
        "src/progress": "request tracked"},
    "tests/behaviour/runtime_layer/segments/segments_random_test.cpp": {
        "collectives": "segments shown_lines"},
    "tests/behaviour/runtime_layer/segments/shmemx_segments_test.cpp": {
        "src/memory": "segment_transport"},
    "tests/behaviour/runtime_layer/strided/shapes_test.cpp": {
        "src/api": "shmemx_strided",
        "src/core": "strided_transfer"},
    "tests/behaviour/runtime_layer/teams/any_members_test.cpp": {
        "src/api": "shmemx_teams",
        "src/messaging": "meeting",
        "src/teams": "team_arrays team_slots"},
    "tests/behaviour/runtime_layer/teams/team_allocation_test.cpp": {
        "collectives": "team_memory",
        "src/api": "shmemx_team_memory"},
    "tests/behaviour/setup/exit_test.py": {"src/session": "info"},
    "tests/behaviour/setup/finalize_test.py": {"src/session": "exit exit_meeting"},
    "tests/behaviour/setup/setup_test.cpp": {
        "src/core": "pe_state",
        "src/session": "node runtime startup"},
    "tests/behaviour/shmemx/shmemx_basics_test.cpp": {"src/api": "shmemx_algorithms"},
    "tests/behaviour/shmemx/shmemx_heap_test.cpp": {"src/memory": "external_heap"},
    "tests/behaviour/shmemx/shmemx_host_library_test.c": {"src/api": "shmemx_handles"},
    "tests/behaviour/teams/teams_conformance_test.cpp": {
        "collectives": "team_create",
        "src/api": "teams",
        "src/session": "predefined_teams",
        "src/teams": "flag_access team"},
    "tests/system/check/check_test.py": {
        "src/session": "checker",
        "tools/check":
            "active_sets blocks collective_ranges collectives locks memory observer places ranges "
            "record report shown_blocks teams threads",
        "tools/oshrun": "checker"},
    "tests/system/check/load_test.py": {
        "tools/accesses": "atomics plain",
        "tools/check/race": "program_accesses sites windows"},
    "tests/system/check/race_test.py": {
        "tools/check": "profiling_names",
        "tools/check/race":
            "advice collective_steps detector exchange host_memory pending races store transfers"},
    "tests/system/check/routines_test.py": {
        "tools/interpose":
            "atomics collectives counted inline memory rma setup shmemx_collectives "
            "shmemx_transfers teams waits"},
    "tests/system/campaigns/kills.py": {"tools/oshrun": "fabric_files"},
    "tests/system/crash/crash_test.py": {
        "src/api": "shmemx_places",
        "src/base": "interrupted_call_portable interrupted_call_x86_64",
        "src/session": "call_place crash_report reporter",
        "tools/osh_hang": "calls"},
    "tests/system/doctor/host_test.py": {"src/settings": "fabric_outlook"},
    "tests/system/faults/dumped.c": {"src/memory": "core_files"},
    "tests/system/hang/oshrun_hang_test.py": {
        "src/session": "hang_report",
        "tools/osh_hang": "activity findings images main processes snapshot",
        "tools/oshrun": "hang_report"},
    "tests/system/launch/cleanup_test.py": {"tools/oshrun": "keeper session_directory"},
    "tests/system/launch/endings_test.py": {
        "src/launch": "oshrun_client",
        "tools/oshrun": "ending process_state supervisor verdict"},
    "tests/system/launch/handover_test.py": {"tools/oshrun": "handover"},
    "tests/system/launch/input_test.py": {"tools/oshrun": "terminal_input"},
    "tests/system/launch/job_test.py": {
        "src/launch": "job",
        "src/session": "pe_record_lock",
        "tools/oshrun": "memory pmix_server spawn start"},
    "tests/system/launch/limits_test.py": {"tools/oshrun": "limits static_size"},
    "tests/system/launch/mpirun_test.py": {
        "src/launch": "exchange pmix_client share_files",
        "src/session": "connect node_files"},
    "tests/system/launch/options_test.py": {"tools/oshrun": "main options programs"},
    "tests/system/launch/output_test.py": {"tools/oshrun": "output output_writer"},
    "tests/system/launch/scripts_test.py": {"tools/oshrun": "debugger"},
    "tests/system/static_data/early_test.cpp": {"src/heap": "static_freeze"},
    "tests/system/static_data/huge_test.cpp": {"src/heap": "static_pages"},
    "tests/system/static_data/share_test.cpp": {
        "src/heap": "static_data static_fork",
        "src/session": "program_digest"},
    "tests/system/static_data/stacks.c": {"src/heap": "static_stack"},
    "tests/system/trace/trace_test.py": {
        "tools/oshrun": "installation trace",
        "tools/trace": "collectives heap_use observer part recorder session waiting"},
    "tests/unit/call_sites/call_sites_test.cpp": {
        "tools/call_sites": "text with_libdw without_libdw"},
    "tests/unit/base/wait_test.cpp": {"src/base": "wait_environment"},
    "tests/unit/collectives/select_test.cpp": {"collectives": "choice cost_terms model profile"},
    "tests/unit/collectives/streams_test.cpp": {"src/teams": "stream_blocks"},
    "tests/unit/heap/offload_board_test.cpp": {"src/heap": "node_copy"},
    "tests/unit/heap/shared_pages_test.cpp": {"src/heap": "peer_pages"},
    "tests/unit/topology/placement_table_test.cpp": {"src/topology": "drawing"},
    "tests/unit/topology/topology_test.cpp": {"src/topology": "description"},
}

COVERED_BY = {f"{folder}/{name}.cpp": test
              for test, folders in COVERING.items()
              for folder, names in folders.items() for name in names.split()}
