// SPDX-License-Identifier: BSD-3-Clause
//
// Waits and tests of local words (OpenSHMEM 1.6, 9.11), and requests (shmemx/requests.h).
#include "tools/interpose/forward.hpp"

namespace tessera::interpose {

#define TEST (Counted::test, NoPeer())
#define WAIT (Counted::kNone)

// The members of a condition on COUNT words.
#define CONDITION(KIND, WORDS, COUNT, ...)                                                 \
    .kind = Kind::KIND, .source = WORDS, .element_bytes = sizeof *(WORDS), .count = COUNT, \
    .comparison = {__VA_ARGS__}

// shmem_TYPENAME_wait_until, shmem_TYPENAME_test
#define WORD(NAME, T)                                                                   \
    INTERPOSE(void, shmem_##NAME##_wait_until, (T * ivar, int cmp, T cmp_value),        \
              (ivar, cmp, cmp_value), CONDITION(kWait, ivar, 1, cmp, &cmp_value))       \
    INTERPOSE_COUNTED(TEST, int, shmem_##NAME##_test, (T * ivar, int cmp, T cmp_value), \
                      (ivar, cmp, cmp_value), CONDITION(kTest, ivar, 1, cmp, &cmp_value))
SHMEM_INTERNAL_AMO_STD_TYPES(WORD)
SHMEM_INTERNAL_P2P_SHORT_TYPES(WORD)
#undef WORD

// shmem_TYPENAME_{wait_until,test}_{all,any,some}, and with _vector
#define ARRAY(COUNTED, RESULT, NAME, T, KIND, VALUE, VALUES, HAS_MANY)                      \
    INTERPOSE_COUNTED(COUNTED, RESULT, NAME,                                                \
                      (T * ivars, size_t nelems, const int* status, int cmp, VALUE values), \
                      (ivars, nelems, status, cmp, values),                                 \
                      CONDITION(KIND, ivars, nelems, cmp, VALUES, HAS_MANY, status))
#define ARRAY_INDICES(COUNTED, NAME, T, KIND, VALUE, VALUES, HAS_MANY)                          \
    INTERPOSE_COUNTED(                                                                          \
        COUNTED, size_t, NAME,                                                                  \
        (T * ivars, size_t nelems, size_t * indices, const int* status, int cmp, VALUE values), \
        (ivars, nelems, indices, status, cmp, values),                                          \
        CONDITION(KIND, ivars, nelems, cmp, VALUES, HAS_MANY, status, indices))
#define ARRAYS(NAME, T, SUFFIX, ...)                                                   \
    ARRAY(WAIT, void, shmem_##NAME##_wait_until_all##SUFFIX, T, kWait, __VA_ARGS__)    \
    ARRAY(TEST, int, shmem_##NAME##_test_all##SUFFIX, T, kTest, __VA_ARGS__)           \
    ARRAY(WAIT, size_t, shmem_##NAME##_wait_until_any##SUFFIX, T, kWait, __VA_ARGS__)  \
    ARRAY(TEST, size_t, shmem_##NAME##_test_any##SUFFIX, T, kTest, __VA_ARGS__)        \
    ARRAY_INDICES(WAIT, shmem_##NAME##_wait_until_some##SUFFIX, T, kWait, __VA_ARGS__) \
    ARRAY_INDICES(TEST, shmem_##NAME##_test_some##SUFFIX, T, kTest, __VA_ARGS__)
#define TYPED_ARRAYS(NAME, T)            \
    ARRAYS(NAME, T, , T, &values, false) \
    ARRAYS(NAME, T, _vector, const T*, values, true)
SHMEM_INTERNAL_AMO_STD_TYPES(TYPED_ARRAYS)
#undef TYPED_ARRAYS
#undef ARRAYS
#undef ARRAY_INDICES
#undef ARRAY

INTERPOSE(uint64_t, shmem_signal_wait_until, (uint64_t * sig_addr, int cmp, uint64_t cmp_value),
          (sig_addr, cmp, cmp_value), CONDITION(kWait, sig_addr, 1, cmp, &cmp_value))
INTERPOSE(int, shmemx_wait_until_failure,
          (uint64_t * ivar, int cmp, uint64_t cmp_value, int failures),
          (ivar, cmp, cmp_value, failures), CONDITION(kWait, ivar, 1, cmp, &cmp_value))

// Deprecated since 1.4: shmem_wait_until on long, shmem_wait, shmem_TYPENAME_wait
INTERPOSE(void, shmem_wait_until, (long* ivar, int cmp, long cmp_value), (ivar, cmp, cmp_value),
          CONDITION(kWait, ivar, 1, cmp, &cmp_value))
#define OLD_WAIT(ROUTINE, T)                                     \
    INTERPOSE(void, ROUTINE, (T * ivar, T value), (ivar, value), \
              CONDITION(kWait, ivar, 1, SHMEM_CMP_NE, &value))
#define TYPED_OLD_WAIT(NAME, T) OLD_WAIT(shmem_##NAME##_wait, T)
OLD_WAIT(shmem_wait, long)
SHMEM_INTERNAL_WAIT_OLD_TYPES(TYPED_OLD_WAIT)
#undef OLD_WAIT
#undef TYPED_OLD_WAIT
#undef CONDITION
#undef WAIT

// ---- Requests -----------------------------------------------------------------------------------

#define REQUESTS(KIND, REQUESTS, COUNT) \
    .kind = Kind::KIND, .requests = REQUESTS, .request_count = COUNT, .completion = completion

INTERPOSE_COUNTED(TEST, void, shmemx_req_test,
                  (shmemx_req_t * req, int completion, int* is_complete),
                  (req, completion, is_complete), REQUESTS(kRequestTest, req, 1))
INTERPOSE(void, shmemx_req_wait, (shmemx_req_t * req, int completion), (req, completion),
          REQUESTS(kRequestWait, req, 1))
INTERPOSE_COUNTED(TEST, void, shmemx_req_testall,
                  (shmemx_req_t * reqs, size_t nreqs, int completion, int* is_complete),
                  (reqs, nreqs, completion, is_complete), REQUESTS(kRequestTest, reqs, nreqs))
INTERPOSE(void, shmemx_req_waitall, (shmemx_req_t * reqs, size_t nreqs, int completion),
          (reqs, nreqs, completion), REQUESTS(kRequestWait, reqs, nreqs))
INTERPOSE_COUNTED(TEST, size_t, shmemx_req_testany,
                  (shmemx_req_t * reqs, size_t nreqs, int completion), (reqs, nreqs, completion),
                  REQUESTS(kRequestTest, reqs, nreqs))
INTERPOSE(size_t, shmemx_req_waitany, (shmemx_req_t * reqs, size_t nreqs, int completion),
          (reqs, nreqs, completion), REQUESTS(kRequestWait, reqs, nreqs))
INTERPOSE_COUNTED(TEST, size_t, shmemx_req_testsome,
                  (shmemx_req_t * reqs, size_t nreqs, int completion, size_t* indices),
                  (reqs, nreqs, completion, indices), REQUESTS(kRequestTest, reqs, nreqs))
INTERPOSE(size_t, shmemx_req_waitsome,
          (shmemx_req_t * reqs, size_t nreqs, int completion, size_t* indices),
          (reqs, nreqs, completion, indices), REQUESTS(kRequestWait, reqs, nreqs))
INTERPOSE(void, shmemx_req_free, (shmemx_req_t * req), (req), .kind = Kind::kRequestFree,
          .requests = req, .request_count = 1)
#undef REQUESTS
#undef TEST
INTERPOSE(int, shmemx_req_is_open, (shmemx_req_t req), (req), .kind = Kind::kQuery)

}  // namespace tessera::interpose
