# SPDX-License-Identifier: BSD-3-Clause
"""The expected report of each wrong program: its first line, and what the lines below it contain.
@ stands for the case's function and line, % for those of main().
"""

MISMATCH = "collective calls do not match: "
ROUTINES = MISMATCH + "the routines differ"
ORDER = "collective calls of different teams have different orders"
FREED = "freed symmetric memory is used"
OUTSIDE = "a call goes outside a symmetric block"
WRITTEN = "memory outside a symmetric block was written"
OVERLAP = "arguments overlap"
BLOCK = r"the block of 80 bytes that shmem_(m|c)alloc @ allocated"
NOT_HELD = "a PE releases a lock that it does not hold"
NOT_RELEASED = "a lock was not released"
CONTEXT = "a destroyed context is used"
TEAM = "a destroyed team is used"
IN_USE = "pSync may still be in use"
TWICE = "a block was freed twice"
TEAM_BLOCK = r"the block of 80 bytes that shmemx_team_(m|c)alloc @ allocated"
LOCAL_BLOCK = r"the block of 80 bytes that shmemx_local_(m|c)alloc @ allocated"


def pair(first, second, team="SHMEM_TEAM_WORLD"):
    """The calls of two PEs, in either order; `first` and `second` are routines."""
    return [rf"PE \d calls {routine}, as collective \d of {team}" for routine in (first, second)]


def both(mistake, routine, team="SHMEM_TEAM_WORLD"):
    """Two PEs make the same call with different arguments."""
    return [MISMATCH + mistake,
            rf"(?s)PE \d calls {routine} @, as collective \d of {team}.*PE \d calls {routine} @"]


def after_free(routine, argument, kind="symmetric", block=BLOCK,
               by="shmemx?_((team|local)_)?(free|realloc)"):
    return [FREED.replace("symmetric", kind), f"{routine} @ (writes|reads) .* {argument}", block,
            f"freed by {by} @"]


def outside(routine, argument, block=BLOCK, kind="symmetric"):
    return [OUTSIDE.replace("symmetric", kind), f"{routine} @ (writes|reads) .* {argument}", block]


def in_no_block(routine, argument, kind="symmetric", near="the block of 64 bytes"):
    return [f"a call uses {kind} memory that lies in no block",
            f"{routine} @ (writes|reads) .* {argument}", near]


def overrun(kind, found_by, block, place):
    return [WRITTEN.replace("symmetric", kind), f"found by {found_by}", block, place]


def overlap(routine, first, second):
    return [OVERLAP, f"{routine} @: {first} .* and {second} ", "is the variable|is .*the block"]


