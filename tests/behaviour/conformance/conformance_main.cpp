// SPDX-License-Identifier: BSD-3-Clause
//
// The main function of the conformance programs: GoogleTest on every PE, and at the end the check
// that every routine of the program's chapter has been called, on this PE, by its shmem_ and its
// pshmem_ name. A filter (--gtest_filter) leaves that check out.
#include "conformance/routines.hpp"
#include "conformance/views.hpp"
#include "support/pe_test.hpp"

namespace {

class CompleteChapter : public testing::Environment {
    void TearDown() override {
        tessera::conformance::end_views();
        if (GTEST_FLAG_GET(filter) != "*") return;
        const char* missing = tessera::conformance::first_not_called(CONFORMANCE_CHAPTER);
        EXPECT_EQ(missing, nullptr) << "no test has called " << missing;
    }
};

const testing::Environment* const kChapter = testing::AddGlobalTestEnvironment(new CompleteChapter);

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
