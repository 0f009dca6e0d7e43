// SPDX-License-Identifier: BSD-3-Clause
//
// See output_writer.hpp. The thread takes the whole queue at once and writes it.
#include "output_writer.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "base/library_thread.hpp"

namespace tessera::oshrun {
namespace {

constexpr std::size_t kFullBytes = std::size_t{4} << 20;

// Whether oshrun itself has opened it, for a PE: a thread for each of thousands would be too many.
bool is_own_file(int fd) {
    struct stat status {};
    return fd > STDERR_FILENO && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

// Returns 0 or errno.
int write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {  // Another process made the descriptor non-blocking.
            pollfd wait{.fd = fd, .events = POLLOUT, .revents = 0};
            ::poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

}  // namespace

OutputWriter::OutputWriter(int fd, int event_fd)
    : fd_(fd), event_fd_(event_fd), is_own_file_(is_own_file(fd)) {}

void OutputWriter::write(std::string_view bytes) {
    if (bytes.empty()) return;
    if (is_own_file_) {
        if (error_ == 0) error_ = write_all(fd_, bytes);
        return;
    }
    {
        std::lock_guard guard(mutex_);
        if (error_ != 0) return;
        queue_.append(bytes);
    }
    filled_.notify_one();
    if (is_running_) return;
    is_running_ = true;
    start_thread([this] { run(); }).detach();  // ends with the process
}

bool OutputWriter::is_full() const {
    std::lock_guard guard(mutex_);
    return queue_.size() + in_flight_ >= kFullBytes;
}

bool OutputWriter::is_empty() const {
    std::lock_guard guard(mutex_);
    return queue_.empty() && in_flight_ == 0;
}

int OutputWriter::error() const {
    std::lock_guard guard(mutex_);
    return error_;
}

void OutputWriter::run() {
    std::string bytes;
    while (true) {
        {
            std::unique_lock lock(mutex_);
            filled_.wait(lock, [this] { return !queue_.empty(); });
            bytes.clear();
            bytes.swap(queue_);
            in_flight_ = bytes.size();
        }
        int error = write_all(fd_, bytes);
        {
            std::lock_guard guard(mutex_);
            in_flight_ = 0;
            if (error != 0) {
                error_ = error;
                queue_.clear();
            }
        }
        std::uint64_t one = 1;
        ssize_t written = ::write(event_fd_, &one, sizeof one);
        static_cast<void>(written);
    }
}

}  // namespace tessera::oshrun
