// SPDX-License-Identifier: BSD-3-Clause
//
// See output.hpp: the pipes. output_sink.cpp handles the lines.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/fatal.hpp"
#include "output.hpp"

namespace tessera::oshrun {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
// More than a pipe holds.
constexpr std::size_t kReadBytesMax = std::size_t{1} << 20;

bool is_same_file(int one, int other) {
    struct stat first {};
    struct stat second {};
    return ::fstat(one, &first) == 0 && ::fstat(other, &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

LineStyle style_of(const Options& options) {
    return {.has_tag = options.tag_output,
            .has_time = options.timestamp_output,
            .prompting_pe = options.input_pe};
}

}  // namespace

std::string file_of_pe(std::string_view pattern, int pe) {
    std::string path;
    bool has_number = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
        if (pattern[i] != '%' || (next != 'r' && next != 't' && next != '%')) {
            path += pattern[i];
            continue;
        }
        path += next == '%' ? "%" : std::to_string(pe);
        has_number = has_number || next != '%';
        ++i;
    }
    return has_number ? path : path + "." + std::to_string(pe);
}

Output::Output(const Options& options)
    : options_(options), event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!event_) fatal("eventfd: %s", std::strerror(errno));
    const LineStyle style = style_of(options);
    sinks_.push_back(std::make_unique<OutputSink>(STDOUT_FILENO, event_.get(), style));
    out_ = sinks_.back().get();
    if (!is_same_file(STDOUT_FILENO, STDERR_FILENO))
        sinks_.push_back(std::make_unique<OutputSink>(STDERR_FILENO, event_.get(), style));
    error_ = sinks_.back().get();
}

OutputSink* Output::file_sink(const std::string& pattern, int pe) {
    const std::string path = file_of_pe(pattern, pe);
    OutputSink*& sink = file_sinks_[path];
    if (sink != nullptr) return sink;
    std::error_code ignored;  // open() says what is wrong.
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
    Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file)
        fatal("cannot write the output of PE %d to %s: %s", pe, path.c_str(), std::strerror(errno));
    sinks_.push_back(std::make_unique<OutputSink>(file.get(), event_.get(), style_of(options_)));
    files_.push_back(std::move(file));
    sink = sinks_.back().get();
    return sink;
}

Output::PeEnds Output::open(int pe) {
    OutputSink* out = out_;
    OutputSink* error = error_;
    if (!options_.output_file.empty()) out = error = file_sink(options_.output_file, pe);
    if (!options_.error_file.empty()) error = file_sink(options_.error_file, pe);
    PeEnds ends;
    for (Fd* end : {&ends.out, &ends.error}) {
        int pipe[2];
        if (::pipe2(pipe, O_CLOEXEC) != 0) return {};
        *end = Fd(pipe[1]);
        Stream& stream = streams_.emplace_back();
        stream.pe = pe;
        stream.pipe = Fd(pipe[0]);
        ::fcntl(pipe[0], F_SETFL, O_NONBLOCK);
        stream.sink = end == &ends.out ? out : error;
        stream.sink->streams.push_back(&stream);
    }
    return ends;
}

bool Output::wants_more(const Stream& stream) const {
    return stream.pipe && stream.sink->has_room(stream) && !stream.sink->writer().is_full();
}

void Output::clear_event() {
    std::uint64_t count;
    ssize_t got = ::read(event_.get(), &count, sizeof count);
    static_cast<void>(got);
    // The reader of stdout is gone: writers get SIGPIPE, as they would without oshrun between.
    for (Stream& stream : streams_) {
        if (stream.pipe && stream.sink->writer().error() == EPIPE) stream.pipe.reset();
    }
}

std::size_t Output::read(Stream& stream, Clock::time_point now) {
    static char buffer[kReadBytes];
    ssize_t got = ::read(stream.pipe.get(), buffer, sizeof buffer);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (got > 0) {
        stream.pending.append(buffer, static_cast<std::size_t>(got));
        stream.last_read = now;
    } else {
        stream.pipe.reset();
    }
    stream.sink->deliver(stream);
    return got > 0 ? static_cast<std::size_t>(got) : 0;
}

void Output::read_everything(Clock::time_point now) {
    for (Stream& stream : streams_) {
        std::size_t total = 0;
        // Bounded, because a process may still be writing.
        while (stream.pipe && total < kReadBytesMax) {
            std::size_t bytes = read(stream, now);
            if (bytes == 0) break;
            total += bytes;
        }
    }
}

void Output::close_all() {
    for (Stream& stream : streams_) {
        if (!stream.pipe) continue;
        stream.pipe.reset();
        stream.sink->deliver(stream);
    }
}

void Output::tick(Clock::time_point now) {
    for (auto& sink : sinks_) sink->tick(now);
}

Clock::time_point Output::next_tick() const {
    Clock::time_point next = Clock::time_point::max();
    for (const auto& sink : sinks_) next = std::min(next, sink->next_tick());
    return next;
}

void Output::message(std::string_view line) { error_->message(line); }

bool Output::is_flushed() const {
    return std::all_of(sinks_.begin(), sinks_.end(),
                       [](const auto& sink) { return sink->writer().is_empty(); });
}

Output::Failure Output::failure() const {
    if (const int error = out_->writer().error()) return {.file = "stdout", .error = error};
    for (const auto& [path, sink] : file_sinks_) {
        if (const int error = sink->writer().error()) return {.file = path, .error = error};
    }
    return {};
}

}  // namespace tessera::oshrun
