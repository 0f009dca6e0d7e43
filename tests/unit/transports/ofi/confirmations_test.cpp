// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a quiet takes the marks of writes away before these are complete: another thread's
// quiet, or its fence, would find nothing to wait for.
#include "transports/ofi/context.hpp"

#include <gtest/gtest.h>

namespace tessera::ofi {
namespace {

class ContextTest : public testing::Test {
  protected:
    PacketPool pool_;
    OfiContext context_{{}, pool_};
    Capabilities capabilities_;
    int dirty_[kDirtyMax];
};

TEST_F(ContextTest, IsNotIdleUntilTheConfirmationIsPosted) {
    context_.note_write(3, 8, capabilities_);
    EXPECT_FALSE(context_.is_idle());
    ASSERT_EQ(context_.take_dirty(dirty_), 1);
    EXPECT_FALSE(context_.is_idle());
    context_.end_confirmation();
    EXPECT_TRUE(context_.is_idle());
}

TEST_F(ContextTest, UnorderedWritesStayUntilTheyAreComplete) {
    capabilities_.ordered_write_bytes = 16;
    context_.note_write(3, 16, capabilities_);
    EXPECT_FALSE(context_.has_unordered_writes());
    context_.note_write(3, 17, capabilities_);
    const std::uint32_t writes = context_.unordered_writes();
    ASSERT_EQ(context_.take_dirty(dirty_), 1);
    context_.end_confirmation();
    EXPECT_TRUE(context_.has_unordered_writes());

    // One more, which the wait for the first ones does not complete.
    context_.note_write(4, 17, capabilities_);
    context_.complete_unordered(writes);
    EXPECT_TRUE(context_.has_unordered_writes());
    context_.complete_unordered(context_.unordered_writes());
    EXPECT_FALSE(context_.has_unordered_writes());
    // A slower thread tells what is known already.
    context_.complete_unordered(writes);
    EXPECT_FALSE(context_.has_unordered_writes());
}

}  // namespace
}  // namespace tessera::ofi
