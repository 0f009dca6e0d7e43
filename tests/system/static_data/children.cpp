// SPDX-License-Identifier: BSD-3-Clause
//
// See children.hpp.
#include "children.hpp"

#include <spawn.h>
#include <sys/wait.h>

#include <cstring>
#include <map>
#include <string>

extern char** environ;

namespace static_test {
namespace {

constexpr std::size_t kPage = 4096;
constexpr const char* kParentText = "what the parent has written, longer than any small buffer";

long forked_value = 1;
long forked_zero;
char forked_pages[16 * kPage];
std::string forked_text = "initial";
std::map<int, std::string> forked_map;

int status_of(pid_t child) {
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    return status;
}

bool ended_with(int status, int code) { return WIFEXITED(status) && WEXITSTATUS(status) == code; }

// Everything that the parent had at the fork, whatever it does now.
void check_parents_data() {
    CHECK(forked_value == 10 && forked_zero == 11 && forked_text == kParentText);
    CHECK(forked_map.size() == 1 && forked_map[3] == kParentText);
    CHECK(forked_pages[0] == 12 && forked_pages[5 * kPage] == 0);
}

void overwrite_data() {
    forked_value = 20;
    forked_zero = 21;
    forked_text = "what the child has written, also longer than any small buffer";
    forked_map[4] = forked_text;
    forked_map.erase(3);
    std::memset(forked_pages, 22, sizeof forked_pages);
}

// The child tells when it has looked, and waits until the parent has changed its data.
[[noreturn]] void be_a_child(int from_parent) {
    CHECK(tessera::heap::in_forked_child() && !tessera::heap::static_data().shared);
    check_parents_data();
    char byte = 0;
    CHECK(read(from_parent, &byte, 1) == 1);
    check_parents_data();
    overwrite_data();
    // A grandchild is an ordinary one: it has the child's data, and the child keeps its own.
    pid_t grandchild = fork();
    if (grandchild == 0) {
        CHECK(forked_value == 20 && forked_pages[5 * kPage] == 22);
        forked_value = 30;
        _exit(0);
    }
    CHECK(ended_with(status_of(grandchild), 0));
    CHECK(forked_value == 20 && forked_map.size() == 1);
    std::exit(3);
}

void check_one_child(Peers& peers) {
    forked_value = 10;
    forked_zero = 11;
    forked_text = kParentText;
    forked_map = {{3, kParentText}};
    std::memset(forked_pages, 0, sizeof forked_pages);
    forked_pages[0] = 12;
    peers.meet_all();
    int to_child[2];
    CHECK(pipe(to_child) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        close(to_child[1]);  // So that the child ends when its parent does.
        be_a_child(to_child[0]);
    }
    peers.meet_all();
    // The parent, and its neighbour, change data that the child must not see changing.
    forked_value = 15;
    forked_pages[0] = 16;
    peers.of(peers.next(), forked_zero) = 17;
    peers.of(peers.next(), forked_pages[5 * kPage]) = 18;
    peers.meet_all();
    CHECK(write(to_child[1], "x", 1) == 1);
    CHECK(ended_with(status_of(child), 3));
    CHECK(forked_value == 15 && forked_pages[0] == 16 && forked_pages[1] == 0);
    CHECK(forked_zero == 17 && forked_pages[5 * kPage] == 18);
    CHECK(forked_text == kParentText && forked_map.size() == 1 && forked_map[3] == kParentText);
    CHECK(!tessera::heap::in_forked_child() && tessera::heap::static_data().shared);
    close(to_child[0]);
    close(to_child[1]);
    peers.meet_all();
}

}  // namespace

void check_forked_children(Peers& peers) {
    check_one_child(peers);
    // A program that closes every descriptor, and gets the number again for something else.
    close(tessera::heap::static_data().fd);
    CHECK(open("/dev/zero", O_RDWR) >= 0);
    check_one_child(peers);
}

void check_started_programs(const char* own_path) {
    forked_value = 40;
    CHECK(ended_with(std::system("exit 7"), 7));
    // Nothing of ours is open in another program.
    CHECK(ended_with(std::system("! ls -l /proc/self/fd | grep -E 'memfd:(tessera|meeting)'"), 0));
    FILE* pipe = popen("echo 123", "r");
    int number = 0;
    CHECK(pipe != nullptr && std::fscanf(pipe, "%d", &number) == 1 && pclose(pipe) == 0);
    CHECK(number == 123);
    std::string path = own_path;
    char grandchild[] = "grandchild";
    char* arguments[] = {path.data(), grandchild, nullptr};
    pid_t child = 0;
    CHECK(posix_spawnp(&child, own_path, nullptr, nullptr, arguments, environ) == 0);
    CHECK(ended_with(status_of(child), 5));
    child = vfork();
    if (child == 0) _exit(9);
    CHECK(ended_with(status_of(child), 9));
    CHECK(forked_value == 40 && tessera::heap::static_data().shared);
}

void be_a_grandchild() {
    // Under a foreign launcher nothing distinguishes a PE from a program that it starts.
    if (std::getenv(tessera::kJobVariable) != nullptr) {
        CHECK(!tessera::heap::static_data().shared);
        CHECK(std::strcmp(tessera::heap::static_data().reason, "single PE") == 0);
    }
    CHECK(forked_value == 1 && forked_text == "initial");
    _exit(5);
}

}  // namespace static_test
