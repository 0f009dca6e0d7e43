// SPDX-License-Identifier: BSD-3-Clause
//
// The pipes that the PEs' stdout and stderr come through. The text goes to an OutputSink, which
// puts the lines together, and from there to an OutputWriter, which writes them. Called by
// start.cpp and the supervisor. THREADS: the main thread's only.
#pragma once

#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "output_sink.hpp"

namespace tessera::oshrun {

class Output {
  public:
    explicit Output(bool tag_lines);

    // Makes the pipes of a PE. RETURNS: the ends for the PE, or empty descriptors; errno.
    struct PeEnds {
        Fd out;
        Fd error;
    };
    PeEnds open(int pe);

    std::deque<Stream>& streams() { return streams_; }
    // Whether there is room for more of this stream.
    bool wants_more(const Stream& stream) const;
    // Readable when a writer has room again or has failed; clear_event() finds out which.
    int event_fd() const { return event_.get(); }
    void clear_event();

    // Reads once; at the end of the stream closes it. RETURNS: the number of bytes.
    std::size_t read(Stream& stream, Clock::time_point now);
    // Reads all that is there now.
    void read_everything(Clock::time_point now);
    // Closes pipes whose writers are gone, and passes on the remaining text.
    void close_all();
    void tick(Clock::time_point now);
    Clock::time_point next_tick() const;

    // A line of oshrun itself, on stderr.
    void message(std::string_view line);
    bool all_closed() const;
    // Whether everything has been written, or cannot be.
    bool is_flushed() const;
    // errno of writing to stdout.
    int stdout_error() const;

  private:
    Fd event_;
    std::vector<std::unique_ptr<OutputSink>> sinks_;  // one or two
    std::deque<Stream> streams_;                      // deque: sinks point into it
};

}  // namespace tessera::oshrun
