// SPDX-License-Identifier: BSD-3-Clause
//
// If this breaks, a program whose static data cannot or need not be shared is damaged, or is not
// told why.
//   refuse_test REASON   the data is not shared, for a reason that contains these words
//   refuse_test          the data is shared (the counterpart for the same circumstances)
#include <cstring>
#include <map>
#include <string>

#include "heap/static_data.hpp"
#include "meeting.hpp"

namespace {

long data_value = 17;
long zero_value;
std::string text = "a string that is too long to be kept inside its object";
std::map<int, std::string> dictionary = {{1, text}, {2, text}};
double large_table[64 << 10] = {1.5, 2.5};  // -mcmodel=medium puts it into a segment of its own
char large_zeros[1 << 20];

void check_data_is_intact() {
    CHECK(data_value == 17 && zero_value == 0 && large_table[1] == 2.5);
    CHECK(dictionary.size() == 2 && dictionary[2] == text);
    for (char c : large_zeros) CHECK(c == 0);
    data_value = 18;
    zero_value = 1;
    large_table[1000] = 2;
    large_zeros[sizeof large_zeros - 1] = 3;
    dictionary[3] = "three";
    text.clear();
    CHECK(data_value + zero_value == 19 && dictionary.size() == 3 && large_table[1000] == 2);
}

// How /proc/self/maps shows the page with `address`: "rw-p" or "rw-s".
std::string permissions_of(const void* address) {
    FILE* maps = std::fopen("/proc/self/maps", "re");
    if (maps == nullptr) return "";
    char line[1024];
    unsigned long begin = 0;
    unsigned long end = 0;
    char permissions[8] = "";
    auto wanted = reinterpret_cast<unsigned long>(address);
    while (std::fgets(line, sizeof line, maps) != nullptr) {
        if (std::sscanf(line, "%lx-%lx %7s", &begin, &end, permissions) != 3) continue;
        if (begin <= wanted && wanted < end) break;
    }
    std::fclose(maps);
    return permissions;
}

}  // namespace

int main(int argument_count, char** arguments) {
    const tessera::heap::StaticData& data = tessera::heap::static_data();
    const bool is_refused = argument_count > 1;
    if (data.shared == is_refused ||
        (is_refused && std::strstr(data.reason, arguments[1]) == nullptr)) {
        std::fprintf(stderr, "shared %d, reason \"%s\"\n", data.shared, data.reason);
        return 1;
    }
    CHECK(data.base % 4096 == 0 && data.bytes % 4096 == 0);
    auto address = reinterpret_cast<std::uintptr_t>(&data_value);
    CHECK(data.base <= address && address + sizeof data_value <= data.base + data.bytes);
    CHECK(data.fd == -1 || !is_refused);
    for (const void* known :
         {static_cast<const void*>(&data_value), static_cast<const void*>(&large_table[1000]),
          static_cast<const void*>(&large_zeros[1 << 19])}) {
        std::string permissions = permissions_of(known);
        CHECK(permissions.empty() || permissions == (is_refused ? "rw-p" : "rw-s"));
    }
    check_data_is_intact();
    return 0;
}