REPORTS = {
    "collective": {
        "missed_barrier": [ROUTINES, *pair("shmem_barrier_all @", "shmem_finalize %")],
        "missed_sync": [ROUTINES, *pair("shmem_sync_all @", "shmem_finalize %")],
        "barrier_and_sync": [ROUTINES, *pair("shmem_barrier_all @", "shmem_sync_all @")],
        "barrier_and_broadcast": [ROUTINES,
                                  *pair("shmem_barrier_all @", "shmem_long_broadcast @")],
        "wrong_root": both(r"the root is \d, on PE \d it is \d", "shmem_long_broadcast"),
        "own_root": both(r"the root is \d, on PE \d it is \d", "shmem_long_broadcast"),
        "length_of_broadcast": both(r"the number of elements is [48], on PE \d it is [48]",
                                    "shmem_long_broadcast"),
        "length_of_reduce": both("the number of elements is .*", "shmem_long_sum_reduce"),
        "length_of_fcollect": both("the number of elements is .*", "shmem_long_fcollect"),
        "length_of_alltoall": both("the number of elements is .*", "shmem_long_alltoall"),
        "operation_of_reduce": [ROUTINES, *pair("shmem_long_max_reduce @",
                                                "shmem_long_min_reduce @")],
        "type_of_reduce": [ROUTINES, *pair("shmem_long_sum_reduce @",
                                           "shmem_double_sum_reduce @")],
        "dest_of_fcollect": both(r"dest is another object than on PE \d", "shmem_long_fcollect"),
        "strides_of_alltoalls": both("dst is .*", "shmem_long_alltoalls"),
        "order_of_collectives": [ROUTINES, *pair("shmem_long_collect @",
                                                 "shmem_long_sum_reduce @")],
        "order_of_teams": [ORDER, "shmem_sync_all @, as collective 2 of SHMEM_TEAM_WORLD",
                           "shmem_team_sync @, as collective 1 of the team of "
                           "shmem_team_split_strided @"],
        "size_of_malloc": both("the size is .*", "shmem_malloc"),
        "one_does_not_malloc": [ROUTINES, *pair("shmem_malloc @", "shmem_finalize %")],
        "calloc_and_malloc": [ROUTINES, *pair("shmem_calloc @", "shmem_malloc @")],
        "order_of_free": both(r"dest is another object than on PE \d", "shmem_free"),
        "size_of_split": both("an argument is .*", "shmem_team_split_strided"),
        "barrier_in_one_team": [ROUTINES,
                                *pair("shmem_team_sync @", "shmem_long_sum_reduce @",
                                      "the team of shmem_team_split_strided @")],
        "active_set_root": both("the root is .*", "shmem_broadcast64",
                                r"the active set \(0, 0, 3\)"),
        "active_set_sync": both(r"pSync is another object than on PE \d", "shmem_barrier",
                                r"the active set \(0, 0, 3\)"),
        "finalize_and_reduce": [ROUTINES, *pair("shmem_long_sum_reduce @", "shmem_finalize %")],
    },
    "memory": {
        "put_after_free": after_free("shmem_long_put", r"dest on PE \d"),
        "get_after_free": after_free("shmem_long_get", r"source on PE \d"),
        "atomic_after_free": after_free("shmem_long_atomic_inc", r"dest on PE \d"),
        "wait_after_free": after_free("shmem_long_wait_until", "ivar"),
        "source_after_free": after_free("shmem_long_put", "source\n"),
        "collective_after_free": after_free("shmem_long_sum_reduce", "source"),
        "use_after_realloc": after_free("shmem_long_p", r"dest on PE \d"),
        "double_free": [TWICE, "shmem_free @", BLOCK,
                        "already freed by shmem_free @"],
        "free_inside": ["the address to free is not the start of a block", "shmem_free @",
                        "lies 8 bytes behind the start of " + BLOCK],
        "realloc_inside": ["the address to free is not the start of a block", "shmem_realloc @",
                           "lies 8 bytes behind the start of " + BLOCK],
        "put_past_block": outside("shmem_long_put", r"dest on PE \d"),
        "get_past_block": outside("shmem_long_get", r"source on PE \d"),
        "p_behind_block": outside("shmem_long_p", r"dest on PE \d"),
        "p_before_block": outside("shmem_long_p", r"dest on PE \d", "8 bytes before its start"),
        "iput_past_block": outside("shmem_long_iput", r"dest on PE \d"),
        "signal_past_block": outside("shmem_long_put_signal", "sig_addr"),
        "fcollect_past_block": outside("shmem_long_fcollect", "dest",
                                       "the block of 24 bytes that shmem_malloc @"),
        "put_in_no_block": in_no_block(
            "shmem_long_p", r"dest on PE \d",
            near="736 bytes behind the end of the block of 64 bytes that shmem_malloc @ allocated"),
        "get_in_no_block": in_no_block("shmem_long_get", r"source on PE \d"),
        "source_in_no_block": in_no_block("shmem_long_put", "source\n"),
        "atomic_in_no_block": in_no_block("shmem_long_atomic_inc", r"dest on PE \d"),
        "collective_in_no_block": in_no_block("shmem_long_sum_reduce", "dest\n"),
        "put_before_all_blocks": in_no_block("shmem_putmem", r"dest on PE \d",
                                             near="no live block lies before it"),
        "store_past_block": [WRITTEN, "found by shmem_barrier_all @", BLOCK,
                             "0 bytes behind its end"],
        "store_before_block": [WRITTEN, "found by shmem_free @", BLOCK, "1 bytes before its start"],
        "remote_store_past_block": [WRITTEN, "found by shmem_barrier_all @", BLOCK,
                                    "5 bytes behind its end"],
        "store_past_aligned": [WRITTEN, "found by shmem_finalize %",
                               "the block of 100 bytes that shmem_align @"],
        "store_past_realloc": [WRITTEN, "found by shmem_barrier_all @",
                               "the block of 20 bytes that shmem_realloc @"],
        "past_static": ["a call goes outside a static variable",
                        r"shmem_long_put @ writes 72 bytes at its argument dest on PE \d",
                        "flags, a variable of 64 bytes"],
        "overlap_on_self": overlap("shmem_putmem", "dest", "source"),
        "overlap_of_reduce": overlap("shmem_long_sum_reduce", "dest", "source"),
        "overlap_of_signal": overlap("shmem_long_put_signal", "dest", "sig_addr"),
        "overlap_of_broadcast": overlap("shmem_long_broadcast", "dest", "source"),
        "overlap_of_fetch": overlap("shmem_long_atomic_fetch_inc_nbi", "dest", "fetch"),
    },
    "state": {
        "clear_of_free_lock": [NOT_HELD, "shmem_clear_lock @", "the variable lock_word",
                               "this PE has never taken it"],
        "clear_by_another": [NOT_HELD, "shmem_clear_lock @", "this PE has never taken it"],
        "clear_twice": [NOT_HELD, "this PE has released it by shmem_clear_lock @"],
        "lock_twice": ["a PE takes a lock that it holds", "shmem_set_lock @ would wait for ever",
                       "taken the variable lock_word by shmem_set_lock @"],
        "lock_not_released": [NOT_RELEASED, "the PE holds the variable lock_word",
                              "taken by shmem_set_lock @"],
        "trylock_not_released": [NOT_RELEASED, "taken by shmem_test_lock @"],
        "lock_freed": ["the memory of a lock that the PE holds is freed", "shmem_free @",
                       "taken by shmem_set_lock @"],
        "context_after_destroy": [CONTEXT, "shmem_ctx_long_p @", "by shmem_ctx_destroy @"],
        "context_destroyed_twice": [CONTEXT, "shmem_ctx_destroy @", "destroyed by .*destroy @"],
        "private_context_left": ["a private context was not destroyed",
                                 "made by shmem_ctx_create @"],
        "context_outlives_team": ["a private context outlives its team", "shmem_team_destroy @",
                                  "made by shmem_team_create_ctx @"],
        "team_after_destroy": [TEAM, "shmem_team_sync @", "by shmem_team_destroy @"],
        "team_number_after_destroy": [TEAM, "shmem_team_my_pe @", "by shmem_team_destroy @"],
        "context_of_destroyed_team": [CONTEXT, "shmem_ctx_quiet @", "by shmem_team_destroy @"],
        "sync_not_initialized": ["pSync is not initialized", "shmem_barrier @",
                                 "element 3 of the variable sync_a is 17"],
        "sync_in_use": [IN_USE, "shmem_broadcast64 @ uses the variable sync_a",
                        "as did shmem_broadcast64 @"],
        "sync_in_use_by_reduce": [IN_USE, "shmem_fcollect64 @ uses the variable sync_a",
                                  "as did shmem_long_sum_to_all @"],
        "sync_too_short": outside("shmem_barrier", "pSync",
                                  "the block of 64 bytes that shmem_calloc @"),
        "work_too_short": outside("shmem_long_sum_to_all", "pWrk",
                                  "the block of 64 bytes that shmem_calloc @"),
    },
}

