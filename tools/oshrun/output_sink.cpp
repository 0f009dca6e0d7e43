// SPDX-License-Identifier: BSD-3-Clause
//
// See output_sink.hpp.
#include "output_sink.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace tessera::oshrun {
namespace {

// A shorter line is kept whole in any case.
constexpr std::size_t kLineBytesMin = 64 * 1024;
constexpr Clock::duration kPromptDelay = std::chrono::milliseconds(100);
// The time that other streams wait for the rest of a line after its PE has fallen silent.
constexpr Clock::duration kPatienceOnTerminal = std::chrono::milliseconds(500);
constexpr Clock::duration kPatience = std::chrono::seconds(5);

bool is_pipe_or_socket(int fd) {
    struct stat status {};
    return ::fstat(fd, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

// "2026-11-26 15:18:39.042 [pe 3] "
std::string beginning(LineStyle style, int pe) {
    std::string text;
    if (style.has_time) {
        timespec now{};
        ::clock_gettime(CLOCK_REALTIME, &now);
        tm local{};
        ::localtime_r(&now.tv_sec, &local);
        char date[64];
        std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &local);
        char time[96];
        std::snprintf(time, sizeof time, "%s.%03ld ", date, now.tv_nsec / 1'000'000);
        text = time;
    }
    if (style.has_tag) text += "[pe " + std::to_string(pe) + "] ";
    return text;
}

}  // namespace

OutputSink::OutputSink(int fd, int event_fd, LineStyle style, std::size_t held_bytes_max)
    : writer_(fd, event_fd),
      style_(style),
      held_bytes_max_(held_bytes_max),
      is_terminal_(::isatty(fd) == 1),
      talks_(is_pipe_or_socket(fd) && is_pipe_or_socket(STDIN_FILENO)) {}

void OutputSink::message(std::string_view line) {
    if (line_is_open_) close_line();
    writer_.write(std::string(line) + "\n");
    deliver_waiting();
}

bool OutputSink::has_room(const Stream& stream) const {
    return held_bytes_ < held_bytes_max_ || open_line_ == nullptr || open_line_ == &stream;
}

void OutputSink::deliver(Stream& stream) {
    bool was_open = open_line_ != nullptr;
    deliver_one(stream);
    if (was_open && open_line_ == nullptr) deliver_waiting();
}

// Looks for line ends in the new text only: a line may come in a thousand pieces.
void OutputSink::look_at_new(Stream& stream) {
    const std::string_view added = std::string_view(stream.pending).substr(stream.seen);
    held_bytes_ += added.size();
    const std::size_t end = added.rfind('\n');
    if (end != std::string_view::npos) stream.whole = stream.seen + end + 1;
    stream.seen = stream.pending.size();
}

bool OutputSink::is_only(const Stream& stream) const {
    return std::none_of(streams.begin(), streams.end(), [&](const Stream* other) {
        return other != &stream && (other->pipe || !other->pending.empty());
    });
}

bool OutputSink::goes_out_in_parts(const Stream& stream) const {
    if (stream.pending.size() - stream.whole <= kLineBytesMin) return false;
    return held_bytes_ >= held_bytes_max_ || open_line_ == &stream || is_only(stream);
}

void OutputSink::deliver_one(Stream& stream) {
    look_at_new(stream);
    bool has_ended = !stream.pipe;
    bool takes_all = has_ended || goes_out_in_parts(stream);
    std::size_t bytes = takes_all ? stream.pending.size() : stream.whole;
    bool is_others_turn = open_line_ != nullptr && open_line_ != &stream;
    stream.is_waiting = is_others_turn && bytes > 0;
    if (is_others_turn) return;
    if (bytes > 0) emit(stream, bytes);
    if (has_ended && open_line_ == &stream) open_line_ = nullptr;  // line_is_open_ stays
}

void OutputSink::deliver_waiting() {
    for (Stream* stream : streams) {
        if (!stream->pending.empty() && stream != open_line_) deliver_one(*stream);
    }
}

void OutputSink::emit(Stream& stream, std::size_t bytes) {
    if (line_is_open_ && open_line_ != &stream) close_line();
    std::string_view text(stream.pending.data(), bytes);
    bool ends_line = text.back() == '\n';
    if (!style_.has_tag && !style_.has_time) {
        writer_.write(text);
    } else {
        const std::string tag = beginning(style_, stream.pe);
        std::string tagged;
        bool in_line = stream.is_in_line;
        while (!text.empty()) {
            if (!in_line) tagged += tag;
            std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
            tagged += text.substr(0, length);
            text.remove_prefix(length);
            in_line = false;
        }
        writer_.write(tagged);
    }
    stream.pending.erase(0, bytes);
    held_bytes_ -= bytes;
    stream.seen -= bytes;
    stream.whole -= std::min(stream.whole, bytes);
    stream.is_in_line = !ends_line;
    line_is_open_ = !ends_line;
    open_line_ = ends_line ? nullptr : &stream;
}

void OutputSink::close_line() {
    writer_.write("\n");
    if (open_line_ != nullptr) open_line_->is_in_line = false;
    open_line_ = nullptr;
    line_is_open_ = false;
}

bool OutputSink::is_prompt(const Stream& stream) const {
    if (stream.pending.empty() || (open_line_ != nullptr && open_line_ != &stream)) return false;
    return is_terminal_ || (talks_ && stream.pe == style_.prompting_pe);
}

bool OutputSink::somebody_waits() const {
    if (open_line_ == nullptr) return false;
    const bool is_full = held_bytes_ >= held_bytes_max_;
    return std::any_of(streams.begin(), streams.end(), [&](const Stream* stream) {
        return stream->is_waiting || (is_full && stream != open_line_ && !stream->pending.empty());
    });
}

Clock::duration OutputSink::patience() const {
    // The PE with the unfinished line may wait for a PE that oshrun does not read.
    if (held_bytes_ >= held_bytes_max_) return kPromptDelay;
    return is_terminal_ ? kPatienceOnTerminal : kPatience;
}

void OutputSink::tick(Clock::time_point now) {
    for (Stream* stream : streams) {
        if (is_prompt(*stream) && now - stream->last_read >= kPromptDelay)
            emit(*stream, stream->pending.size());
    }
    if (somebody_waits() && now - open_line_->last_read >= patience()) {
        close_line();
        deliver_waiting();
    }
}

Clock::time_point OutputSink::next_tick() const {
    Clock::time_point next = Clock::time_point::max();
    for (const Stream* stream : streams) {
        if (is_prompt(*stream)) next = std::min(next, stream->last_read + kPromptDelay);
    }
    if (somebody_waits()) next = std::min(next, open_line_->last_read + patience());
    return next;
}

}  // namespace tessera::oshrun
