// SPDX-License-Identifier: BSD-3-Clause
//
// The pipes that the PEs' stdout and stderr come through. The text goes to an OutputSink, which
// puts the lines together, and from there to an OutputWriter, which writes them. With
// --output-filename each PE has a sink of its own. Called by start.cpp and the supervisor.
// THREADS: the main thread's only.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "options.hpp"
#include "output_sink.hpp"

namespace tessera::oshrun {

class Output {
  public:
    explicit Output(const Options& options);

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
    // Whether everything has been written, or cannot be.
    bool is_flushed() const;
    // The first file, stdout among them, that could not be written; error 0: none.
    struct Failure {
        std::string file;
        int error = 0;
    };
    Failure failure() const;

  private:
    // The sink of the file for this PE; made, with its folders, when it is first asked for.
    OutputSink* file_sink(const std::string& pattern, int pe);

    const Options& options_;
    Fd event_;
    std::vector<std::unique_ptr<OutputSink>> sinks_;  // deliver to stdout, stderr, and files
    OutputSink* out_ = nullptr;
    OutputSink* error_ = nullptr;                    // the same where both are one file
    std::map<std::string, OutputSink*> file_sinks_;  // by path
    std::deque<Fd> files_;
    std::deque<Stream> streams_;  // deque: sinks point into it
};

// The file of a PE: "%r" and "%t" (srun's) stand for its number, "%%" for "%"; without a number in
// the pattern ".NUMBER" follows.
std::string file_of_pe(std::string_view pattern, int pe);

}  // namespace tessera::oshrun
