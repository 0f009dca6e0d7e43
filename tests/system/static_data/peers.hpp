// SPDX-License-Identifier: BSD-3-Clause
//
// Maps the static data of all processes of a test, the way the library does it: from the node file
// when the launcher made one, else through /proc/PID/fd/N of the peer.
#pragma once

#include <vector>

#include "base/inherited.hpp"
#include "heap/static_data.hpp"
#include "meeting.hpp"

namespace static_test {

class Peers {
  public:
    Peers(Meeting& meeting, int pe) : meeting_(meeting), pe_(pe) {
        const tessera::heap::StaticData& own = tessera::heap::static_data();
        CHECK(own.shared);
        Record& record = meeting_.records[pe];
        record.pid = getpid();
        record.fd = own.fd;
        record.base = own.base;
        record.file_offset = own.file_offset;
        meet(meeting_);
        for (int peer = 0; peer < meeting_.process_count; ++peer) images_.push_back(map(peer));
        meet(meeting_);
    }

    int pe() const { return pe_; }
    int count() const { return meeting_.process_count; }
    int next() const { return (pe_ + 1) % count(); }
    int previous() const { return (pe_ + count() - 1) % count(); }
    void meet_all() { meet(meeting_); }
    Meeting& meeting() { return meeting_; }

    // The peer's instance of a static variable of this process.
    template <class T>
    T& of(int peer, T& variable) {
        auto offset =
            reinterpret_cast<std::uintptr_t>(&variable) - tessera::heap::static_data().base;
        return *reinterpret_cast<T*>(images_[static_cast<std::size_t>(peer)] + offset);
    }

  private:
    char* map(int peer) {
        const Record& record = meeting_.records[peer];
        bool is_in_node_file = tessera::inherited() != nullptr;
        int fd = tessera::heap::static_data().fd;
        if (!is_in_node_file) {
            char path[64];
            std::snprintf(path, sizeof path, "/proc/%d/fd/%d", record.pid, record.fd);
            fd = open(path, O_RDWR | O_CLOEXEC);
            CHECK(fd >= 0);
        }
        void* image = mmap(nullptr, tessera::heap::static_data().bytes, PROT_READ | PROT_WRITE,
                           MAP_SHARED, fd, static_cast<off_t>(record.file_offset));
        CHECK(image != MAP_FAILED);
        if (!is_in_node_file) close(fd);
        return static_cast<char*>(image);
    }

    Meeting& meeting_;
    int pe_;
    std::vector<char*> images_;
};

}  // namespace static_test
