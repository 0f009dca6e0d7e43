// SPDX-License-Identifier: BSD-3-Clause
//
// If this breaks, static variables are not remotely accessible, or sharing them damages the
// program. Run by static_launcher; built in many variants (CMakeLists.txt): the code is the same,
// the layout of the data segment is not. Tests of fork() and of other programs are in children.cpp.
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "children.hpp"
#include "meeting.hpp"
#include "peers.hpp"

using static_test::Peers;

namespace {

constexpr std::size_t kPage = 4096;
constexpr int kUpdates = 10000;

long data_value = 17;
long zero_value;
alignas(64) long counter;
alignas(64) int counter32 = 5;
double table[3 * kPage] = {1.5, 2.5, 3.5};  // mostly zeros, but in .data
char untouched[64 * kPage];
long thread_total;
std::mutex thread_mutex;
std::string text = "a string that is too long to be kept inside its object";
std::map<std::string, int> dictionary = {{"one", 1}, {"two", 2}, {"three", 3}};
thread_local int thread_number = 42;

// The destructor runs in the PE and in forked children that call exit(), each on its own copy.
struct Guard {
    static_test::Meeting* meeting = nullptr;
    std::vector<int> values = {1, 2, 3};
    int owner = 0;
    ~Guard() {
        if (meeting == nullptr) return;
        CHECK(values.size() == 3 && values[2] == 3);
        static_test::Record& record = meeting->records[static_test::g_pe];
        (owner == getpid() ? record.destructions : record.child_destructions)++;
    }
} guard;

void check_contents() {
    CHECK(data_value == 17 && zero_value == 0 && counter == 0 && counter32 == 5);
    CHECK(table[0] == 1.5 && table[2] == 3.5 && table[3 * kPage - 1] == 0);
    CHECK(text.size() == std::strlen(text.c_str()) && text[0] == 'a');
    CHECK(dictionary.size() == 3 && dictionary["three"] == 3);
    CHECK(thread_number == 42);
    for (char c : untouched) CHECK(c == 0);
    const tessera::heap::StaticData& range = tessera::heap::static_data();
    CHECK((range.base - range.file_offset) % (2 << 20) == 0);
    for (const void* address : {(const void*)&data_value, (const void*)&zero_value,
                                (const void*)(untouched + sizeof untouched - 1)}) {
        auto number = reinterpret_cast<std::uintptr_t>(address);
        CHECK(range.base <= number && number < range.base + range.bytes);
    }
}

// Loads and stores by peers, in .data and .bss, in touched and untouched pages.
void check_loads_and_stores(Peers& peers) {
    data_value = 1000 + peers.pe();
    zero_value = 2000 + peers.pe();
    table[2 * kPage] = peers.pe();
    peers.meet_all();
    for (int peer = 0; peer < peers.count(); ++peer) {
        CHECK(peers.of(peer, data_value) == 1000 + peer);
        CHECK(peers.of(peer, zero_value) == 2000 + peer);
        CHECK(peers.of(peer, table[0]) == 1.5 && peers.of(peer, table[2 * kPage]) == peer);
    }
    peers.meet_all();
    peers.of(peers.next(), data_value) = 3000 + peers.pe();
    peers.of(peers.next(), zero_value) = 4000 + peers.pe();
    peers.of(peers.next(), untouched[33 * kPage]) = static_cast<char>(1 + peers.pe());
    peers.meet_all();
    CHECK(data_value == 3000 + peers.previous());
    CHECK(zero_value == 4000 + peers.previous());
    CHECK(untouched[33 * kPage] == 1 + peers.previous());
    CHECK(untouched[34 * kPage] == 0);
}

void check_atomics(Peers& peers) {
    long& hot = peers.of(0, counter);
    int& hot32 = peers.of(0, counter32);
    for (int i = 0; i < kUpdates; ++i) {
        std::atomic_ref<long>(peers.pe() == 0 ? counter : hot).fetch_add(1);
        int seen = std::atomic_ref<int>(hot32).load();
        while (!std::atomic_ref<int>(hot32).compare_exchange_weak(seen, seen + 1)) {
        }
    }
    peers.meet_all();
    CHECK(hot == static_cast<long>(peers.count()) * kUpdates);
    CHECK(hot32 == 5 + peers.count() * kUpdates);
    CHECK(peers.pe() != 0 || counter == hot);
}

void check_allocation() {
    auto* grown = static_cast<char*>(sbrk(64 * kPage));
    CHECK(grown != reinterpret_cast<char*>(-1));
    std::memset(grown, 7, 64 * kPage);
    std::vector<std::vector<char>> blocks;
    for (std::size_t bytes = 16; bytes < (std::size_t{4} << 20); bytes *= 3)
        blocks.emplace_back(bytes, static_cast<char>(bytes));
    for (const std::vector<char>& block : blocks)
        CHECK(block.back() == static_cast<char>(block.size()));
    dictionary["four"] = 4;
    text += " and has grown";
    CHECK(dictionary.size() == 4 && text.find("grown") != std::string::npos);
    CHECK(grown[64 * kPage - 1] == 7);
}

void check_threads() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([] {
            CHECK(thread_number == 42);
            for (int k = 0; k < 1000; ++k) {
                std::lock_guard<std::mutex> lock(thread_mutex);
                ++thread_total;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(thread_total == 4000);
}

}  // namespace

int main(int, char** arguments) {
    const char* number = std::getenv("STATIC_TEST_PE");
    CHECK(number != nullptr);
    static_test::g_pe = std::atoi(number);
    if (arguments[1] != nullptr) static_test::be_a_grandchild();
    static_test::Meeting& meeting = static_test::join_meeting();
    guard.owner = getpid();
    guard.meeting = &meeting;
    check_contents();
    Peers peers(meeting, static_test::g_pe);
    check_loads_and_stores(peers);
    check_atomics(peers);
    check_allocation();
    check_threads();
    static_test::check_started_programs(arguments[0]);
    static_test::check_forked_children(peers);
    peers.meet_all();
    // The streams' objects lie in the data segment of a position-dependent executable.
    std::cout << "pe " << static_test::g_pe << ": " << text.size() << std::endl;
    CHECK(std::cout.good());
    meeting.children_expected = static_test::kExitingChildren;
    meeting.wants_destructions = true;
    return 0;
}
