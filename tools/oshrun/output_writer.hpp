// SPDX-License-Identifier: BSD-3-Clause
//
// Writes to oshrun's stdout or stderr from a thread of its own, so that a reader that stops reading
// never stops oshrun: oshrun still sees signals, deaths and timeouts. O_NONBLOCK would do the same,
// but it would change the terminal for all processes that share it. The files of --output-filename
// are written without a thread.
// THREADS: all calls by the main thread.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>

namespace tessera::oshrun {

class OutputWriter {
  public:
    // Writes to `fd`; `event_fd` becomes readable whenever the queue has shrunk below what is_full
    // allows or has become empty, and when writing failed.
    OutputWriter(int fd, int event_fd);
    OutputWriter(const OutputWriter&) = delete;
    OutputWriter& operator=(const OutputWriter&) = delete;

    int fd() const { return fd_; }
    // Queues, or writes to a file of a PE. The first call starts the thread.
    void write(std::string_view bytes);
    bool is_full() const;
    bool is_empty() const;
    // errno of a failed write, 0 when all is well. After a failure all text is thrown away.
    int error() const;

  private:
    void run();

    const int fd_;
    const int event_fd_;
    const bool is_own_file_;
    bool is_running_ = false;
    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable filled_;
    std::string queue_;
    std::size_t in_flight_ = 0;  // bytes that the thread has taken and not yet written
    int error_ = 0;
};

}  // namespace tessera::oshrun
