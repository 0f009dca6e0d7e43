// SPDX-License-Identifier: BSD-3-Clause
//
// Brings the output of the PEs together without mixing lines: oshrun writes a sequence of whole
// lines, each of one PE. A line without its end waits for the end, with three exceptions:
//   - Its stream is the only one, or the sink holds too much already: the line goes out in parts,
//     and the other streams wait for its end.
//   - A user may be waiting for it (a prompt on a terminal, or to a program that talks to oshrun):
//     the line goes out after a short silence, and the other streams wait for its end, but not for
//     ever.
//   - The PE has closed the stream: the line goes out as it is, and the next text gets a new line.
// Called by output.cpp. THREADS: the main thread's only.
#pragma once

#include <chrono>
#include <deque>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "output_writer.hpp"

namespace tessera::oshrun {

using Clock = std::chrono::steady_clock;

class OutputSink;

// How a line begins, and the PE whose unfinished line may be a prompt.
struct LineStyle {
    bool has_tag = false;   // [pe N]
    bool has_time = false;  // lines begin with the local time, with milliseconds
    int prompting_pe = 0;
};

// One PE's stdout or stderr.
struct Stream {
    int pe = 0;
    Fd pipe;  // empty: ended
    OutputSink* sink = nullptr;
    std::string pending;      // read, not yet passed on
    std::size_t whole = 0;    // bytes of pending that are whole lines
    std::size_t seen = 0;     // bytes of pending that deliver() knows
    bool is_waiting = false;  // has text to pass on, but another stream's line is unfinished
    bool is_in_line = false;  // the beginning of its current line has gone out
    Clock::time_point last_read{};
};

// All streams that end in the same file. Streams of stdout and stderr share one when oshrun's own
// stdout and stderr are the same file.
class OutputSink {
  public:
    // Holds unfinished lines, and lines that wait for another one's end, up to `held_bytes_max`.
    static constexpr std::size_t kHeldBytesMax = std::size_t{256} << 20;
    OutputSink(int fd, int event_fd, LineStyle style, std::size_t held_bytes_max = kHeldBytesMax);

    const OutputWriter& writer() const { return writer_; }
    // A line of oshrun itself.
    void message(std::string_view line);

    // Whether the sink can hold or pass on more of this stream. The PE with the unfinished line may
    // wait for a PE that oshrun does not read, so the answer must rarely be no.
    bool has_room(const Stream& stream) const;
    // New data is in stream.pending, or it has ended.
    void deliver(Stream& stream);
    // Sends out prompts, and ends lines for which other streams have waited too long.
    void tick(Clock::time_point now);
    // The time of the next call of tick(); Clock::time_point::max() for never.
    Clock::time_point next_tick() const;

    std::deque<Stream*> streams;  // streams of this sink

  private:
    void look_at_new(Stream& stream);
    bool goes_out_in_parts(const Stream& stream) const;
    bool is_only(const Stream& stream) const;
    void deliver_one(Stream& stream);
    void deliver_waiting();
    void emit(Stream& stream, std::size_t bytes);
    void close_line();
    bool is_prompt(const Stream& stream) const;
    bool somebody_waits() const;
    Clock::duration patience() const;

    OutputWriter writer_;
    const LineStyle style_;
    const std::size_t held_bytes_max_;
    std::size_t held_bytes_ = 0;  // bytes that all streams hold
    bool is_terminal_ = false;
    bool talks_ = false;           // both ends of oshrun are pipes: a program may wait for a prompt
    Stream* open_line_ = nullptr;  // the stream whose line is unfinished
    bool line_is_open_ = false;    // also when its stream has ended
};

}  // namespace tessera::oshrun
