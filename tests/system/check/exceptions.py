# SPDX-License-Identifier: BSD-3-Clause
"""Programs of which right_programs_test.py expects more than silence: a regular expression for a
part of the run's name, and the reason. The lists are complete, and may only shrink.
"""

# These programs rely on a promise of Tessera beyond the specification, or break a rule on purpose.
REPORTED = {
    r"bench_gups\b": "its form by get and put loses updates on purpose, and counts them",
    r"\bfence_mix_test\b|\bshmemx_segments_test\b|\bsegments_pages_test\b":
        "a blocking get sees the earlier puts of its context: a promise of Tessera",
    r"\bcancel_cases\b": "its threads put to the same words and are cancelled before a quiet",
    r"\brequests_random_test\b": "waits for no request that SHMEMX_REQ_COMPLETE says is complete",
    r"\bmixed_atomics_test\b": "mixes accesses from on and off the node on purpose",
    r"\bbatch_stress_test\b": "reads words that other PEs change by atomics, on purpose",
    r"\bnoncoherent_test\b": "polls an atomic word by shmem_g, whose own duty it tests",
    r"\brequest_atomics_test\b": "an atomic with a request brings those before it along",
    r"\bshared_copy_test\b": "puts the same bytes three times at once, to keep helpers busy",
    r"\bepochs_random_test\b": "epochs that are open at once may put to the same word",
    r"^bench_(coherence|dart_overhead|onnode|pointer|requests|rma|segments|strided|threads) ":
        "measures floods of messages: the same bytes go to the same place again before a quiet",
}

# These programs do not run under the checker, or mean another thing there.
NOT_RUN = {
    r"\bbuffers_test\b": "its root runs ahead of members that wait for its flag; the clocks that "
                         "travel behind a broadcast fill the buffers sooner",
    r"\binline_test\b": "counts inline accesses, which the checker turns into calls",
    r"\bdart_restart_test\b": "counts the bytes of the heap, of which the checker takes some",
    r"\bshmemx_local_memory_test\b":
        "counts the bytes of the local memory, of which the checker's red zones take some",
    r"\brandom_teams_test\b|\bteam_allocation_test\b":
        "allocate all of the team memory, of which the checker has a part",
    r"^bench_requests --tiny 4": "is for 2 PEs",
    r"^bench_offnode ": "is for 2 PEs on nodes of their own",
    r"^algorithms ": "is linked with the library's objects, which the checker cannot replace",
    r"\bdart_mistake_alone\b": "the job ends by the mistake of one unit",
    r"\blibrary_main_\w+": "a constructor of a library starts the images, which --check refuses",
    r"\bmutex_deaths_test\b|\b(prif_)?killed\b|\bkilled_|\bfailed_images\b": "PEs die by SIGKILL",
}

# Programs of the build that no run has, by their whole name. The test fails for others.
NOT_STARTED = {
    r".*_cases|\w+_errors|hang_(probe|images|units)|crash_probe(_\w+)?|crashing|reduction_unknown|"
    r"attacked|traced|repeated_calls_test|conformance_global_exit":
        "a driver names one of their cases, most of them mistakes that the job ends with",
    r"campaigns_busy|campaigns_busy_units|busy_images|faults_dumped|cluster_probe|shmem_probe|"
    r"print_probe|coarray_library|startup_empty|heap_agreement|images":
        "parts of jobs that a driver kills, cuts off or starts with settings that do not fit",
    r"instructions|instruction_counts_test": "count instructions, those of the checker included",
    r"runtime_collectives|team_memory|prif_statements":
        "long series of timings of single calls; the tests of these calls are run",
    r"litmus_O\d": "races on purpose, and counts the outcomes",
    r"heat1d\.mpich": "MPICH starts it, in group form; heat1d.openmpi is run",
}

# Examples that need what a build may not have: the path below examples/, and the reason.
NOT_COMPILED = {
    r"dart/heat_rod\.cpp": "needs an installed DASH",
    r"python/.*": "needs shmem4py; the interpreter is not linked with the library",
    r"profiler/.*": "a profiling tool takes the same place as the checker",
    r"hybrid/heat1d\.c": "the build has compiled it: heat1d.openmpi",
}
