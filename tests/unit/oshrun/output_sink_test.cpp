// SPDX-License-Identifier: BSD-3-Clause
//
// Would break: oshrun mixes lines of PEs, keeps output back for ever, or changes bytes. The clock
// is the test's, so that silences need no time.
#include "output_sink.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace tessera::oshrun {
namespace {

const Clock::time_point kStart{};

// A sink into a file, and three PEs.
class OutputSinkTest : public testing::Test {
  protected:
    void make(bool tag_lines = false, std::size_t held_bytes_max = 64 << 20) {
        file_ = Fd(::memfd_create("sink", MFD_CLOEXEC));
        event_ = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        // The sink's thread never ends, so the sink must outlive the test.
        sink_ = new OutputSink(file_.get(), event_.get(), {.has_tag = tag_lines}, held_bytes_max);
        for (int pe = 0; pe < 3; ++pe) {
            streams_[pe].pe = pe;
            streams_[pe].pipe = Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
            streams_[pe].sink = sink_;
            sink_->streams.push_back(&streams_[pe]);
        }
    }

    void write(int pe, const std::string& text, Clock::time_point when = kStart) {
        streams_[pe].pending += text;
        streams_[pe].last_read = when;
        sink_->deliver(streams_[pe]);
    }

    void end(int pe) {
        streams_[pe].pipe.reset();
        sink_->deliver(streams_[pe]);
    }

    std::string written() {
        while (!sink_->writer().is_empty()) {
            pollfd wait{.fd = event_.get(), .events = POLLIN, .revents = 0};
            ::poll(&wait, 1, -1);
            std::uint64_t count;
            EXPECT_EQ(::read(event_.get(), &count, sizeof count), 8);
        }
        std::string text(static_cast<std::size_t>(::lseek(file_.get(), 0, SEEK_END)), '\0');
        EXPECT_EQ(::pread(file_.get(), text.data(), text.size(), 0),
                  static_cast<ssize_t>(text.size()));
        return text;
    }

    Fd file_;
    Fd event_;
    OutputSink* sink_ = nullptr;
    Stream streams_[3];
};

TEST_F(OutputSinkTest, LinesWaitForTheirEnds) {
    make();
    write(0, "one");
    write(1, "two\nthr");
    EXPECT_EQ(written(), "two\n");
    write(0, " more\n");
    write(1, "ee\n");
    EXPECT_EQ(written(), "two\none more\nthree\n");
}

TEST_F(OutputSinkTest, TagsBeginLines) {
    make(true);
    write(1, "a\n\nb");
    write(2, "c\n");
    write(1, "d\n");
    EXPECT_EQ(written(), "[pe 1] a\n[pe 1] \n[pe 2] c\n[pe 1] bd\n");
}

TEST_F(OutputSinkTest, LastLinesStandAlone) {
    make();
    write(0, "first");
    end(0);
    EXPECT_EQ(written(), "first");
    write(1, "second");
    end(1);
    EXPECT_EQ(written(), "first\nsecond");
    end(2);
    EXPECT_EQ(written(), "first\nsecond") << "no newline without need";
}

TEST_F(OutputSinkTest, LongLinesWaitForTheirEndsToo) {
    make();
    std::string part(3 << 20, 'x');
    write(0, part);
    write(1, "other\n");
    EXPECT_EQ(written(), "other\n");
    write(0, part);
    EXPECT_TRUE(sink_->has_room(streams_[1]));
    write(0, "end\nnext");
    EXPECT_EQ(written(), "other\n" + part + part + "end\n");
    end(0);
    EXPECT_EQ(written(), "other\n" + part + part + "end\nnext");
}

TEST_F(OutputSinkTest, TheOnlyStreamGoesOutAtOnce) {
    make();
    std::string part(70'000, 'x');
    end(0);
    end(2);
    write(1, part);
    EXPECT_EQ(written(), part);
}

TEST_F(OutputSinkTest, TooLongLinesGoOutInPartsAndOthersWait) {
    make(true, 65'000);
    std::string part(70'000, 'x');
    write(0, part);
    write(1, "other\n");
    EXPECT_EQ(written(), "[pe 0] " + part);
    write(0, part + "\n");
    EXPECT_EQ(written(), "[pe 0] " + part + part + "\n[pe 1] other\n");
}

TEST_F(OutputSinkTest, OthersWaitAMomentWhenNoMoreCanBeHeld) {
    make(false, 100'000);
    std::string part(101'000, 'x');
    write(0, part);
    write(1, part);
    write(1, "\n");
    EXPECT_FALSE(sink_->has_room(streams_[1]));
    EXPECT_TRUE(sink_->has_room(streams_[0]));
    EXPECT_LT(sink_->next_tick(), kStart + std::chrono::seconds(1));
    sink_->tick(sink_->next_tick());
    EXPECT_EQ(written(), part + "\n" + part + "\n");
    EXPECT_TRUE(sink_->has_room(streams_[1]));
}

TEST_F(OutputSinkTest, OthersDoNotWaitForEver) {
    make(false, 65'000);
    std::string part(70'000, 'x');
    write(0, part, kStart);
    EXPECT_EQ(sink_->next_tick(), Clock::time_point::max()) << "no stream waits yet";
    write(1, "other\n", kStart);
    Clock::time_point late = sink_->next_tick();
    EXPECT_LT(late, kStart + std::chrono::minutes(1));
    sink_->tick(late - std::chrono::milliseconds(1));
    EXPECT_EQ(written(), part);
    sink_->tick(late);
    EXPECT_EQ(written(), part + "\nother\n");
    write(0, "rest\n");
    EXPECT_EQ(written(), part + "\nother\nrest\n");
}

TEST_F(OutputSinkTest, WaitingLinesComeWhenTheLineEndsWithItsStream) {
    make(false, 65'000);
    std::string part(70'000, 'x');
    write(0, part);
    write(1, "one\n");
    write(2, "two\n");
    end(0);
    EXPECT_EQ(written(), part + "\none\ntwo\n");
}

TEST_F(OutputSinkTest, MessagesOfOshrunStandAlone) {
    make();
    write(0, "half");
    end(0);
    sink_->message("oshrun: message");
    EXPECT_EQ(written(), "half\noshrun: message\n");
}

}  // namespace
}  // namespace tessera::oshrun