REPORTS["shmemx"] = {
    "team_put_after_free": after_free("shmem_long_put", r"dest on PE \d", "team", TEAM_BLOCK),
    "team_source_after_free": after_free("shmem_long_put", "source\n", "team", TEAM_BLOCK),
    "team_get_after_destroy": after_free("shmem_long_get", r"source on PE \d", "team", TEAM_BLOCK,
                                         by="shmem_team_destroy"),
    "team_double_free": [TWICE, "shmemx_team_free @", TEAM_BLOCK,
                         "already freed by shmemx_team_free @"],
    "team_free_inside": ["the address to free is not the start of a block", "shmemx_team_free @",
                         "lies 8 bytes behind the start of " + TEAM_BLOCK],
    "team_put_past_block": outside("shmem_long_put", r"dest on PE \d", TEAM_BLOCK, "team"),
    "team_store_past_block": overrun("team", "shmem_barrier_all @", TEAM_BLOCK,
                                     "0 bytes behind its end"),
    "team_store_before_aligned": overrun("team", "shmemx_team_free @",
                                         "the block of 80 bytes that shmemx_team_align @",
                                         "3 bytes before its start"),
    "team_put_in_no_block": in_no_block("shmem_long_p", r"dest on PE \d", "team",
                                        r"PE \d has no block there"),
    "team_put_by_a_stranger": in_no_block("shmem_long_p", "dest on PE 0", "team",
                                          "PE 0 has no block there"),
    "team_put_by_a_stranger_past_block": [
        "a call goes outside a team block of another PE",
        "shmem_long_put @ writes 72 bytes at its argument dest on PE 0",
        "8 bytes behind its end, a block of 64 bytes that PE 0 has allocated"],
    "local_source_in_no_block": in_no_block("shmem_long_put", "source\n", "local"),
    "local_put_in_no_block": in_no_block("shmem_long_p", "dest on PE 0", "local",
                                         "PE 0 has no block there"),
    "local_put_past_block": [
        "a call goes outside a local block of another PE",
        "shmem_long_put @ writes 72 bytes at its argument dest on PE 0",
        "8 bytes behind its end, a block of 64 bytes that PE 0 has allocated"],
    "local_source_after_free": after_free("shmem_long_put", "source\n", "local", LOCAL_BLOCK),
    "local_double_free": [TWICE, "shmemx_local_free @", LOCAL_BLOCK,
                          "already freed by shmemx_local_free @"],
    "local_get_past_block": outside("shmem_long_get", "dest\n", LOCAL_BLOCK, "local"),
    "local_store_past_block": overrun("local", "shmemx_local_free @", LOCAL_BLOCK,
                                      "1 bytes behind its end"),
    "local_store_before_block": overrun("local", "shmem_finalize %", LOCAL_BLOCK,
                                        "1 bytes before its start"),
    "local_store_past_realloc": overrun("local", "shmemx_local_free @",
                                        "the block of 20 bytes that shmemx_local_realloc @",
                                        "0 bytes behind its end"),
    "strided_past_block": outside("shmemx_put_strided", r"dest on PE \d"),
    "strided_before_block": [*outside("shmemx_get_strided", r"source on PE \d"),
                             "8 bytes before its start"],
    "indexed_past_block": [*outside("shmemx_put_indexed", r"dest on PE \d"),
                           "writes 16 bytes .*", "8 bytes behind its end"],
    "indexed_source_past_block": outside("shmemx_put_indexed", "source\n", LOCAL_BLOCK, "local"),
    "gather_past_block": outside("shmemx_gather", "dest\n"),
    "gatherv_past_block": outside("shmemx_gatherv", "dest\n"),
    "scatterv_past_block": outside("shmemx_scatterv", "source\n"),
    "allgatherv_past_block": outside("shmemx_allgatherv", "dest\n"),
    "alltoallv_past_block": outside("shmemx_alltoallv", "source\n"),
    "reduce_scatterv_past_block": outside("shmemx_reduce_scatterv", "source\n"),
    "allreduce_past_block": [*outside("shmemx_allreduce", "source\n"), "reads 96 bytes"],
    "ibroadcast_past_block": outside("shmemx_ibroadcast", "dest\n"),
}

