// SPDX-License-Identifier: BSD-3-Clause
//
// dart_send, dart_recv, dart_sendrecv: messages of any size, in the order of the tags, to all units
// and to the unit itself, more of them than the ring has slots, from several threads.
#include <thread>

#include "together.hpp"

namespace {

// On both sides of what comes with the envelope, and more than a part.
constexpr std::size_t kSizes[] = {0, 1, 192, 193, 70000, (std::size_t{1} << 20) + 5};

std::vector<char> message(int from, std::size_t bytes) {
    std::vector<char> made(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        made[i] = static_cast<char>(from * 17 + static_cast<int>(i % 127));
    return made;
}

void pass_round() {
    for (const std::size_t bytes : kSizes) {
        const std::vector<char> sent = message(me(), bytes);
        std::vector<char> received(bytes + 3);
        OK(dart_sendrecv(sent.data(), bytes, DART_TYPE_BYTE, 5, next_unit(), received.data(),
                         bytes + 3, DART_TYPE_BYTE, 5, previous_unit()));
        received.resize(bytes);
        CHECK(received == message(previous_unit(), bytes));
    }
}

// Two units at a time, one after the other.
void send_in_turn() {
    for (int from = 0; from < units(); ++from) {
        for (const std::size_t bytes : kSizes) {
            if (me() == from && units() > 1) {
                const std::vector<char> sent = message(from, bytes);
                OK(dart_send(sent.data(), bytes, DART_TYPE_BYTE, 6, next_unit()));
            } else if (previous_unit() == from && units() > 1) {
                std::vector<char> received(bytes);
                OK(dart_recv(received.data(), bytes, DART_TYPE_BYTE, 6, from));
                CHECK(received == message(from, bytes));
            }
        }
    }
}

// Small messages are sent before any is received; they come back in another order of the tags.
void match_tags() {
    constexpr int kTags = 3;
    constexpr int kEach = 10;
    for (int i = 0; i < kTags * kEach; ++i) {
        const double value = 1000.0 * me() + i;
        OK(dart_send(&value, 1, DART_TYPE_DOUBLE, i % kTags, next_unit()));
    }
    for (int tag = kTags - 1; tag >= 0; --tag) {
        for (int i = 0; i < kEach; ++i) {
            double value = 0;
            OK(dart_recv(&value, 1, DART_TYPE_DOUBLE, tag, previous_unit()));
            CHECK(value == 1000.0 * previous_unit() + i * kTags + tag);
        }
    }
}

// More messages than slots, all to unit 0, which takes them by their senders.
void send_many_to_one() {
    constexpr int kMessages = 200;
    if (me() != 0) {
        for (int i = 0; i < kMessages; ++i) OK(dart_send(&i, 1, DART_TYPE_INT, 7, 0));
        return;
    }
    for (int from = units() - 1; from > 0; --from) {
        for (int i = 0; i < kMessages; ++i) {
            int value = -1;
            OK(dart_recv(&value, 1, DART_TYPE_INT, 7, from));
            CHECK(value == i);
        }
    }
}

// All units send before they receive: as many messages as they like, also long ones, to both sides.
void send_first() {
    constexpr int kMessages = 100;
    constexpr int kLong = 50;  // the number of the long message
    const auto bytes_of = [](int i) {
        return i == kLong ? (std::size_t{3} << 20) + 1 : static_cast<std::size_t>(i) * 37;
    };
    for (int i = 0; i < kMessages; ++i) {
        const std::vector<char> sent = message(me() + i, bytes_of(i));
        OK(dart_send(sent.data(), sent.size(), DART_TYPE_BYTE, 11, next_unit()));
        OK(dart_send(sent.data(), sent.size(), DART_TYPE_BYTE, 12, previous_unit()));
    }
    check_meet();
    for (int tag : {12, 11}) {
        const int from = tag == 11 ? previous_unit() : next_unit();
        for (int i = 0; i < kMessages; ++i) {
            std::vector<char> received(bytes_of(i));
            OK(dart_recv(received.data(), received.size(), DART_TYPE_BYTE, tag, from));
            CHECK(received == message(from + i, bytes_of(i)));
        }
    }
}

// Each thread has its tag.
void exchange_in_threads() {
    std::vector<std::thread> threads;
    for (int tag = 100; tag < 103; ++tag) {
        threads.emplace_back([tag] {
            for (int i = 0; i < 20; ++i) {
                const int sent = me() * 100000 + tag * 100 + i;
                int received = 0;
                OK(dart_sendrecv(&sent, 1, DART_TYPE_INT, tag, previous_unit(), &received, 1,
                                 DART_TYPE_INT, tag, next_unit()));
                CHECK(received == next_unit() * 100000 + tag * 100 + i);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
}

// dart_exit forgets a message that no unit has received: the next start has only its own.
void check_forgotten() {
    static int start = 0;
    ++start;
    OK(dart_send(&start, 1, DART_TYPE_INT, 9, next_unit()));
    if (start == 2) {
        int received = 0;
        OK(dart_recv(&received, 1, DART_TYPE_INT, 9, previous_unit()));
        CHECK(received == 2);
    }
}

void check_errors() {
    char bytes[4] = {1, 2, 3, 4};
    INVALID(dart_send(bytes, 1, DART_TYPE_BYTE, 0, units()));
    INVALID(dart_send(bytes, 1, DART_TYPE_BYTE, 0, -1));
    INVALID(dart_send(bytes, 1, DART_TYPE_UNDEFINED, 0, 0));
    INVALID(dart_send(nullptr, 1, DART_TYPE_BYTE, 0, 0));
    INVALID(dart_recv(bytes, 1, DART_TYPE_BYTE, 0, units()));
    INVALID(dart_sendrecv(bytes, 1, DART_TYPE_BYTE, 0, 0, bytes, 1, DART_TYPE_BYTE, 0, -1));
    char received[2] = {0, 0};
    OK(dart_send(bytes, 4, DART_TYPE_BYTE, 8, me()));
    INVALID(dart_recv(received, 1, DART_TYPE_BYTE, 8, me()));
    CHECK(received[0] == 1 && received[1] == 0);
}

}  // namespace

void test_messages() {
    pass_round();
    send_in_turn();
    check_meet();
    match_tags();
    check_meet();
    send_many_to_one();
    check_meet();
    send_first();
    check_meet();
    exchange_in_threads();
    check_errors();
    check_forgotten();
}