LEVEL = "a second thread calls the library, with SHMEM_THREAD_"
TOGETHER = "two threads are in collectives of one team at the same time"
REPORTS["thread"] = {
    "funneled": [LEVEL + "FUNNELED", "shmem_long_p @: the calling thread is not the one"],
    "single": [LEVEL + "SINGLE", "shmem_long_p @: the calling thread is not the one"],
    "serialized": ["two threads call the library at the same time, with SHMEM_THREAD_SERIALIZED",
                   "another thread is in shmem_long_wait_until at wait_for_ever"],
    "barrier": [TOGETHER, "shmem_barrier_all @", "another thread is in shmem_barrier_all @"],
    "team_sync": [TOGETHER, "another thread is in shmem_(team_sync|long_sum_reduce) at "],
    "private_context": ["a private context is used by another thread", "shmem_ctx_long_p @",
                        "another thread: shmem_ctx_create at case_private_context"],
}
RIGHT_THREADS = ("turns", "queries", "teams")

# PE 0 tells of the objects that finalize frees; of blocks of local memory, each PE of its own.
NOTES = {
    "shmemx": {"team_left": ["note: not freed: 1 block of team memory", TEAM_BLOCK],
               "local_left": ["note: not freed: 1 block of local memory", LOCAL_BLOCK]},
    "memory": {"leaked_block": ["note: not freed: 1 symmetric block", BLOCK]},
    "state": {"team_left": ["note: not destroyed on PE 0: 1 team or context",
                            "the team of shmem_team_split_strided @"],
              "context_left": ["note: not destroyed on PE 0: 1 team or context",
                               "the context of shmem_ctx_create @"]},
}
